"""Times: naive, with offset, month first, each field by itself; zones, changes of clocks, years."""

from __future__ import annotations

import functools
import itertools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from reading_of import CANONICAL, LONG, ZONE, parquet, reading_of, rows_of, upload

from dpcore.errors import InputError
from dpcore.private.source import inspect, read
from dpcore.private.source.times import clock_of, instants, instants_of

BIKE = "starttime,stoptime,start station latitude,start station longitude,end station latitude,end station longitude\n"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CHANGING = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Pacific/Apia",  # a whole day is skipped
    "Africa/Casablanca",  # back for a month each year, and not at the same time
    "America/Sao_Paulo",  # at midnight, and no more
)


@functools.cache
def changes_of(zone):
    """The hours (UTC) before which and after which a zone has different offsets."""
    clock, hour = ZoneInfo(zone), timedelta(hours=1)
    days = [datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(80 * 365)]
    offset = [day.astimezone(clock).utcoffset() for day in days]
    found = []
    for day, (before, after) in zip(days, itertools.pairwise(offset), strict=False):
        hours = [day + number * hour for number in range(24)] if before != after else []
        found += [
            moment + hour
            for moment in hours
            if moment.astimezone(clock).utcoffset() != (moment + hour).astimezone(clock).utcoffset()
        ]
    return found


def around(change, zone):
    """Each minute on the clock around a change of it, from two hours before to two hours after."""
    before = (change - timedelta(seconds=1)).astimezone(ZoneInfo(zone)).replace(tzinfo=None, second=0)
    after = change.astimezone(ZoneInfo(zone)).replace(tzinfo=None, second=0)
    low, high = min(before, after) - timedelta(hours=2), max(before, after) + timedelta(hours=2)
    return [low + timedelta(minutes=m) for m in range((high - low) // timedelta(minutes=1))]


def one(time, **options):
    """Wall clock and microseconds of one record with this time."""
    (row,) = rows_of(LONG + f"u,t,{time},52.5,13.4\n", **options)
    return row["ended_at"], row["end_us"]


def micros(moment):
    """Microseconds since 1970; of a wall clock that of ZONE, in the hour that occurs twice the first one."""
    moment = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(ZONE))
    return (moment - EPOCH) // timedelta(microseconds=1)


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
        ("2024-10-27 02:30:00", datetime(2024, 10, 27, 2, 30)),
    ],
)
def test_naive_times_are_the_wall_clock_as_written(text, wall):
    assert one(text) == (wall, micros(wall))


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


@pytest.mark.parametrize(
    ("start", "end", "minutes"),
    [
        ("2024-03-31 01:30", "2024-03-31 03:30", 60),
        ("2024-03-31 00:30", "2024-03-31 04:30", 180),
        ("2024-03-31 02:10", "2024-03-31 02:40", 30),  # in the hour that is skipped
        ("2024-03-31 01:50", "2024-03-31 02:10", 20),
        ("2024-03-31 02:50", "2024-03-31 03:10", 20),
        ("2024-03-31 01:30+01:00", "2024-03-31 03:30", 60),
        ("2024-10-27 01:30", "2024-10-27 03:30", 180),
        ("2024-10-27 01:50", "2024-10-27 02:10", 20),  # in the hour that occurs twice, the first time
        ("2024-10-27 02:50", "2024-10-27 02:10", 20),  # the second time, or it ends before it starts
        ("2024-10-27 02:50+01:00", "2024-10-27 02:55", 5),
        ("2024-10-27 02:30:00+02:00", "2024-10-27 02:10:00+01:00", 40),
        ("2024-10-27 02:30", "2024-10-27 02:10:00+01:00", 40),
        ("2024-10-26 23:00", "2024-10-27 23:00", 25 * 60),
    ],
)
def test_a_trip_over_a_change_of_clocks_is_as_long_as_it_was(start, end, minutes):
    (row,) = rows_of(CANONICAL + f"u,{start},{end},1,2,3,4\n")
    assert (row["end_us"] - row["start_us"]) / 60e6 == minutes


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2024-03-31 02:10", "2024-03-31 01:50"),  # in and before the hour that is skipped
        ("2024-03-31 02:50", "2024-03-31 02:10"),
        ("2024-03-31 02:30", "2024-03-31 01:30+01:00"),
        ("2024-10-27 02:10", "2024-10-27 01:50"),
        ("2024-10-27 03:10", "2024-10-27 02:50"),
        ("2024-07-01 10:10", "2024-07-01 10:09"),
    ],
)
def test_what_is_out_of_order_as_written_and_no_hour_occurs_twice_is_bad(start, end):
    good = "u,2024-07-01 10:00,2024-07-01 10:10,1,2,3,4\n"
    data = CANONICAL + good + f"u,{start},{end},1,2,3,4\n"
    table, report = reading_of(data, drop=True)
    assert (table.num_rows, report.dropped_records) == (1, 1)


