"""The keyed hash of a trip covers all that a measure reads of it, and nothing else."""

from __future__ import annotations

import math
import random
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from dpcore.private.prepare import PREPARED, Preparation
from dpcore.private.source.batch import POINT_COLUMNS, ZONE_TRIPS
from tests.cities import PLACES, Trip, batch, four_tiles

KEY = bytes(range(16))
OTHER_KEY = bytes(range(1, 17))
TRIP = Trip("u", "A", "B")
COORDINATES = [field.name for field in POINT_COLUMNS]


def hashes(*batches, key=KEY):
    """``rnd`` of every row, batch after batch."""
    prepare = Preparation(four_tiles(), key)
    return [rnd for rows in batches for rnd in prepare(rows)["rnd"].to_pylist()]


def with_column(rows, name, values):
    """The batch with other values in one column."""
    return rows.set_column(
        rows.schema.get_field_index(name),
        rows.schema.field(name),
        pa.array(values, rows.schema.field(name).type),
    )


def zones(user="u", start="A", end="B"):
    """One trip between tiles."""
    points = batch([Trip(user, "A", "B")])
    columns = points.columns[: len(ZONE_TRIPS) - 2]
    return pa.RecordBatch.from_arrays(
        [*columns, pa.array([start], pa.string()), pa.array([end], pa.string())], schema=ZONE_TRIPS
    )


