"""Declared attributes of trips are read by themselves: the value of one person never changes that of another, and refuses no file."""

from __future__ import annotations

import io
import random
from collections import Counter
from dataclasses import replace
from itertools import permutations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.errors import InputError
from dpcore.measures.attribute import attribute_of
from dpcore.private.source import TripsFile, inspect, keeping, read
from dpcore.private.source.attribute_columns import attribute_names

HEADER = "user_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng,mode,fare\n"
ROW = "{user},2024-04-01 08:00,2024-04-01 09:00,0.5,0.5,0.5,1.5,{mode},{fare}\n"
BOTH = ("mode=bus,rail", "fare=0:100:0.01")
BROKEN = (
    ("tram", "x"), ("BUS", "1,234"), ("", ""), ("NULL", "nan"), (" rail ", " 2,5 "), ('"a ""b"", c"', "1e999"), ("é" * 4_000, "-1e3"),
    ("1", "+7"), ("bus\u00a0", "$5"), ("=cmd()", "1.5.5"), ("missing", "0x10"), ("other", "inf"),
)  # fmt: skip
"""Categories and numbers that are odd in one way each."""


def seen_of(file, declared, columns=None):
    return keeping(file, inspect(file), [attribute_of(one) for one in declared], columns)


def rows_of(file, declared, columns=None):
    """The rows of a file, and its report."""
    reading = read(file, seen_of(file, declared, columns), timezone="UTC")
    rows = [row for batch in reading.batches() for row in batch.to_pylist()]
    return rows, reading.report


def csv(text):
    return TripsFile.uploaded("trips.csv", text.encode())


def parquet(columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return TripsFile.uploaded("trips.parquet", out.getvalue())


def line(user, mode, fare):
    quoted = f'"{fare}"' if "," in fare else fare
    return ROW.format(user=user, mode=mode, fare=quoted)


def kept(rows):
    return {row["user_id"]: (row["attribute_mode"], row["attribute_fare"]) for row in rows}


def test_each_value_is_read_alone_and_nothing_refuses_the_file():
    rows, report = rows_of(csv(HEADER + "".join(line(n, *pair) for n, pair in enumerate(BROKEN))), BOTH)
    assert kept(rows) == {
        "0": (2, None), "1": (2, None), "2": (3, None), "3": (3, None), "4": (1, 250), "5": (2, None), "6": (2, 0), "7": (2, 700),
        "8": (0, None), "9": (2, None), "10": (2, None), "11": (2, None),
    }  # fmt: skip
    assert report.unlisted == {"mode=other": 8, "fare=missing": 8}
    mode, fare = report.unlisted_words
    assert mode.startswith(
        "values of mode on no list, counted as other: 8, which are most. Is this the right column?"
    )
    assert fare.startswith(
        "values of fare that are no number, counted as missing: 8, which are most. A number stands alone"
    )
    few = replace(report, unlisted={"mode=other": 6, "fare=missing": 6})
    assert few.unlisted_words == (
        "values of mode on no list, counted as other: 6",
        "values of fare that are no number, counted as missing: 6",
    )


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_value_of_one_person_changes_no_value_of_another(broken):
    others = [("a", "bus", "12.345"), ("b", " rail", "-3"), ("c", "boat", "250"), ("d", "", "")]
    alone, _ = rows_of(csv(HEADER + "".join(line(*one) for one in others)), BOTH)
    assert kept(alone) == {"a": (0, 1_234), "b": (1, 0), "c": (2, 10_000), "d": (3, None)}
    beside, _ = rows_of(csv(HEADER + line("x", *broken) + "".join(line(*one) for one in others)), BOTH)
    assert {user: value for user, value in kept(beside).items() if user != "x"} == kept(alone)


TRIP = {
    "user_id": ["u"] * 4,
    "started_at": ["2024-04-01 08:00"] * 4,
    "ended_at": ["2024-04-01 09:00"] * 4,
    **{name: [0.5] * 4 for name in ("start_lat", "start_lng", "end_lat", "end_lng")},
}


@pytest.mark.parametrize(
    ("values", "declared", "expected"),
    [
        (pa.array([1, 2, 9, None]), "pay=1,2", [0, 1, 2, 3]),
        (pa.array([1.0, 2.5, float("nan"), None]), "pay=1,2.5", [0, 1, 3, 3]),
        (pa.array([True, False, None, True]), "pay=true,false", [0, 1, 3, 0]),
        (pa.array(["1", "2", " 1", "NULL"]).dictionary_encode(), "pay=1,2", [0, 1, 0, 3]),
        (pa.array([1, 2, 9, None], pa.decimal128(5, 2)), "pay=0:5:0.5", [2, 4, 10, None]),
        (pa.array([0.25, -1, float("inf"), None], pa.float32()), "pay=0:5:0.1", [2, 0, None, None]),
    ],
)
def test_the_types_of_parquet_are_read_as_what_they_say(values, declared, expected):
    rows, _ = rows_of(parquet({**TRIP, "pay": values}), [declared])
    assert [row["attribute_pay"] for row in rows] == expected


def test_a_column_of_times_is_no_attribute():
    with pytest.raises(InputError, match="the column has type timestamp"):
        rows_of(parquet({**TRIP, "pay": pa.array([0] * 4, pa.timestamp("us"))}), ["pay=1"])


TLC = "tpep_pickup_datetime,tpep_dropoff_datetime,PULocationID,DOLocationID,payment_type,fare_amount\n2024-04-01 08:00:00,2024-04-01 08:10:00,1,2,1,-4.5\n"
BIKE = (
    "ride_id,rideable_type,started_at,ended_at,start_station_id,end_station_id,start_lat,start_lng,end_lat,end_lng,member_casual\n"
    "r,electric_bike,2024-04-01 08:00:00,2024-04-01 08:10:00,1,2,0.5,0.5,0.5,1.5,member\n"
)


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        (TLC, ("payment=1,2", "fare=-10:100:0.5"), {"attribute_payment": 0, "attribute_fare": -9}),
        (
            BIKE,
            ("user_type=casual,member", "vehicle_type=electric_bike"),
            {"extra_user_type": "Registered", "attribute_user_type": 1, "attribute_vehicle_type": 0},
        ),
    ],
)
def test_files_of_publishers_keep_what_the_names_of_their_columns_tell(text, declared, expected):
    (row,), _ = rows_of(csv(text), declared)
    assert {name: row[name] for name in expected} == expected


