"""Times: naive, with offset, month first; zones, changes of clocks, years; mixed kinds."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from reading_of import CANONICAL, GOOD, LONG, ZONE, parquet, reading_of, rows_of, upload

from dpcore.errors import InputError
from dpcore.private.source import inspect, read

BIKE = "starttime,stoptime,start station latitude,start station longitude,end station latitude,end station longitude\n"


def one(time, **options):
    """Wall clock and microseconds of one record with this time."""
    (row,) = rows_of(LONG + f"u,t,{time},52.5,13.4\n", **options)
    return row["ended_at"], row["end_us"]


def micros(moment):
    return round(moment.timestamp() * 1_000_000)


@pytest.mark.parametrize(
    ("text", "wall"),
    [
        ("2024-03-01 10:00:00", datetime(2024, 3, 1, 10)),
        ("2024-03-01T10:00:00", datetime(2024, 3, 1, 10)),
        ("2024-03-01 10:00", datetime(2024, 3, 1, 10)),
        (" 2024-03-01 10:00 ", datetime(2024, 3, 1, 10)),
        ("2024-03-01 10:00:00.5", datetime(2024, 3, 1, 10, 0, 0, 500_000)),
        ("2024-03-01 10:00:00.123456789", datetime(2024, 3, 1, 10, 0, 0, 123_456)),
        ("2024-02-29 23:59:59", datetime(2024, 2, 29, 23, 59, 59)),
        ("1970-01-01 00:00:00", datetime(1970, 1, 1)),
        ("2100-12-31 23:59:59.999999", datetime(2100, 12, 31, 23, 59, 59, 999_999)),
        ("2024-03-31 02:30:00", datetime(2024, 3, 31, 2, 30)),
    ],
)
def test_naive_times_are_the_wall_clock_as_written(text, wall):
    assert one(text) == (wall, micros(wall.replace(tzinfo=UTC)))


@pytest.mark.parametrize(
    "text",
    ["2024-07-01T08:00:00Z", "2024-07-01 10:00:00+02:00", "2024-07-01 10:00:00+0200", "2024-07-01 10+02",
     "2024-07-01 08:00Z", "2024-07-01 13:30:00.000+05:30", "2024-06-30 22:00:00-1000", " 2024-07-01T08:00:00Z",
     "2024-07-01T08:00:00.0000000Z"],
)  # fmt: skip
def test_times_with_offset_are_instants_and_the_citys_wall_clock(text):
    instant = datetime(2024, 7, 1, 8, tzinfo=UTC)
    assert one(text) == (instant.astimezone(ZoneInfo(ZONE)).replace(tzinfo=None), micros(instant))
    wall, us = one(text, timezone="America/New_York")
    assert (wall.hour, us) == (4, micros(instant))


def test_the_change_of_clocks_is_right_with_offsets():
    text = CANONICAL + "u,2024-10-27 02:30:00+02:00,2024-10-27 02:10:00+01:00,1,2,3,4\n"
    (row,) = rows_of(text)
    assert row["ended_at"] < row["started_at"]
    assert row["end_us"] - row["start_us"] == 40 * 60 * 1_000_000
    with pytest.raises(InputError, match="clocks go back"):
        rows_of(text.replace("+02:00", "").replace("+01:00", ""))


@pytest.mark.parametrize(
    "text",
    ["01/02/2024", "01/02/2024 10:00", "2024-13-01 10:00:00", "2024-02-30 10:00:00", "2023-02-29 10:00:00",
     "2024-03-01 10:00:60", "2024-03-01 24:00:00", "2024-03-01", "2024-03-01 10", "20240301T100000", "1709287200",
     "infinity", "epoch", "now", "2024-3-1 1:00:00", "10:00:00", "2024-03-01 10:00:00.", "2024-03-01t10:00:00",
     "2024-03-01 10:00:00 CET", "2024-W09-5T10:00:00", "2100-02-29 10:00:00", "0000-02-30 00:00:00"],
)  # fmt: skip
def test_what_is_no_time_is_bad_and_never_guessed(text):
    good = "u,a,2024-03-01 10:00:00,1,2\n"
    with pytest.raises(InputError, match=r"not a time of the form .*: trips.csv, line 3, column datetime"):
        reading_of(LONG + good + f"u,b,{text},1,2\n")
    with pytest.raises(InputError, match=r"not a time of the form .*: trips.csv, line 2, column datetime"):
        reading_of(LONG + f"u,b,{text},1,2\n")
    assert reading_of(LONG + good + f"u,b,{text},1,2\n", drop=True)[1].dropped_records == 1


@pytest.mark.parametrize("text", ["2024-03-01 10:00:00+25:00", "2024-03-01 10:00:00+02:60", "2024-03-01Z"])
def test_an_impossible_offset_is_bad(text):
    with pytest.raises(InputError, match="line 3"):
        reading_of(LONG + f"u,a,2024-03-01T10:00:00Z,1,2\nu,b,{text},1,2\n")


@pytest.mark.parametrize("year", ["0000", "0001", "1969", "2101", "9999"])
@pytest.mark.parametrize("end", ["", "Z"])
def test_years_outside_1970_to_2100_are_bad(year, end):
    with pytest.raises(InputError, match=r"a year outside 1970 to 2100: trips.csv, line 2, column datetime"):
        reading_of(LONG + f"u,a,{year}-06-01T10:00:00{end},1,2\n")


def test_instants_keep_a_day_of_margin_for_every_wall_clock():
    with pytest.raises(InputError, match="a year outside"):
        one("1970-01-01T00:30:00Z", timezone="America/New_York")
    assert one("1970-01-02T00:30:00Z", timezone="America/New_York")[0].year == 1970


def test_mixed_kinds_are_refused_with_the_first_of_each():
    text = LONG + "u,a,,1,2\nu,b,2024-03-01 10:00:00,1,2\n" + "u,c,2024-03-01 11:00:00,1,2\n" * 3
    for drop in (False, True):
        with pytest.raises(InputError, match=r"trips.csv, line 3 and line 7"):
            reading_of(text + "u,d,2024-03-01 10:00:00+01:00,1,2\n", drop=drop)
    with pytest.raises(InputError, match=r"trips.csv, line 2 and line 3"):
        reading_of(LONG + "u,a,2024-03-01 10:00:00Z,1,2\nu,b,2024-03-01 10:00:00,1,2\n")
    with pytest.raises(InputError, match=r"trips.csv, line 2 and line 2"):
        reading_of(CANONICAL + GOOD.replace(":30:00", ":30:00Z"))


def test_mixed_offsets_are_no_mixed_kinds():
    text = "u,2024-03-30 23:00:00+01:00,2024-03-31 08:00:00+02:00,1,2,3,4\n"
    (row,) = rows_of(CANONICAL + text)
    assert row["end_us"] - row["start_us"] == 8 * 3_600_000_000


@pytest.mark.parametrize(
    ("zone", "text"),
    [(None, "the times carry no offset: trips.csv. Give the city's time zone, an IANA name such as Europe/Berlin"),
     ("Berlin", "unknown time zone"), ("", "unknown time zone"), ("../etc/passwd", "unknown time zone"),
     ("Europe", "unknown time zone"), ("+02:00", "unknown time zone"), ("/usr/share/zoneinfo/UTC", "unknown")],
)  # fmt: skip
def test_the_zone_must_be_a_known_name(zone, text):
    file = upload(LONG + "u,a,2024-03-01 10:00:00,1,2\n")
    with pytest.raises(InputError, match=text):
        read(file, inspect(file), timezone=zone)


def test_times_with_offset_need_the_citys_zone_too():
    file = upload(LONG + "u,a,2024-03-01 10:00:00Z,1,2\n")
    assert inspect(file).times == "offset"
    with pytest.raises(InputError, match="the times carry offsets"):
        read(file, inspect(file), timezone=None)


@pytest.mark.parametrize(
    ("text", "wall"),
    [
        ("1/31/17 0:21", datetime(2017, 1, 31, 0, 21)),
        ("7/28/2011 10:12:00", datetime(2011, 7, 28, 10, 12)),
        ("02/29/2024 23:59:59", datetime(2024, 2, 29, 23, 59, 59)),
    ],
)
def test_month_first_is_read_where_the_form_says_so(text, wall):
    table, _ = reading_of(BIKE + f"{text},{text},1,2,3,4\n")
    (row,) = table.to_pylist()
    assert (row["started_at"], row["start_us"]) == (wall, micros(wall.replace(tzinfo=UTC)))
    assert inspect(upload(BIKE + f"{text},{text},1,2,3,4\n")).times == "month-first"


@pytest.mark.parametrize("text", ["31/1/17 0:21", "2/30/17 0:21", "1/1/17 24:00", "1/1/17", "0/1/17 1:00", "1/1/017 1:00",
                                  "1/0/17 1:00", "1/1/17 1:60", "1-1-17 1:00"])  # fmt: skip
def test_impossible_month_first_times_are_bad(text):
    good = "1/31/17 0:21,1/31/17 0:24,1,2,3,4\n"
    with pytest.raises(
        InputError, match=r"not a time of the form 1/31/2017 10:00: trips.csv, line 3, column starttime"
    ):
        reading_of(BIKE + good + f"{text},1/31/17 0:24,1,2,3,4\n")


def test_iso_times_in_a_month_first_file_are_mixed():
    good = "1/31/17 0:21,1/31/17 0:24,1,2,3,4\n"
    with pytest.raises(InputError, match="two kinds"):
        reading_of(BIKE + good + "2017-01-31 00:21,2017-01-31 00:24,1,2,3,4\n")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_parquet_timestamps_of_any_unit(unit, zone):
    moment = datetime(2024, 7, 1, 8, tzinfo=UTC)
    value = moment if zone else moment.replace(tzinfo=None)
    columns = {"uid": ["u"], "tid": ["t"], "lat": [1.0], "lng": [2.0]}
    data = parquet(columns | {"datetime": pa.array([value], pa.timestamp(unit, zone))})
    (row,) = rows_of(data, "trips.parquet")
    assert row["end_us"] == micros(moment)
    assert row["ended_at"].hour == (10 if zone else 8)


@pytest.mark.parametrize(("unit", "ticks"), [("ms", 2**62), ("us", -(2**62)), ("ms", -1), ("us", 2**62)])
def test_parquet_timestamps_that_would_overflow_are_bad(unit, ticks):
    columns = {"uid": ["u", "v"], "tid": ["t", "t"], "lat": [1.0, 1.0], "lng": [2.0, 2.0]}
    data = parquet(columns | {"datetime": pa.array([0, ticks], pa.timestamp(unit))})
    with pytest.raises(
        InputError, match=r"a year outside 1970 to 2100: trips.parquet, row 2, column datetime"
    ):
        reading_of(data, "trips.parquet")
    assert reading_of(data, "trips.parquet", drop=True)[0].num_rows == 1


def test_parquet_times_as_text_are_read_like_csv():
    columns = {"uid": ["u"], "tid": ["t"], "lat": ["1"], "lng": ["+2 "], "datetime": ["2024-07-01T08:00:00Z"]}
    (row,) = rows_of(parquet(columns), "trips.parquet")
    assert (row["ended_at"].hour, row["end_lng"]) == (10, 2.0)


def test_one_zoned_and_one_naive_column_are_refused():
    columns = {"user_id": ["u"], "start_tile": ["a"], "end_tile": ["b"]}
    columns["started_at"] = pa.array([0], pa.timestamp("us"))
    columns["ended_at"] = pa.array([0], pa.timestamp("us", "UTC"))
    with pytest.raises(InputError, match="with and without offset"):
        inspect(upload(parquet(columns), "trips.parquet"))
