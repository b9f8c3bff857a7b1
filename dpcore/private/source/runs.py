"""Runs: neighbouring records of one trip as one row, its earliest and its latest record apart from those between.

Most files hold the records of a trip next to each other, so that this step already halves the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.source.batch import MISSING
from dpcore.private.source.between import BETWEEN, Points, no_points
from dpcore.private.source.columns import Ends

RUNS: Final = pa.schema(
    [
        pa.field("uid", pa.string()),
        pa.field("tid", pa.string()),
        pa.field("record", pa.int64()),  # ordinal of one of the records, to name it if the trip is bad
        pa.field("timed", pa.int64()),  # how many records have a time; 0 or all of a run
        *(
            pa.field(f"{end}_{name}", kind)
            for end in ("first", "last")
            for name, kind in (("us", pa.int64()), ("lat", pa.float64()), ("lng", pa.float64()))
        ),
        *(pa.field(name, pa.int64()) for name in MISSING),  # empty fields of all records of the run
        pa.field("between", BETWEEN),
    ]
)
"""Columns of a table of runs; NaN where a place is not known."""


@dataclass(frozen=True, repr=False, eq=False)
class Records(Sealed):
    """Good records of a long file: each belongs to the trip (uid, tid)."""

    uid: pa.Array
    tid: pa.Array
    ordinal: NDArray[np.int64]
    ends: Ends


def runs_of(records: Records) -> pa.RecordBatch:
    """One row for each run of neighbours with the same (uid, tid): earliest and latest record, and those between.

    Records without a time are kept apart: they have no order. Ties in time are ordered by (lat, lng).
    """
    us, timed, missing = records.ends.us, records.ends.timed, records.ends.missing
    lat, lng = (place.to_numpy(zero_copy_only=False) for place in records.ends.place)  # null is NaN
    ordinal = records.ordinal
    rows = len(us)
    new = np.ones(rows, np.bool_)
    if rows > 1:
        other = pc.or_(
            pc.not_equal(records.uid[1:], records.uid[:-1]), pc.not_equal(records.tid[1:], records.tid[:-1])
        )
        new[1:] = np.asarray(other.to_numpy(zero_copy_only=False), np.bool_)
    uid, tid = records.uid, records.tid
    rising = np.ones(rows, np.bool_)
    rising[1:] = us[1:] > us[:-1]
    if not ((rising | new).all() and timed.all()):
        run = np.cumsum(new)
        order = np.lexsort((lng, lat, us, ~timed, run))
        us, lat, lng, timed, missing = us[order], lat[order], lng[order], timed[order], missing[:, order]
        run, ordinal = run[order], ordinal[order]
        uid, tid = uid.take(pa.array(order)), tid.take(pa.array(order))
        new[1:] = (run[1:] != run[:-1]) | (timed[1:] != timed[:-1])
    first = np.flatnonzero(new)
    last = np.append(first[1:], rows)[: len(first)] - 1
    starts = pa.array(first)
    between = no_points(len(first))
    if (timed[first] & (last > first + 1)).any():
        inner = timed & ~np.isnan(lat)
        inner[first] = inner[last] = False
        between = Points((np.cumsum(new) - 1)[inner], us[inner], lat[inner], lng[inner]).lists(len(first))
    return pa.RecordBatch.from_arrays(
        [
            uid.take(starts),
            tid.take(starts),
            *(
                pa.array(values)
                for values in (
                    ordinal[first],
                    np.where(timed[first], last - first + 1, 0),
                    *(values[at] for at in (first, last) for values in (us, lat, lng)),
                    *np.add.reduceat(missing, first, axis=1),
                )
            ),
            between,
        ],
        schema=RUNS,
    )
