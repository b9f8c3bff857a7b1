"""Sums and means by compiled passes: what rows add to their cells, in exact integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measure import Adds
from dpcore.private.engine.compiled.people import Flags, Longs
from dpcore.private.engine.compiled.shard import BoundedShard
from dpcore.private.engine.merging import Answer, merged_answers
from dpcore.private.sealed import Sealed

_DURATION: Final = "duration_us"
_FEW_CELLS: Final = 2**22  # so many cells are added up in a table; more are sorted


@dataclass(frozen=True, repr=False, eq=False)
class Counting(Sealed):
    """Rows that count, and the cell of each."""

    keys: tuple[NDArray[Any], ...]
    """Integers, one array for each column of the key; shape (rows,)."""
    of: NDArray[Any] | None = None
    """Which of the counted trips the rows are of: a flag for each trip, or numbers of trips. None: all, in order."""


def columns_of(adds: Adds) -> tuple[str, ...]:
    """The stored columns that hold a value."""
    return ("start_us", "end_us") if adds.column == _DURATION else (adds.column,)


def shard_sums(shard: BoundedShard, adds: Adds, counting: Sequence[Counting]) -> Answer:
    """What the counted trips of a shard add: keys, of a mean after a part, then the total; cells in rising order."""
    values, known = _values(shard, adds)
    found: list[Answer] = []
    for rows in counting:
        value, there = (values, known) if rows.of is None else (values[rows.of], known[rows.of])
        if not adds.as_mean:
            found.append(_totals(rows.keys, np.where(there, value, 0)))
            continue
        width = adds.highest - adds.lowest
        parts = (
            np.where(there, value - adds.lowest, 0),
            np.where(there, adds.highest - value, 0),
            np.where(there, 0, width),
        )
        for part, each in enumerate(parts):
            total = _totals(rows.keys, each)
            found.append(np.concatenate([np.full((1, total.shape[1]), part, np.int64), total]))
    return merged_answers(found)


def _values(shard: BoundedShard, adds: Adds) -> tuple[Longs, Flags]:
    """The value of each counted trip in units, and whether it has one."""
    names = columns_of(adds)
    known = np.ones(shard.count, np.bool_)
    for name in names:
        flags = shard.columns.known(name)
        if flags is not None:
            known &= shard.of_kept(flags)
    if adds.column == _DURATION:
        raw = shard.column("end_us", 0) - shard.column("start_us", 0)
    else:
        raw = shard.column(adds.column, 0).astype(np.int64)
    step, low = adds.step, adds.lowest * adds.step
    units = (np.clip(raw, low, adds.highest * step) - low + step // 2) // step + adds.lowest
    return units, known


def _totals(keys: Sequence[NDArray[Any]], each: Longs) -> Answer:
    """The sum of what rows add, for each key with a total other than 0; keys in rising order."""
    columns = [key.astype(np.int64) for key in keys]
    if not len(each):
        return np.empty((len(columns) + 1, 0), np.int64)
    lows = [int(key.min()) for key in columns]
    spans = [int(key.max()) - low + 1 for key, low in zip(columns, lows, strict=True)]
    if prod(spans) > max(_FEW_CELLS, 2 * len(each)):
        total = merged_answers([np.stack([*columns, each])])
        return total[:, total[-1] != 0]
    code = np.zeros(len(each), np.int64)
    for key, low, span in zip(columns, lows, spans, strict=True):
        code *= span
        code += key - low
    # exact: the total of a shard is below 2**53 (``limits.MAX_SUM_UNITS``)
    sums = np.bincount(code, weights=each, minlength=prod(spans)).astype(np.int64)
    some = np.flatnonzero(sums)
    places = np.unravel_index(some, spans)
    return np.stack([*(place + low for place, low in zip(places, lows, strict=True)), sums[some]])
