"""The candidates of one depth that nobody visited, and which of them pass by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.allocation import drawn
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.tree import NoiseSource

Integers = NDArray[np.int64]


class Candidates:
    """All (open node, tile) pairs of one depth, in blocks of a node and the tiles of one level."""

    def __init__(self, plan: TreePlan, units: Integers) -> None:
        level = plan.levels.level - 1
        self._by_level = np.argsort(level, kind="stable")
        self._level = level
        self._size = np.bincount(level, minlength=plan.levels.critical)
        self._start = np.cumsum(self._size) - self._size
        self._rank = np.empty(len(level), np.int64)
        self._rank[self._by_level] = np.arange(len(level)) - self._start[level[self._by_level]]
        self._units = np.where(self._size > 0, units, -1)  # a level without tiles has no cells

    def rates(self) -> list[int]:
        """The different rates, in units."""
        found: list[int] = np.unique(self._units[self._units >= 0]).tolist()
        return found

    def specks(
        self, noise: NoiseSource, number: int, least: int, *, parent: Integers, symbol: Integers
    ) -> tuple[Integers, Integers]:
        """Empty pairs of one rate that pass: open node and tile; ``parent`` and ``symbol`` are the occupied ones."""
        node, level = np.nonzero(self._units == number)
        size = self._size[level]
        last = np.cumsum(size)
        first = np.zeros_like(self._units)
        first[node, level] = last - size
        taken = np.sort(first[parent, self._level[symbol]] + self._rank[symbol])
        cells = int(last[-1])
        ranks = noise.specks(cells - len(taken), cells, drawn(number), least)
        # As in a sparse table: the r-th empty cell lies behind the occupied ones with at most r empty before them.
        cell = ranks + np.searchsorted(taken - np.arange(len(taken)), ranks, side="right")
        block = np.searchsorted(last, cell, side="right")
        within = cell - (last - size)[block]
        return node[block], self._by_level[self._start[level[block]] + within]
