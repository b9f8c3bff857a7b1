"""Runs of one trip become one run: its first and its last record, and those between them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.source.batch import MISSING
from dpcore.private.source.between import Points, no_points
from dpcore.private.source.runs import RUNS

_LATEST: Final = np.int64(np.iinfo(np.int64).max)


def merged_exactly(runs: pa.Table) -> pa.Table:
    """One row for each (uid, tid) of some runs in one chunk, told apart by the texts themselves."""
    users, trips = _codes(runs["uid"]), _codes(runs["tid"])
    key = users * (trips.max() + 1) + trips
    order = np.argsort(key)
    new = np.flatnonzero(np.diff(key[order], prepend=-1))
    column = {name: runs[name].to_numpy()[order] for name in RUNS.names[2:-1]}
    untimed = column["timed"] == 0
    first = _extreme(column, "first", np.where(untimed, _LATEST, column["first_us"]), new)
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
        ],
        schema=RUNS,
    )


def _between(
    runs: pa.Table, column: dict[str, NDArray[Any]], order: NDArray[np.int64], new: NDArray[np.int64]
) -> pa.ListArray:
    """The records between the first and the last of each group, of all its runs together."""
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
    column: dict[str, NDArray[Any]], which: str, rank: NDArray[np.int64], new: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Position of the lowest rank in each group; of equal ones the first (or the last) by (lat, lng)."""
    group = np.repeat(np.arange(len(new)), np.diff(new, append=len(rank)))
    found = np.flatnonzero(rank == np.minimum.reduceat(rank, new)[group])
    if len(found) > len(new):
        lat, lng = column[f"{which}_lat"][found], column[f"{which}_lng"][found]
        found = found[np.lexsort((lng, lat, group[found]))]
    border = {"prepend": -1} if which == "first" else {"append": len(new)}
    return np.asarray(found[np.diff(group[found], **border) != 0], np.int64)


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.asarray(column.combine_chunks().dictionary_encode().indices, np.int64)
