"""Comparison on the map: how many metres counts must be carried from tile to tile, and whether two maps look alike.

Structural similarity is the index of Wang, Bovik, Sheikh and Simoncelli (IEEE Transactions on Image Processing 13, 2004) on
a raster of the public tiles. Each pixel is as bright as the share of its tile. Their window and constants are used: a
Gaussian window of 1.5 tiles, ``C1 = (0.01 L)**2`` and ``C2 = (0.03 L)**2``, where L is the largest share of either map.
Pixels without a tile are not part of the picture: a window averages only over its pixels with a tile. Image libraries
cannot leave pixels out, so the few lines are written here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.comparison.formulas import Groups, shares, summed, weighted
from dpcore.tiles import Tessellation
from dpcore.tiles.distance import distance_m

Numbers = NDArray[np.float64]


def metres(one: Numbers, other: Numbers) -> Numbers:
    """Great-circle distances in metres from every place to every other, (longitude, latitude) in degrees.

    Shapes (n, 2) and (m, 2) give (n, m).
    """
    (lng, lat), (to_lng, to_lat) = one.T[:, :, None], other.T[:, None, :]
    return distance_m(lat, lng, to_lat, to_lng)


MOST_PLACES: Final = 4_000
"""With more tiles, neighbours are merged, because the work grows faster than the square of the number of tiles."""
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
        """Whether neighbours were merged because there are too many tiles."""
        return len(self.at) < len(self.centroids)

    def emd(self, p: Numbers, q: Numbers) -> float:
        """Earth mover's distance in metres of two lists of shares of the tiles, in the order of their ids.

        Distances satisfy the triangle inequality, so what two lists share stays where it is. Only the differences are
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
        """The distance within each group of cells (a time window), weighted by mass. None if all are empty.

        Args:
            one: counts of one side.
            other: counts of the other side for the same cells.
            tiles: number of the tile of each cell; negative for ``outside``, which has no place and is left out.
            groups: positions of the cells of each group. A group that is empty on either side is left out.

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


PIXELS_PER_TILE: Final = 2
"""Pixels along the side of an average tile."""
MOST_PIXELS: Final = 600
"""Most pixels along a side of the raster."""


@dataclass(frozen=True, eq=False)
class Geography:
    """The places of the tiles of one tessellation, in the order of their ids, computed once."""

    tiles: Tessellation
    most_places: int = MOST_PLACES
    """With more tiles, neighbours are merged before counts are carried between them."""

    @property
    def tile_ids(self) -> tuple[str, ...]:
        """Ids of the tiles, sorted as text."""
        return self.tiles.tile_ids

    @cached_property
    def centroids(self) -> Numbers:
        """Longitude and latitude of the middle of each tile, in degrees; shape (tiles, 2)."""
        points = shapely.centroid(np.array(self.tiles.polygons))
        return np.column_stack((shapely.get_x(points), shapely.get_y(points)))

    @cached_property
    def places(self) -> Places:
        """The places between which counts are carried."""
        return Places(self.centroids, self.most_places)

    @cached_property
    def raster(self) -> NDArray[np.int64]:
        """The tile under the middle of each pixel, -1 if there is none; shape (rows, columns), north first.

        Pixels are squares on the ground at the middle latitude, about two along the side of an average tile, and at
        most 600 along a side of the map.
        """
        box = self.tiles.bounds
        squeeze = float(np.cos(np.radians((box.south + box.north) / 2)))
        shapes = np.array(self.tiles.polygons)
        side = float(np.sqrt(shapely.area(shapes).sum() * squeeze / len(shapes))) / PIXELS_PER_TILE
        width, height = (box.east - box.west) * squeeze, box.north - box.south
        side = max(side, width / MOST_PIXELS, height / MOST_PIXELS)
        columns, rows = (max(1, round(length / side)) for length in (width, height))
        lng = box.west + (np.arange(columns) + 0.5) * (box.east - box.west) / columns
        lat = box.north - (np.arange(rows) + 0.5) * (box.north - box.south) / rows
        found = self.tiles.index.assign(np.tile(lng, rows), np.repeat(lat, columns))
        return np.asarray(found, np.int64).reshape(rows, columns)


_WINDOW: Final = 1.5 * PIXELS_PER_TILE  # pixels
_REACH: Final = 3.5  # windows end at this many times their own width


def structural_similarity(p: Numbers, q: Numbers, raster: NDArray[np.int64]) -> float:
    """Mean structural similarity of two lists of shares of the tiles: 1 (the same picture) down to -1.

    ``raster``: number of the tile of each pixel, -1 if there is none. The result is 1 if no pixel lies in a tile.
    """
    inside = raster >= 0
    if not inside.any():
        return 1.0
    one, other = (np.where(inside, side[np.maximum(raster, 0)], 0.0) for side in (p, q))
    weight = _blurred(inside.astype(float))

    def window(picture: Numbers) -> Numbers:
        return _blurred(picture)[inside] / weight[inside]

    mean, mean_too = window(one), window(other)
    variance = np.maximum(window(one * one) - mean * mean, 0.0)
    variance_too = np.maximum(window(other * other) - mean_too * mean_too, 0.0)
    together = window(one * other) - mean * mean_too
    brightest = max(float(one.max()), float(other.max()))
    if not brightest:  # all counts lie in tiles that are too small to be seen
        return 1.0
    level, contrast = (0.01 * brightest) ** 2, (0.03 * brightest) ** 2
    likeness = (2 * mean * mean_too + level) * (2 * together + contrast)
    most = (mean * mean + mean_too * mean_too + level) * (variance + variance_too + contrast)
    return float(np.clip(np.mean(likeness / most), -1.0, 1.0))


def _blurred(picture: Numbers) -> Numbers:
    from scipy import ndimage  # noqa: PLC0415 - slow to load, and few commands need it

    blurred: Numbers = ndimage.gaussian_filter(picture, _WINDOW, mode="constant", truncate=_REACH)
    return blurred
