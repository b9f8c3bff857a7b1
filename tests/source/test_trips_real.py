"""Files as they are published, and the small city with known answers."""

from __future__ import annotations

import csv
import math

import pytest
from reading_of import reading_of

from dpcore.private.source import TripsFile, inspect

NEW_YORK = "America/New_York"


@pytest.mark.parametrize(
    ("month", "trips", "tolerance"),
    [("201701", 12_926, 60), ("201704", 21_186, 60), ("201711", 23_582, 2)],
)
def test_citi_bike(shared, month, trips, tolerance):
    file = TripsFile.on_disk(shared(f"real/citibike_jersey_city/JC-{month}-citibike-tripdata.csv"))
    found = inspect(file)
    assert (found.form, found.has_users) == ("bike share (old)", False)
    table, report = reading_of(file, timezone=NEW_YORK)
    assert (table.num_rows, report.trips, report.incomplete, report.dropped_records) == (trips, trips, 0, 0)
    with file.open_bytes() as raw:
        durations = [int(row["tripduration"]) for row in csv.DictReader(raw.read().decode().splitlines())]
    for row, seconds in zip(table.to_pylist(), durations, strict=True):
        # wall clocks in whole minutes or seconds; a trip in the hour that occurs twice may be an hour off
        error = abs((row["end_us"] - row["start_us"]) / 1e6 - seconds)
        assert min(error, abs(error - 3600)) <= tolerance
        assert f"{row['started_at']:%Y%m}" == month


def test_foursquare(shared):
    file = TripsFile.on_disk(shared("real/foursquare_nyc/trips.csv.gz"))
    table, report = reading_of(file, timezone=NEW_YORK)
    assert report.records == 2 * table.num_rows
    assert all(table["complete"].to_pylist())
    assert (table["end_us"].to_numpy() >= table["start_us"].to_numpy()).all()


def test_taxi_zones(shared):
    file = TripsFile.on_disk(shared("real/nyc_taxi/raw_taxis.csv"))
    found = inspect(file)
    assert (found.form, found.has_users, found.has_points) == ("taxi zones (yellow)", False, False)
    table, report = reading_of(file, timezone=NEW_YORK, drop=True)
    assert report.records == 6_500
    assert table.num_rows + report.dropped_records == 6_500
    assert set(table["end_zone"].to_pylist()) <= {str(zone) for zone in range(1, 266)} | {None}


def haversine(lat1, lng1, lat2, lng2):
    lat1, lng1, lat2, lng2 = map(math.radians, (lat1, lng1, lat2, lng2))
    root = (
        math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lng2 - lng1) / 2) ** 2
    )
    return 2 * 6371.0088 * math.asin(math.sqrt(root))


def test_the_small_city_has_its_known_trips(shared):
    table, report = reading_of(TripsFile.on_disk(shared("oracle-mini/trips.csv")))
    assert (report.records, report.trips, report.incomplete) == (600, 300, 0)
    with shared("oracle-mini/expected/per_trip.csv").open() as text:
        truth = sorted(
            (row["uid"], round(float(row["travel_time_min"]) * 60), round(float(row["jump_length_km"]), 6))
            for row in csv.DictReader(text)
        )
    found = sorted(
        (
            row["user_id"],
            (row["end_us"] - row["start_us"]) // 1_000_000,
            round(haversine(row["start_lat"], row["start_lng"], row["end_lat"], row["end_lng"]), 6),
        )
        for row in table.to_pylist()
    )
    assert [trip[:2] for trip in found] == [trip[:2] for trip in truth]
    assert [trip[2] for trip in found] == pytest.approx([trip[2] for trip in truth], abs=2e-6)
