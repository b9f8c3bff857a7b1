"""The checked columns of one batch become both ends of each trip, and these become the rows that readers return."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.source.apart import ENDS_BEFORE, Apart, whole_times
from dpcore.private.source.attributes import kept_fields, kept_values
from dpcore.private.source.batch import MOST_MISSING, POINT_TRIPS, ZONE_TRIPS, Mask, RawBatch
from dpcore.private.source.extras import ROLE, extra_fields, extra_values, unlisted, without_point_zero
from dpcore.private.source.fields import (
    Checked,
    degrees,
    ids,
    is_missing,
    mask_of,
    stripped,
    whole_numbers,
    without,
)
from dpcore.private.source.geometry import first_and_last
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.lasting import lasting_trips
from dpcore.private.source.report import (
    ENDS_FIRST,
    NOT_AN_ORDER,
    TIME_MISSING,
    USER_MISSING,
    Rule,
    Sieve,
    Tally,
)
from dpcore.private.source.times import SOME_MOMENT, clock_of, instants, wall_clock
from dpcore.private.source.tracks import unrolled
from dpcore.private.source.vocabulary import CLOCK


@dataclass(frozen=True, repr=False, eq=False)
class Ends(Sealed):
    """One end of each trip, or one record of each trip."""

    us: NDArray[np.int64]
    """Instants in microseconds; arbitrary where the time is unknown."""
    timed: Mask
    """Where the time is known."""
    place: tuple[pa.Array, ...]
    """Latitude and longitude (float64, WGS84), or the zone id (text); all null where unknown."""
    placed: Mask
    """Where the place is known."""
    missing: NDArray[np.int64]
    """Number of empty fields: latitude, longitude, time (rows) of each end (columns)."""


@dataclass(frozen=True)
class EndRoles:
    """The roles of the columns that hold one end."""

    time: str
    place: tuple[str, ...]
    """Latitude, then longitude; or one geometry; or one zone."""
    last: bool = False
    """Whether the place is the last point of a line, whose first point is the other end."""


_AXES = ("lat", "lng")

Lines = dict[str, tuple[Checked[np.float64], ...]]
"""Role of a geometry -> what ``first_and_last`` found in a batch, so that it is not read again for the other end."""


def record_roles(inspection: Inspection) -> EndRoles:
    """The roles of the columns of a record, which is a place and a time."""
    return EndRoles("datetime", ("geometry",) if "geometry" in inspection.mapping else _AXES)


def checked_ends(
    raw: RawBatch,
    roles: EndRoles,
    inspection: Inspection,
    tally: Tally,
    sieve: Sieve,
    *,
    timezone: str,
    lines: Lines | None = None,
) -> Ends:
    """The times and places of one end. Missing fields are counted, bad ones go to the sieve."""
    name = inspection.mapping
    if inspection.no_times:
        times = _order(raw, roles.time)
    else:
        times = instants(_times(raw, roles.time, inspection), timezone, times=inspection.times)
    for rule, column, mask in _faults(raw, roles.time, inspection, times):
        sieve.refuse(rule, column, mask & ~times.missing)
    if inspection.has_points:
        lat_lng = _axes(raw, roles, inspection, {} if lines is None else lines)
        place, unknown = _points(lat_lng, roles.place, inspection, tally, sieve)
    else:
        (role,) = roles.place
        zone = ids(raw.columns[role], name[role], sieve, None)
        if inspection.stations:
            zone = without_point_zero(zone)
        place, unknown = (zone,), {role: is_missing(zone)}
    placed = ~np.logical_or.reduce(list(unknown.values()))
    timed = {roles.time: times.missing} if roles.time in name else {}
    for role, missing in {**timed, **({} if roles.last else unknown)}.items():
        tally.miss(name[role], missing, sieve.bad)
    lat, lng = (unknown[role] for role in (roles.place[0], roles.place[-1]))  # a zone stands for both
    empty = np.stack([lat, lng, times.missing]).astype(np.int64)
    return Ends(times.values, ~times.missing, place, placed, empty)


def whose(raw: RawBatch, inspection: Inspection, sieve: Sieve) -> pa.Array:
    """The person of each record, where a record is a point. Empty where nobody knows; then no person is told apart.

    A reader may name whose records belong together although nobody knows the person, as the file of a trajectory does.
    """
    if "uid" not in raw.columns:
        return pa.array(np.zeros(raw.rows, "S1").astype(str), pa.string())
    return ids(raw.columns["uid"], inspection.mapping.get("uid", "uid"), sieve, USER_MISSING)


def _times(raw: RawBatch, role: str, inspection: Inspection) -> pa.Array:
    """The column of a time, with its time of day if that has a column of its own."""
    apart = _apart(raw, role, inspection)
    return raw.columns[role] if apart is None else apart.times()


def _apart(raw: RawBatch, role: str, inspection: Inspection) -> Apart | None:
    clock = raw.columns.get(CLOCK + role)
    return None if clock is None else Apart(raw.columns[role], clock, inspection.one_date)


def _faults(
    raw: RawBatch, role: str, inspection: Inspection, times: Checked[np.int64]
) -> Iterator[tuple[Rule, str, Mask]]:
    """The rules that times break, each with its column."""
    if not times.bad:
        return iter(())
    column, apart = inspection.mapping[role], _apart(raw, role, inspection)
    if apart is None or inspection.no_times:
        return ((rule, column, mask) for rule, mask in times.bad)
    clock = inspection.clocks.get(role, column)
    return apart.faults(times.bad, (column, clock), whole_times(dict(inspection.clocks)))


def _order(raw: RawBatch, role: str) -> Checked[np.int64]:
    """The position of each record in its trip, where there are no times. A row that is a whole trip has none: 0."""
    column, nothing = raw.columns.get(role), np.zeros(raw.rows, np.bool_)
    if column is None:
        return Checked(np.zeros(raw.rows, np.int64), nothing)
    if pa.types.is_floating(column.type):
        column, _ = whole_numbers(column)
    text = stripped(column if pa.types.is_string(column.type) else column.cast(pa.string()))
    good = mask_of(pc.match_substring_regex(text, "^[0-9]{1,15}$"))
    values = pc.fill_null(without(text, ~good).cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
    return Checked(np.asarray(values, np.int64), nothing, ((NOT_AN_ORDER, ~good),))


def _axes(
    raw: RawBatch, roles: EndRoles, inspection: Inspection, lines: Lines
) -> tuple[Checked[np.float64], Checked[np.float64]]:
    """Latitude and longitude of one end."""
    if len(roles.place) == len(_AXES):
        lat_role, lng_role = roles.place
        return degrees(raw.columns[lat_role], "lat"), degrees(raw.columns[lng_role], "lng")
    (role,) = roles.place
    if role not in lines:
        lines[role] = first_and_last(
            raw.columns[role], line=is_line(role, inspection), lat_first=inspection.lat_first
        )
    first_lat, first_lng, last_lat, last_lng = lines[role]
    return (last_lat, last_lng) if roles.last else (first_lat, first_lng)


def is_line(role: str, inspection: Inspection) -> bool:
    """Whether a geometry holds both ends of a trip."""
    return role == "geometry" and inspection.layout == "trips"


def _points(
    lat_lng: tuple[Checked[np.float64], Checked[np.float64]],
    roles: tuple[str, ...],
    inspection: Inspection,
    tally: Tally,
    sieve: Sieve,
) -> tuple[tuple[pa.Array, ...], dict[str, Mask]]:
    lat, lng = lat_lng
    lat_role, lng_role = roles[0], roles[-1]
    if lat.bad or lng.bad:
        with np.errstate(invalid="ignore"):
            swapped = (np.abs(lat.values) > 90) & (np.abs(lat.values) <= 180) & (np.abs(lng.values) <= 90)
        tally.faults.swapped += int(np.count_nonzero(swapped & ~sieve.bad))
        for role, axis in ((lat_role, lat), (lng_role, lng)):
            for rule, mask in axis.bad:
                sieve.refuse(rule, inspection.mapping[role], mask)
    zero = (lat.values == 0) & (lng.values == 0)
    if zero.any():
        tally.at_zero += int(np.count_nonzero(zero & ~sieve.bad))
    unknown = lat.missing | lng.missing
    # half a place is not a place: both halves become null
    half = unknown if unknown.any() else None
    place = tuple(pa.array(axis.values, pa.float64(), mask=half) for axis in (lat, lng))
    return place, {lat_role: lat.missing, lng_role: lng.missing}


def trips_of_rows(raw: RawBatch, inspection: Inspection, timezone: str, tally: Tally) -> pa.RecordBatch:
    """The good trips of a batch with one trip in each row, in the order of the file."""
    sieve = Sieve(tally.faults, raw.places)
    raw, inspection, lasting = unrolled(raw, inspection, sieve)
    lasts = bool(inspection.lasting) or _is_length(raw.columns.get("ended_at"))
    if lasts:
        raw, lasting = lasting_trips(raw, inspection, sieve)
    users = pa.nulls(raw.rows, pa.string())
    if inspection.has_users:
        users = ids(raw.columns["uid"], inspection.mapping["uid"], sieve, USER_MISSING)
    lines: Lines = {}
    ends = (("start", "started_at"), ("end", "ended_at"))[: 1 if inspection.no_ends else 2]
    start, *others = (
        checked_ends(
            raw,
            EndRoles(
                time, _place_roles(inspection, end), last=end == "end" and "geometry" in inspection.mapping
            ),
            inspection,
            tally,
            sieve,
            timezone=timezone,
            lines=lines,
        )
        for end, time in ends
    )
    end = others[0] if others else _unknown(start)
    if inspection.track or lasts:
        end = replace(end, us=end.us + lasting)
    if not inspection.no_times:
        sieve.refuse(TIME_MISSING, inspection.mapping["started_at"], ~start.timed & ~end.timed)
    if _backwards(start, end).any():
        start, end = _read_again(raw, start, end, inspection, timezone)
        first = (
            (ENDS_BEFORE, inspection.clocks["ended_at"])
            if inspection.one_date
            else (ENDS_FIRST, inspection.mapping["ended_at"])
        )
        sieve.refuse(*first, _backwards(start, end))
    rows = trip_rows(users, start, end, inspection, timezone)
    if inspection.extras or inspection.kept:
        for name in inspection.extras:
            tally.unlist(name, unlisted(name, raw.columns[ROLE + name]), sieve.bad)
        values = [extra_values(name, raw.columns[ROLE + name]) for name in inspection.extras]
        values += kept_values(raw, inspection.kept, tally, sieve.bad)
        rows = pa.RecordBatch.from_arrays([*rows.columns, *values], schema=trip_schema(inspection))
    if sieve.bad.any():
        rows = rows.filter(pa.array(~sieve.bad))
    return rows


def _is_length(column: pa.Array | None) -> bool:
    """Whether the type of a column in the place of an end says that it holds durations, whatever its name."""
    return column is not None and pa.types.is_duration(column.type)


def _unknown(end: Ends) -> Ends:
    """The other end of trips of which only one is recorded; no field of it is empty, because it has none."""
    nobody = np.zeros(len(end.us), np.bool_)
    place = tuple(pa.nulls(len(end.us), one.type) for one in end.place)
    return Ends(end.us, nobody, place, nobody, np.zeros_like(end.missing))


def _place_roles(inspection: Inspection, end: str) -> tuple[str, ...]:
    """The roles of the columns that hold the place of one end of a trip."""
    single = ("geometry", f"{end}_geometry", f"{end}_tile", f"{end}_station")
    found = next((role for role in single if role in inspection.mapping), None)
    return (found,) if found else tuple(f"{end}_{axis}" for axis in _AXES)


def _backwards(start: Ends, end: Ends) -> Mask:
    return start.timed & end.timed & (start.us > end.us)


def _read_again(
    raw: RawBatch, start: Ends, end: Ends, inspection: Inspection, timezone: str
) -> tuple[Ends, Ends]:
    """The ends, with the other reading of a time without an offset if a trip would otherwise end before it starts.

    A change of clocks leaves two readings. In the hour that occurs twice the end may be the second occurrence: 02:50 to
    02:10 is 20 minutes. In the skipped hour the start may count from the new offset, if the trip is in order as written:
    02:50 to 03:10 is 20 minutes, and 02:10 to 01:50 stays bad. Only the trip itself decides.
    """
    which = _backwards(start, end)
    rows = pa.array(which)

    def read(role: str, zone: str, fold: int) -> NDArray[np.int64]:
        again = _times(raw, role, inspection).filter(rows)
        return instants(again, zone, times=inspection.times, fold=fold).values

    def written(role: str, us: NDArray[np.int64]) -> NDArray[np.int64]:
        # a time without an offset is another instant in another zone; one with an offset is the same in both
        in_utc, elsewhere = read(role, "UTC", 0), read(role, "Etc/GMT-1", 0)
        return np.where(in_utc == elsewhere, clock_of(us, timezone), in_utc)

    earlier, later = start.us.copy(), end.us.copy()
    in_order = written("started_at", earlier[which]) <= written("ended_at", later[which])
    skipped = np.minimum(earlier[which], read("started_at", timezone, 1))
    earlier[which] = np.where(in_order, skipped, earlier[which])
    later[which] = np.maximum(later[which], read("ended_at", timezone, 1))
    return replace(start, us=earlier), replace(end, us=later)


def trip_schema(inspection: Inspection) -> pa.Schema:
    """Columns of the trips of a file with one trip in each row."""
    schema = POINT_TRIPS if inspection.has_points else ZONE_TRIPS
    extras = extra_fields(tuple(inspection.extras))
    return pa.schema([*schema, *extras, *kept_fields(one.attribute for one in inspection.kept)])


def trip_rows(
    users: pa.Array, start: Ends, end: Ends, inspection: Inspection, timezone: str
) -> pa.RecordBatch:
    """One row for each trip, with schema POINT_TRIPS or ZONE_TRIPS.

    A trip is complete if both ends have a time and a place. Otherwise its start columns are null, and its end columns hold
    one known record: the later one with a time and a place, or else the later one with a time. Rows without any time mean
    nothing; the caller leaves them out.

    Without times all trips stand at one moment, which no measure may read, and an order of places has done its work: it says
    which is the start and which the end. What is one trip then does not depend on a time. A row that is a whole trip is a
    trip, so equal rows are as many trips. Records are one trip by (uid, tid) alone; those of equal order stand by (lat, lng), so
    a record that is written twice adds no trip, no start and no end. All of this follows from the records of one person, and so
    does the keyed hash by which bounding ranks (``prepare``): person, places and the one moment. Trips with equal hashes are
    equal in all that a measure reads, and a rank cuts between them (``bounding``).
    """
    if inspection.no_times:
        start, end = (replace(one, us=np.full_like(one.us, SOME_MOMENT)) for one in (start, end))
    schema = POINT_TRIPS if inspection.has_points else ZONE_TRIPS
    complete = start.timed & start.placed & end.timed & end.placed
    start_us, end_us = pa.array(start.us), pa.array(end.us)
    start_place, end_place = start.place, end.place
    if not complete.all():
        from_start = ~complete & start.timed & (~end.timed | (start.placed & ~end.placed))
        end_us = pa.array(np.where(from_start, start.us, end.us))
        end_place = _either(from_start, start.place, end.place)
        nothing = tuple(pa.nulls(len(users), place.type) for place in start.place)
        start_place = _either(complete, start.place, nothing)
        start_us = pc.if_else(pa.array(complete), start_us, pa.scalar(None, pa.int64()))
    started = wall_clock(start_us, timezone)
    ended = wall_clock(end_us, timezone)
    missing = np.minimum(start.missing + end.missing, MOST_MISSING).astype(np.int8)
    return pa.RecordBatch.from_arrays(
        [
            *(users, pa.array(complete), started, ended, start_us, end_us),
            *(pa.array(counts) for counts in missing),
            *(*start_place, *end_place),
        ],
        schema=schema,
    )


def _either(mask: Mask, yes: tuple[pa.Array, ...], no: tuple[pa.Array, ...]) -> tuple[pa.Array, ...]:
    condition = pa.array(mask)
    return tuple(pc.if_else(condition, one, other) for one, other in zip(yes, no, strict=True))
