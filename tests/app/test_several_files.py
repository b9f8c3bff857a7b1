"""Several files on the Data page: uploads, a folder of the data folder, what is told of them, and how loading ends early."""

from __future__ import annotations

import bz2
import gzip
from datetime import date
from fractions import Fraction

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from dpcore import curator
from dpcore.api import owner
from dpcore.ledger import Account
from dpcore.privacy import PrivacyUnit
from pages.owner.parts.explore.looking import PLAN_AFTER_A_LOOK
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.words import DAYS_OF_OTHERS
from tests.app.test_pages import TILES, look
from tests.conftest import ROOT

HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng\n"


def month(number):
    days = (f"2024-{number:02}-{1 + person:02}" for person in range(10 * number))
    return HEADER + "".join(f"u{day[-2:]},{day} 08:00,{day} 09:00,0.5,0.5,0.5,1.5\n" for day in days)


@pytest.fixture
def page():
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    test.switch_page("pages/owner/data.py").run()
    test.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    next(s for s in test.selectbox if s.label == "Time zone of the city").set_value("Europe/Berlin").run()
    return test


def said(page):
    return "\n".join(one.value for kind in (page.error, page.markdown, page.caption) for one in kind).replace(
        "\\", ""
    )


def covers(page, *days):
    for number, on in enumerate(days):
        [one for one in page.date_input if one.label.endswith("(public)")][number].set_value(on).run()


def load(page):
    next(b for b in page.button if b.label == "Load").click().run()
    if not page.metric:
        look(page)
    assert not page.exception
    return next(m.value for m in page.metric if m.label == "Trips")


def test_several_uploads_are_one_data_set_with_their_names_one_click_away(page):
    uploads = [(f"{number}.csv", month(number).encode(), "text/csv") for number in (1, 2)]
    page.file_uploader[0].set_value(uploads).run()
    assert any("2 files are read as: trips" in told.value for told in page.success)
    assert load(page) == "30"
    assert page.session_state["atlas"].data.trips.name == "2 files"
    assert any(one.label == "The 2 files" for one in page.expander)
    (files,) = [table.value for table in page.dataframe if "File" in table.value]
    assert [*files["File"]] == ["1.csv", "2.csv"]


def test_another_month_keeps_tiles_zone_and_plan_and_asks_for_what_is_its_own(page):
    page.file_uploader[0].set_value([("1.csv", month(1).encode(), "text/csv")]).run()
    assert next(one for one in page.segmented_control if one.label == "Tiles from").options[-1] != "As loaded"
    covers(page, date(2024, 1, 1), date(2024, 1, 31))
    load(page)
    mine = page.session_state["atlas"]
    draft = mine.draft()
    draft.dataset, draft.max_trips, draft.epsilon, draft.trips, draft.chosen = (
        "trams",
        5,
        Fraction(2),
        40,
        "before_data",
    )
    draft.publishing("tables", "").title = "January"
    page.run()
    before = mine.data
    mine.held_tiles = None  # as after a restart: uploads are not kept as files
    page.file_uploader[0].set_value([("2.csv", month(2).encode(), "text/csv")]).run()
    next(one for one in page.segmented_control if one.label == "Tiles from").set_value("As loaded").run()
    assert "tiles of the trips that are loaded" in said(page)
    assert DAYS_OF_OTHERS in said(page)
    covers(page, date(2024, 2, 1), date(2024, 2, 29))
    assert not page.error
    assert DAYS_OF_OTHERS not in said(page)
    next(b for b in page.button if b.label == "Load").click().run()
    next(one for one in page.number_input if one.label == "Trips, about").set_value(40).run()
    told = f"{Look.EARLIER.value} {PLAN_AFTER_A_LOOK}"
    assert told in said(page), "nobody is promised what Release then refuses"
    look(page)
    assert mine.data.trips.name == "2.csv"
    assert mine.data.tessellation is before.tessellation
    assert mine.data.loading.tiles == before.loading.tiles
    assert mine.data.trips.timezone == before.trips.timezone
    assert not mine.seen - {Look.REPORT}
    kept = mine.draft()
    assert (kept.dataset, kept.max_trips, kept.epsilon) == ("trams", 5, Fraction(2))
    assert (kept.trips, kept.chosen) == (40, None)
    assert kept.publishing("tables", "").title == ""
    account = Account("trams", "riders", PrivacyUnit.USER, Fraction(9))
    curator.register(curator.default_ledger(), account)
    page.switch_page("pages/owner/release.py").run()
    assert not page.exception
    title = next(one for one in page.text_input if one.label == "Title").value
    assert title == "trams, February 2024", "proposed from what is public"
    kept.looked, kept.files = (
        set(),
        (),
    )  # had nobody looked at the new month, the month before was looked at all the same
    assert kept.seen == {Look.EARLIER}
    assert "before_data" not in kept.ways


def test_a_first_day_that_is_changed_before_the_last_one_raises_no_alarm_and_hides_nothing(page):
    page.file_uploader[0].set_value([("1.csv", month(1).encode(), "text/csv")]).run()
    first, last = (one for one in page.date_input if one.label.endswith("(public)"))
    first.set_value(date(2024, 3, 1)).run()
    last.set_value(date(2024, 3, 31)).run()
    first.set_value(date(2024, 4, 1)).run()
    assert not page.error
    button = next(b for b in page.button if b.label == "Load")
    assert button.disabled
    assert "Still needed: a last day that is not before the first." in said(page)
    last.set_value(date(2024, 4, 30)).run()
    assert not next(b for b in page.button if b.label == "Load").disabled


