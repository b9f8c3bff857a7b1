"""Runs: neighbouring records of one trip as one row, with the earliest and latest record apart from those between.

Most files hold the records of a trip next to each other, so this step already halves the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.measures.attribute import Attribute
from dpcore.private.sealed import Sealed
from dpcore.private.source.attributes import kept_fields
from dpcore.private.source.batch import MISSING
from dpcore.private.source.trip_rows import Ends

_POINT: Final = pa.struct([("us", pa.int64()), ("lat", pa.float64()), ("lng", pa.float64())])

BETWEEN: Final = pa.list_(_POINT)
"""The records strictly between the first and the last with a time and a place, in order of (us, lat, lng)."""


@dataclass(frozen=True, repr=False, eq=False)
class Points(Sealed):
    """Records with a time, each in a group (a run or a trip). Latitude and longitude are NaN if unknown."""

    group: NDArray[np.int64]
    us: NDArray[np.int64]
    lat: NDArray[np.float64]
    lng: NDArray[np.float64]

    @classmethod
    def of_lists(cls, between: pa.ListArray) -> Self:
        """The points of BETWEEN lists. The group is the position of the list."""
        points = between.flatten()
        group = np.repeat(np.arange(len(between)), between.value_lengths().to_numpy(zero_copy_only=False))
        return cls(group, *(points.field(name).to_numpy() for name in ("us", "lat", "lng")))

    def at(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Points:
        """Some of the points, by mask or by position."""
        return Points(self.group[chosen], self.us[chosen], self.lat[chosen], self.lng[chosen])

    def and_these(self, *others: Points) -> Points:
        """These points and those of others."""
        every = (self, *others)
        return Points(
            np.concatenate([points.group for points in every]),
            np.concatenate([points.us for points in every]),
            np.concatenate([points.lat for points in every]),
            np.concatenate([points.lng for points in every]),
        )

    def inner(self) -> Points:
        """The points with a place, in order, without the first and the last record of each group."""
        ordered = self.at(np.lexsort((self.us, self.group)))
        group, us = ordered.group, ordered.us
        if ((group[1:] == group[:-1]) & (us[1:] == us[:-1])).any():
            ordered = self.at(np.lexsort((self.lng, self.lat, self.us, self.group)))
        new = group[1:] != group[:-1]
        between = ~(np.append(True, new) | np.append(new, True))
        return ordered.at(between & ~np.isnan(ordered.lat))

    def lists(self, groups: int) -> pa.ListArray:
        """BETWEEN lists of all groups, with empty ones. The points must be in order of their groups."""
        return pa.ListArray.from_arrays(
            pa.array(_offsets(self.group, groups)),
            pa.StructArray.from_arrays(
                [pa.array(self.us), pa.array(self.lat), pa.array(self.lng)], fields=list(_POINT)
            ),
        )


def no_points(groups: int) -> pa.ListArray:
    """BETWEEN lists with nothing in them."""
    return pa.ListArray.from_arrays(pa.array(np.zeros(groups + 1, np.int32)), pa.array([], _POINT))


def _offsets(group: NDArray[np.int64], groups: int) -> NDArray[np.int32]:
    offsets = np.zeros(groups + 1, np.int32)
    np.cumsum(np.bincount(group, minlength=groups), out=offsets[1:])
    return offsets


RUNS: Final = pa.schema(
    [
        pa.field("uid", pa.string()),
        pa.field("tid", pa.string()),
        pa.field("record", pa.int64()),  # number of one of the records, to name it if the trip is bad
        pa.field("timed", pa.int64()),  # number of records with a time; 0 or all of a run
        *(
            pa.field(f"{end}_{name}", kind)
            for end in ("first", "last")
            for name, kind in (("us", pa.int64()), ("lat", pa.float64()), ("lng", pa.float64()))
        ),
        *(pa.field(name, pa.int64()) for name in MISSING),  # empty fields of all records of the run
        pa.field("between", BETWEEN),
    ]
)
"""Columns of a table of runs; NaN if a place is unknown. A column for each declared attribute may follow: that of the first record."""


def runs_schema(kept: Iterable[Attribute]) -> pa.Schema:
    """``RUNS`` with the columns of declared attributes."""
    return pa.schema([*RUNS, *kept_fields(kept)])


@dataclass(frozen=True, repr=False, eq=False)
class Records(Sealed):
    """Good records of a long file: each belongs to the trip (uid, tid)."""

    uid: pa.Array
    tid: pa.Array
    ordinal: NDArray[np.int64]
    ends: Ends
    kept: Sequence[pa.Array] = ()
    """The values of declared attributes."""
    schema: pa.Schema = RUNS
    """Of the runs that they become."""


def runs_of(records: Records) -> pa.RecordBatch:
    """One row for each run of neighbours with equal (uid, tid): earliest and latest record, and those between.

    Records without a time have no order, so they are kept separately. Ties in time are ordered by (lat, lng).
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
    uid, tid, kept = records.uid, records.tid, list(records.kept)
    rising = np.ones(rows, np.bool_)
    rising[1:] = us[1:] > us[:-1]
    if not ((rising | new).all() and timed.all()):
        run = np.cumsum(new)
        order = np.lexsort((*_ties(kept), lng, lat, us, ~timed, run))
        us, lat, lng, timed, missing = us[order], lat[order], lng[order], timed[order], missing[:, order]
        run, ordinal = run[order], ordinal[order]
        uid, tid, *kept = (column.take(pa.array(order)) for column in (uid, tid, *kept))
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
            *(values.take(starts) for values in kept),
        ],
        schema=records.schema,
    )