def test_what_is_out_of_order_in_each_reading_is_bad_and_alone_so():
    good = "u,2024-10-27 02:50,2024-10-27 02:10,1,2,3,4\n"
    bad = "v,2024-10-27 02:50,2024-10-27 01:50,1,2,3,4\nw,2024-10-27 02:50+01:00,2024-10-27 02:10,1,2,3,4\n"
    with pytest.raises(InputError, match=r"ends before it starts: trips.csv, line 3, column ended_at"):
        reading_of(CANONICAL + good + bad)
    table, report = reading_of(CANONICAL + good + bad, drop=True)
    assert (table["user_id"].to_pylist(), report.dropped_records) == (["u"], 2)


@pytest.mark.parametrize("zone", CHANGING)
def test_no_trip_that_is_in_order_as_written_ends_before_it_starts(zone):
    minutes = [minute for change in changes_of(zone)[-8:] for minute in around(change, zone)]
    starts, ends = zip(*itertools.combinations(sorted(set(minutes[::7])), 2), strict=True)
    rows = "".join(f"u,{start},{end},1,2,3,4\n" for start, end in zip(starts, ends, strict=True))
    table, _ = reading_of(CANONICAL + rows, timezone=zone)
    assert table.num_rows == len(starts)


def test_a_time_in_the_hour_that_is_skipped_takes_the_offset_before():
    wall, us = one("2024-03-31 02:30:00")
    assert us == micros(datetime(2024, 3, 31, 1, 30, tzinfo=UTC))
    assert wall == datetime(2024, 3, 31, 3, 30)  # hours are those of the clock at that instant


@pytest.mark.parametrize("zone", [*CHANGING, "UTC", "Asia/Kolkata"])
def test_instants_and_clocks_are_those_of_the_zone_at_each_minute_around_each_change(zone):
    years = [datetime(year, month, 1) for year in (1970, 1999, 2038, 2100) for month in (1, 7, 12)]
    walls = [*years, *(minute for change in changes_of(zone) for minute in around(change, zone))]
    clock = np.array(walls, "datetime64[us]").astype(np.int64)
    for fold in (0, 1):
        instants = [micros(wall.replace(tzinfo=ZoneInfo(zone), fold=fold)) for wall in walls]
        found = instants_of(clock, zone, fold=fold)
        assert found.tolist() == instants
        assert [
            int(instants_of(clock[i : i + 1], zone, fold=fold)[0]) for i in range(0, len(clock), 97)
        ] == instants[::97]
        moments = [(EPOCH + timedelta(microseconds=us)).astimezone(ZoneInfo(zone)) for us in instants]
        back = np.array([moment.replace(tzinfo=None) for moment in moments], "datetime64[us]")
        assert np.array_equal(clock_of(found, zone), back.astype(np.int64))


