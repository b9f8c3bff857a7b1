"""The code that a page shows runs as it stands, on the built-in city."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dpcore import demo
from tests.app.test_pages import TILES, load, open_code, trips
from tests.app.test_release_page import own_ledger  # noqa: F401 - a fixture
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def small_city(monkeypatch):
    """The built-in city with fewer people and places: pages and code say the same of any size."""
    monkeypatch.setattr(demo, "DEMO_TRIPS", 60_000)
    monkeypatch.setattr(demo, "DEMO_TILES", 40)


SPENDS = ["release", "synthesize", "trajectories"]


def shown(app) -> str:
    assert not app.exception, app.exception
    assert not any(code.language == "python" for code in app.code), "sent before it is asked for"
    open_code(app)
    (found,) = [code.value for code in app.code if code.language == "python"]
    return found


@pytest.mark.parametrize("page", ["data", "explore", "report", *SPENDS])
def test_the_code_of_a_page_runs_as_it_stands_and_shows_a_result(page, tmp_path, monkeypatch, capsys):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    text = shown(app.switch_page(f"pages/owner/{page}.py").run())
    assert "dpcore.demo_city()" in text
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(text, names)
    assert capsys.readouterr().out.strip()
    assert text.strip().splitlines()[-1].startswith("print(")
    said = [line for line in text.splitlines() if line.startswith("# ")]
    assert len(said) == len({*said})
    assert ("release" in names) == (page in SPENDS)
    if page in SPENDS:
        assert names["receipt"].folder.is_dir()


def test_the_code_of_own_trips_names_no_file_of_theirs():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    load(app, trips())
    text = shown(app.switch_page("pages/owner/explore.py").run())
    assert "dpcore.load_trips('TRIPS.csv', tiles, timezone=" in text
    assert "demo_city" not in text


def test_days_that_were_read_off_own_trips_stand_in_no_code_and_no_notebook():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    load(app, trips())
    app.run()
    for label in ("Use the first and last day", "Use 2024-04-01 to 2024-04-05"):
        next(one for one in app.button if one.label.startswith(label)).click().run()
    for page in ("explore", "report", *SPENDS):
        text = shown(app.switch_page(f"pages/owner/{page}.py").run())
        assert "FIRST_DAY" in text, page
        said = [text, *(code.value for code in app.code)]
        assert not any(day in one for one in said for day in ("2024", "4, 1)", "4, 5)")), page


def test_the_code_of_own_trips_keeps_how_they_were_loaded():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.switch_page("pages/owner/data.py").run()
    app.file_uploader[0].set_value(("trips.csv", trips(bad="x").replace(b"uid", b"who", 1), "text/csv")).run()
    app.file_uploader[1].set_value(("tiles.geojson", TILES, "application/geo+json")).run()
    for label, value in (
        ("What is one row?", "A place and a time of a trip"),
        ("Person (uid)", "who"),
        ("Time zone of the city", "UTC"),
    ):
        next(box for box in app.selectbox if box.label == label).set_value(value).run()
    next(box for box in app.checkbox if box.label.startswith("Leave out bad")).check().run()
    next(one for one in app.button if one.label == "Load").click().run()
    text = shown(app)
    assert "'uid': 'who'" in text
    assert "drop_bad=True" in text


def test_the_notebook_of_a_page_is_offered():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    open_code(app.switch_page("pages/owner/explore.py").run())
    assert [one.proto.label for one in app.get("download_button")].count("Notebook (.ipynb)") == 1
