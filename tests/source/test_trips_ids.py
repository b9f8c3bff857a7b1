"""Ids are text from the first byte: nothing merges, nothing disappears."""

from __future__ import annotations

import pyarrow as pa
import pytest
from reading_of import CANONICAL, GOOD, LONG, ZONES, parquet, reading_of, rows_of, upload

from dpcore.errors import InputError
from dpcore.private.source import fields, inspect

LOOKALIKES = [
    "007",
    "7",
    "7.0",
    "+7",
    "7e0",
    "07",
    "0x7",
    "NA",
    "null",
    "None",
    "nan",
    "NaN",
    "N/A",
    "-",
    "True",
    "inf",
]


def of_user(uid):
    return GOOD.replace("u1", uid)


def test_ids_that_look_alike_stay_apart():
    table, _ = reading_of(CANONICAL + "".join(map(of_user, LOOKALIKES)))
    assert table["user_id"].to_pylist() == LOOKALIKES


def test_white_space_around_an_id_is_stripped_and_nothing_else():
    table, _ = reading_of(CANONICAL + "".join(map(of_user, ["7", " 7", "7 ", "\u00a07\t", "7 7", "Ä ", "ß"])))
    assert table["user_id"].to_pylist() == ["7", "7", "7", "7", "7 7", "Ä", "ß"]


@pytest.mark.parametrize("uid", ["", '""', "NULL", "\\N", "  ", '" NULL"'])
def test_a_missing_user_is_bad_and_never_one_user(uid):
    text = CANONICAL + GOOD + of_user(uid) * 2
    with pytest.raises(InputError, match=r"user id missing: trips.csv, line 3, column user_id.*1 more"):
        reading_of(text)
    table, report = reading_of(text, drop=True)
    assert table["user_id"].to_pylist() == ["u1"]
    assert (report.dropped[0].count, report.dropped[0].places) == (2, (3, 4))


def test_a_missing_trip_id_is_bad():
    with pytest.raises(InputError, match=r"trip id missing: trips.csv, line 2, column tid"):
        reading_of(LONG + "u,,2024-03-01 10:00:00,1,2\n")


def trips_columns(users):
    times = pa.array([0] * len(users), pa.timestamp("us"))
    columns = {"user_id": users, "started_at": times, "ended_at": times}
    return columns | {name: [1.0] * len(users) for name in ("start_lat", "start_lng", "end_lat", "end_lng")}


@pytest.mark.parametrize(
    ("users", "ids"),
    [
        (pa.array([7, -7, 2**62], pa.int64()), ["7", "-7", str(2**62)]),
        (pa.array([2**64 - 1], pa.uint64()), [str(2**64 - 1)]),
        (pa.array([7], pa.int8()), ["7"]),
        (pa.array(["007", " 7 ", "nan"]), ["007", "7", "nan"]),
        (pa.array(["007", "é"], pa.large_string()), ["007", "é"]),
        (pa.array(["007", "7"], pa.string_view()), ["007", "7"]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
    ],
)
def test_ids_of_parquet_are_text_or_whole_numbers(users, ids):
    table, _ = reading_of(parquet(trips_columns(users)), "trips.parquet")
    assert table["user_id"].to_pylist() == ids


@pytest.mark.parametrize(
    "users",
    [
        pa.array([7.0]),
        pa.array([True]),
        pa.array([b"7"]),
        pa.array([[7]]),
        pa.array([{"a": 7}]),
        pa.array([7], pa.decimal128(5, 1)),
        pa.array([0], pa.timestamp("us")),
    ],
)
def test_ids_of_other_types_are_refused(users):
    with pytest.raises(InputError, match=r"the column has type .*: trips.parquet, column user_id"):
        inspect(upload(parquet(trips_columns(users)), "trips.parquet"))


@pytest.mark.parametrize(
    "users", [pa.array([None, "a"]), pa.array([None, 7]), pa.array(["", "a"]), pa.nulls(2)]
)
def test_a_missing_user_of_parquet_is_bad(users):
    with pytest.raises(InputError, match=r"user id missing: trips.parquet, row 1, column user_id"):
        reading_of(parquet(trips_columns(users)), "trips.parquet")


def test_zone_ids_are_text_and_may_be_missing():
    times = "2019-03-01 10:00:00,2019-03-01 10:10:00"
    rows = rows_of(ZONES + f"{times},141,264\n{times},,7\n{times}, 7 ,\n")
    assert [(row["start_zone"], row["end_zone"]) for row in rows] == [
        ("141", "264"),
        (None, "7"),
        (None, "7"),
    ]
    assert [row["user_id"] for row in rows] == [None] * 3


def zones_of(start):
    times = pa.array([0] * len(start), pa.timestamp("us"))
    return parquet(
        {
            "tpep_pickup_datetime": times,
            "tpep_dropoff_datetime": times,
            "PULocationID": start,
            "DOLocationID": start,
        }
    )


def test_whole_floats_are_zone_ids_and_others_are_bad():
    table, _ = reading_of(zones_of(pa.array([141.0, None, 7.0])), "trips.parquet")
    assert table["end_zone"].to_pylist() == ["141", None, "7"]
    assert rows_of(zones_of(pa.array([141, 7])), "trips.parquet")[0]["start_zone"] == "141"
    for number in (7.5, float("nan"), float("inf"), 1e300):
        with pytest.raises(InputError, match=r"not an id of a tile or a station: trips.parquet, row 2"):
            reading_of(zones_of(pa.array([1.0, number])), "trips.parquet")


@pytest.mark.parametrize("text", [b"\xff", b"a\x00b"])
def test_parquet_text_that_is_not_utf8_or_holds_nul_is_refused(text):
    users = pa.array([text], pa.binary()).view(pa.string())
    with pytest.raises(InputError, match=r"not UTF-8, or holds NUL: trips.parquet, column user_id"):
        reading_of(parquet(trips_columns(users)), "trips.parquet")


def test_no_texts_are_no_trouble():
    nothing = pa.array([], pa.string())
    assert len(fields.stripped(nothing)) == 0
    assert fields.too_long(nothing) is None
