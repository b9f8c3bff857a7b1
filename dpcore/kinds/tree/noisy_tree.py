"""What a release of trajectories publishes: a tree with its plan, and synthetic trajectories in batches.

Batches keep many trajectories, or a forged count, from filling the memory. Each path occurs as often as its integer weight
says, in the order of the tree. Nothing is drawn: the same tree gives the same trajectories. A trajectory with an unknown
rest is marked as such; no rest is invented. If there are more than a file may hold, one in k is taken. That keeps the shares
of frequent paths, within one trajectory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.kinds.tree.paths import paths_to
from dpcore.kinds.tree.plan import TreePlan
from dpcore.kinds.tree.tree import Tree, integer_weights
from dpcore.measures.measurement import Origin

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Trajectories:
    """Trajectory i is ``symbols[offsets[i]:offsets[i + 1]]``."""

    symbols: NDArray[np.int32]
    """Tile numbers."""
    offsets: NDArray[np.int64]
    """Shape ``(n + 1,)``."""
    ending: NDArray[np.int8]
    """The ``Ending`` of each: complete, cut at the height, or with an unknown rest."""

    def __len__(self) -> int:
        return len(self.ending)


@dataclass(frozen=True, slots=True)
class Extent:
    """How many trajectories of a tree are written."""

    trajectories: int
    visits: int
    """Number of tiles of all of them together."""
    one_in: int
    """Each written trajectory stands for so many; 1 unless there are too many."""


class TrajectoryWriter:
    """The trajectories of one tree."""

    def __init__(self, tree: Tree) -> None:
        weights = integer_weights(tree)
        self._tree = tree
        self._node = np.flatnonzero(weights)
        self._last = np.cumsum(weights[self._node])
        lengths = (tree.depth - tree.is_marker)[self._node].astype(np.int64)
        total = int(self._last[-1]) if len(self._last) else 0
        visits = float(weights[self._node].astype(np.float64) @ lengths)
        most = limits.MAX_SYNTHETIC_TRIPS
        one_in = max(1, -(-total // most), int(np.ceil(visits / most)))
        until = -(-self._last // one_in)
        kept = np.diff(until, prepend=0)
        self.extent = Extent(int(kept.sum()), int(kept @ lengths), one_in)

    def batches(self, visits: int) -> Iterator[Trajectories]:
        """All trajectories, with at most about so many visits in a batch; at least one batch, which may be empty."""
        size = max(1, visits // self._tree.height)
        for begin in range(0, max(1, self.extent.trajectories), size):
            numbers = np.arange(begin, min(begin + size, self.extent.trajectories)) * self.extent.one_in
            yield self._of_nodes(self._node[np.searchsorted(self._last, numbers, side="right")])

    def _of_nodes(self, nodes: Integers) -> Trajectories:
        """The path to each node; equal nodes are neighbours."""
        different, where = np.unique(nodes, return_inverse=True)
        paths = paths_to(self._tree, different, np.ones(len(different))).some(where)
        offsets = np.append(0, np.cumsum(paths.lengths))
        return Trajectories(paths.symbols[paths.symbols >= 0], offsets, paths.ending)


@dataclass(frozen=True, eq=False)
class NoisyTree:
    """Noisy counts of prefixes with consistent estimates."""

    plan: TreePlan
    tree: Tree
    """With estimates ``x`` that were made consistent as the choices say."""
    origin: Origin
    """A preview for its owner's eyes, or a draw that was paid for. Only the latter may be published."""

    def __post_init__(self) -> None:
        """Refuse a tree of another plan, with a ValueError: such a fault is ours."""
        if (self.tree.height, self.tree.locations) != (self.plan.height, self.plan.locations):
            raise ValueError("tree and plan disagree")

    @property
    def places(self) -> int:
        """Number of kept places, without end markers."""
        return len(self.tree) - 1 - int(self.tree.is_marker.sum())

    @cached_property
    def writer(self) -> TrajectoryWriter:
        """The writer of its synthetic trajectories, which a bundle needs several times."""
        return TrajectoryWriter(self.tree)
