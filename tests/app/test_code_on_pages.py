"""The code that a page shows runs as it stands, on the built-in city."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.test_pages import load, trips
from tests.app.test_release_page import own_ledger  # noqa: F401 - a fixture
from tests.conftest import ROOT

SPENDS = ["release", "synthesize", "trajectories"]


def shown(app) -> str:
    assert not app.exception, app.exception
    (found,) = [code.value for code in app.code if code.language == "python"]
    return found


@pytest.mark.parametrize("page", ["data", "explore", "report", *SPENDS])
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    text = shown(app.switch_page(f"pages/owner/{page}.py").run())
    assert "dpcore.demo_city()" in text
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(text, names)
    assert ("release" in names) == (page in SPENDS)
    if page in SPENDS:
        assert (tmp_path / "BUNDLE").is_dir()


def test_the_code_of_own_trips_names_no_file_of_theirs():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    load(app, trips())
    text = shown(app.switch_page("pages/owner/explore.py").run())
    assert "dpcore.load_trips('TRIPS.csv', tiles, timezone=" in text
    assert "demo_city" not in text


def test_the_notebook_of_a_page_is_offered():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/owner/explore.py").run()
    assert [one.proto.label for one in app.get("download_button")].count("Notebook (.ipynb)") == 1