@pytest.mark.parametrize(
    "text",
    ["01/02/2024", "01/02/2024 10:00", "2024-13-01 10:00:00", "2024-02-30 10:00:00", "2023-02-29 10:00:00",
     "2024-03-01 10:00:60", "2024-03-01 48:00:00", "2024-03-01", "2024-03-01 10", "20240301", "170928720",
     "infinity", "epoch", "now", "10:00:00", "2024-03-01 10:00:00.", "2024-03-01t10:00:00",
     "2024-03-01 10:00:00 CET", "2024-W09-5T10:00:00", "2100-02-29 10:00:00", "0000-02-30 00:00:00"],
)  # fmt: skip
def test_what_is_no_time_is_bad_and_never_guessed(text):
    good = "u,a,2024-03-01 10:00:00,1,2\n"
    with pytest.raises(InputError, match=r"not a time.*: trips.csv, line 3, column datetime"):
        reading_of(LONG + good + f"u,b,{text},1,2\n")
    with pytest.raises(InputError, match=r"not a time.*: trips.csv, line 2, column datetime"):
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


@pytest.mark.parametrize(
    ("text", "zone", "wall"),
    [
        ("1970-01-01T00:30:00Z", "America/New_York", None),
        ("1970-01-01T05:00:00Z", "America/New_York", datetime(1970, 1, 1)),
        ("1969-12-31T23:00:00Z", "Europe/Berlin", datetime(1970, 1, 1)),
        ("2100-12-31T23:00:00Z", "Europe/Berlin", None),
        ("2101-01-01T04:59:59Z", "America/New_York", datetime(2100, 12, 31, 23, 59, 59)),
        ("1970-01-01 00:00", "Pacific/Kiritimati", datetime(1970, 1, 1)),
        ("2100-12-31 23:59", "Pacific/Pago_Pago", datetime(2100, 12, 31, 23, 59)),
    ],
)
def test_the_year_is_that_of_the_citys_clock_however_the_time_is_written(text, zone, wall):
    if wall is None:
        with pytest.raises(InputError, match="a year outside"):
            one(text, timezone=zone)
    else:
        assert one(text, timezone=zone)[0] == wall


WRITTEN = (
    "2024-03-01 10:00:00", "2024-03-01T10:00", " 2024-10-27 02:30:00.123456789", "2024-03-31 02:30",
    "2024-03-01 10:00:00+01:00", "2024-07-01T08:00Z", "2024-03-01 10+0530", "1/31/17 0:21", "07/28/2011 10:12:59",
    "", " ", "2/30/17 0:21", "31/1/17 0:21", "2024-03-01", "2024-03-01 10", "2024-03-01Z", "1969-01-01 00:00",
    "2101-06-01T00:00Z", "now", "2024-03-01 10:00:60", "1709287200", "1709287200.5", "1709287200123", "20240301",
    "1/3/2024 1:30 PM", "31.01.2017 0:21", "13/13/17 0:21", "NaT", "2024-03-01 24:10:00", "2024-3-1 8:5", "20240301T100000Z",
    "2024-03-01 10:00 America/New_York", "2024-03-01 10:00 Nowhere/Else", "2024-03-01 10:00 EST", "1-Mar-24 10:00", "Mar 1, 2024 8:00 PM",
    "45352.3333333", "07:12:00", "1.709280000E9", "1.70928E9",
)  # fmt: skip


@pytest.mark.parametrize(
    ("order", "good"),
    [
        ("year-first", 17),
        ("month-first", 20),
        ("day-first", 20),
        ("dates", 19),
        ("of-day", 18),
        ("excel", 18),
        ("wall-clock", 19),
    ],
)
def test_how_a_field_is_read_follows_from_it_alone(order, good):
    """Every field beside every other one and among all of them: read as it is when it is alone."""

    def read_of(texts):
        texts = pa.array([text or None for text in texts], pa.string())
        found = instants(texts, ZONE, times=order)
        bad = [
            [rule for rule, mask in found.bad if mask[i] and not found.missing[i]] for i in range(len(texts))
        ]
        known = zip(bad, found.missing.tolist(), found.values.tolist(), strict=True)
        return [(rules, missing, None if rules or missing else value) for rules, missing, value in known]

    alone = [read_of([text])[0] for text in WRITTEN]
    assert sum(not rules and not missing for rules, missing, _ in alone) == good
    assert read_of(WRITTEN) == alone
    step = 1 if order == "year-first" else 3
    for one_text, other in itertools.product(range(len(WRITTEN)), range(good % step, len(WRITTEN), step)):
        assert read_of([WRITTEN[one_text], WRITTEN[other]]) == [alone[one_text], alone[other]]