def test_all_uploads_that_cannot_be_used_are_told_at_once(page):
    good, other = month(1).encode(), month(2).replace("ended_at", "until").encode()
    packed = gzip.compress(good)
    uploads = [
        (name, data, "text/csv") for name, data in {"1.csv": good, "2.csv": packed, "3.csv": packed}.items()
    ]
    page.file_uploader[0].set_value(uploads).run()
    told = said(page)
    assert "2.csv" in told
    assert "3.csv" in told
    uploads = [
        (name, data, "text/csv") for name, data in {"1.csv": good, "2.csv": other, "3.csv": other}.items()
    ]
    page.file_uploader[0].set_value(uploads).run()
    told = said(page)
    assert "2.csv, 3.csv, nearest form" in told
    assert "give these columns the names that the others have" in told


def test_a_file_without_records_among_others_is_named(page):
    uploads = [("1.csv", month(1).encode(), "text/csv"), ("2.csv", HEADER.encode(), "text/csv")]
    page.file_uploader[0].set_value(uploads).run()
    assert load(page) == "10"
    assert any(told.value.startswith("No records, only a header: 2") for told in page.warning)


def test_a_folder_of_the_data_folder_is_one_data_set(page, tmp_path, monkeypatch):
    for number in (1, 2):
        place = tmp_path / "rides" / f"month={number}"
        place.mkdir(parents=True)
        (place / "part-0.csv").write_text(month(number))
    monkeypatch.setenv("EPSILON_ATLAS_DATA", str(tmp_path))
    next(c for c in page.button_group if c.label == "Trips from").set_value("Data folder").run()
    (choice,) = page.multiselect
    assert choice.options == [
        *("rides/", "rides/month=1/", "rides/month=2/"),
        *("rides/month=1/part-0.csv", "rides/month=2/part-0.csv"),
    ]
    choice.set_value(["rides/"]).run()
    assert load(page) == "30"


def test_what_a_folder_leaves_out_is_said_before_it_is_loaded(page, tmp_path, monkeypatch):
    (tmp_path / "rides").mkdir()
    (tmp_path / "rides" / "1.csv").write_text(month(1))
    (tmp_path / "rides" / "2.txt").write_text(month(2))
    (tmp_path / "rides" / "3.tsv").write_text(month(3).replace(",", "\t"))
    (tmp_path / "rides" / "4.xlsx").write_bytes(b"PK")
    monkeypatch.setenv("EPSILON_ATLAS_DATA", str(tmp_path))
    next(c for c in page.button_group if c.label == "Trips from").set_value("Data folder").run()
    page.multiselect[0].set_value(["rides/"]).run()
    assert [told.value.replace("\\", "") for told in page.warning] == [
        "Not read in the folder rides: 4.xlsx (a spreadsheet is not read; save it as CSV UTF-8)"
    ]
    assert load(page) == "60"


@pytest.mark.parametrize("name", ["1.txt", "1.tsv", "1.csv.gzip", "1.csv.bz2"])
def test_what_loads_by_its_name_is_uploaded_too(page, name):
    packed = {"gzip": gzip.compress, "bz2": bz2.compress}.get(name.rpartition(".")[2], bytes)
    page.file_uploader[0].set_value((name, packed(month(1).encode()), "text/plain")).run()
    assert {f".{name.rpartition('.')[2]}", ".txt"} <= {*page.file_uploader[0].allowed_type}
    assert load(page) == "10"


def test_the_files_of_a_folder_are_given_the_names_that_they_do_not_have(page, tmp_path, monkeypatch):
    (tmp_path / "rides").mkdir()
    for number in (1, 2):
        bare = month(number).partition("\n")[2].replace("u0", "[u0")  # begins as JSON would
        (tmp_path / "rides" / f"{number}.csv").write_text(bare)
    monkeypatch.setenv("EPSILON_ATLAS_DATA", str(tmp_path))
    next(c for c in page.button_group if c.label == "Trips from").set_value("Data folder").run()
    page.multiselect[0].set_value(["rides/"]).run()
    names = next(one for one in page.text_input if one.label.startswith("No header"))
    names.set_value(HEADER.strip()).run()
    assert not page.error
    assert load(page) == "30"


def test_loading_that_was_stopped_is_said_once_and_nothing_changed(page, monkeypatch):
    page.file_uploader[0].set_value([("1.csv", month(1).encode(), "text/csv")]).run()

    def clicked(*_args, progress, **_more):
        progress(0.3)
        raise StopException  # as a click on Cancel ends the run

    with monkeypatch.context() as patched:
        patched.setattr(owner, "load", clicked)
        next(b for b in page.button if b.label == "Load").click().run()
    page.run()
    assert any(told.value.startswith("Loading 1") and "was stopped" in told.value for told in page.info)
    assert page.session_state["atlas"].data.is_demo
    page.run()
    assert not any("was stopped" in told.value for told in page.info)
    assert load(page) == "10"
