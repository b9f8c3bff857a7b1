"""Round trips: what is written comes back, from CSV and from Parquet, whatever the ids look like."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_of import CANONICAL, ZONE, gzipped, parquet, reading_of

EPOCH = datetime(1970, 1, 1)
MISSING = {"", "NULL", "\\N"}

ids = st.one_of(
    st.sampled_from(
        ["007", "7", "7.0", "NA", "null", "None", "nan", "1e5", "0x1", "-0", "+1", "=1+1", "a,b", '"']
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), min_size=1, max_size=12),
).filter(lambda text: text.strip() == text and text not in MISSING)


def instant_of(wall):
    """When the clock reads so, the first time."""
    return wall.replace(tzinfo=ZoneInfo(ZONE)).astimezone(UTC)


def exists(wall):
    """Whether the clock ever reads so: it skips an hour each spring."""
    return instant_of(wall).astimezone(ZoneInfo(ZONE)).replace(tzinfo=None) == wall


times = st.datetimes(EPOCH, datetime(2100, 12, 31, 23, 59, 59))
trips = st.lists(
    st.tuples(
        ids,
        times,
        st.timedeltas(timedelta(0), timedelta(days=300)),
        *[st.floats(-limit, limit) for limit in (90, 180, 90, 180)],
    ).filter(lambda trip: (trip[1] + trip[2]).year <= 2100 and exists(trip[1]) and exists(trip[1] + trip[2])),
    max_size=12,
)


def written(rows, quoting=csv.QUOTE_NONNUMERIC):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=quoting).writerows(rows)
    return CANONICAL + out.getvalue()


def back(table):
    return [
        (
            r["user_id"],
            r["started_at"],
            r["ended_at"],
            r["start_lat"],
            r["start_lng"],
            r["end_lat"],
            r["end_lng"],
        )
        for r in table.to_pylist()
    ]


@settings(deadline=None)  # a loaded computer is no failure
@given(trips, st.sampled_from([csv.QUOTE_NONNUMERIC, csv.QUOTE_MINIMAL]))
def test_csv_comes_back_exactly(found, quoting):
    rows = [(uid, start, start + length, *places) for uid, start, length, *places in found]
    table, report = reading_of(written(rows, quoting))
    assert back(table) == rows
    assert (report.records, report.trips, report.incomplete) == (len(rows), len(rows), 0)
    for row in table.to_pylist():
        assert row["complete"]
        assert EPOCH.replace(tzinfo=UTC) + timedelta(microseconds=row["end_us"]) == instant_of(
            row["ended_at"]
        )


@settings(deadline=None)  # a loaded computer is no failure
@given(trips)
def test_gzip_and_parquet_give_the_same_as_csv(found):
    rows = [(uid, start, start + length, *places) for uid, start, length, *places in found]
    names = CANONICAL.strip().split(",")
    kinds = [pa.string(), pa.timestamp("us"), pa.timestamp("us"), *[pa.float64()] * 4]
    columns = {
        name: pa.array([row[i] for row in rows], kind)
        for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
    }
    assert back(reading_of(parquet(columns), "trips.parquet")[0]) == rows
    assert back(reading_of(gzipped(written(rows)), "trips.csv.gz")[0]) == rows


@settings(deadline=None)  # a loaded computer is no failure
@given(trips, st.sampled_from(["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati"]))
def test_offsets_give_instants_and_the_wall_clock(found, zone):
    margin = timedelta(days=2)
    rows = [
        (uid, (start + margin).replace(tzinfo=UTC), (start + length + margin).replace(tzinfo=UTC), *places)
        for uid, start, length, *places in found
        if (start + length + 2 * margin).year <= 2100
    ]
    table, _ = reading_of(written(rows), timezone=zone)
    for row, (uid, start, end, *_) in zip(table.to_pylist(), rows, strict=True):
        assert row["user_id"] == uid
        assert row["ended_at"] == end.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        assert timedelta(microseconds=row["start_us"]) == start.replace(tzinfo=None) - EPOCH