@pytest.mark.parametrize(
    "kind", [pa.int32(), pa.uint32(), pa.int64(), pa.uint64(), pa.float64(), pa.string()]
)
def test_unix_times_are_the_same_whatever_type_a_column_has(kind):
    numbers = [1709287200, None, 42] + [1709287200000, 1709287200000000] * (
        kind not in {pa.int32(), pa.uint32()}
    )
    column = pa.array(numbers, pa.int64()).cast(kind)
    found = instants(column, ZONE, times="year-first")
    good = [number is not None and number != 42 for number in numbers]
    assert {int(value) for value, known in zip(found.values, good, strict=True) if known} == {
        1709287200_000000
    }
    assert found.missing.tolist() == [number is None for number in numbers]
    assert [bad.tolist() for _, bad in found.bad] == [[number == 42 for number in numbers]]


def test_times_of_all_ways_stand_in_one_file_and_make_nobody_elses_bad():
    own = "u,2024-03-30 23:00:00+01:00,2024-03-31 08:00:00+02:00,1,2,3,4\n"
    other = "v,2024-03-30 23:00,2024-03-31 08:00,1,2,3,4\n" * 3
    mixed = "w,2024-03-30T22:00:00Z,2024-03-31 08:00,1,2,3,4\n"
    bad = "x,30.3.2024 23:00,2024-03-31 08:00,1,2,3,4\n"
    for text in (own + other + mixed, other + mixed + own):
        rows = rows_of(CANONICAL + text)
        assert {row["end_us"] - row["start_us"] for row in rows} == {8 * 3_600_000_000}
        assert len({(row["start_us"], row["started_at"]) for row in rows}) == 1
        assert sorted(row["user_id"] for row in rows) == ["u", "v", "v", "v", "w"]
    with pytest.raises(InputError, match=r"not a time: the day or the month is first.*: trips.csv, line 2"):
        reading_of(CANONICAL + bad + own + other)
    table, report = reading_of(CANONICAL + bad + own + other, drop=True)
    assert (table.num_rows, report.dropped_records) == (4, 1)


@pytest.mark.parametrize(
    ("zone", "text"),
    [(None, "the time zone is missing: trips.csv. .* Give the IANA name of the city's zone, such as Europe/Berlin"),
     ("Berlin", "unknown time zone"), ("", "unknown time zone"), ("../etc/passwd", "unknown time zone"),
     ("Europe", "unknown time zone"), ("+02:00", "unknown time zone"), ("/usr/share/zoneinfo/UTC", "unknown")],
)  # fmt: skip
def test_the_zone_must_be_a_known_name(zone, text):
    file = upload(LONG + "u,a,2024-03-01 10:00:00,1,2\n")
    with pytest.raises(InputError, match=text):
        read(file, inspect(file), timezone=zone)


def test_times_with_offset_need_the_citys_zone_too():
    file = upload(LONG + "u,a,2024-03-01 10:00:00Z,1,2\n")
    with pytest.raises(InputError, match="the time zone is missing"):
        read(file, inspect(file), timezone=None)


@pytest.mark.parametrize(
    ("text", "wall"),
    [
        ("1/31/17 0:21", datetime(2017, 1, 31, 0, 21)),
        ("7/28/2011 10:12:00", datetime(2011, 7, 28, 10, 12)),
        ("02/29/2024 23:59:59", datetime(2024, 2, 29, 23, 59, 59)),
        ("02/29/2024 24:10", datetime(2024, 3, 1, 0, 10)),
    ],
)
def test_month_first_is_read_where_the_form_says_so(text, wall):
    table, _ = reading_of(BIKE + f"{text},{text},1,2,3,4\n")
    (row,) = table.to_pylist()
    assert (row["started_at"], row["start_us"]) == (wall, micros(wall))


