"""Refusals of trips on the Data page: each names the control that mends it, and that control mends it."""

from __future__ import annotations

import pandas as pd
import pytest

import dpcore
from dpcore.api.mending import in_python
from dpcore.errors import InputError
from pages.owner.parts.data.column_words import on_page
from tests.app.test_columns_by_hand import give, said, widget
from tests.app.test_pages import TILES

ENDS = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng"
TRIP = "2024-03-01 08:00,2024-03-01 08:20,0.5,0.5,0.5,1.5"


@pytest.fixture
def page(one_page):
    one_page.run()
    one_page.switch_page("pages/owner/data.py").run()
    return one_page


def test_a_number_of_trips_is_refused_and_a_box_declares_that_each_row_is_one_trip(page):
    give(page, f"{ENDS},trips\nu1,{TRIP},25\n".encode(), "od.csv")
    assert "A row is a number of trips, not a trip" in said(page)
    assert "the box 'Each row is one trip: trips counts something else'" in said(page).replace("\\", "")
    assert "read as" not in said(page)
    widget(page.checkbox, "Each row is one trip").check().run()
    assert "od.csv is read as" in said(page).replace("\\", "")
    assert not page.error


def test_a_refused_time_names_its_kind_and_one_press_reads_it(page):
    give(page, f"{ENDS}\nu1,45352.3333,45352.3472,0.5,0.5,0.5,1.5\n".encode(), "serial.csv")
    page.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    widget(page.selectbox, "Time zone").set_value("UTC").run()
    widget(page.button, "Load").click().run()
    assert "a number of days, as Excel writes times" in said(page)
    assert "Times are written" in said(page)
    assert [one.label for one in page.button if one.label.startswith("Read as")] == [
        "Read as: Days as Excel counts them: 45352.4"
    ]
    widget(page.button, "Read as: Days as Excel").click().run()
    assert not page.exception
    assert not page.error
    assert page.session_state["atlas"].data.trips.report.trips == 1


@pytest.mark.parametrize("names", ["date,start_time,end_time", "d,b,e"])
def test_one_date_is_that_of_both_ends_on_the_page_too(page, names):
    header = f"user_id,{names},start_lat,start_lng,end_lat,end_lng"
    give(page, f"{header}\nu1,2024-03-01,8:00,8:20,0.5,0.5,0.5,1.5\n".encode(), "dated.csv")
    if names == "d,b,e":
        for label in ("Start: time (", "End: time ("):
            widget(page.selectbox, label).set_value("d").run()
        widget(page.checkbox, "The time of day has a column of its own").check().run()
        for label, column in (("Start: time of day", "b"), ("End: time of day", "e")):
            widget(page.selectbox, label).set_value(column).run()
        widget(page.button_group, "Times are written").set_value("year-first").run()
    assert "dated.csv is read as" in said(page).replace("\\", "")
    page.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    widget(page.selectbox, "Time zone").set_value("UTC").run()
    widget(page.button, "Load").click().run()
    assert not page.error
    assert page.session_state["atlas"].data.trips.report.trips == 1


@pytest.mark.parametrize(
    ("command", "page_words", "python"),
    [
        (
            "say --times dates: each",
            "say 'Times are written': Dates alone, read as midnight: each",
            'say times="dates": each',
        ),
        ("--drop-bad (in a notebook drop_bad=True).", "'Leave out the bad records'.", "drop_bad=True."),
        (
            "--column 'lat_first=my place'.",
            "the box 'The latitude comes first in my place'.",
            'columns={"lat_first": "my place"}.',
        ),
        (
            "--column started_at=NAME --column tid=NAME.",
            "'Roles of the columns': Start: time, Trip.",
            'columns={"started_at": "NAME", "tid": "NAME"}.',
        ),
        (
            "with --trip-gap 30min (in a notebook trip_gap)",
            "with 'Points become trips'",
            'with trip_gap="30min"',
        ),
        (
            "say which: --header 2.",
            "say which: 'No header: the names of the columns': 2.",
            'say which: header="2".',
        ),
    ],
)
def test_options_become_controls_and_arguments(command, page_words, python):
    assert on_page(command) == page_words
    assert in_python(command) == python


def test_the_library_refuses_in_its_own_words():
    frame = pd.DataFrame({"origin": ["A"], "destination": ["B"], "flow": [3]})
    tiles = dpcore.demo_city()[1]
    with pytest.raises(InputError, match="a row is a number of trips") as refused:
        dpcore.load_trips(frame, tiles, timezone="UTC")
    assert 'columns={"one_trip": "flow"}' in str(refused.value)
    assert "--column" not in str(refused.value)
