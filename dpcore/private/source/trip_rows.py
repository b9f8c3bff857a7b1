"""Two ends of each trip -> the rows that every reader hands on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore.private.source.batch import MOST_MISSING, POINT_TRIPS, ZONE_TRIPS, RawBatch
from dpcore.private.source.city_clock import wall_clock
from dpcore.private.source.columns import EndRoles, Ends, checked_ends
from dpcore.private.source.extras import ROLE, extra_fields, extra_values, unlisted
from dpcore.private.source.faults import Sieve
from dpcore.private.source.ids import ids
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.rules import ENDS_FIRST, TIME_MISSING, USER_MISSING
from dpcore.private.source.tally import Tally
from dpcore.private.source.text import Mask

_POINTS = ("lat", "lng")


def trips_of_rows(raw: RawBatch, inspection: Inspection, timezone: str, tally: Tally) -> pa.RecordBatch:
    """The good trips of a batch that holds one trip a row, in the order of the file.

    Raises:
        MixedTimesError: a time of another kind than the first of the file.

    """
    sieve = Sieve(tally.faults, raw.places)
    users = pa.nulls(raw.rows, pa.string())
    if inspection.has_users:
        users = ids(raw.columns["user_id"], inspection.mapping["user_id"], sieve, USER_MISSING)
    kinds = _POINTS if inspection.has_points else ("zone",)
    start, end = (
        checked_ends(
            raw,
            EndRoles(time, tuple(f"{end}_{kind}" for kind in kinds)),
            inspection,
            tally,
            sieve,
        )
        for end, time in (("start", "started_at"), ("end", "ended_at"))
    )
    sieve.refuse(TIME_MISSING, inspection.mapping["started_at"], ~start.timed & ~end.timed)
    sieve.refuse(ENDS_FIRST, inspection.mapping["ended_at"], start.timed & end.timed & (start.us > end.us))
    rows = trip_rows(users, start, end, inspection, timezone)
    if inspection.extras:
        for name in inspection.extras:
            tally.unlist(name, unlisted(name, raw.columns[ROLE + name]), sieve.bad)
        values = (extra_values(name, raw.columns[ROLE + name]) for name in inspection.extras)
        rows = pa.RecordBatch.from_arrays([*rows.columns, *values], schema=trip_schema(inspection))
    if sieve.bad.any():
        rows = rows.filter(pa.array(~sieve.bad))
    return rows


def trip_schema(inspection: Inspection) -> pa.Schema:
    """Columns of the trips of a file with one trip a row."""
    schema = POINT_TRIPS if inspection.has_points else ZONE_TRIPS
    return pa.schema([*schema, *extra_fields(tuple(inspection.extras))]) if inspection.extras else schema


def trip_rows(
    users: pa.Array, start: Ends, end: Ends, inspection: Inspection, timezone: str
) -> pa.RecordBatch:
    """One row a trip, of schema POINT_TRIPS or ZONE_TRIPS.

    A trip is complete if both ends have a time and a place. Otherwise its start columns are null, and its
    end columns hold one known record: the later one that has a time and a place, else the later one that
    has a time. Rows whose ends both lack the time hold no meaning: the caller leaves them out.
    """
    schema = POINT_TRIPS if inspection.has_points else ZONE_TRIPS
    complete = start.timed & start.placed & end.timed & end.placed
    start_us, end_us = pa.array(start.us), pa.array(end.us)
    start_place, end_place = start.place, end.place
    if not complete.all():
        from_start = ~complete & start.timed & (~end.timed | (start.placed & ~end.placed))
        end_us = pa.array(np.where(from_start, start.us, end.us))
        end_place = _chosen(from_start, start.place, end.place)
        nothing = tuple(pa.nulls(len(users), place.type) for place in start.place)
        start_place = _chosen(complete, start.place, nothing)
        start_us = pc.if_else(pa.array(complete), start_us, pa.scalar(None, pa.int64()))
    started = wall_clock(start_us, inspection.times, timezone)
    ended = wall_clock(end_us, inspection.times, timezone)
    missing = np.minimum(start.missing + end.missing, MOST_MISSING).astype(np.int8)
    return pa.RecordBatch.from_arrays(
        [
            *(users, pa.array(complete), started, ended, start_us, end_us),
            *(pa.array(counts) for counts in missing),
            *(*start_place, *end_place),
        ],
        schema=schema,
    )


def _chosen(mask: Mask, yes: tuple[pa.Array, ...], no: tuple[pa.Array, ...]) -> tuple[pa.Array, ...]:
    condition = pa.array(mask)
    return tuple(pc.if_else(condition, one, other) for one, other in zip(yes, no, strict=True))
