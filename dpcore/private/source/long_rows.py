"""One row a record: checked records -> runs -> trips."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.source.batch import MISSING, RECORD_TRIPS, VIA, RawBatch
from dpcore.private.source.columns import EndRoles, Ends, checked_ends
from dpcore.private.source.faults import Sieve
from dpcore.private.source.ids import ids
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.pairing import Pairing
from dpcore.private.source.rules import TIME_MISSING, TRIP_MISSING, USER_MISSING
from dpcore.private.source.runs import Records, runs_of
from dpcore.private.source.tally import Tally
from dpcore.private.source.trip_rows import trip_rows

_ROWS: Final = 200_000
_POINTS: Final = 4_000_000  # on the ways of the trips that are handed on together, about
_RECORD: Final = EndRoles("datetime", ("lat", "lng"))


def checked_records(raw: RawBatch, inspection: Inspection, timezone: str, tally: Tally) -> Records:
    """The good records of a batch that holds one record of a trip a row.

    A time without an offset in the hour that occurs twice is its first occurrence: write offsets where order matters.
    """
    sieve = Sieve(tally.faults, raw.places)
    name = inspection.mapping
    uid = ids(raw.columns["uid"], name["uid"], sieve, USER_MISSING)
    tid = ids(raw.columns["tid"], name["tid"], sieve, TRIP_MISSING)
    ends = checked_ends(raw, _RECORD, inspection, tally, sieve, timezone=timezone)
    if not sieve.bad.any():
        return Records(uid, tid, raw.places, ends)
    good = ~sieve.bad
    keep = pa.array(good)
    place = tuple(column.filter(keep) for column in ends.place)
    kept = Ends(ends.us[good], ends.timed[good], place, ends.placed[good], ends.missing[:, good])
    return Records(uid.filter(keep), tid.filter(keep), raw.places[good], kept)


def trips_of_records(
    batches: Iterator[RawBatch], inspection: Inspection, timezone: str, tally: Tally, work_folder: Path | None
) -> Iterator[pa.RecordBatch]:
    """The trips of a long file, of schema RECORD_TRIPS: earliest record = start, latest = end, between = via.

    A trip is told by (uid, tid): tid alone is not unique. A trip with one record, or without the place of
    one end, is incomplete; one without any time is bad. A bad record, first, last or between, leaves the rest
    of its trip where bad records are dropped. Nothing is yielded before all records were read.

    Raises:
        InputError: the work folder is full.

    """
    with Pairing(work_folder) as pairing:
        for raw in batches:
            pairing.add(runs_of(checked_records(raw, inspection, timezone, tally)))
        for part in pairing.trips():
            for batch in part.to_batches(max_chunksize=_ROWS):
                for few in _sparing(batch):
                    yield _trips(few, inspection, timezone, tally)


def _sparing(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in pieces, more of them where trips have many records."""
    points = len(batch["between"].flatten())
    step = max(1, batch.num_rows * _POINTS // points) if points > _POINTS else max(1, batch.num_rows)
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)


def _trips(paired: pa.RecordBatch, inspection: Inspection, timezone: str, tally: Tally) -> pa.RecordBatch:
    timed = paired["timed"].to_numpy()
    untimed = timed == 0
    if untimed.any():
        records = np.sort(paired["record"].to_numpy()[untimed])
        tally.faults.add(TIME_MISSING, inspection.mapping["datetime"], records, len(records))
        paired, timed = paired.filter(pa.array(~untimed)), timed[~untimed]
    users = paired["uid"]
    # one record alone is an end, so it has no start
    empty = np.stack([paired[name].to_numpy() for name in MISSING])  # of all records: it stands at the start
    start = _ends(paired, "first", timed > 1, empty)
    end = _ends(paired, "last", timed > 0, np.zeros_like(empty))
    rows = trip_rows(users, start, end, inspection, timezone)
    return pa.RecordBatch.from_arrays(
        [*rows.columns, _via(paired["between"], rows["complete"])], schema=RECORD_TRIPS
    )


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
