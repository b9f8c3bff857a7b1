"""Bike share files can be counted by the ids of their stations, by choice alone."""

from __future__ import annotations

import pytest
from hubway_files import record, text_of
from reading_of import CANONICAL, reading_of, rows_of, upload
from test_trips_extras import NEW_ROW, OLD_ROW
from test_trips_forms import BIKE_CAPITALS, BIKE_NEW, BIKE_OLD

from dpcore.private.source import TripsFile, inspect

OLD = BIKE_OLD + OLD_ROW.format("Subscriber", 1)
NEW = BIKE_NEW + NEW_ROW.format("member")


@pytest.mark.parametrize(
    ("text", "form", "zones"),
    [
        (OLD, "bike share (old)", ("72", "79")),
        (BIKE_CAPITALS + OLD_ROW.format("Subscriber", 1), "bike share (old)", ("72", "79")),
        (OLD.replace(",72,", ",72.0,"), "bike share (old)", ("72", "79")),
        (NEW, "bike share (new)", ("JC1", "JC2")),
        (NEW.replace("JC1", "6140.05"), "bike share (new)", ("6140.05", "JC2")),
    ],
)
def test_places_are_coordinates_until_stations_are_chosen(text, form, zones):
    seen = inspect(upload(text))
    assert (seen.form, seen.has_points) == (form, True)
    chosen = inspect(upload(text), seen.by_station)
    assert (chosen.form, chosen.has_points) == (f"{form}, by station", False)
    (row,) = rows_of(text, mapping=seen.by_station)
    assert (row["start_zone"], row["end_zone"], row["complete"]) == (*zones, True)
    (same,) = rows_of(text)
    assert row["extra_user_type"] == same["extra_user_type"] == "Registered"
    assert (row["start_us"], row["end_us"]) == (same["start_us"], same["end_us"])


def test_two_roles_are_enough_to_choose():
    mapping = {"start_station": "start station id", "end_station": "end station id"}
    assert inspect(upload(OLD), mapping).form == "bike share (old), by station"


def test_an_end_without_a_station_is_missing_and_not_a_fault():
    (row,) = rows_of(NEW.replace("JC2", ""), mapping=inspect(upload(NEW)).by_station)
    assert (row["complete"], row["end_zone"]) == (False, "JC1")


@pytest.mark.parametrize("text", [CANONICAL, text_of([record()]), BIKE_OLD.replace("station id", "dock")])
def test_other_files_offer_no_such_choice(text):
    assert inspect(upload(text)).by_station == {}


def test_a_file_with_ids_alone_is_read_by_them():
    text = "starttime,stoptime,start station id,end station id\n"
    roles = ["started_at", "ended_at", "start_station", "end_station"]
    mapping = dict(zip(roles, text.strip().split(","), strict=True))
    assert inspect(upload(text)) == inspect(upload(text), mapping)
    assert inspect(upload(text)).form == "bike share (old), by station"


@pytest.mark.parametrize("month", ["201701", "201704", "201711"])
def test_citi_bike_has_the_same_trips_by_station(shared, month):
    file = TripsFile.on_disk(shared(f"real/citibike_jersey_city/JC-{month}-citibike-tripdata.csv"))
    zone = "America/New_York"
    points, _ = reading_of(file, timezone=zone)
    stations, report = reading_of(file, timezone=zone, mapping=inspect(file).by_station)
    assert stations.num_rows == points.num_rows == report.trips
    assert stations["start_us"].equals(points["start_us"])
    assert set(stations["start_zone"].to_pylist()) <= {str(number) for number in range(1, 10_000)}
    assert set(points["extra_gender"].to_pylist()) == {"male", "female", "unknown"}
    assert (
        {"Registered", "Casual"}
        <= set(points["extra_user_type"].to_pylist())
        <= {"Registered", "Casual", None}
    )
