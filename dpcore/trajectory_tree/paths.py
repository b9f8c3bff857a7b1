"""Weighted paths: what every query reads, be they the nodes of a tree or single trajectories."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.tree import Tree


def added(place: NDArray[np.signedinteger], weight: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The sum of the weights at each of ``size`` places."""
    return np.bincount(place, weight, minlength=size).astype(np.float64, copy=False)


class Ending(IntEnum):
    """What is known of the end of a path."""

    COMPLETE = 0
    CUT = 1
    """It went on beyond the height."""
    UNKNOWN = 2
    """It may have ended or gone on: the rest was too rare to be kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Sequences of tiles, each with a weight: how many trajectories it stands for."""

    locations: int
    """Number of tiles."""
    symbols: NDArray[np.int32]
    """Tiles of each path, shape ``(paths, height)``; -1 after its end."""
    ending: NDArray[np.int8]
    """An ``Ending`` each."""
    weight: NDArray[np.float64]
    """How many trajectories; may be negative where a query allows it."""

    def __len__(self) -> int:
        """How many paths."""
        return len(self.weight)

    @property
    def height(self) -> int:
        """The most tiles that a path holds."""
        return int(self.symbols.shape[1])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tiles of each path."""
        tiles: NDArray[np.int64] = (self.symbols >= 0).sum(axis=1, dtype=np.int64)
        return tiles

    @property
    def total(self) -> float:
        """How many trajectories there are in all."""
        return float(self.weight.sum())

    def some(self, rows: NDArray[np.int64]) -> Paths:
        """These paths alone, in this order."""
        return replace(self, symbols=self.symbols[rows], ending=self.ending[rows], weight=self.weight[rows])

    def merged(self) -> Paths:
        """Equal paths as one, their weights added, in the order of their symbols; answers stay the same."""
        keys = np.column_stack([self.symbols, self.ending.astype(np.int32)])
        different, where = np.unique(keys, axis=0, return_inverse=True)
        return replace(
            self,
            symbols=np.ascontiguousarray(different[:, :-1]),
            ending=different[:, -1].astype(np.int8),
            weight=added(where.ravel(), self.weight, len(different)),
        )


def paths_of(tree: Tree, weights: NDArray[np.int64] | NDArray[np.float64]) -> Paths:
    """One path for each node of weight other than 0, in the order of the tree.

    End markers give complete and cut paths, other nodes paths with an unknown rest.
    """
    symbols = np.full((len(tree), tree.height), -1, np.int32)
    for depth in range(1, int(tree.depth[-1]) + 1):
        rows = tree.of_depth(depth)
        symbols[rows] = symbols[tree.parent[rows]]
        inner = rows.start + np.flatnonzero(~tree.is_marker[rows])
        if len(inner):  # below the height there are markers only
            symbols[inner, depth - 1] = tree.symbol[inner]
    ending = np.where(tree.is_marker, tree.symbol - tree.locations, Ending.UNKNOWN).astype(np.int8)
    used = np.flatnonzero(weights)
    used = used[used > 0]
    return Paths(tree.locations, symbols[used], ending[used], weights[used].astype(np.float64))
