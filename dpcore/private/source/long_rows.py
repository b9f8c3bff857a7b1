"""One row for each record: checked records -> runs -> trips, in memory or, above a limit, through private files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.private.source.attributes import kept_fields, kept_values
from dpcore.private.source.batch import MISSING, RECORD_TRIPS, VIA, RawBatch
from dpcore.private.source.fields import ids
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.report import TIME_MISSING, TRIP_MISSING, Sieve, Tally
from dpcore.private.source.runs import RUNS, Records, merged_exactly, runs_of, runs_schema
from dpcore.private.source.spilling import Spill, hashes_of
from dpcore.private.source.trip_rows import Ends, checked_ends, record_roles, trip_rows, whose

_SOON_JOINED: Final = 1_000  # records; then a long trip is not copied again at every border of a batch


class Pairing:
    """Collects runs and returns one row for each trip. Equal (uid, tid) anywhere in the file are one trip.

    It is a context manager, because its files have to be removed; see ``Spill``.
    """

    def __init__(self, work_folder: Path | None, schema: pa.Schema = RUNS) -> None:
        self._spill = Spill(schema, lambda runs: _balance(runs["uid"], runs["tid"]), work_folder)
        self._rows = 0
        self._points = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spill.__exit__(kind, error, trace)

    def add(self, runs: pa.RecordBatch) -> None:
        """Add the runs of the next batch. Raises InputError: the work folder is full or cannot be written."""
        self._spill.held += self._runs_across_batches(runs)
        self._rows += runs.num_rows
        self._points += len(runs["between"].flatten())
        if self._rows > limits.MAX_RUNS_IN_MEMORY or self._points > limits.MAX_POINTS_IN_MEMORY:
            self._spill.write()
            self._rows = self._points = 0

    def trips(self) -> Iterator[pa.Table]:
        """One row for each trip, columns as in RUNS, in parts that have no trip in common.

        ``first_*`` is the earliest record of the trip with a time and ``last_*`` the latest, with ties ordered by (lat,
        lng). Declared attributes are those of the first. ``between`` holds the others that have a time and a place. ``timed`` counts the records with a time, and
        ``missing_*`` the empty fields of all.
        """
        for part in self._spill.parts():
            yield merged_rows(part)

    def _runs_across_batches(self, runs: pa.RecordBatch) -> list[pa.RecordBatch]:
        """The runs, after joining the trip that the border between two batches split.

        If the records of a file are in order, nothing is then left to merge.
        """
        held = self._spill.held
        if held and runs.num_rows:
            before, first = held[-1], runs.slice(0, 1)
            last = before.slice(before.num_rows - 1)
            records = last["timed"][0].as_py() + first["timed"][0].as_py()
            same = last.select(["uid", "tid"]).equals(first.select(["uid", "tid"]))
            if same and records <= _SOON_JOINED:
                held[-1:] = [before.slice(0, before.num_rows - 1)] if before.num_rows > 1 else []
                whole = merged_exactly(pa.Table.from_batches([last, first]).combine_chunks())
                return [*whole.to_batches(), *([runs.slice(1)] if runs.num_rows > 1 else [])]
        return [runs] if runs.num_rows else []


def merged_rows(runs: pa.Table) -> pa.Table:
    """One row for each (uid, tid), wherever its runs are."""
    if runs.num_rows < 2:
        return runs
    hashes = np.concatenate([_balance(batch["uid"], batch["tid"]) for batch in runs.to_batches()])
    order = np.argsort(hashes)
    same = hashes[order][1:] == hashes[order][:-1]
    if not same.any():
        return runs  # different hashes, so different trips
    again = np.zeros(len(order), np.bool_)
    again[order[1:][same]] = True
    again[order[:-1][same]] = True
    several = runs.filter(pa.array(again)).combine_chunks()
    # Equal hashes are only a hint. The texts themselves decide what belongs together.
    return pa.concat_tables([runs.filter(pa.array(~again)), merged_exactly(several)])


def _balance(uid: pa.Array, tid: pa.Array) -> NDArray[np.uint64]:
    """One number for each (uid, tid), equal for equal texts."""
    return hashes_of(uid) * np.uint64(3) + hashes_of(tid)


_ROWS: Final = 200_000
_POINTS: Final = 4_000_000  # approximate number of points on the ways of trips that are returned together


def checked_records(raw: RawBatch, inspection: Inspection, timezone: str, tally: Tally) -> Records:
    """The good records of a batch with one record of a trip in each row.

    A time without an offset in the hour that occurs twice is its first occurrence. Write offsets if the order matters.
    """
    sieve = Sieve(tally.faults, raw.places)
    name = inspection.mapping
    uid = whose(raw, inspection, sieve)
    tid = ids(raw.columns["tid"], name["tid"], sieve, TRIP_MISSING)
    ends = checked_ends(raw, record_roles(inspection), inspection, tally, sieve, timezone=timezone)
    values = kept_values(raw, inspection.kept, tally, sieve.bad)
    schema = runs_schema(one.attribute for one in inspection.kept)
    if not sieve.bad.any():
        return Records(uid, tid, raw.places, ends, values, schema)
    good = ~sieve.bad
    keep = pa.array(good)
    known = tuple(column.filter(keep) for column in ends.place)
    kept = Ends(ends.us[good], ends.timed[good], known, ends.placed[good], ends.missing[:, good])
    of_kept = [column.filter(keep) for column in values]
    return Records(uid.filter(keep), tid.filter(keep), raw.places[good], kept, of_kept, schema)


def trips_of_records(
    batches: Iterator[RawBatch], inspection: Inspection, timezone: str, tally: Tally, work_folder: Path | None
) -> Iterator[pa.RecordBatch]:
    """The trips of a long file, with schema ``record_schema``: earliest record = start, latest = end, between = via.

    (uid, tid) identifies a trip, because tid alone is not unique. A trip with one record, or without the place of one end,
    is incomplete. A trip without any time is bad. Where bad records are dropped, the rest of their trip stays. Nothing is
    yielded before all records were read. Raises InputError: the work folder is full.
    """
    with Pairing(work_folder, runs_schema(one.attribute for one in inspection.kept)) as pairing:
        for raw in batches:
            pairing.add(runs_of(checked_records(raw, inspection, timezone, tally)))
        for part in pairing.trips():
            for batch in part.to_batches(max_chunksize=_ROWS):
                for few in _sparing(batch):
                    yield trips_of_runs(few, inspection, timezone, tally)


def _sparing(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in pieces; more pieces if trips have many records."""
    points = len(batch["between"].flatten())
    step = max(1, batch.num_rows * _POINTS // points) if points > _POINTS else max(1, batch.num_rows)
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)


