"""The long form: which record is the start and which the end, in any order, in memory or through files."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_of import LONG, reading_of, rows_of, upload

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import inspect, read, spilling

A, B, C = "2024-03-01 10:00:00", "2024-03-01 11:00:00", "2024-03-01 12:00:00"


def ends(*records):
    """Start and end (hour, lat, lng) of the one trip of these records, and whether it is complete."""
    (row,) = rows_of(LONG + "".join(f"u,t,{record}\n" for record in records))
    start, end = (
        (row[f"{verb}ed_at"].hour if row[f"{verb}ed_at"] else None, row[f"{which}_lat"], row[f"{which}_lng"])
        for verb, which in (("start", "start"), ("end", "end"))
    )
    return start, end, row["complete"]


NONE = (None, None, None)


@pytest.mark.parametrize(
    ("records", "start", "end", "complete"),
    [
        ([f"{A},1,2", f"{B},3,4"], (10, 1, 2), (11, 3, 4), True),
        ([f"{B},3,4", f"{A},1,2"], (10, 1, 2), (11, 3, 4), True),
        ([f"{B},3,4", f"{C},5,6", f"{A},1,2"], (10, 1, 2), (12, 5, 6), True),
        ([f"{A},1,2", f"{A},1,2"], (10, 1, 2), (10, 1, 2), True),
        ([f"{A},3,4", f"{A},1,9", f"{A},1,2"], (10, 1, 2), (10, 3, 4), True),
        ([f"{A},1,2"], NONE, (10, 1, 2), False),
        ([f"{A},,"], NONE, (10, None, None), False),
        ([f"{A},1,2", ",3,4"], NONE, (10, 1, 2), False),
        ([",9,9", f"{A},1,2", f"{B},3,4", ",8,8"], (10, 1, 2), (11, 3, 4), True),
        ([f"{A},1,2", f"{B},,"], NONE, (10, 1, 2), False),
        ([f"{A},,", f"{B},3,4"], NONE, (11, 3, 4), False),
        ([f"{A},,", f"{B},,"], NONE, (11, None, None), False),
        ([f"{A},1,2", f"{B},3,", f"{C},5,6"], (10, 1, 2), (12, 5, 6), True),
    ],
)
def test_the_earliest_record_is_the_start_and_the_latest_the_end(records, start, end, complete):
    assert ends(*records) == (start, end, complete)


def test_a_trip_id_is_unique_only_within_its_user():
    text = LONG + f"u,7,{A},1,2\nv,7,{A},3,4\nu,7,{B},5,6\nu,07,{A},7,8\nv,7,{B},9,9\n"
    table, report = reading_of(text)
    assert sorted((r["user_id"], r["complete"]) for r in table.to_pylist()) == [
        ("u", False),
        ("u", True),
        ("v", True),
    ]
    assert (report.records, report.trips, report.incomplete) == (5, 3, 1)


def test_a_trip_without_any_time_is_bad_once():
    text = LONG + f"u,a,{A},1,2\nu,b,,1,2\nu,b,,3,4\nu,c,,1,2\nu,a,{B},1,2\n"
    with pytest.raises(InputError, match=r"time missing: trips.csv, line 3, column datetime.*1 more"):
        reading_of(text)
    table, report = reading_of(text, drop=True)
    assert table.num_rows == 1
    assert (report.dropped[0].count, report.dropped[0].places) == (2, (3, 5))


def test_a_dropped_record_leaves_the_rest_of_its_trip():
    (row,) = rows_of(LONG + f"u,t,{A},1,2\nu,t,{B},99,4\n", drop=True)
    assert (row["complete"], row["end_lat"]) == (False, 1.0)


TRIPS = st.lists(
    st.tuples(
        st.sampled_from(["7", "07", "u"]),
        st.sampled_from(["1", "01", "2"]),
        st.one_of(st.none(), st.integers(0, 4)),
        st.one_of(st.none(), st.tuples(st.integers(-2, 2), st.integers(-2, 2))),
    ),
    max_size=24,
)


def expected(records):
    """The rules again, record by record: sorted rows of (user, start, end)."""
    trips = {}
    for uid, tid, hour, place in records:
        trips.setdefault((uid, tid), [])
        if hour is not None:
            trips[uid, tid].append((hour, place or (9, 9)))
    rows = []
    for (uid, _), timed in trips.items():
        if not timed:
            continue
        known = [(hour, None if place == (9, 9) else place) for hour, place in sorted(timed)]
        start, end = known[0], known[-1]
        if len(known) > 1 and start[1] and end[1]:
            rows.append((uid, start, end))
        else:
            rows.append((uid, None, start if start[1] and not end[1] else end))
    return sorted(rows, key=repr)


def found(table):
    """The rows of a table in the form of ``expected``."""

    def end(row, time, which):
        moment = row[time]
        if moment is None:
            return None
        place = row[f"{which}_lat"]
        return moment.hour, None if place is None else (int(place), int(row[f"{which}_lng"]))

    rows = [
        (r["user_id"], end(r, "started_at", "start"), end(r, "ended_at", "end")) for r in table.to_pylist()
    ]
    return sorted(rows, key=repr)


def csv_of(records):
    lines = []
    for uid, tid, hour, place in records:
        time = "" if hour is None else f"2024-03-01 0{hour}:00:00"
        lines.append(
            f"{uid},{tid},{time},{'' if place is None else place[0]},{'' if place is None else place[1]}\n"
        )
    return LONG + "".join(lines)


@settings(deadline=None)  # a loaded computer is no failure
@given(TRIPS)
def test_pairing_follows_its_rules_in_any_order(records):
    assert found(reading_of(csv_of(records), drop=True)[0]) == expected(records)


@settings(deadline=None)  # a loaded computer is no failure
@given(TRIPS)
def test_small_batches_and_files_change_nothing(records):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "CSV_BLOCK_BYTES", 128)
        patch.setattr(limits, "MAX_RUNS_IN_MEMORY", 3)
        patch.setattr(spilling, "_PARTS", 64)
        assert found(reading_of(csv_of(records), drop=True)[0]) == expected(records)


def many(count):
    start = datetime(2024, 3, 1)
    return [
        f"u{i % 97},t{i},{start + timedelta(minutes=7 * i % 5000 + end)},{i % 80},{end}\n"
        for end in (0, 5)
        for i in range(count)
    ]


def test_pairing_through_files_removes_them_and_keeps_them_private(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 2**17)
    text = LONG + "".join(many(20_000))
    in_memory = sorted(map(repr, rows_of(text, timezone="UTC")))
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", 5_000)
    file = upload(text)
    batches = read(file, inspect(file), timezone="UTC", work_folder=tmp_path).batches()
    rows = next(batches).to_pylist()
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(list(folder.iterdir())) == 64
    for batch in batches:
        rows += batch.to_pylist()
    assert sorted(map(repr, rows)) == in_memory
    assert list(tmp_path.iterdir()) == []


def test_files_are_removed_when_reading_fails_or_stops(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 2**17)
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", 5_000)
    lines = many(20_000)
    for text in (LONG + "".join(lines), LONG + "".join([*lines, "u,t,x,1,2\n"])):
        file = upload(text)
        batches = read(file, inspect(file), timezone="UTC", work_folder=tmp_path).batches()
        with contextlib.suppress(InputError):
            next(batches)
        batches.close()
        assert list(tmp_path.iterdir()) == []


def test_a_work_folder_that_cannot_be_written_is_an_input_error(monkeypatch):
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", 1)
    with pytest.raises(InputError, match="work folder"):
        reading_of(LONG + "".join(many(10)), work_folder=Path("/nowhere/at/all"))


def test_equal_hashes_do_not_merge_trips(monkeypatch):
    monkeypatch.setattr(spilling, "hash_texts", lambda offsets, *_: offsets[1:].astype("u8") * 0)
    records = [(u, t, h, (1, h)) for u in ("7", "07", "u") for t in ("1", "2") for h in (0, 3)]
    assert found(reading_of(csv_of(records))[0]) == expected(records)
