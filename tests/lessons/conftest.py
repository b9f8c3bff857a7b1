"""Lessons share one data folder, so that the city is built once."""

import pytest


@pytest.fixture(scope="session")
def city_home(tmp_path_factory):
    return tmp_path_factory.mktemp("lessons-home")


@pytest.fixture(autouse=True)
def own_home(city_home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(city_home))
    return city_home
