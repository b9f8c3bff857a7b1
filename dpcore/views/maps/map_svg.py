"""Maps as SVG text, without any script or request: for paper, and for many small maps side by side.

Coordinates are made here from numbers; no text of a file enters a picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.tiles import Tessellation

_Floats = NDArray[np.float64]

MAP_WIDTH: Final = 640
MAP_HEIGHT: Final = 460
FINE: Final = 10
"""Steps of a fine sheet in one unit of the picture: whole numbers, a tenth of a pixel each."""


class Projection:
    """Degrees to points on the sheet: north up, distances true in the middle."""

    def __init__(self, tiles: Tessellation) -> None:
        box = tiles.bounds
        self.shrink = math.cos(math.radians((box.south + box.north) / 2))
        wide, high = max((box.east - box.west) * self.shrink, 1e-9), max(box.north - box.south, 1e-9)
        self.scale = min(MAP_WIDTH / wide, MAP_HEIGHT / high)
        self.west, self.north = box.west, box.north
        self.left, self.top = (MAP_WIDTH - wide * self.scale) / 2, (MAP_HEIGHT - high * self.scale) / 2

    def points(self, ring: shapely.LinearRing) -> _Floats:
        """The corners of a ring on the sheet, the first one not repeated."""
        return self.move(shapely.get_coordinates(ring)[:-1])

    def move(self, at: _Floats) -> _Floats:
        """Points on the sheet for degrees, shape (points, 2)."""
        x = self.left + (at[:, 0] - self.west) * self.shrink * self.scale
        return np.column_stack([x, self.top + (self.north - at[:, 1]) * self.scale])


def coloured(tiles: Tessellation, project: Projection, colours: Sequence[str], which: Iterable[int]) -> str:
    """One path for each colour that occurs, in the order of ``colours``; ``which``: that of each tile, by its place."""
    shapes: dict[str, list[str]] = {colour: [] for colour in colours}
    for polygon, colour in zip(tiles.polygons, which, strict=False):
        shapes[colours[colour]].append(outline(polygon, project))
    return "".join(
        f'<path d="{"".join(paths)}" fill="{colour}"/>' for colour, paths in shapes.items() if paths
    )


def outline(polygon: shapely.Geometry, project: Projection) -> str:
    """The rings of a shape as the data of an SVG path."""
    found = []
    for part in shapely.get_parts(polygon):
        for ring in (part.exterior, *part.interiors):
            texts = [f"{x:.1f} {y:.1f}" for x, y in project.points(ring)]
            kept = [texts[0], *(later for before, later in pairwise(texts) if later != before)]
            found.append("M" + "L".join(kept) + "Z")
    return "".join(found)
