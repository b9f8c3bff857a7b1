"""Places on the way: which records between start and end they are, in any order, in memory or through files."""

from __future__ import annotations

import csv
import gzip
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_of import CANONICAL, GOOD, LONG, ZONES, parquet, reading_of, rows_of, upload

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import inspect, long_rows, read

A, B, C, D = (f"2024-03-01 1{hour}:00:00" for hour in range(4))


def via(*records, **options):
    """Places on the way of the one trip of these records."""
    (row,) = rows_of(LONG + "".join(f"u,t,{record}\n" for record in records), **options)
    return None if row["via"] is None else [(place["lat"], place["lng"]) for place in row["via"]]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([f"{A},1,1", f"{B},2,2", f"{C},3,3"], [(2, 2)]),
        ([f"{C},3,3", f"{B},2,2", f"{A},1,1"], [(2, 2)]),
        ([f"{D},9,9", f"{B},2,2", f"{C},3,3", f"{A},1,1"], [(2, 2), (3, 3)]),
        ([f"{A},1,1", f"{B},2,2"], None),
        ([f"{A},1,1"], None),
        # records of one time stand in order of (lat, lng), also where they are ends
        ([f"{A},1,1", f"{B},3,2", f"{B},2,9", f"{B},2,8", f"{C},1,1"], [(2, 8), (2, 9), (3, 2)]),
        ([f"{A},2,1", f"{A},1,9", f"{A},1,8"], [(1, 9)]),
        # equal records are as many places
        ([f"{A},1,1", f"{B},2,2", f"{B},2,2", f"{B},2,2", f"{C},1,1"], [(2, 2)] * 3),
        ([f"{A},1,1"] * 5, [(1, 1)] * 3),
        # without a time or a place a record is on no way
        ([f"{A},1,1", f"{B},,", f"{C},3,3"], None),
        ([f"{A},1,1", f"{B},2,", f"{C},3,3", f"{D},4,4"], [(3, 3)]),
        ([f"{A},1,1", ",2,2", f"{C},3,3"], None),
        ([f"{A},1,1", ",2,2", f"{B},2,2", ",3,3", f"{C},3,3"], [(2, 2)]),
        # without the place of one end a trip is one record, and nothing lies between
        ([f"{A},,", f"{B},2,2", f"{C},3,3"], None),
        ([f"{A},1,1", f"{B},2,2", f"{C},,"], None),
    ],
)
def test_the_way_is_what_lies_between_the_earliest_and_the_latest_record(records, expected):
    assert via(*records) == expected


@pytest.mark.parametrize("bad", [f"{B},99,2", f"{B},x,2", "nonsense,2,2", f"{B},2,2,2"])
def test_a_bad_record_on_the_way_is_refused_or_dropped_and_the_rest_of_the_trip_stays(bad):
    records = [f"{A},1,1", bad, f"{C},3,3", f"{D},4,4"]
    with pytest.raises(InputError, match="line 3"):
        via(*records)
    assert via(*records, drop=True) == [(3, 3)]


@pytest.mark.parametrize("empty", [f"{B},,", f"{B},2,", ",2,2"])
def test_a_record_on_the_way_with_an_empty_field_is_reported_and_refuses_nothing(empty):
    _, report = reading_of(LONG + f"u,t,{A},1,1\nu,t,{empty}\nu,t,{C},3,3\n")
    assert sum(report.missing.values()) == 3 - sum(bool(field) for field in empty.split(","))
    assert (report.trips, report.incomplete, report.dropped_records) == (1, 0, 0)


def test_forms_with_one_row_a_trip_have_no_places_on_the_way():
    row = "2024-03-01 10:00:00,2024-03-01 10:30:00,1,2\n"
    for text in (CANONICAL + GOOD, ZONES + row):
        assert "via" not in reading_of(text)[0].schema.names


def test_a_reading_of_records_says_that_it_will_yield_them():
    file = upload(LONG + f"u,t,{A},1,1\n")
    assert read(file, inspect(file), timezone="UTC").schema.names[-1] == "via"
    assert reading_of(LONG)[0].schema.names[-1] == "via"  # of no trips, too


def test_parquet_gives_the_same_places():
    columns = {"uid": ["u"] * 4, "tid": ["1"] * 4, "datetime": [A, D, C, B], "lat": [1.0, 4.0, 3.0, 2.0]}
    (row,) = rows_of(parquet(columns | {"lng": columns["lat"]}), "trips.parquet")
    assert [place["lat"] for place in row["via"]] == [2.0, 3.0]


PLACE = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
HOURS = st.integers(0, 5)
RUN = st.tuples(
    st.sampled_from(["7", "07"]),
    st.sampled_from(["1", "01"]),
    st.lists(
        st.tuples(st.one_of(HOURS, HOURS, st.none()), st.one_of(PLACE, PLACE, st.none())),
        min_size=1,
        max_size=6,
    ),
)
"""Neighbouring records of one trip; others of the same trip may stand elsewhere in the file."""
RECORDS = st.lists(RUN, max_size=8).map(
    lambda runs: [(uid, tid, hour, place) for uid, tid, records in runs for hour, place in records]
)


