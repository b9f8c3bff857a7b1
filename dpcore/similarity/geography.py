"""Where public tiles lie: their centroids, and a raster of them as a picture of the map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.similarity.plane import MOST_PLACES, Places
from dpcore.tessellation import Tessellation

Numbers = NDArray[np.float64]

PIXELS_PER_TILE: Final = 2
"""Pixels along the side of an average tile."""
MOST_PIXELS: Final = 600
"""Pixels along a side of the raster."""


@dataclass(frozen=True, eq=False)
class Geography:
    """The places of the tiles of one tessellation, in the order of their ids; worked out once."""

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
        """The tile under the middle of each pixel, -1 where none is; shape (rows, columns), north first.

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
