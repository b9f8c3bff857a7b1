"""Synthetic trajectories and counts of paths the plain way: what writers of batches and answers are compared with."""

from __future__ import annotations

import numpy as np

from dpcore.kinds.tree.noisy_tree import Trajectories
from dpcore.kinds.tree.paths import paths_of
from dpcore.kinds.tree.queries import tiles_missing
from dpcore.kinds.tree.tree import integer_weights


def synthetic_trajectories(tree) -> Trajectories:
    """As many trajectories of each path as its integer weight says, in the order of the tree."""
    paths = paths_of(tree, integer_weights(tree))
    rows = np.repeat(np.arange(len(paths)), paths.weight.astype(np.int64))
    symbols = paths.symbols[rows]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(paths.lengths[rows], out=offsets[1:])
    return Trajectories(symbols[symbols >= 0], offsets, paths.ending[rows])


def matching(paths, pattern, *, anchored=False) -> float:
    """How many trajectories contain a pattern of neighbouring tiles and wildcards."""
    return float(paths.weight[tiles_missing(paths, pattern, anchored=anchored) == 0].sum())


def beginning(paths, prefix) -> float:
    """How many trajectories begin with these tiles."""
    same = (paths.symbols[:, : len(prefix)] == np.array(prefix, np.int32)).all(axis=1)
    return float(paths.weight[same].sum())
