"""Declared attributes behind the wall: kept with the trips that they always were, in the prepared rows and in a project."""

from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa
import pytest

import dpcore
from dpcore.api import owner, studies
from dpcore.engines.spark.private import worker
from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.measures.attribute import attribute_of, attributes_of
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.prepare import PREPARED
from dpcore.private.source import TripsFile, inspect, keeping
from tests.cities import four_tiles, rows_of

HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,mode,fare\n"
LINES = [
    f"u{user},2024-04-01 0{hour}:00,2024-04-01 09:00,0.5,0.5,0.5,1.5,{mode},{fare}\n"
    for user, hour, mode, fare in [
        (1, 7, "bus", 3),
        (1, 7, "rail", 3),
        (2, 8, "", ""),
        (2, 7, "x", "-1"),
        (3, 8, "rail", "99"),
    ]
]
ALL = HEADER + "".join(LINES)
BOTH = {"mode": ["bus", "rail"], "fare": "0:10:0.5"}


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "home"))


def loaded(declared=None, **more):
    files = [TripsFile.uploaded(name, one.encode()) for name, one in {"trips.csv": ALL, **more}.items()]
    attributes = attributes_of(declared)
    return owner.load(
        files, [keeping(file, inspect(file), attributes) for file in files], four_tiles(), timezone="UTC"
    )


def kept(trips):
    return rows_of(trips).select(["attribute_mode", "attribute_fare"]).to_pylist()


def sorted_pairs(trips):
    return sorted(
        (row["attribute_mode"], -1 if row["attribute_fare"] is None else row["attribute_fare"])
        for row in kept(trips)
    )


def test_trips_are_the_same_with_and_without_attributes_and_the_same_of_them_count():
    without, having = loaded(), loaded(BOTH)
    assert rows_of(without).schema.names == PREPARED.names
    assert rows_of(having).schema.names == [*PREPARED.names, "attribute_mode", "attribute_fare"]
    assert rows_of(having).select(PREPARED.names).equals(rows_of(without))
    assert having.fingerprint == without.fingerprint
    assert sorted_pairs(having) == [(0, 6), (1, 6), (1, 20), (2, 0), (3, -1)]
    measure = [measure_named("visits_per_tile")]
    for bound in (ContributionBound.per_user(1), ContributionBound.per_trip()):
        answers = [exact_answers(bounded(trips, bound), measure).answers for trips in (without, having)]
        assert (answers[0]["visits_per_tile"] == answers[1]["visits_per_tile"]).all()


def test_another_declaration_is_read_afresh_and_the_same_one_once():
    first = loaded(BOTH)
    assert loaded(BOTH).folder == first.folder != loaded().folder
    for other in ({**BOTH, "mode": ["rail", "bus"]}, {**BOTH, "fare": "0:10:1"}, {"mode": BOTH["mode"]}):
        assert loaded(other).folder != first.folder
    assert loaded({"mode": ["rail"], "fare": "0:1:1"}).attributes == (
        attribute_of("mode=rail"),
        attribute_of("fare=0:1:1"),
    )


def test_a_project_finds_the_attributes_again():
    trips = loaded(BOTH)
    again = studies.reopened(studies.kept_trips(trips), four_tiles())
    assert (again.attributes, kept(again)) == (trips.attributes, kept(trips))
    assert studies.read_as(
        type(studies.kept_trips(trips)), studies.written(studies.kept_trips(trips))
    ).attributes == (
        "mode=bus,rail",
        "fare=0:10:0.5",
    )


def test_several_files_keep_what_all_of_them_have():
    more = HEADER.replace("mode", "Travel mode") + "".join(LINES[:1])
    assert sorted_pairs(loaded(BOTH, **{"more.csv": more})).count((0, 6)) == 2
    with pytest.raises(InputError, match=r"no column holds the attribute mode: less\.csv"):
        loaded(BOTH, **{"less.csv": HEADER.replace(",mode", ",by") + "".join(LINES)})
    one, other = (TripsFile.uploaded(f"{name}.csv", HEADER.encode()) for name in "ab")
    with pytest.raises(InputError, match="one file has the attribute mode, another has none"):
        owner.load(
            [one, other],
            [keeping(one, inspect(one), attributes_of({"mode": "bus"})), inspect(other)],
            four_tiles(),
            timezone="UTC",
        )


def test_a_data_frame_keeps_attributes_of_any_type_of_column():
    frame = pd.DataFrame(
        {
            **{name: [0.5] * 4 for name in ("start_lat", "start_lng", "end_lat", "end_lng")},
            "user_id": [*"abcd"],
            "started_at": pd.Timestamp("2024-04-01 08:00"),
            "ended_at": pd.Timestamp("2024-04-01 09:00"),
            "how": ["bus", 7.0, None, {"x": "\n"}],
            "paid": [1, 2.25, None, -3],
            "card": [True, None, False, "x"],
        }
    )
    trips = dpcore.load_trips(
        frame,
        four_tiles(),
        timezone="UTC",
        columns={"mode": "how", "fare": "paid"},
        attributes={"mode": "bus,7", "fare": "0:2:0.25", "card": "true,false"},
    )
    found = rows_of(trips).select(["attribute_mode", "attribute_fare", "attribute_card"]).to_pydict()
    assert sorted(zip(*(map(str, one) for one in found.values()), strict=True)) == [
        ("0", "4", "0"), ("1", "8", "3"), ("2", "0", "2"), ("3", "None", "1"),
    ]  # fmt: skip
    assert {name: pa.types.is_int32(rows_of(trips)[name].type) for name in found} == dict.fromkeys(
        found, True
    )


def test_the_workers_of_spark_read_the_same():
    file = TripsFile.uploaded("trips.csv", ALL.encode())
    seen = keeping(file, inspect(file), attributes_of(BOTH))
    rows = [line.strip().split(",") for line in LINES]
    names = {name: at for at, name in enumerate(HEADER.strip().split(","))}
    columns = {role: pa.array([row[names[column]] for row in rows]) for role, column in seen.needed.items()}
    work, tiles = worker.Work(seen, "UTC", bytes(16)), four_tiles()
    trips, last = worker.prepared(
        [pa.RecordBatch.from_pydict(columns)], work, worker.Tiles(tiles.tile_ids, tiles.index)
    )
    found = [
        (mode, -1 if fare is None else fare)
        for mode, fare in zip(
            trips["attribute_mode"].to_pylist(), trips["attribute_fare"].to_pylist(), strict=True
        )
    ]
    assert sorted(found) == sorted_pairs(loaded(BOTH))
    assert json.loads(last[worker.TALLY][0].as_py())["unlisted"] == {"mode=other": 1}
