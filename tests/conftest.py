"""What every test shares: a private folder of its own, and data that lies beside the project."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Numbered folders, in one of their own: pytest looks through all that lie beside each new one."""
    place = tmp_path_factory.mktemp("homes")
    return (place / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_home(homes, monkeypatch):
    """No test reads or writes the data folder of the person who runs it."""
    home = next(homes)
    home.mkdir()
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def shared():
    """A file of the real and oracle data by its path; skips where the data are not there."""

    def find(path: str) -> Path:
        place = SHARED / path
        if not place.exists():
            pytest.skip(f"needs the test data {path}, which do not come with the project")
        return place

    return find
