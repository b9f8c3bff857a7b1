"""Tiles become plain rings: one for each polygon, with its holes sewn to the outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

_CANDIDATES: Final = 256  # corners of a ring looked at together when a hole is joined to it


def rings(tiles: NDArray[Any]) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
    """One open ring for each polygon of each tile, and the tile it belongs to; raises ValueError for other shapes."""
    polygons, owners = shapely.get_parts(tiles, return_index=True)
    polygons = shapely.orient_polygons(shapely.force_2d(polygons))
    drawable = (shapely.get_type_id(polygons) == shapely.GeometryType.POLYGON) & ~shapely.is_empty(polygons)
    if not drawable.all() or len(np.unique(owners)) != len(tiles):
        raise ValueError("a tile of a map is not a polygon")
    coordinates, numbers = shapely.get_coordinates(shapely.get_exterior_ring(polygons), return_index=True)
    last = np.flatnonzero(np.diff(numbers, append=-1))  # a ring repeats its first corner as its last
    outer = np.split(np.delete(coordinates, last, axis=0), (last - np.arange(len(last)))[:-1])
    with_holes = np.flatnonzero(shapely.get_num_interior_rings(polygons))
    for number in with_holes:
        outer[number] = _without_holes(polygons[number])
    return outer, np.asarray(owners, dtype=np.int64)


@dataclass
class _Ring:
    """An outer ring into which holes are sewn: out along a bridge, around the hole, and back."""

    shape: shapely.Polygon
    corners: NDArray[np.float64]
    bridges: list[shapely.LineString] = field(default_factory=list)

    def sew(self, hole: NDArray[np.float64]) -> None:
        """Join a hole given from its rightmost corner."""
        at = self._seen_from(hole[0])
        self.bridges.append(shapely.LineString([hole[0], self.corners[at]]))
        self.corners = np.concatenate([self.corners[: at + 1], hole, hole[:1], self.corners[at:]])

    def _seen_from(self, point: NDArray[np.float64]) -> int:
        """Nearest corner that a straight bridge reaches inside the polygon without touching another bridge.

        Holes come from the right, so there always is a corner in sight; one that already carries a bridge is
        taken only if no other is.
        """
        order = np.argsort(((self.corners - point) ** 2).sum(axis=1), kind="stable")
        taken = shapely.MultiLineString(self.bridges)
        second_best: int | None = None
        for first in range(0, len(order), _CANDIDATES):
            some = order[first : first + _CANDIDATES]
            ends = np.stack([np.broadcast_to(point, (len(some), 2)), self.corners[some]], axis=1)
            lines = shapely.linestrings(ends)
            inside = shapely.covers(self.shape, lines)
            free = inside & ~shapely.intersects(lines, taken)
            if free.any():
                return int(some[free.argmax()])
            beside = inside & ~shapely.crosses(lines, taken)
            if second_best is None and beside.any():
                second_best = int(some[beside.argmax()])
        return int(order[0]) if second_best is None else second_best


def _without_holes(polygon: shapely.Polygon) -> NDArray[np.float64]:
    """One open ring that covers the polygon; its holes are sewn to the outside by bridges of no width.

    The browser's triangulation of plain rings is the fast one, and it does not know holes.
    """
    shapely.prepare(polygon)
    ring = _Ring(polygon, shapely.get_coordinates(polygon.exterior)[:-1])
    holes = [shapely.get_coordinates(hole)[:-1] for hole in polygon.interiors]
    for hole in sorted(holes, key=lambda corners: -float(corners[:, 0].max())):
        ring.sew(np.roll(hole, -int(hole[:, 0].argmax()), axis=0))
    return ring.corners
