"""The synthetic trajectories of a tree the plain way, all at once: what the writer of batches is compared with."""

from __future__ import annotations

import numpy as np

from dpcore.trajectory_tree.paths import paths_of
from dpcore.trajectory_tree.trajectories import Trajectories
from dpcore.trajectory_tree.weights import integer_weights


def synthetic_trajectories(tree) -> Trajectories:
    """As many trajectories of each path as its integer weight says, in the order of the tree."""
    paths = paths_of(tree, integer_weights(tree))
    rows = np.repeat(np.arange(len(paths)), paths.weight.astype(np.int64))
    symbols = paths.symbols[rows]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(paths.lengths[rows], out=offsets[1:])
    return Trajectories(symbols[symbols >= 0], offsets, paths.ending[rows])
