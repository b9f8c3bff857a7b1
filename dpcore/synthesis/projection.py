"""The nearest table without negative cells that keeps its total, or its margins too.

Setting negative cells to 0 would add about half of all noise to the total: on a table of mostly empty cells that makes
more phantom trips than there are real ones. A projection takes the same amount off every cell that stays. But where all
that is known is the total, quiet rows keep some of their noise and busy ones pay for it: a night gains trips, a station
loses them. The sum of a row is known far better than its cells, so each row, column and band of distances keeps its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

_ROUNDS: Final = 60
_WORK: Final = 20_000_000
"""Cells looked at in all rounds together, so that a huge table gets fewer of them: at least three."""
_NEAR: Final = 0.01
"""Trips by which a margin may be off; far less than the noise."""


def on_simplex(table: Floats, total: float) -> Floats:
    """The table with cells of 0 or more that add up to ``total`` and is nearest to the given one (least squares).

    Exact in O(n log n): the cells that stay are the largest ones, as many as stay positive (Held, Wolfe, Crowder
    1974). A total of 0 or less gives an empty table.

    Args:
        table: any shape, one cell or more.
        total: what the cells shall add up to.

    """
    if total <= 0:
        return np.zeros_like(table)
    taken = _taken(table.ravel(), np.zeros(table.size, np.int64), np.array([total]))
    return np.asarray(np.maximum(table - taken[0], 0.0))


def with_margins(table: Floats, labels: Sequence[Labels], total: float) -> Floats:
    """The nearest table with cells of 0 or more whose sums over each label are those of the given one.

    Sums that are negative are projected first: no table without negative cells can have them. The solution is
    ``max(0, table - a - b - ...)`` with one number for each label of each kind; they are solved for in turn, each kind
    exactly, until all sums are met (Dykstra's projections in their dual form).

    Args:
        table: any shape; consistent, so that each kind of label adds up to the total.
        labels: for each way to add up, the label of each cell, flat.
        total: what the cells add up to; 0 or less gives an empty table.

    """
    if total <= 0:
        return np.zeros_like(table)
    cells = table.ravel()
    goals = [on_simplex(np.asarray(np.bincount(where, cells), np.float64), total) for where in labels]
    shifts = [np.zeros(len(goal)) for goal in goals]
    taken = np.zeros(len(cells))
    for _ in range(max(3, min(_ROUNDS, _WORK // len(cells)))):
        furthest = 0.0
        for where, goal, shift in zip(labels, goals, shifts, strict=True):
            now = np.bincount(where, np.maximum(cells - taken, 0.0), len(goal))
            furthest = max(furthest, float(np.abs(now - goal).max()))
            own = shift[where]
            shift[:] = _taken(cells - taken + own, where, goal)
            taken += shift[where] - own
        if furthest < _NEAR:
            break
    return np.asarray(np.maximum(cells - taken, 0.0).reshape(table.shape))


def _taken(cells: Floats, where: Labels, goals: Floats) -> Floats:
    """For each label what to take off its cells so that those above 0 add up to its goal, which is 0 or more."""
    order = np.lexsort((-cells, where))
    falling, label = cells[order], where[order]
    sizes = np.bincount(where, minlength=len(goals))
    firsts = np.cumsum(sizes) - sizes
    sums = np.cumsum(falling)
    before = np.concatenate([[0.0], sums])[firsts]
    rank = np.arange(len(cells)) - firsts[label] + 1
    level = (sums - before[label] - goals[label]) / rank
    stays = np.bincount(label, falling > level, len(goals)).astype(
        np.int64
    )  # those that stay are the first ones
    last = firsts + np.maximum(stays, 1) - 1
    found = np.zeros(len(goals))
    some = sizes > 0
    found[some] = np.where(stays[some] > 0, level[last[some]], falling[firsts[some]])
    return found