def expected(records):
    """The rule again, record by record: sorted ways of all trips."""
    trips = {}
    for uid, tid, hour, place in records:
        if hour is not None:
            trips.setdefault((uid, tid), []).append((hour, place or (9, 9)))
    ways = []
    for (uid, _), timed in trips.items():
        places = [place for _, place in sorted(timed)]
        complete = len(places) > 1 and (9, 9) not in (places[0], places[-1])
        ways.append((uid, [place for place in places[1:-1] if complete and place != (9, 9)]))
    return sorted(ways)


def found(text):
    """The ways of a file in the form of ``expected``."""
    rows = reading_of(text, drop=True)[0].to_pylist()
    assert all(row["via"] is None or row["via"] for row in rows)  # one way to say that there is nothing
    return sorted(
        (row["user_id"], [(place["lat"], place["lng"]) for place in row["via"] or []]) for row in rows
    )


def csv_of(records):
    return LONG + "".join(
        f"{uid},{tid},{'' if hour is None else f'2024-03-01 0{hour}:00:00'},"
        f"{'' if place is None else place[0]},{'' if place is None else place[1]}\n"
        for uid, tid, hour, place in records
    )


@settings(deadline=None)
@given(RECORDS)
def test_the_way_follows_its_rule_in_any_order(records):
    assert found(csv_of(records)) == expected(records)


@settings(deadline=None)
@given(RECORDS, st.sampled_from([(3, 10**6), (10**6, 2)]), st.sampled_from([0, 4, 1_000]))
def test_small_batches_and_files_change_no_way(records, most, soon):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "CSV_BLOCK_BYTES", 128)
        patch.setattr(limits, "MAX_RUNS_IN_MEMORY", most[0])
        patch.setattr(limits, "MAX_POINTS_IN_MEMORY", most[1])
        patch.setattr(long_rows, "_SOON_JOINED", soon)
        patch.setattr(long_rows, "_POINTS", 2)
        assert found(csv_of(records)) == expected(records)


@pytest.mark.parametrize("order", ["straight", "shuffled", "backwards"])
@pytest.mark.parametrize("block", [2**16, 8 * 2**20])
def test_a_trip_with_a_record_every_second_of_a_day_keeps_its_order(order, block, monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", block)
    lines = [
        f"u,t,2024-03-01 {i // 3600:02}:{i // 60 % 60:02}:{i % 60:02},{i % 80},{i // 80 % 170}\n"
        for i in range(86_400)
    ]
    wanted = [(float(i % 80), float(i // 80 % 170)) for i in range(1, 86_399)]
    if order == "shuffled":
        random.Random(1).shuffle(lines)
    elif order == "backwards":
        lines.reverse()
    lines[40_000:40_000] = [f"v,t,{A},1,1\n", f"u,s,{A},1,1\n"]
    rows = rows_of(LONG + "".join(lines))
    (whole,) = (row["via"] for row in rows if row["via"])
    assert [(place["lat"], place["lng"]) for place in whole] == wanted
    assert len(rows) == 3


def test_many_records_on_the_way_go_through_files_that_are_removed(monkeypatch, tmp_path):
    text = LONG + "".join(
        f"u,{trip},2024-03-01 10:00:{i:02},{i},{trip % 90}\n" for i in range(9) for trip in range(99)
    )
    straight = sorted(map(repr, rows_of(text)))
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 2**12)
    monkeypatch.setattr(limits, "MAX_POINTS_IN_MEMORY", 0)
    ordered = LONG + "".join(sorted(text.removeprefix(LONG).splitlines(keepends=True)))
    file = upload(ordered)
    batches = read(file, inspect(file), timezone="Europe/Berlin", work_folder=tmp_path).batches()
    rows = next(batches).to_pylist()
    assert len(list(tmp_path.iterdir())) == 1
    rows += [row for batch in batches for row in batch.to_pylist()]
    assert sorted(map(repr, rows)) == straight
    assert list(tmp_path.iterdir()) == []


def test_the_days_of_people_who_check_in_have_the_ways_that_the_list_says(shared):
    with gzip.open(shared("real/foursquare_nyc/checkins.csv.gz"), "rt") as text:
        records = [
            (row["uid"], row["datetime"], float(row["lat"]), float(row["lng"]))
            for row in csv.DictReader(text)
        ]
    days = {}
    for uid, moment, lat, lng in records:
        days.setdefault((uid, moment[:10]), []).append((moment, lat, lng))
    text = LONG + "".join(f"{uid},{at[:10]},{at},{lat!r},{lng!r}\n" for uid, at, lat, lng in records)
    table, report = reading_of(text, timezone="America/New_York")
    assert (report.records, report.trips) == (len(records), len(days))
    ways = sorted(
        (row["user_id"], f"{row['ended_at']:%Y-%m-%d}", [(p["lat"], p["lng"]) for p in row["via"] or []])
        for row in table.select(["user_id", "ended_at", "via"]).to_pylist()
    )
    assert ways == sorted(
        (uid, day, [place[1:] for place in sorted(places)[1:-1]]) for (uid, day), places in days.items()
    )
    assert sum(len(way) > 5 for *_, way in ways) > 1_000  # it has long ones
