"""An unknown file on the Data page: its shape, its roles by hand, how its points become trips, and what is remembered of it."""

from __future__ import annotations

import pytest

from pages.owner.parts.state.draft import Look
from tests.app.test_pages import TILES

HEADER = "wer;wann;breite;laenge;zweck"
ROWS = [
    f"p{person};{day:02}/03/2024 {hour:02}:{minute:02};0.5;{0.5 + minute / 20};{'work' if hour < 12 else ''}"
    for person in range(3)
    for day in (1, 13)
    for hour in (8, 17)
    for minute in (0, 10, 20)
]
"""Three people, on two days, twice a day three points within 20 minutes: four trips each."""


def points(header=HEADER):
    return "\n".join([header, *ROWS, ""]).encode()


def widget(found, label):
    return next(one for one in found if one.label.startswith(label))


def said(page):
    kinds = ("markdown", "caption", "error", "info", "success", "warning")
    return "\n".join(one.value for kind in kinds for one in getattr(page, kind))


def give(page, content, name="points.csv"):
    page.file_uploader[0].set_value((name, content, "text/csv")).run()
    assert not page.exception


def shape(page):
    (table,) = [one.value for one in page.dataframe if "Read as" in one.value]
    return table


@pytest.fixture
def page(one_page):
    return one_page


def test_names_that_nobody_knows_are_not_shown_until_the_owner_says_that_they_are_names(page):
    page.run()
    page.switch_page("pages/owner/data.py").run()
    give(page, points())
    assert "None of the names in the first line is known" in said(page)
    assert not page.error, "nothing is wrong with such a file"
    assert "breite" not in said(page)
    assert not page.dataframe
    widget(page.checkbox, "The first line holds").check().run()
    assert [*shape(page)["Column"]] == HEADER.split(";")
    assert {*shape(page)["Type"]} == {"text"}
    assert "Still needed: what one row is." in said(page)


def test_each_role_has_a_control_and_what_is_missing_is_named(page):
    widget(page.selectbox, "What is one row?").set_value("A place and a time of a person").run()
    assert "Still needed: Person (uid), Time (datetime), Latitude (lat), Longitude (lng)." in said(page)
    assert (
        "Latitude (lat): choose its column. It is found by itself if its name is one of lat, latitude,"
        in said(page)
    )
    for label, column in (
        ("Person", "wer"),
        ("Time (", "wann"),
        ("Latitude", "breite"),
        ("Longitude", "laenge"),
    ):
        widget(page.selectbox, label).set_value(column).run()
    assert [*shape(page)["Read as"]][-1] == "not read"
    assert "Still needed: how times are written, how the points are cut into trips." in said(page)
    assert widget(page.button_group, "Times are written").value is None
    widget(page.button_group, "Times are written").set_value("year-first").run()
    assert "Still needed: how the points are cut into trips, tiles, the time zone." in said(page)
    widget(page.button_group, "Cut the points").set_value("A gap in time").run()
    assert widget(page.number_input, "Minutes without a point").value == 30
    assert "read as: points" in said(page)


def test_shares_of_empty_fields_are_a_look_and_are_marked(page):
    assert "Empty" not in shape(page)
    widget(page.button, "Count the empty fields").click().run()
    assert [*shape(page)["Empty"]] == ["0 %"] * 4 + ["50 %"]
    assert all("Owner preview" in mark for mark in shape(page)["mark"])


def test_days_are_never_guessed_and_the_refusal_stands_beside_the_control_that_mends_it(page):
    page.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    widget(page.selectbox, "Time zone").set_value("UTC").run()
    widget(page.button, "Load").click().run()
    assert not page.exception
    assert page.session_state["atlas"].data.is_demo
    assert "not a time" in said(page).lower()
    assert any(one.label == "Leave out the bad records" for one in page.button)
    widget(page.button, "Read as: Day first").click().run()
    assert widget(page.button_group, "Times are written").value == "day-first"
    data = page.session_state["atlas"].data
    assert not page.error
    assert data.trips.report.trips == 12
    assert data.trips.rule.text == "trip-gap 30min"
    assert data.loading.times == "day-first"
    assert Look.FIELDS in page.session_state["atlas"].seen
    assert "before_data" not in page.session_state["atlas"].draft().ways


def test_the_next_file_with_these_columns_is_read_the_same_way(page):
    give(page, points("laenge;zweck;wann;wer;breite"), "next.csv")
    assert "as you chose them for a file with the same columns" in said(page)
    assert widget(page.selectbox, "Time (").value == "wann"
    assert widget(page.button_group, "Times are written").value == "day-first"
    assert widget(page.button_group, "Cut the points").value == "A gap in time"
    assert "next" in said(page)
    widget(page.button, "Take what the names tell").click().run()
    assert "None of the names in the first line is known" in said(page)


def test_a_file_without_a_header_is_given_its_names_and_its_first_line_is_a_record(page):
    give(page, "\n".join([*ROWS, ""]).encode(), "bare.csv")
    assert "looks like data" in said(page)
    assert "p0" not in said(page)
    widget(page.text_input, "No header").set_value("uid;datetime;lat;lng;purpose").run()
    assert not page.error
    assert [*shape(page)["Read as"]][:2] == ["Person (uid)", "Time (datetime)"]
    widget(page.button_group, "Times are written").set_value("day-first").run()
    widget(page.button_group, "Cut the points").set_value("Stays").run()
    widget(page.button_group, "Cut the points").set_value("A gap in time").run()
    widget(page.button, "Load").click().run()
    assert not page.exception
    assert page.session_state["atlas"].data.trips.report.trips == 12
    assert page.session_state["atlas"].data.loading.header == "uid;datetime;lat;lng;purpose"


def test_a_first_record_that_begins_as_another_format_can_be_named_too(page):
    give(page, "\n".join([*ROWS, ""]).replace("p0", "[p0]").encode(), "bracket.csv")
    assert "the content is JSON" in said(page).replace("The", "the")
    widget(page.text_input, "No header").set_value("uid;datetime;lat;lng;purpose").run()
    assert not page.error
    assert [*shape(page)["Read as"]][:2] == ["Person (uid)", "Time (datetime)"]
