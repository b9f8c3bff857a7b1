"""Which sequences trips become, by the words of the package."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.tree.choices import Making, Outside, Source
from dpcore.kinds.tree.private.entries import entries
from dpcore.kinds.tree.private.positions import Positions
from dpcore.kinds.tree.private.sequences import sequences_of
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounding_key
from tests.cities import Trip, four_tiles, private, rows_of, with_rows
from tests.private.trajectories.plain import MAKINGS, choices, made, plainly, some_trips

TRIP = ContributionBound.per_trip()
DAY = Making(Source.DAY)
WAY = Trip("u", "A", "D", "2024-04-01 08:00", "2024-04-01 09:00", via=("B", "outside", "C"))
"""At A, B, outside, C and D a quarter of an hour each."""


def test_sequences_are_those_that_are_made_plainly():
    trips = some_trips(1, users=[f"u{number}" for number in range(60)])
    own, two_days = private(trips, batch_rows=50), Period(date(2024, 4, 1), date(2024, 4, 2))
    for making in MAKINGS:
        for wanted in (choices(making), choices(making, height=2, period=two_days)):
            found = made(own, wanted)
            assert found == plainly(trips, wanted), making
            assert len(set(found)) > 10


@pytest.mark.parametrize(
    ("making", "sequence"),
    [
        (Making(), (0, 1, 2, 3)),
        (Making(outside=Outside.PLACE), (0, 1, 4, 2, 3)),
        (Making(outside=Outside.END), (0, 1)),
        (Making(minutes=10), (0, 0, 1, 2, 3)),  # at 08:30 and 08:40 it is outside
        (Making(minutes=10, outside=Outside.PLACE), (0, 0, 1, 4, 4, 2, 3)),
        (Making(minutes=10, outside=Outside.END), (0, 0, 1)),
        (Making(minutes=25), (0, 1, 2, 3)),  # 08:00, 08:25, 08:50 and 09:15, the first one after the end
        (Making(minutes=60), (0, 3)),
        (Making(minutes=1_440), (0, 3)),
    ],
)
def test_a_trip_with_places_on_its_way(making, sequence):
    assert made([WAY], choices(making, TRIP)) == [sequence]


def test_the_end_of_a_trip_and_the_start_of_the_next_at_the_same_tile_count_once():
    trips = [
        Trip("u", "C", "C", "2024-04-01 18:00", "2024-04-01 19:00"),
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-01 09:00"),
        Trip("u", "B", "C", "2024-04-01 17:00", "2024-04-01 17:30"),
        Trip("v", "A", "B", "2024-04-01 08:00", "2024-04-01 09:00"),
    ]
    assert made(trips, choices(DAY)) == [(0, 1), (0, 1, 2)]
    assert made(trips, choices(Making(Source.DAY, 240))) == [(0, 1), (0, 1, 1, 2)]


def test_a_trip_belongs_to_the_day_on_which_it_starts_and_an_incomplete_one_to_that_of_its_end():
    trips = [
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-01 09:00"),
        Trip("u", "B", "C", "2024-04-01 23:59", "2024-04-02 00:30"),
        Trip("u", None, "D", "", "2024-04-02 00:10"),
    ]
    assert made(trips, choices(DAY)) == [(0, 1, 2), (3,)]
    for day, sequences in {1: [(0, 1, 2)], 2: [(3,)], 3: []}.items():
        alone = Period(date(2024, 4, day), date(2024, 4, day))
        assert made(trips, choices(DAY, period=alone)) == sequences


def test_the_day_is_that_of_the_citys_clock_where_times_are_instants():
    trips = private([Trip("u", "A", "B", "2024-04-01 20:00", "2024-04-01 20:30")])
    table = rows_of(trips)
    for name in (
        "start_hour",
        "end_hour",
    ):  # as of a file with offsets in a city five hours east of Greenwich
        later = pa.array(np.asarray(table[name]) + 5, pa.int32())
        table = table.set_column(table.column_names.index(name), name, later)
    trips = with_rows(trips, table)
    for day, sequences in {1: 0, 2: 1}.items():
        wanted = choices(DAY, period=Period(date(2024, 4, day), date(2024, 4, day)))
        found = sequences_of(trips, four_tiles(), wanted, bounding_key())
        assert len(found.lengths) == sequences


def test_neither_order_nor_batches_of_a_file_matter():
    trips = some_trips(2, users=[f"u{number}" for number in range(20)])
    trips += [
        *trips[:5],
        replace(trips[0], destination="C"),
        replace(trips[0], destination="A"),
    ]  # the same times
    orders = [random.Random(again).sample(trips, len(trips)) for again in range(4)]
    files = [private(order, batch_rows=rows) for order, rows in zip(orders, (7, 11, 50, 500), strict=True)]
    for making in MAKINGS:
        wanted = choices(making, ContributionBound.per_user(2))
        first, *others = (made(file, wanted) for file in files)
        assert all(other == first for other in others), making


def test_trajectories_without_a_tile_are_left_out_and_long_ones_are_seen_to_go_on():
    away = Trip("u", "outside", "outside")
    assert made([away, WAY], choices(bound=TRIP, height=2)) == [(0, 1, 2)]
    assert made([away], choices(DAY)) == []
    assert made([], choices(DAY)) == made([], choices(bound=TRIP)) == []


def test_a_month_of_standing_still_takes_no_more_than_the_height():
    stays = Trip("u", "A", "B", "2024-04-01 00:00", "2024-05-01 00:00")
    assert made([stays], choices(Making(minutes=1), TRIP, height=5)) == [(0,) * 6]


def test_a_way_of_a_century_keeps_its_times():
    long = Trip("u", "A", "D", "1970-01-01 00:00", "2100-12-31 00:00", via=("B", "C") * 499)
    assert made([long], choices(Making(minutes=1_440), TRIP, height=64)) == [(0,) * 48 + (1,) * 17]
    assert made([long], choices(bound=TRIP))[0][:4] == (0, 1, 2, 1)


def test_an_interval_without_times_is_a_fault_of_the_program():
    ends = np.zeros(1, np.int64)
    positions = Positions(np.zeros(1, np.int32), None, np.ones(1, np.int64), ends, ends, ends)
    with pytest.raises(ValueError, match="times"):
        entries(positions, Making(minutes=1), 4)


def test_other_tiles_and_people_where_there_are_none_are_refused():
    with pytest.raises(PrivacyError, match="not the tiles"):
        sequences_of(private([WAY]), replace(four_tiles(), tile_ids=("A", "B", "C", "E")), choices(), b"")
    nobody = private([Trip(None, "A", "B")], has_users=False)
    with pytest.raises(PrivacyError, match="no user column"):
        sequences_of(nobody, four_tiles(), choices(DAY), b"")
    assert sequences_of(nobody, four_tiles(), choices(bound=TRIP), b"").lengths.tolist() == [2]


@pytest.mark.audit
def test_a_million_trips_take_three_seconds_and_less_than_a_gigabyte(tmp_path):
    import time
    import tracemalloc

    from dpcore import demo
    from dpcore.api import owner
    from dpcore.tiles import read_tessellation

    demo.write_city(tmp_path, 1_000_000, 500, 7)
    tiles = read_tessellation(tmp_path / "tiles.geojson", "tiles.geojson")
    file = owner.TripsFile.on_disk(tmp_path / "trips.parquet")
    trips = owner.load(file, owner.inspect(file), tiles, timezone="Europe/Berlin")
    key = bounding_key()
    for making in (Making(), Making(minutes=10), DAY, Making(Source.DAY, 10)):
        wanted, seconds = choices(making, ContributionBound.per_user(5), height=5), []
        for _ in range(3):  # of the processor; other work on the machine only adds
            began = time.process_time()
            sequences_of(trips, tiles, wanted, key)
            seconds.append(time.process_time() - began)
        assert min(seconds) < 3
        tracemalloc.start()
        sequences_of(trips, tiles, wanted, key)
        assert tracemalloc.get_traced_memory()[1] < 2**30
        tracemalloc.stop()