def some_trips(count):
    rng = random.Random(7)
    places = list(PLACES)
    return [
        Trip(
            rng.choice(["u", "v", "w", "", "ü", "a name longer than one word of the hash"]),
            rng.choice([*places, None]),
            rng.choice(places),
            f"2024-04-{rng.randint(1, 28):02} 08:{rng.randint(0, 59):02}",
            "2024-04-29 09:00",
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    "other",
    [
        Trip("v", "A", "B"),
        Trip("U", "A", "B"),
        Trip("u ", "A", "B"),
        Trip("u", "A", "B", start="2024-04-01 08:01"),
        Trip("u", "A", "B", start="2024-03-31 08:00"),
        Trip("u", "A", "B", end="2024-04-01 09:01"),
        Trip("u", "A", "B", end="2024-04-02 09:00"),
        Trip("u", "C", "B"),
        Trip("u", "A", "C"),
        Trip("u", "outside", "B"),
        Trip("u", "A", "outside"),
        Trip("u", "B", "A"),
        Trip("u", None, "B"),
    ],
    ids=repr,
)
def test_two_trips_that_differ_in_one_thing_have_different_hashes(other):
    first, second = hashes(batch([TRIP, other]))
    assert first != second


@pytest.mark.parametrize("column", ["start", "end"])
def test_a_microsecond_more_is_another_trip(column):
    rows = batch([TRIP])
    at = rows[f"{column}ed_at"][0].as_py() if column == "end" else rows["started_at"][0].as_py()
    later = with_column(rows, f"{column}ed_at", [at + timedelta(microseconds=1)])
    later = with_column(later, f"{column}_us", [rows[f"{column}_us"][0].as_py() + 1])
    assert hashes(rows) != hashes(later)


@pytest.mark.parametrize("column", COORDINATES)
def test_the_smallest_change_of_a_coordinate_is_another_trip(column):
    rows = batch([TRIP])
    moved = with_column(rows, column, [np.nextafter(rows[column][0].as_py(), 9)])
    assert hashes(rows) != hashes(moved)


def test_the_four_coordinates_are_not_exchanged_for_one_another():
    rows = batch([TRIP])
    seen = set()
    for column in COORDINATES:
        base = rows
        for name in COORDINATES:
            base = with_column(base, name, [0.75 if name == column else 0.25])
        seen.update(hashes(base))
    assert len(seen) == 4


def test_complete_alone_is_part_of_the_hash():
    rows = batch([TRIP])
    assert hashes(rows) != hashes(with_column(rows, "complete", [False]))


@pytest.mark.parametrize("column", ["start_us", "end_us", *COORDINATES])
def test_missing_is_not_zero(column):
    rows = batch([TRIP])
    assert hashes(with_column(rows, column, [None])) != hashes(with_column(rows, column, [0]))


@pytest.mark.parametrize("column", COORDINATES)
def test_minus_zero_is_zero(column):
    rows = batch([TRIP])
    assert hashes(with_column(rows, column, [-0.0])) == hashes(with_column(rows, column, [0.0]))


@pytest.mark.parametrize("column", COORDINATES)
def test_a_missing_coordinate_is_one_word_whether_null_or_nan(column):
    rows = batch([TRIP])
    missing = with_column(rows, column, [None])
    assert missing[column].null_count == 1
    assert hashes(missing) == hashes(with_column(rows, column, [float("nan")]))
    assert hashes(missing, rows)[0] == hashes(pa.concat_batches([rows, missing]))[1]


@pytest.mark.parametrize(
    "other",
    [
        zones(user="v"),
        zones(start="C"),
        zones(end="C"),
        zones(start="B", end="A"),
        zones(start=None),
        zones(end="nowhere"),
        with_column(zones(), "complete", [False]),
        with_column(zones(), "start_us", [0]),
        with_column(zones(), "end_us", [0]),
    ],
    ids=["user", "start", "end", "exchanged", "no start", "unknown end", "complete", "start_us", "end_us"],
)
def test_two_trips_between_tiles_that_differ_in_one_thing_have_different_hashes(other):
    assert hashes(zones()) != hashes(other)


def test_tiles_that_are_missing_or_unknown_are_one_outside():
    # no measure can tell them apart, so neither may the choice of trips
    assert len({*hashes(zones(end="nowhere"), zones(end=None), zones(end="a"))}) == 1


def test_equal_trips_of_a_user_have_one_hash_wherever_they_stand():
    others = [Trip("v", "A", "B"), Trip("u", "C", "B")]
    assert (
        len({hashes(batch([TRIP]))[0], hashes(batch([*others, TRIP]))[2], hashes(batch([TRIP] * 3))[1]}) == 1
    )


def test_the_order_of_rows_moves_hashes_with_their_rows_and_changes_none():
    trips = some_trips(300)
    order = random.Random(8).sample(range(300), 300)
    straight, shuffled = hashes(batch(trips)), hashes(batch([trips[i] for i in order]))
    assert shuffled == [straight[i] for i in order]


@pytest.mark.parametrize("size", [1, 2, 7, 299, 300])
def test_where_batches_are_cut_changes_no_hash(size):
    trips = some_trips(300)
    whole = batch(trips)
    straight = hashes(whole)
    assert hashes(*(batch(trips[i : i + size]) for i in range(0, 300, size))) == straight
    # a slice shares its memory with the whole: offsets must not leak into the hash
    assert hashes(*(whole.slice(i, size) for i in range(0, 300, size))) == straight


def test_another_user_in_the_file_changes_no_hash():
    trips = some_trips(300)
    left = [trip for trip in trips if trip.user != "v"]
    straight = hashes(batch(trips))
    assert len(left) < 300
    assert hashes(batch(left)) == [rnd for rnd, trip in zip(straight, trips, strict=True) if trip.user != "v"]


def test_another_key_gives_other_hashes():
    trips = [trip for trip in dict.fromkeys(some_trips(300)) if trip.origin]
    here, there = hashes(batch(trips)), hashes(batch(trips), key=OTHER_KEY)
    assert len(set(here)) == len(set(there)) == len(trips)
    assert not set(here) & set(there)
    assert np.argsort(here).tolist() != np.argsort(there).tolist()


def test_a_form_without_users_still_tells_trips_apart():
    first, second = hashes(batch([Trip(None, "A", "B"), Trip(None, "B", "A")]))
    assert first != second


def test_prepared_rows_keep_their_order_and_hold_what_measures_read():
    rows = batch(
        [
            TRIP,
            Trip("v", None, "outside", end="1970-01-01 00:59", missing=(2, 1, 0)),
            Trip("u", "C", "D"),
        ]
    )
    prepared = Preparation(four_tiles(), KEY)(rows)
    assert prepared.schema == PREPARED
    hour = (date(2024, 4, 1) - date(1970, 1, 1)).days * 24 + 8
    at = {"start_us": hour * 3_600_000_000, "end_us": (hour + 1) * 3_600_000_000}
    known = {"missing_lat": 0, "missing_lng": 0, "missing_time": 0}
    assert prepared["via"].null_count == 3
    assert prepared.drop_columns(["rnd", "jump_m", "via"]).to_pylist() == [
        {"user_id": "u", "start_tile": 0, "end_tile": 1, "start_hour": hour, "end_hour": hour + 1}
        | {"complete": True, **at, **known}
        | {"start_lat": 5_000_000, "start_lng": 5_000_000, "end_lat": 5_000_000, "end_lng": 15_000_000},
        {"user_id": "v", "start_tile": -1, "end_tile": -1, "start_hour": None, "end_hour": 0}
        | {"complete": False, "start_us": None, "end_us": 59 * 60_000_000}
        | {"missing_lat": 2, "missing_lng": 1, "missing_time": 0}
        | {"start_lat": None, "start_lng": None, "end_lat": 90_000_000, "end_lng": 90_000_000},
        {"user_id": "u", "start_tile": 2, "end_tile": 3, "start_hour": hour, "end_hour": hour + 1}
        | {"complete": True, **at, **known}
        | {"start_lat": 15_000_000, "start_lng": 5_000_000, "end_lat": 15_000_000, "end_lng": 15_000_000},
    ]


def test_a_jump_is_the_distance_in_whole_metres_and_unknown_where_an_end_is():
    jumps = Preparation(four_tiles(), KEY)(batch([TRIP, Trip("u", "A", "A"), Trip("u", None, "B")]))["jump_m"]
    degree = 2 * math.pi * 6_371_008.8 / 360
    assert jumps.to_pylist() == [math.floor(degree * math.cos(math.radians(0.5))), 0, None]
    assert Preparation(four_tiles(), KEY)(zones())["jump_m"].to_pylist() == [None]


def test_no_rows_are_prepared_to_no_rows():
    assert Preparation(four_tiles(), KEY)(batch([])).num_rows == 0