def trips_of_runs(
    paired: pa.RecordBatch, inspection: Inspection, timezone: str, tally: Tally
) -> pa.RecordBatch:
    """The trips, with schema ``record_schema``, of runs that each hold all records of a trip."""
    timed = paired["timed"].to_numpy()
    untimed = timed == 0
    if untimed.any():
        records = np.sort(paired["record"].to_numpy()[untimed])
        tally.faults.add(TIME_MISSING, inspection.mapping["datetime"], records, len(records))
        paired, timed = paired.filter(pa.array(~untimed)), timed[~untimed]
    users = paired["uid"] if inspection.has_users else pa.nulls(len(timed), pa.string())
    # a single record is an end, so the trip has no start
    empty = np.stack([paired[name].to_numpy() for name in MISSING])  # of all records, counted at the start
    start = _ends(paired, "first", timed > 1, empty)
    end = _ends(paired, "last", timed > 0, np.zeros_like(empty))
    rows = trip_rows(users, start, end, inspection, timezone)
    return pa.RecordBatch.from_arrays(
        [*rows.columns, _via(paired["between"], rows["complete"]), *paired.columns[len(RUNS) :]],
        schema=record_schema(inspection),
    )


def record_schema(inspection: Inspection) -> pa.Schema:
    """RECORD_TRIPS, then a column for each declared attribute."""
    return pa.schema([*RECORD_TRIPS, *kept_fields(one.attribute for one in inspection.kept)])


def _via(between: pa.ListArray, complete: pa.BooleanArray) -> pa.ListArray:
    points, counts = between.flatten(), between.value_lengths().to_numpy()
    if not len(points):
        return pa.nulls(len(between), VIA)
    places = pa.StructArray.from_arrays(
        [points.field(name) for name in ("lat", "lng")], fields=list(VIA.value_type)
    )
    offsets = np.append(0, np.cumsum(counts)).astype(np.int32)
    none = (counts == 0) | ~complete.to_numpy(zero_copy_only=False)
    return pa.ListArray.from_arrays(pa.array(offsets), places, type=VIA, mask=pa.array(none))


def _ends(paired: pa.RecordBatch, which: str, timed: NDArray[np.bool_], missing: NDArray[np.int64]) -> Ends:
    lat, lng = (paired[f"{which}_{axis}"].to_numpy() for axis in ("lat", "lng"))
    unknown = np.isnan(lat)
    mask = unknown if unknown.any() else None
    place = (pa.array(lat, pa.float64(), mask=mask), pa.array(lng, pa.float64(), mask=mask))
    return Ends(paired[f"{which}_us"].to_numpy(), timed, place, ~unknown, missing)
