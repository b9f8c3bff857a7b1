import itertools
import random

import pyarrow as pa
import pytest

from dpcore.private.prepared import LocalRows, Part, files, part
from dpcore.private.prepared.files import BUCKETS, STORED, TILES_A_ROW, buckets_of
from dpcore.private.trips import local_rows
from tests.cities import Trip, private, rows_of


def trips_of(people, each, seed=1):
    rng = random.Random(seed)
    return [
        Trip(
            f"{person}",
            rng.choice("ABCD"),
            "B",
            f"2024-04-0{day} 0{hour}:00",
            f"2024-04-0{day} 09:00",
            via=via,
        )
        for person in range(people)
        for day, hour, via in (
            (rng.randint(1, 9), rng.randint(0, 8), rng.choice([(), ("A", "D")])) for _ in range(each)
        )
    ]


@pytest.fixture
def small(monkeypatch):
    """Runs, batches and shards of a few rows, so that there are many."""
    monkeypatch.setattr(files, "BATCH_ROWS", 7)
    monkeypatch.setattr("dpcore.private.prepared.writing.RUN_ROWS", 90)
    monkeypatch.setattr(part, "SHARD_ROWS", 60)


def together(*sets):
    return LocalRows.of([part for trips in sets for part in local_rows(trips).parts])


def content(table):
    return sorted(map(repr, table.to_pylist()))


@pytest.mark.usefixtures("small")
def test_each_row_is_in_one_shard_and_people_are_whole():
    found = together(private(trips_of(40, 8), 33), private(trips_of(50, 3, seed=2), 20))
    shards = found.shards()
    assert len(shards) > 4
    assert len(shards) % 2 == 0
    tables = [shard.table() for shard in shards]
    assert [len(table) for table in tables] == [shard.rows for shard in shards]
    assert sum(shard.rows for shard in shards) == found.count == 40 * 8 + 50 * 3
    people = [set(table["user_id"].to_pylist()) for table in tables]
    assert all(one.isdisjoint(other) for one, other in itertools.combinations(people, 2))
    assert len(set.union(*people)) == 50, "the same id is the same person in both parts"
    assert content(pa.concat_tables(tables)) == sorted(
        row for part in (trips_of(40, 8), trips_of(50, 3, seed=2)) for row in content(rows_of(private(part)))
    )


@pytest.mark.usefixtures("small")
def test_neither_the_order_of_files_nor_of_their_rows_matters():
    one, other = trips_of(30, 5), trips_of(30, 5, seed=2)
    shuffled = random.Random(3).sample(one, len(one))
    first = together(private(one, 31), private(other)).shards()
    again = together(private(other, 17), private(shuffled, 64)).shards()
    assert [shard.buckets for shard in first] == [shard.buckets for shard in again]
    for shard, same in zip(first, again, strict=True):
        assert content(shard.table()) == content(same.table())


@pytest.mark.usefixtures("small")
def test_batches_hold_every_row_once():
    trips = private(trips_of(20, 10), 50)
    wanted = ("end_us", "user_id", "via")
    batches = [*local_rows(trips).batches(wanted)]
    assert all(tuple(batch.schema.names) == wanted for batch in batches)
    assert content(pa.Table.from_batches(batches)) == content(rows_of(trips).select(wanted))


def test_a_table_has_the_stored_columns_each_in_one_piece():
    (shard,) = local_rows(private(trips_of(3, 2))).shards()
    table = shard.table()
    assert table.schema == STORED
    assert all(column.num_chunks == 1 for column in table.columns)
    assert shard.table(["rnd", "complete"]).column_names == ["rnd", "complete"]


def test_no_trips_are_one_empty_shard():
    (shard,) = local_rows(private([])).shards()
    assert (shard.rows, shard.table().schema, len(shard.table())) == (0, STORED, 0)
    assert [*local_rows(private([])).batches(["rnd"])] == []


@pytest.mark.usefixtures("small")
def test_without_users_rows_are_spread_by_their_own_hash():
    trips = private(
        [Trip(None, "A", "B", end=f"2024-04-01 09:{minute:02}") for minute in range(60)] * 5,
        100,
        has_users=False,
    )
    assert rows_of(trips)["user_id"].null_count == 300
    shards = local_rows(trips).shards()
    assert len(shards) > 2
    for shard in shards:
        buckets = buckets_of(shard.table().to_batches()[0])
        assert (buckets >= shard.buckets.start).all()
        assert (buckets < shard.buckets.stop).all()


@pytest.mark.usefixtures("small")
def test_a_person_with_very_many_trips_is_one_shard_among_others():
    busy = [Trip("busy", "A", "B", end=f"2024-04-01 09:{number % 60:02}") for number in range(5000)]
    found = local_rows(private(busy + trips_of(30, 4), 999))
    tables = [shard.table(["user_id"]) for shard in found.shards()]
    assert max(map(len, tables)) >= 5000
    assert sum(map(len, tables)) == found.count == 5120
    assert len(found.shards()) > 1
    assert BUCKETS == 256


def with_ways(length):
    """Trips of forty people, each with so many tiles on its way."""
    way = ("C", "D") * (length // 2)
    return [Trip(f"{person}", "A", "B", via=way) for person in range(40) for _ in range(3)]


@pytest.mark.usefixtures("small")
def test_tiles_on_the_way_count_where_shards_and_runs_are_cut():
    few, many = private(with_ways(0)), private(with_ways(160), 10)
    assert (len(local_rows(few).shards()), len(local_rows(few).parts[0].runs)) == (2, 1)
    shards, runs = local_rows(many).shards(), local_rows(many).parts[0].runs
    assert len(shards) > 10
    assert len(runs) > 10
    assert sum(shard.rows for shard in shards) == local_rows(many).count == 120
    assert sum(shard.size for shard in shards) == 120 + 120 * 160 // TILES_A_ROW
    for shard in shards:
        table = shard.table(["via"])
        assert len(table) == shard.rows
        assert shard.size == pytest.approx(shard.rows * (1 + 160 / TILES_A_ROW), abs=1)
    for run in runs[:-1]:
        assert run.rows * (1 + 160 // TILES_A_ROW) < 90 + 10 * (1 + 160 // TILES_A_ROW)


def test_a_part_that_is_opened_again_knows_its_tiles_on_the_way():
    trips = private(with_ways(8))
    part = Part.open(trips.folder, "test.csv")
    assert part is not None
    assert part.runs[0].tiles[-1] == 120 * 8
    assert part.runs[0].tiles.tolist() == local_rows(trips).parts[0].runs[0].tiles.tolist()
