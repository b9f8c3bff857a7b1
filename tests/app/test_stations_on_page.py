"""Stations on the Data page: their table as tiles, and rides counted by their ids."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.test_pages import look
from tests.conftest import ROOT

STATIONS = b"id;name;lat;lng\r" + b"".join(
    b"%d;Station %d;42.%d;-71.1\r" % (number, number, 350 + number) for number in range(3, 8)
)
RIDES = (
    b"starttime,stoptime,start station id,start station latitude,start station longitude,end station id,"
    b"end station latitude,end station longitude,bikeid,usertype,gender\n"
    + b"2012-09-01 08:00:00,2012-09-01 08:30:00,3,42.353,-71.1,4,42.3537,-71.1,9,Subscriber,1\n"
    * 3
)


@pytest.fixture
def page():
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    test.switch_page("pages/owner/data.py").run()
    test.file_uploader[0].set_value(("rides.csv", RIDES, "text/csv")).run()
    test.file_uploader[1].set_value(("stations.csv", STATIONS, "text/csv")).run()
    next(s for s in test.selectbox if s.label == "Time zone of the city").set_value("America/New_York").run()
    return test


def load(page):
    next(b for b in page.button if b.label == "Load").click().run()
    if not page.metric:
        look(page)
    assert not page.exception
    return next(m.value for m in page.metric if m.label == "Ends outside every tile")


def test_a_table_of_stations_is_taken_for_tiles_and_its_reach_is_public(page):
    assert not page.exception
    reach = next(n for n in page.number_input if n.label == "Reach of a station, metres")
    assert reach.value == 500
    assert load(page) == "0 %"
    assert any("up to 500 m away" in text.value for text in page.markdown)
    next(n for n in page.number_input if n.label == "Reach of a station, metres").set_value(20).run()
    assert load(page) == "50 %"


def test_rides_are_counted_by_station_once_that_is_chosen(page):
    next(n for n in page.number_input if n.label == "Reach of a station, metres").set_value(20).run()
    next(c for c in page.checkbox if c.label == "Count by station id").check().run()
    assert any("by station" in text.value for text in page.success)
    assert load(page) == "0 %"


@pytest.mark.parametrize(
    ("districts", "said"),
    [
        ("A", "all tiles lie in one district"),
        ("", "tiles without a district"),
    ],
)
def test_districts_of_the_file_that_no_plan_could_use_are_refused_where_tiles_are_chosen(
    page, districts, said
):
    rows = STATIONS.decode().split("\r")[1:-1]
    table = "id;name;lat;lng;district\r" + "\r".join(
        f"{row};{districts if number else 'A'}" for number, row in enumerate(rows)
    )
    page.file_uploader[1].set_value(("stations.csv", table.encode(), "text/csv")).run()
    assert not page.exception
    (refusal,) = [error.value for error in page.error if said in error.value.lower()]
    assert "remove the property" in refusal


def test_a_feed_of_stations_has_a_reach_too(page):
    feed = {"last_updated": 1, "ttl": 0, "version": "2.3", "data": {"stations": [
        {"station_id": str(number), "name": "S", "lat": 42.35 + number / 1_000, "lon": -71.1} for number in range(3, 8)
    ]}}  # fmt: skip
    name = "station_information.json"
    page.file_uploader[1].set_value((name, json.dumps(feed).encode(), "application/json")).run()
    reach = next(n for n in page.number_input if n.label == "Reach of a station, metres")
    reach.set_value(20).run()
    assert not page.exception
    assert next(n for n in page.number_input if n.label == "Reach of a station, metres").value == 20
    load(page)
    assert any("up to 20 m away" in text.value for text in page.markdown)


def test_a_refusal_keeps_its_control_however_often_the_page_runs(page):
    square = [[3e5, 5.8e6], [3.01e5, 5.8e6], [3.01e5, 5.801e6], [3e5, 5.801e6], [3e5, 5.8e6]]
    shape = {"type": "Polygon", "coordinates": [square]}
    metres = {"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"tile_id": "a"}, "geometry": shape}
    ]}  # fmt: skip
    page.file_uploader[1].set_value(("m.geojson", json.dumps(metres).encode(), "application/json")).run()
    for _ in range(2):  # the second run remembers the refusal
        page.run()
        (system,) = [one for one in page.text_input if one.label == "Coordinate system of the file"]
    system.set_value("EPSG:25833").run()
    assert any(one.label == "Property that names a tile" for one in page.selectbox)
    assert not page.error


@pytest.mark.parametrize("name", ["stops.txt", "stations.tsv"])
def test_stops_are_uploaded_under_their_own_name(page, name):
    table = "stop_id,stop_name,stop_lat,stop_lon\n1,A, 42.353,-71.1\n2,B, 42.354,-71.1\n"
    text = table.replace(",", "\t") if name.endswith("tsv") else table
    page.file_uploader[1].set_value((name, text.encode(), "text/plain")).run()
    assert not page.error
    assert any(one.label == "Reach of a station, metres" for one in page.number_input)
