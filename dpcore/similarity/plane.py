"""Earth mover's distance over the map: how many metres counts must be carried, on average, from tile to tile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.similarity.distance import metres
from dpcore.similarity.groups import Groups, summed, weighted
from dpcore.similarity.shares import shares

Numbers = NDArray[np.float64]

MOST_PLACES: Final = 4_000
"""With more tiles, neighbours are merged: the work grows faster than with the square of the tiles."""
_MOST_STEPS: Final = 10_000_000


@dataclass(frozen=True, eq=False)
class Places:
    """The places between which counts are carried: the centroids of the tiles, or of groups of neighbours."""

    centroids: Numbers
    """Longitude and latitude of the middle of each tile, in degrees; shape (tiles, 2), in the order of their ids."""
    most: int = MOST_PLACES
    """With more tiles, neighbours are merged on a square raster of fewer places than this."""

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The number of the place of each tile."""
        at = self.centroids
        if len(at) <= self.most:
            return np.arange(len(at), dtype=np.int64)
        low, high = at.min(axis=0), at.max(axis=0)
        side = max(1, isqrt(self.most - 1))
        cell = np.minimum((side * (at - low) / np.maximum(high - low, 1e-12)).astype(np.int64), side - 1)
        return np.unique(cell[:, 0] * side + cell[:, 1], return_inverse=True)[1].astype(np.int64)

    @cached_property
    def at(self) -> Numbers:
        """Longitude and latitude of each place: the mean of the centroids of its tiles."""
        tiles = np.bincount(self.groups)
        sums = [summed(degrees, self.groups, len(tiles)) for degrees in self.centroids.T]
        return np.column_stack([total / tiles for total in sums])

    @property
    def merged(self) -> bool:
        """Whether neighbours were merged, because there are too many tiles."""
        return len(self.at) < len(self.centroids)

    def emd(self, p: Numbers, q: Numbers) -> float:
        """Earth mover's distance in metres of two lists of shares of the tiles, in the order of their ids.

        Distances keep the triangle inequality, so what two lists share stays where it is: only the differences are
        carried, by the exact solver of the library POT.
        """
        change = summed(p - q, self.groups, len(self.at))
        more, less = change > 0, change < 0
        supply, demand = change[more], -change[less]
        moved = float(supply.sum())
        if not moved or not demand.sum():
            return 0.0
        import ot  # noqa: PLC0415 - it takes a second to import, and few commands need it

        cost = metres(self.at[more], self.at[less])
        mean = ot.emd2(supply / moved, demand / demand.sum(), cost, numItermax=_MOST_STEPS)
        return float(mean) * moved

    def grouped_emd(
        self, one: Numbers, other: Numbers, tiles: NDArray[np.int64], groups: Groups
    ) -> float | None:
        """The distance within each group of cells (a time window), weighted by mass; None where all are empty.

        Args:
            one: counts of one side.
            other: counts of the other side for the same cells.
            tiles: number of the tile of each cell; negative for ``outside``, which lies nowhere and is left out.
            groups: positions of the cells of each group. One that is empty on either side is left out.

        """

        def inside(cells: NDArray[np.int64]) -> float | None:
            placed = cells[tiles[cells] >= 0]
            p, q = shares(one[placed]), shares(other[placed])
            if p is None or q is None:
                return None
            laid = [summed(side, tiles[placed], len(self.groups)) for side in (p, q)]
            return self.emd(laid[0], laid[1])

        placed = tiles >= 0
        return weighted(np.where(placed, one, 0.0), np.where(placed, other, 0.0), groups, inside)
