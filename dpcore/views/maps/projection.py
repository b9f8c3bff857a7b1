"""From degrees to paper: the sheet of a still map, and the shapes of its tiles and flows on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.tiles import Tessellation

_Floats = NDArray[np.float64]

MAP_WIDTH: Final = 640
MAP_HEIGHT: Final = 460
FINE: Final = 10
"""Steps of a path in one unit of the sheet: whole numbers, a tenth of a unit each."""
_MOST_CORNERS: Final = 40_000
_FIRST_TOLERANCE: Final = 0.2  # units
_LAST_TOLERANCE: Final = 20.0
_BEND: Final = 0.14  # of the length of a flow


class Projection:
    """Degrees to points on the sheet: north up, distances true in the middle."""

    def __init__(self, tiles: Tessellation) -> None:
        box = tiles.bounds
        self.shrink = math.cos(math.radians((box.south + box.north) / 2))
        wide, high = max((box.east - box.west) * self.shrink, 1e-9), max(box.north - box.south, 1e-9)
        self.scale = min(MAP_WIDTH / wide, MAP_HEIGHT / high)
        self.west, self.north = box.west, box.north
        self.left, self.top = (MAP_WIDTH - wide * self.scale) / 2, (MAP_HEIGHT - high * self.scale) / 2

    def move(self, at: _Floats) -> _Floats:
        """Points on the sheet for degrees, shape (points, 2)."""
        x = self.left + (at[:, 0] - self.west) * self.shrink * self.scale
        return np.column_stack([x, self.top + (self.north - at[:, 1]) * self.scale])


def inside(shapes: Sequence[shapely.Geometry] | NDArray[Any]) -> _Floats:
    """A point inside each shape, where words stand and flows begin and end; shape (shapes, 2)."""
    points = shapely.point_on_surface(np.asarray(shapes, dtype=object))
    return np.asarray(shapely.get_coordinates(points), np.float64)


@lru_cache(maxsize=4)
def drawn_tiles(tiles: Tessellation) -> NDArray[np.object_]:
    """The tiles on the sheet; simplified where there are very many corners."""
    moved = shapely.transform(np.asarray(tiles.polygons, dtype=object), Projection(tiles).move)
    tolerance = _FIRST_TOLERANCE
    drawn = shapely.simplify(moved, tolerance)
    while shapely.get_num_coordinates(drawn).sum() > _MOST_CORNERS and tolerance < _LAST_TOLERANCE:
        tolerance *= 2
        drawn = shapely.simplify(moved, tolerance)
    found: NDArray[np.object_] = np.where(shapely.is_empty(drawn), moved, drawn)
    return found


@lru_cache(maxsize=4)
def tile_paths(tiles: Tessellation) -> tuple[str, ...]:
    """The path of each tile, in steps."""
    return tuple(path_of([tile]) for tile in drawn_tiles(tiles))


def path_of(shapes: Sequence[shapely.Geometry] | NDArray[np.object_]) -> str:
    """Areas and lines on the sheet as the data of one SVG path, in whole steps; rings are closed."""
    found = []
    for part in shapely.get_parts(shapes):
        area = part.geom_type == "Polygon"
        for line in (part.exterior, *part.interiors) if area else (part,):
            corners = np.rint(shapely.get_coordinates(line) * FINE).astype(int)
            corners = corners[:-1] if area else corners
            kept = [corners[0], *(b for a, b in pairwise(corners) if (a != b).any())]
            if area or len(kept) > 1:
                steps = "".join(f"l{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(kept))
                found.append(f"M{kept[0][0]} {kept[0][1]}{steps}{'z' if area else ''}")
    return "".join(found)


def bow(start: _Floats, end: _Floats, wide: float) -> _Floats:
    """The outline of a bow that bends to its right, so that both directions of a pair are seen, from a point to a thick end.

    Nine corners: the 2nd and the 8th bend the lines between their neighbours, all other lines are straight.
    """
    along = end - start
    long = max(float(np.hypot(*along)), 1e-9)
    aside = np.array([-along[1], along[0]]) / long
    bend = (start + end) / 2 + aside * _BEND * long
    tip = (end - bend) / max(float(np.hypot(*(end - bend))), 1e-9)
    across = np.array([-tip[1], tip[0]])
    neck = end - tip * min(1.6 * wide, long / 2)
    tail = aside * max(wide * 0.08, 0.35)
    return np.array(
        [
            start + tail,
            bend + aside * wide * 0.2,
            neck + across * wide * 0.5,
            neck + across * wide * 0.95,
            end,
            neck - across * wide * 0.95,
            neck - across * wide * 0.5,
            bend - aside * wide * 0.2,
            start - tail,
        ]
    )
