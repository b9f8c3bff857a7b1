"""Tiles on the way: which of them are kept, and that the choice of trips depends on all of these and nothing else."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pyarrow as pa
import pytest

from dpcore import limits
from dpcore.api import owner
from dpcore.measures.choices import KeyChoices
from dpcore.private import prepare
from dpcore.private.prepare import PREPARED, Preparation
from dpcore.private.source import TripsFile, inspect
from dpcore.tiles.index import TileIndex
from tests.cities import PLACES, Trip, batch, four_tiles

KEY = bytes(range(16))
NAMES = ["A", "B", "C", "D", "outside"]


def prepared(*trips):
    return Preparation(four_tiles(), KEY)(batch(list(trips)))


def ways(*trips):
    """The tiles on the way of each trip, by name."""
    return [
        None if tiles is None else "".join(NAMES[tile][0] for tile in tiles)
        for tiles in prepared(*trips)["via"].to_pylist()
    ]


def trip(way, origin="A", destination="D"):
    places = {"A": "A", "B": "B", "C": "C", "D": "D", "o": "outside"}
    return Trip("u", origin, destination, via=tuple(places[letter] for letter in way))


@pytest.mark.parametrize(
    ("way", "kept"),
    [
        ("", None),
        ("B", "B"),
        ("BC", "BC"),
        ("BBBCCB", "BCB"),
        ("AAB", "B"),
        ("BDD", "B"),
        ("AAAA", None),
        ("DDDD", None),
        ("AADD", None),
        ("ADAD", "DA"),
        ("DA", "DA"),
        ("BAD", "BA"),
        ("ooo", "o"),
        ("AooDoD", "oDo"),
    ],
)
def test_a_stay_in_a_tile_counts_once_and_those_at_the_ends_belong_to_the_ends(way, kept):
    assert ways(trip(way)) == [kept]


def test_a_round_trip_without_another_tile_is_its_two_ends_and_one_with_another_keeps_it():
    assert ways(trip("AAA", "A", "A"), trip("AABAA", "A", "A")) == [None, "B"]
    assert ways(trip("oooo", "outside", "outside"), trip("ooAoo", "outside", "outside")) == [None, "A"]


def test_trips_in_one_batch_do_not_touch_each_other():
    several = [trip(way) for way in ("BC", "", "CC", "AD", "CBo", "BBBB")]
    assert (
        ways(*several) == [way for one in several for way in ways(one)] == ["BC", None, "C", None, "CBo", "B"]
    )


def test_of_a_long_way_the_first_tiles_are_kept(monkeypatch):
    assert prepare.MOST == limits.MAX_POINTS_PER_TRIP - 2
    long = trip("BC" * limits.MAX_POINTS_PER_TRIP)
    (whole, short) = prepared(long, trip("BCB"))["via"].to_pylist()
    assert len(whole) == prepare.MOST
    assert (whole[:3], short) == ([1, 2, 1], [1, 2, 1])
    monkeypatch.setattr(prepare, "MOST", 3)
    assert ways(long, trip("BC"), trip("BCBC"), trip("BCB"), trip("BCBBDD")) == [
        "BCB",
        "BC",
        "BCB",
        "BCB",
        "BCB",
    ]


def test_a_stay_is_found_before_the_way_is_cut(monkeypatch):
    monkeypatch.setattr(prepare, "MOST", 2)
    assert ways(trip("BBBBBBCCCCCC")) == ["BC"]


def hashes(*trips):
    return prepared(*trips)["rnd"].to_pylist()


def test_ways_that_differ_in_their_tiles_have_different_hashes():
    several = [trip(way) for way in ("", "B", "C", "BC", "CB", "BCB", "o", "oB", "BB" + "C" * 3 + "o")]
    assert len(set(hashes(*several))) == len(several)


def test_ways_that_no_measure_can_tell_apart_have_one_hash():
    assert len(set(hashes(trip("BC"), trip("BBCC"), trip("AABCDD")))) == 1
    assert len(set(hashes(trip(""), trip("AA"), trip("DD")))) == 1


def test_a_trip_with_nothing_on_its_way_has_the_hash_of_its_row_in_any_form():
    bare = trip("")
    assert hashes(bare, trip("B"))[0] == hashes(bare)[0]
    assert "via" not in batch([bare]).schema.names


def test_neither_its_neighbours_nor_the_borders_of_batches_change_a_hash():
    several = [
        dataclasses.replace(trip(way), user=f"u{i % 3}") for i, way in enumerate(["BC", "", "o", "CBC"] * 9)
    ]
    together = hashes(*several)
    assert hashes(*reversed(several)) == together[::-1]
    rows = batch(several)
    for size in (1, 5, 35):
        pieces = [Preparation(four_tiles(), KEY)(rows.slice(i, size)) for i in range(0, len(several), size)]
        assert [rnd for piece in pieces for rnd in piece["rnd"].to_pylist()] == together
        assert pa.Table.from_batches(pieces)["via"].to_pylist() == prepared(*several)["via"].to_pylist()


def test_one_row_a_trip_is_prepared_without_looking_up_anything_more(monkeypatch):
    looked_up = []
    assign = TileIndex.assign
    monkeypatch.setattr(
        TileIndex, "assign", lambda self, x, y: looked_up.append(len(x)) or assign(self, x, y)
    )
    rows = prepared(trip(""), trip(""))
    assert looked_up == [2, 2]  # starts and ends
    assert rows.schema == PREPARED
    assert rows["via"].null_count == 2


def file_of(ways):
    """A file with one row a record: trips between A and D."""
    lines = []
    for number, way in enumerate(ways):
        for second, letter in enumerate(f"A{way}D"):
            lng, lat = PLACES["outside" if letter == "o" else letter]
            lines.append(f"u,{number},2024-04-01 08:{second // 60:02}:{second % 60:02},{lat},{lng}\n")
    return "uid,tid,datetime,lat,lng\n" + "".join(lines)


def loaded(text):
    file = TripsFile.uploaded("trips.csv", text.encode())
    return owner.load(file, inspect(file), four_tiles(), timezone="UTC")


def test_the_report_says_how_many_ways_may_have_been_cut(monkeypatch):
    monkeypatch.setattr(prepare, "MOST", 3)
    trips = loaded(file_of(["", "B", "BCB", "BCBC", "BBCCoo"]))
    (note,) = trips.report.notes
    assert note.startswith("3 trips pass 3 or more tiles")
    assert (
        loaded(file_of(["", "B", "BCB", "BCBC", "BBCCoo"])).report == trips.report
    )  # from the private folder
    assert loaded(file_of(["", "B", "BC"])).report.notes == ()


def test_visits_count_the_first_tiles_on_the_way_and_both_ends():
    trips = loaded(file_of(["", "B", "BBCC", "BCBCBo"]))

    def visits(cap):
        found = owner.exact_table(trips, "visits_per_tile", None, KeyChoices(visits_cap=cap))
        return dict(zip(found["tile_id"], found["value"], strict=True))

    none = {"A": 4, "B": 0, "C": 0, "D": 4, "outside": 0}
    assert visits(None) == visits(2) == none
    assert visits(3) == none | {"B": 3}
    assert visits(4) == none | {"B": 3, "C": 2}
    assert visits(7) == none | {"B": 5, "C": 3}
    assert visits(8) == visits(limits.MAX_POINTS_PER_TRIP) == none | {"B": 5, "C": 3, "outside": 1}


def test_the_box_around_a_file_holds_the_places_on_the_way():
    file = TripsFile.uploaded("trips.csv", file_of(["Co"]).encode())
    box = owner.extent(file, inspect(file), timezone="UTC")
    assert (box.west, box.south, box.east, box.north) == (0.5, 0.5, 9.0, 9.0)


def test_no_text_of_the_ways_tells_what_is_in_them():
    tiles = prepare.via_of(batch([trip("BC")])["via"], four_tiles().index, np.array([0]), np.array([3]))
    assert json.dumps(repr(tiles)) == json.dumps(str(tiles)) == '"<Via>"'
