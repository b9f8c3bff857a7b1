"""Tallies of columns: one pass each, without a branch that a processor would have to guess."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from dpcore.private.engine.compiled.compiling import PASS
from dpcore.private.engine.compiled.people import Longs

Ints = NDArray[np.int32]

_FEW = 32  # edges that are compared one after another faster than one is looked up


@nb.njit(**PASS)
def tally(values: Ints, low: int, counts: Longs) -> None:
    """Count each value at its distance from ``low``."""
    for i in range(len(values)):
        counts[values[i] - low] += 1


@nb.njit(**PASS)
def tally_pairs(rows: Ints, values: Ints, width: int, counts: Longs) -> None:
    """Count each value (from -1) in its row of a table of that width."""
    for i in range(len(values)):
        counts[rows[i] * width + values[i] + 1] += 1


@nb.njit(**PASS)
def tally_bins(values: Longs, edges: Longs, counts: Longs) -> None:
    """Count each value in its half-open bin between rising edges."""
    many = len(edges)
    if many <= _FEW:
        for i in range(len(values)):
            found = 0
            for edge in range(many):
                found += values[i] >= edges[edge]
            counts[found] += 1
        return
    for i in range(len(values)):
        low, high = 0, many
        while low < high:
            middle = (low + high) >> 1
            if values[i] >= edges[middle]:
                low = middle + 1
            else:
                high = middle
        counts[low] += 1