def _ties(kept: Iterable[pa.Array]) -> list[NDArray[np.int64]]:
    """Keys that order records of one time and place, the most important last: so their order in the file means nothing."""
    return [np.asarray(values.cast(pa.int64()).fill_null(_LATEST)) for values in kept][::-1]


_LATEST: Final = np.int64(np.iinfo(np.int64).max)


def merged_exactly(runs: pa.Table) -> pa.Table:
    """One row for each (uid, tid) of some runs in one chunk. The texts themselves are compared."""
    users, trips = _codes(runs["uid"]), _codes(runs["tid"])
    key = users * (trips.max() + 1) + trips
    order = np.argsort(key)
    new = np.flatnonzero(np.diff(key[order], prepend=-1))
    column = {name: runs[name].to_numpy()[order] for name in RUNS.names[2:-1]}
    kept = [values.combine_chunks() for values in runs.columns[len(RUNS) :]]
    ties = [key[order] for key in _ties(kept)]
    untimed = column["timed"] == 0
    first = _extreme(column, "first", np.where(untimed, _LATEST, column["first_us"]), new, ties)
    last = _extreme(column, "last", np.where(untimed, _LATEST, -column["last_us"]), new)
    taken = pa.array(order[first])
    return pa.Table.from_arrays(
        [
            runs["uid"].take(taken),
            runs["tid"].take(taken),
            pa.array(np.minimum.reduceat(column["record"], new)),
            pa.array(np.add.reduceat(column["timed"], new)),
            *(pa.array(column[f"first_{name}"][first]) for name in ("us", "lat", "lng")),
            *(pa.array(column[f"last_{name}"][last]) for name in ("us", "lat", "lng")),
            *(pa.array(np.add.reduceat(column[name], new)) for name in MISSING),
            _between(runs, column, order, new),
            *(values.take(taken) for values in kept),
        ],
        schema=runs.schema,
    )


def _between(
    runs: pa.Table, column: dict[str, NDArray[Any]], order: NDArray[np.int64], new: NDArray[np.int64]
) -> pa.ListArray:
    """The records between the first and the last of each group, from all its runs together."""
    timed = column["timed"]
    group = np.repeat(np.arange(len(new)), np.diff(new, append=len(order)))
    several = np.add.reduceat(timed, new)[group] > 2
    if not several.any():
        return no_points(len(new))
    every = Points(group, *(column[f"first_{name}"] for name in ("us", "lat", "lng")))
    lasts = Points(group, *(column[f"last_{name}"] for name in ("us", "lat", "lng")))
    held = Points.of_lists(runs["between"].combine_chunks())
    group_of_run = np.empty(len(order), np.int64)
    group_of_run[order] = group
    held = Points(group_of_run[held.group], held.us, held.lat, held.lng)
    points = every.at(several & (timed > 0)).and_these(lasts.at(several & (timed > 1)), held)
    return points.inner().lists(len(new))


def _extreme(
    column: dict[str, NDArray[Any]],
    which: str,
    rank: NDArray[np.int64],
    new: NDArray[np.int64],
    ties: Sequence[NDArray[np.int64]] = (),
) -> NDArray[np.int64]:
    """Position of the lowest rank in each group; of equal ranks the first (or the last) by (lat, lng), then by ``ties``."""
    group = np.repeat(np.arange(len(new)), np.diff(new, append=len(rank)))
    found = np.flatnonzero(rank == np.minimum.reduceat(rank, new)[group])
    if len(found) > len(new):
        lat, lng = column[f"{which}_lat"][found], column[f"{which}_lng"][found]
        found = found[np.lexsort((*(key[found] for key in ties), lng, lat, group[found]))]
    border = {"prepend": -1} if which == "first" else {"append": len(new)}
    return np.asarray(found[np.diff(group[found], **border) != 0], np.int64)


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.asarray(column.combine_chunks().dictionary_encode().indices, np.int64)
