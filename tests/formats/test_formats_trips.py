"""Every format of trips that the docs list is read as its publisher means it: time, place, user and number of trips."""

from __future__ import annotations

from datetime import datetime

import pytest

from dpcore.errors import AtlasError
from tests.formats.door import bytes_of, rows_of
from tests.formats.trips_index import TRIPS, Place, Trip

LOADED = [case for case in TRIPS if not case.refused]
REFUSED = [case for case in TRIPS if case.refused]


def place_of(row: dict, end: str) -> Place:
    """Where a trip starts or ends: a zone, or latitude and longitude."""
    return row[f"{end}_zone"] if f"{end}_zone" in row else (row[f"{end}_lat"], row[f"{end}_lng"])


def trip_of(row: dict) -> Trip:
    """A trip as the index writes it."""
    times = (datetime.fromisoformat(str(row[name])) for name in ("started_at", "ended_at"))
    return (row["user_id"], *times, place_of(row, "start"), place_of(row, "end"))


@pytest.mark.parametrize("case", LOADED, ids=str)
def test_a_file_is_read_as_its_publisher_means_it(case, tmp_path):
    rows = rows_of(case, bytes_of(case, tmp_path))
    user, start, end, origin, destination = case.first
    expected = (user, datetime.fromisoformat(start), datetime.fromisoformat(end), origin, destination)
    assert trip_of(rows[0]) == expected
    assert len(rows) == case.trips


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_file_that_is_refused_says_what_it_is(case, tmp_path):
    with pytest.raises(AtlasError) as refused:
        rows_of(case, bytes_of(case, tmp_path))
    assert str(refused.value).startswith(case.refused)
