"""On the Data page the owner says that trips have no times, and how long trips lasted; the other pages then ask for no time."""

from __future__ import annotations

import pytest

from dpcore.measures import MEASURES
from tests.app.test_columns_by_hand import give, said, widget
from tests.app.test_pages import TILES

OWNER = ["explore", "report", "release", "compare", "synthesize", "trajectories"]


@pytest.fixture
def page(one_page):
    return one_page


def load(page):
    page.file_uploader[1].set_value(("tiles.geojson", TILES, "application/json")).run()
    widget(page.selectbox, "Time zone").set_value("UTC").run()
    widget(page.button, "Load").click().run()
    assert not page.exception
    assert not page.error
    return page.session_state["atlas"].data


def test_a_row_may_be_a_place_in_an_order(page):
    page.run()
    page.switch_page("pages/owner/data.py").run()
    give(page, b"uid,tid,stop,lat,lng\nu,0,2,0.5,1.5\nu,0,1,0.5,0.5\nw,0,1,0.5,0.5\nw,0,2,0.5,1.5\n")
    widget(page.selectbox, "What is one row?").set_value("A place of a trip, in an order without times").run()
    assert "Still needed: Order of the places (no_times)." in said(page)
    widget(page.selectbox, "Order of the places").set_value("stop").run()
    assert "read as: records without times" in said(page)
    assert not any(one.label == "Times are written" for one in page.button_group)
    data = load(page)
    assert (data.trips.has_times, data.trips.report.trips) == (False, 2)
    assert data.loading.columns["no_times"] == "stop"


@pytest.mark.parametrize("name", OWNER)
def test_no_page_of_the_owner_asks_such_trips_for_a_time(page, name):
    page.switch_page(f"pages/owner/{name}.py").run()
    assert not page.exception
    assert not page.error, said(page)
    weights = page.session_state["atlas"].draft().plan().weights
    assert "visits_per_tile" in weights
    assert not any(MEASURES[one].needs_times for one in weights)


def test_a_column_that_nobody_knows_is_declared_to_hold_minutes(page):
    page.switch_page("pages/owner/data.py").run()
    give(page, b"user_id,started_at,lasted,start_lat,start_lng,end_lat,end_lng\n"
               b"u,2024-03-01 08:00,20,0.5,0.5,0.5,1.5\n", "minutes.csv")  # fmt: skip
    widget(page.selectbox, "End: time").set_value("lasted").run()
    assert any(one.label == "lasted holds seconds" for one in page.checkbox)
    widget(page.checkbox, "lasted holds minutes").check().run()
    assert "is read as: trips" in said(page).replace("\\", ""), said(page)
    data = load(page)
    assert data.trips.has_times
    assert data.loading.columns == {"duration_min": "lasted"}
    assert data.trips.report.notes == (
        "each trip ends when its duration is over: times of ends were not recorded",
    )