@pytest.mark.parametrize("text", ["31/1/17 0:21", "2/30/17 0:21", "1/1/17 48:00", "1/1/17", "0/1/17 1:00", "1/1/017 1:00",
                                  "1/0/17 1:00", "1/1/17 1:60", "1-1-17 1:00"])  # fmt: skip
def test_impossible_month_first_times_are_bad(text):
    good = "1/31/17 0:21,1/31/17 0:24,1,2,3,4\n"
    with pytest.raises(
        InputError,
        match=r"not a time.*: trips.csv, line 3, column starttime",
    ):
        reading_of(BIKE + good + f"{text},1/31/17 0:24,1,2,3,4\n")


def test_iso_times_and_those_with_the_month_first_stand_in_one_file():
    first, iso = "1/31/17 0:21,1/31/17 0:24,1,2,3,4\n", "2017-01-31 00:21,2017-01-30T23:24Z,1,2,3,4\n"
    for text in (first + iso, iso + first):
        one, other = rows_of(BIKE + text)
        assert one == other


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_parquet_timestamps_of_any_unit(unit, zone):
    moment = datetime(2024, 7, 1, 8, tzinfo=UTC)
    value = moment if zone else moment.replace(tzinfo=None)
    columns = {"uid": ["u"], "tid": ["t"], "lat": [1.0], "lng": [2.0]}
    data = parquet(columns | {"datetime": pa.array([value], pa.timestamp(unit, zone))})
    (row,) = rows_of(data, "trips.parquet")
    assert row["ended_at"].hour == (10 if zone else 8)
    assert row["end_us"] == micros(moment if zone else moment.replace(tzinfo=None))


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


