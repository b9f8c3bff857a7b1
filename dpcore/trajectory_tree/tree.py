"""A grown tree: noisy counts of prefixes as parallel arrays, parents before their children."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ROOT_SYMBOL = -1


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One row a node, level by level; siblings in the order of their symbols, which tells nothing about the data.

    Holds no exact count. Node 0 is the root: not measured, as the number of trajectories is secret.
    """

    height: int
    """h, as planned."""
    locations: int
    """Number of tiles: symbols below it are tiles, it is ``$`` (ended here), one more is ``+`` (cut here)."""
    parent: NDArray[np.int64]
    """Row of the parent; -1 for the root."""
    symbol: NDArray[np.int32]
    """Tile or end marker; -1 for the root."""
    depth: NDArray[np.int16]
    """0 for the root."""
    level: NDArray[np.int8]
    """Highest privacy level on the path."""
    units: NDArray[np.int64]
    """Rate of the noise in multiples of ``2**-16``; 0 for the root."""
    y: NDArray[np.int64]
    """Noisy count; 0, without meaning, for the root."""
    x: NDArray[np.float64]
    """Estimate: the noisy count at first, the consistent one after ``consistency.consistent``."""

    def __len__(self) -> int:
        """Nodes, the root included."""
        return len(self.parent)

    @property
    def is_marker(self) -> NDArray[np.bool_]:
        """Which nodes are ends of trajectories."""
        return self.symbol >= self.locations

    def of_depth(self, depth: int) -> slice:
        """The rows of one depth; they lie together."""
        first, last = np.searchsorted(self.depth, [depth, depth + 1])
        return slice(int(first), int(last))

    def sum_of_children(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """For every node the sum of a column over its children."""
        return np.bincount(self.parent[1:], values[1:], minlength=len(self)).astype(np.float64, copy=False)
