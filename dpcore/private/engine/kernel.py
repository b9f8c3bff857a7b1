"""The loop that adds exact answers, compiled by numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.loops import loop

Answer = NDArray[np.int64]


@loop
def key_order(one: Answer, i: int, other: Answer, j: int) -> int:
    """-1 if the keys of a cell come before those of another, 0 if they are equal, 1 if they come after."""
    for row in range(len(one) - 1):
        if one[row, i] != other[row, j]:
            return -1 if one[row, i] < other[row, j] else 1
    return 0


@loop
def add_rising(one: Answer, other: Answer, total: Answer) -> int:
    """Write the cells of both in order, with equal ones added. Returns how many there are."""
    rows, found, i, j = len(total), 0, 0, 0
    while i < one.shape[1] or j < other.shape[1]:
        order = 1 if i == one.shape[1] else -1 if j == other.shape[1] else key_order(one, i, other, j)
        for row in range(rows):
            total[row, found] = other[row, j] if order > 0 else one[row, i]
        if order == 0:
            total[rows - 1, found] += other[rows - 1, j]
        i += order <= 0
        j += order >= 0
        found += 1
    return found
