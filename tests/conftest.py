"""What every test shares: a private folder of its own, and data that lies beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory, monkeypatch):
    """No test reads or writes the data folder of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
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