def test_the_first_record_of_a_trip_decides_in_whatever_order_they_stand():
    lines = [
        "a,1,2024-04-01 09:00,1,1,rail", "a,1,2024-04-01 08:00,1,2,bus", "a,1,2024-04-01 08:00,1,1,boat",
        "a,1,2024-04-01 08:00,1,1,rail", "a,1,,1,1,bus",
    ]  # fmt: skip
    header, other = "uid,tid,datetime,lat,lng,mode\n", "b,1,2024-04-01 08:00,1,1,bus"
    found = Counter()
    for order in [*permutations(lines)][::5]:
        rows, _ = rows_of(csv(header + "\n".join([order[0], other, *order[1:], ""])), ["mode=bus,rail"])
        found.update((row["user_id"], row["attribute_mode"]) for row in rows)
    assert found == {("a", 1): 24, ("b", 0): 24}


def test_removing_records_of_one_person_leaves_the_values_of_all_others():
    rng = random.Random(5)
    lines = [
        f"{rng.choice('abcd')},{rng.randint(1, 2)},2024-04-01 0{rng.randint(1, 3)}:00,1,{rng.randint(1, 2)},{rng.choice(['bus', 'x', '', ' rail'])}"
        for _ in range(60)
    ]
    values = {}
    for without in ("", *"abcd"):
        text = "uid,tid,datetime,lat,lng,mode\n" + "\n".join(
            [*(one for one in lines if one[0] != without), ""]
        )
        rows, _ = rows_of(csv(text), ["mode=bus,rail"])
        values[without] = Counter((row["user_id"], row["end_us"], row["attribute_mode"]) for row in rows)
    for without in "abcd":
        assert values[without] == {key: n for key, n in values[""].items() if key[0] != without}


@pytest.mark.parametrize(
    ("declared", "columns", "what"),
    [
        (
            ("purpose=work",),
            {},
            "no column holds the attribute purpose: trips.csv. Name its column: --column purpose=NAME",
        ),
        (("purpose=work",), {"purpose": "zweck"}, "unknown column"),
        (("who=a",), {"who": "user_id"}, "one column for a role and an attribute"),
        (("one=a", "two=b"), {"one": "mode", "two": "mode"}, "one column for a role and an attribute"),
        (("uid=a",), {"uid": "mode"}, "a role is no attribute"),
        (("mode=a", "mode=b"), {}, "declared twice"),
    ],
)
def test_a_column_that_is_not_there_or_taken_is_refused(declared, columns, what):
    with pytest.raises(InputError, match=what):
        seen_of(csv(HEADER), declared, columns)


def test_points_that_a_rule_cuts_keep_no_attributes():
    with pytest.raises(InputError, match="not kept of points"):
        seen_of(csv("uid,datetime,lat,lng,mode\n"), ["mode=bus"])


def test_every_column_has_a_name_that_an_attribute_may_have():
    names = attribute_names(["Mode", "fare_amount", "total_amount", "hour", "1st", "ä", "a+b", "a b", "uid"])
    assert [*names.values()] == [
        "mode",
        "fare",
        "total_amount",
        "column_hour",
        "column_1st",
        "column_2",
        "a_b",
        "column_a_b",
        "column_uid",
    ]
    assert all(attribute_of(f"{name}=x").name == name for name in names.values())