def test_the_type_of_each_parquet_column_says_whether_its_times_are_instants():
    columns = {"user_id": ["u"], "start_tile": ["a"], "end_tile": ["b"]}
    columns["started_at"] = pa.array([3_600_000_000], pa.timestamp("us"))
    columns["ended_at"] = pa.array([0], pa.timestamp("us", "UTC"))
    (row,) = rows_of(parquet(columns), "trips.parquet")
    assert (row["start_us"], row["end_us"], row["started_at"]) == (0, 0, row["ended_at"])


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "Africa/Casablanca", "Pacific/Apia", "Australia/Lord_Howe"]
)
def test_the_clock_of_a_moment_does_not_hang_on_the_moments_beside_it(zone):
    years = [
        np.datetime64(f"{year}-{day}", "us").astype(np.int64)
        for year in (1970, 2011, 2024, 2099)
        for day in ("01-01", "12-31")
    ]
    moments = np.array([at + hour * 3_600_000_000 for at in years for hour in range(-26, 27, 4)])
    inside = moments[(moments >= years[0]) & (moments < years[-1])]
    together = clock_of(inside, zone), instants_of(inside, zone), instants_of(inside, zone, fold=1)
    for i in range(len(inside)):
        one = inside[i : i + 1]
        assert (clock_of(one, zone), instants_of(one, zone), instants_of(one, zone, fold=1)) == tuple(
            found[i : i + 1] for found in together
        )
        local = datetime.fromtimestamp(one[0] / 1_000_000, ZoneInfo(zone)).replace(tzinfo=UTC)
        assert together[0][i] == int(local.timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("text", "wall"),
    [
        ("2024-03-01 24:10:00", datetime(2024, 3, 2, 0, 10)),  # of the day of service
        ("2024-12-31 25:30", datetime(2025, 1, 1, 1, 30)),
        ("2024-3-1 8:5:9", datetime(2024, 3, 1, 8, 5, 9)),
        ("2024/3/1 8:05", datetime(2024, 3, 1, 8, 5)),
        ("2024-03-01 8:05 PM", datetime(2024, 3, 1, 20, 5)),
        ("2024-03-01 12:05:00 a.m.", datetime(2024, 3, 1, 0, 5)),
        ("20240301T080000", datetime(2024, 3, 1, 8)),
        ("20240301 0800", datetime(2024, 3, 1, 8)),
        ("20240301080000", datetime(2024, 3, 1, 8)),
        ("2024-03-01 08.00.00", datetime(2024, 3, 1, 8)),
        ("01-Mar-2024 08:00", datetime(2024, 3, 1, 8)),
        ("01-MAR-24 08.00.00.000000 PM", datetime(2024, 3, 1, 20)),
        ("1 March 2024 08:00:30", datetime(2024, 3, 1, 8, 0, 30)),
        ('"Mar 1, 2024, 8:00:00 AM"', datetime(2024, 3, 1, 8)),
        ('"Friday, March 1st, 2024 8:00 PM"', datetime(2024, 3, 1, 20)),
        ("Fri Mar 01 2024 08:00:00", datetime(2024, 3, 1, 8)),
    ],
)
def test_times_that_can_mean_one_thing_only_are_read_as_they_are(text, wall):
    assert one(text) == (wall, micros(wall))


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2024-03-01 08:00:00.000 America/Los_Angeles", datetime(2024, 3, 1, 16, tzinfo=UTC)),
        ("2024-07-01 08:00 [America/Los_Angeles]", datetime(2024, 7, 1, 15, tzinfo=UTC)),
        ("2024-03-01T08:00:00+01:00[Europe/Berlin]", datetime(2024, 3, 1, 7, tzinfo=UTC)),
        ("20240301T080000Z", datetime(2024, 3, 1, 8, tzinfo=UTC)),
        ("20240301T080000+0200", datetime(2024, 3, 1, 6, tzinfo=UTC)),
        ("2024-03-01 08:00:00 GMT", datetime(2024, 3, 1, 8, tzinfo=UTC)),
        ("2024-03-01 08:00:00 +0100 CET", datetime(2024, 3, 1, 7, tzinfo=UTC)),
        ("1.709280000E9", datetime(2024, 3, 1, 8, tzinfo=UTC)),
        ("1.7092800005e+09", datetime(2024, 3, 1, 8, 0, 0, 500_000, tzinfo=UTC)),
        ("1.709280000000e+12", datetime(2024, 3, 1, 8, tzinfo=UTC)),
    ],
)
def test_times_that_name_their_zone_and_numbers_that_hide_no_digit_are_instants(text, instant):
    assert one(text)[1] == micros(instant)


def test_nat_is_a_missing_time():
    rows = rows_of(CANONICAL + "u,2024-03-01 08:00,NaT,52.5,13.4,52.6,13.5\n")
    assert [row["complete"] for row in rows] == [False]


KINDS = (
    ("2024-03-01", "a date without a time of day", "dates", datetime(2024, 3, 1)),
    ("2024/3/1", "a date without a time of day", "dates", datetime(2024, 3, 1)),
    ("20240301", "a date without a time of day", "dates", datetime(2024, 3, 1)),
    ("45352.3333333", "a number of days, as Excel writes times", "excel", datetime(2024, 3, 1, 8)),
    ("45352", "a number of days", "excel", datetime(2024, 3, 1)),
    ("36000", "days since 1900.*Seconds of a day are not read", "excel", datetime(1998, 7, 24)),
    ("07:12:00", "a time of day without a date", "of-day", datetime(2000, 1, 1, 7, 12)),
    ("25:12", "a time of day without a date", "of-day", datetime(2000, 1, 2, 1, 12)),
    ("7:12 PM", "a time of day without a date", "of-day", datetime(2000, 1, 1, 19, 12)),
    ("2024-03-01 08:00:00 CET", "a short or unknown name of a zone", "wall-clock", datetime(2024, 3, 1, 8)),
    ("2024-03-01 08:00 Nowhere/Else", "unknown name of a zone", "wall-clock", datetime(2024, 3, 1, 8)),
    ("2024-03-01 8:30 Uhr", "a short or unknown name of a zone", "wall-clock", datetime(2024, 3, 1, 8, 30)),
    ("2024-03-01 08:30 GMT+1", "unknown name of a zone", "wall-clock", datetime(2024, 3, 1, 8, 30)),
    ("2024-03-01 08:30 Nachmittag", "a time and a word behind it", "", None),
    ("2024-03-01 8:30 P", "a time and a word behind it", "", None),
    ("2024-03-01T24:10:00Z", "a time that no day has", "", None),
    ("2024-03-01 23:59:60", "a time that no day has", "", None),
    ("2024-03-01 08h00", "an hour that is written with a letter", "", None),
    ("Fri 01 Mar 2024 08:00:00 GMT", "a weekday or a month in a form that is not read", "", None),
    ("31/3/2024 10:00", "the day or the month is first", "day-first", datetime(2024, 3, 31, 10)),
    ("3/31/2024 10:00", "the day or the month is first", "month-first", datetime(2024, 3, 31, 10)),
    ("31.03.2024", "day and month are never guessed", "", None),
    ("24-05-31 10:00", "a year of two digits.*four digits", "", None),
    ("1.70928E+12", "a number whose exponent hides digits", "", None),
    ("17", "a number that is no Unix time", "", None),
    ("yesterday", "words", "", None),
)
"""A field, what is said of it, the option that reads it, and what it then is."""


