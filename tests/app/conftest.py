"""The pages share one data folder, so that the city is built once."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def city_home(tmp_path_factory):
    return tmp_path_factory.mktemp("app-home")


@pytest.fixture(autouse=True)
def own_home(city_home, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(city_home))
    return city_home


class _NoPagesFolder(type(Path())):
    def exists(self, **_):
        return False


@pytest.fixture(autouse=True)
def routed(monkeypatch):
    """AppTest forgets before every run that `st.navigation` was called, and would run the page without app.py.

    A server forgets nothing; what happens at its very first visit is tested in a browser.
    """
    monkeypatch.setattr("streamlit.runtime.pages_manager.Path", _NoPagesFolder)
