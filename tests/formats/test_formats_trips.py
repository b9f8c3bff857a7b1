"""Every format of trips that the docs list is read as its publisher means it: time, place, user and number of trips."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from dpcore.errors import AtlasError
from tests.formats.door import bytes_of, inspected, rows_of
from tests.formats.trips_index import TRIPS, Place, Trip, TripsCase

ATTRIBUTES = {
    "citibike_2024.csv": {"user_type": "member_casual", "vehicle_type": "rideable_type"},
    "hubway_mapc.csv": {
        "user_type": "subsc_type",
        "gender": "gender",
        "age": "birth_date",
        "zip": "zip_code",
    },
    "household_survey.csv": {"mode": "mode", "purpose": "purpose"},
    "smartcard_journeys.csv": {"mode": "mode", "user_type": "card_type"},
    "tlc_fhvhv_2021.csv": {"fare": "base_passenger_fare", "operator": "hvfhs_license_num"},
}
"""File -> the attributes of a trip and their columns."""

LOADED = [case for case in TRIPS if not case.refused]
REFUSED = [case for case in TRIPS if case.refused]


def place_of(row: dict, end: str) -> Place:
    """Where a trip starts or ends: a zone, or latitude and longitude."""
    return row[f"{end}_zone"] if f"{end}_zone" in row else (row[f"{end}_lat"], row[f"{end}_lng"])


def trip_of(row: dict) -> Trip:
    """A trip as the index writes it."""
    times = (datetime.fromisoformat(str(row[name])) for name in ("started_at", "ended_at"))
    return (row["user_id"], *times, place_of(row, "start"), place_of(row, "end"))


def is_read(case: TripsCase, rows: list[dict]) -> bool:
    """Whether the trips are those of the index."""
    user, start, end, origin, destination = case.first
    expected = (user, datetime.fromisoformat(start), datetime.fromisoformat(end), origin, destination)
    return trip_of(rows[0]) == expected and len(rows) == case.trips


@pytest.mark.parametrize("case", LOADED, ids=str)
def test_a_file_is_read_as_its_publisher_means_it(case, tmp_path):
    rows = rows_of(case, bytes_of(case, tmp_path))
    assert is_read(case, rows), (len(rows), trip_of(rows[0]))


@pytest.mark.parametrize("case", [case for case in LOADED if case.options], ids=str)
def test_an_option_is_listed_only_where_it_is_needed(case, tmp_path):
    try:
        rows = rows_of(replace(case, options=""), bytes_of(case, tmp_path))
    except AtlasError:
        return
    assert not is_read(case, rows)


@pytest.mark.parametrize("case", [case for case in TRIPS if case.file in ATTRIBUTES], ids=str)
def test_attributes_are_recognised_by_the_names_of_their_columns(case, tmp_path):
    assert inspected(case, bytes_of(case, tmp_path))[1].attributes == ATTRIBUTES[case.file]


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_file_that_is_refused_says_what_it_is(case, tmp_path):
    with pytest.raises(AtlasError) as refused:
        rows_of(case, bytes_of(case, tmp_path))
    assert str(refused.value).startswith(case.refused)
