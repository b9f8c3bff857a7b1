"""What a release of trajectories publishes: a tree with its plan, and synthetic trajectories, a batch at a time.

Batches keep their number, and a forged count, from filling the memory. There are as many trajectories of each path as its
integer weight says, in the order of the tree. Nothing is drawn: the same tree gives the same trajectories. Those with
an unknown rest are marked, not completed by invention. Where they are more than a file may hold, one in k is taken: of
paths that are frequent the shares stay, within one trajectory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.measures.measurement import Origin
from dpcore.synthesis.tree.paths import paths_to
from dpcore.synthesis.tree.plan import TreePlan
from dpcore.synthesis.tree.tree import Tree, integer_weights

Integers = NDArray[np.int64]


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
        return len(self.ending)


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is written of a tree."""

    trajectories: int
    visits: int
    """Tiles of all of them together."""
    one_in: int
    """Each trajectory that is written stands for so many; 1 unless there are too many."""


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
        """All of them, at most about so many visits in a batch; one batch without any where there are none."""
        size = max(1, visits // self._tree.height)
        for begin in range(0, max(1, self.extent.trajectories), size):
            numbers = np.arange(begin, min(begin + size, self.extent.trajectories)) * self.extent.one_in
            yield self._of_nodes(self._node[np.searchsorted(self._last, numbers, side="right")])

    def _of_nodes(self, nodes: Integers) -> Trajectories:
        """The path to each node; equal nodes lie together."""
        different, where = np.unique(nodes, return_inverse=True)
        paths = paths_to(self._tree, different, np.ones(len(different))).some(where)
        offsets = np.append(0, np.cumsum(paths.lengths))
        return Trajectories(paths.symbols[paths.symbols >= 0], offsets, paths.ending)


@dataclass(frozen=True, eq=False)
class NoisyTree:
    """Noisy counts of prefixes with estimates that agree."""

    plan: TreePlan
    tree: Tree
    """Its estimates ``x`` were made consistent as the choices say."""
    origin: Origin
    """A throw-away draw for its owner's eyes, or one that was paid for. Only the latter may be published."""

    def __post_init__(self) -> None:
        """Tree and plan belong together; a fault here is ours."""
        if (self.tree.height, self.tree.locations) != (self.plan.height, self.plan.locations):
            raise ValueError("tree and plan disagree")

    @property
    def places(self) -> int:
        """How many places are kept, end markers apart."""
        return len(self.tree) - 1 - int(self.tree.is_marker.sum())

    @cached_property
    def writer(self) -> TrajectoryWriter:
        """Its synthetic trajectories, which a bundle needs several times."""
        return TrajectoryWriter(self.tree)