@pytest.mark.parametrize(("text", "said", "option", "wall"), KINDS)
def test_a_refusal_names_the_kind_of_a_time_and_the_option_that_reads_it(text, said, option, wall):
    data = LONG + f"u,a,{text},1,2\n"
    with pytest.raises(InputError, match=f"not a time.*{said}" if option else said) as refused:
        reading_of(data)
    assert text not in str(refused.value)
    if option:
        assert f"--times {option}" in refused.value.options
        file = upload(data)
        reading = read(file, inspect(file, times=option), timezone=ZONE)
        (row,) = [row for batch in reading.batches() for row in batch.to_pylist()]
        assert row["ended_at"] == wall
    else:
        assert (
            not {f"--times {one}" for one in ("wall-clock", "day-first", "month-first")}
            & refused.value.options
        )
        file = upload(data)
        with pytest.raises(InputError):  # what follows a time is left out only where it is a zone
            [*read(file, inspect(file, times="wall-clock"), timezone=ZONE).batches()]


@pytest.mark.parametrize(
    ("column", "times", "wall"),
    [
        (pa.array([45352.3333333]), "excel", datetime(2024, 3, 1, 8)),
        (pa.array([45352]), "excel", datetime(2024, 3, 1)),
        (pa.array([20240301]), "dates", datetime(2024, 3, 1)),
        (pa.array([datetime(2024, 3, 1).date()]), "dates", datetime(2024, 3, 1)),
        (pa.array([datetime(2024, 3, 1, 7, 12).time()]), "of-day", datetime(2000, 1, 1, 7, 12)),
    ],
)
def test_columns_of_other_types_are_read_with_the_same_options(column, times, wall):
    name = {
        "uid": pa.array(["u"]),
        "tid": pa.array(["a"]),
        "datetime": column,
        "lat": pa.array([1.0]),
        "lng": pa.array([2.0]),
    }
    file = upload(parquet(name), "trips.parquet")
    with pytest.raises(InputError, match=f"not a time.*--times {times}"):
        list(read(file, inspect(file), timezone=ZONE).batches())
    reading = read(file, inspect(file, times=times), timezone=ZONE)
    (row,) = [row for batch in reading.batches() for row in batch.to_pylist()]
    assert row["ended_at"] == wall


def test_leaving_bad_records_out_is_named_where_few_are_bad():
    good, bad = "u,a,2024-03-01 10:00:00,1,2\n", "datetime,datetime,datetime,1,2\n"
    with pytest.raises(InputError, match=r"--drop-bad \(in a notebook drop_bad=True\)"):
        reading_of(LONG + bad + good)
    with pytest.raises(InputError) as refused:
        reading_of(LONG + bad)
    assert "--drop-bad" not in str(refused.value)
