"""The trajectories on their way down a growing tree: where each stands, and where it goes next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.private.tree.sequences import TileSequences

Integers = NDArray[np.int64]


class Walkers:
    """The trajectories that are still on kept nodes, and the open node each stands on."""

    def __init__(self, sequences: TileSequences) -> None:
        self._symbols = sequences.symbols
        lengths = sequences.lengths
        rows = np.flatnonzero(lengths)
        self._at = sequences.offsets[rows]  # the symbol to read next
        self._end = self._at + lengths[rows]
        self._node = np.zeros(len(rows), np.int64)
        self._key = self._node

    def ended(self, nodes: int) -> Integers:
        """How many have ended on each open node; they are taken away."""
        going = self._at < self._end
        counts = np.bincount(self._node[~going], minlength=nodes)
        self._at, self._end, self._node = self._at[going], self._end[going], self._node[going]
        return counts

    def standing(self, nodes: int) -> Integers:
        """How many stand on each open node."""
        return np.bincount(self._node, minlength=nodes)

    def pairs(self, locations: int) -> tuple[Integers, Integers]:
        """The (open node, next tile) that occur, as ``node * locations + tile`` ascending, and how often."""
        self._key = self._node * locations + self._symbols[self._at]
        pairs, counts = np.unique(self._key, return_counts=True)
        return pairs, counts

    def step(self, kept: Integers) -> None:
        """Go on to the kept children, given as ascending pairs; who stands on none is lost."""
        if not len(kept):
            self._at = self._end = self._node = self._key = np.zeros(0, np.int64)
            return
        place = np.minimum(np.searchsorted(kept, self._key), len(kept) - 1)
        alive = np.flatnonzero(kept[place] == self._key)
        self._at, self._end, self._node = self._at[alive] + 1, self._end[alive], place[alive]
