"""Synthetic trajectories: a tree with whole weights, written out one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.paths import paths_of
from dpcore.trajectory_tree.tree import Tree
from dpcore.trajectory_tree.weights import integer_weights


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """Trajectory i is ``symbols[offsets[i]:offsets[i + 1]]``."""

    symbols: NDArray[np.int32]
    """Tile numbers."""
    offsets: NDArray[np.int64]
    """Shape ``(n + 1,)``."""
    ending: NDArray[np.int8]
    """An ``Ending`` each: complete, cut at the height, or with an unknown rest."""

    def __len__(self) -> int:
        """How many."""
        return len(self.ending)


def synthetic_trajectories(tree: Tree) -> Trajectories:
    """As many trajectories of each path as its integer weight says, in the order of the tree.

    Nothing is drawn: the same tree gives the same trajectories. Those with an unknown rest are marked, not
    completed by invention.
    """
    paths = paths_of(tree, integer_weights(tree))
    times = paths.weight.astype(np.int64)
    rows = np.repeat(np.arange(len(paths)), times)
    symbols = paths.symbols[rows]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(paths.lengths[rows], out=offsets[1:])
    return Trajectories(symbols[symbols >= 0], offsets, paths.ending[rows])
