"""Trajectories as the tree counts them: sequences of tile numbers, end to end in one array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.paths import Ending, Paths


@dataclass(frozen=True, slots=True, eq=False)
class TileSequences:
    """Trajectory i is ``symbols[offsets[i]:offsets[i + 1]]``; private.

    What a person may contribute was bounded before: at most M trajectories of each.
    """

    symbols: NDArray[np.int32]
    """Tile numbers, 0 and up, repeated where somebody stayed."""
    offsets: NDArray[np.int64]
    """Where each begins, and the end of the last; shape ``(n + 1,)``."""

    def __post_init__(self) -> None:
        """Refuse offsets that do not fit; a fault of the program, so a ValueError without any value."""
        ends = len(self.offsets) and self.offsets[0] == 0 and self.offsets[-1] == len(self.symbols)
        if not ends or bool((np.diff(self.offsets) < 0).any()):
            raise ValueError("offsets of trajectories rise from 0 to the number of symbols")

    @classmethod
    def of(cls, trajectories: Iterable[Sequence[int]]) -> TileSequences:
        """From lists of tile numbers; for small data."""
        listed = [np.asarray(one, np.int32) for one in trajectories]
        offsets = np.zeros(len(listed) + 1, np.int64)
        np.cumsum([len(one) for one in listed], out=offsets[1:])
        return cls(np.concatenate([np.zeros(0, np.int32), *listed]), offsets)

    def check(self, tiles: int) -> None:
        """Raise ValueError if a symbol is no tile number below ``tiles``."""
        if len(self.symbols) and not 0 <= int(self.symbols.min()) <= int(self.symbols.max()) < tiles:
            raise ValueError("a trajectory holds a number that is no tile")

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tiles of each trajectory."""
        return np.diff(self.offsets)

    def paths(self, height: int, tiles: int) -> Paths:
        """The exact paths that a tree of this height would hold without noise: what its answers are compared with.

        Equal trajectories are one path with their number as weight; empty ones are left out.
        """
        rows = np.flatnonzero(self.lengths)
        symbols = np.full((len(rows), height), -1, np.int32)
        for place in range(height):
            here = np.flatnonzero(self.lengths[rows] > place)
            symbols[here, place] = self.symbols[self.offsets[rows[here]] + place]
        ending = np.where(self.lengths[rows] > height, Ending.CUT, Ending.COMPLETE).astype(np.int8)
        return Paths(tiles, symbols, ending, np.ones(len(rows))).merged()
