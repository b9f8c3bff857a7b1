"""Trips as columns are counted exactly as the engine counts the same trips from their file."""

from datetime import date, datetime, timedelta
from fractions import Fraction

import numpy as np
import pytest

from dpcore.api.owner import exact_tables
from dpcore.comparison import compared
from dpcore.comparison.tables import side_of_tables
from dpcore.kinds.roy.choices import domain_of
from dpcore.kinds.roy.closeness import closeness
from dpcore.kinds.roy.figure import MEASURES, trip_tables
from dpcore.kinds.roy.private.station_trips import station_trips_of
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from tests.cities import Trip, four_tiles, private
from tests.synthesis.small import domain, some_trips

PERIOD = Period(date(2024, 4, 1), date(2024, 4, 14))


def drawn_trips(n: int, seed: int = 0) -> list[Trip]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        start = datetime(2024, 4, 1) + timedelta(minutes=int(rng.integers(0, 13 * 1_440)))
        end = start + timedelta(seconds=int(rng.integers(60, 40_000)))
        origin, destination = rng.choice(["A", "B", "C", "D"], 2)
        times = (f"{start:%Y-%m-%d %H:%M:%S}", f"{end:%Y-%m-%d %H:%M:%S}")
        found.append(Trip(f"u{rng.integers(0, 20)}", str(origin), str(destination), *times))
    return found


def cells(table: dict[str, list]) -> dict[tuple[str, ...], int]:
    *keys, value = (table[name] for name in table)
    return {key: count for *key, count in zip(*keys, value, strict=True) for key in [tuple(key)] if count}


def test_every_table_is_the_one_that_the_engine_counts():
    trips = private(drawn_trips(400))
    of = domain_of(four_tiles(), PERIOD)
    columns = station_trips_of(trips, four_tiles(), of).columns
    assert len(columns) == 400
    mine = trip_tables(columns, of)
    exact = exact_tables(trips, MEASURES, None, KeyChoices(PERIOD))
    assert list(mine) == list(MEASURES)
    for name in MEASURES:
        assert cells(mine[name]) == cells(exact[name]), name


def test_tables_of_no_trips_are_there_and_empty():
    of = domain()
    nothing = some_trips(0, of)
    assert all(sum(table["value"]) == 0 for table in trip_tables(nothing, of).values())


def test_equal_trips_are_at_distance_zero_in_every_number():
    of = domain()
    trips = some_trips(500, of)
    for one in closeness(trips, trips, of):
        assert (one.relative_error, one.shift or 0.0, one.top_kept, one.utility_loss) == (0, 0, 100, 0)
    side = side_of_tables("one", trip_tables(trips, of))
    assert all(score.value in {0, 1, None} for score in compared(side, side))


def test_other_trips_are_further_away_the_more_of_them_are_moved():
    of = domain()
    trips, others = some_trips(3_000, of), some_trips(3_000, of, seed=1)

    def moved(share: float):
        place = np.where(np.arange(3_000) < share * 3_000, 2, trips.end).astype(np.int32)
        changed = type(trips)(trips.start, place, trips.date, trips.second, trips.seconds, trips.extras)
        return {one.table: one for one in closeness(trips, changed, of)}

    little, much = moved(0.1)["Stations, in"], moved(0.6)["Stations, in"]
    assert 0 < little.relative_error < much.relative_error
    assert 0 < little.shift < much.shift
    assert moved(0.6)["Stations, out"].shift == pytest.approx(0)
    assert len(closeness(trips, others, of)) == 5 + len(of.attributes)


def test_with_very_many_stations_the_transport_problem_is_left_out(monkeypatch):
    monkeypatch.setattr("dpcore.kinds.roy.closeness._MOST_STATIONS", 2)
    of = domain()
    found = {one.table: one.shift for one in closeness(some_trips(50, of), some_trips(50, of, 1), of)}
    assert found["Stations, in"] is None
    assert found["Days"] is not None
    assert Fraction(found["Days"]) >= 0
