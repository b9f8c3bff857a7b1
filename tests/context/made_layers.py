"""Small contexts, of an invented place."""

from __future__ import annotations

import numpy as np
import shapely

from dpcore.context import Context, Layer, Place, fitted
from dpcore.tiles import Tessellation


def layer(*shapes: shapely.Geometry, ranks: list[int] | None = None) -> Layer:
    found = np.empty(len(shapes), dtype=object)
    found[:] = shapes
    return Layer(found, np.array(ranks or [0] * len(shapes), np.int64))


def made_context(tiles: Tessellation, attribution: str = "© Somebody") -> Context:
    """A lake with an island, a park, two streets and a name, around some tiles, and a street far away."""
    west, south, east, north = tiles.bounds
    side = east - west

    def at(x: float, y: float) -> tuple[float, float]:
        return west + x * side, south + y * (north - south)

    island = shapely.box(*at(0.4, 0.4), *at(0.5, 0.5))
    layers = {
        "water": layer(shapely.box(*at(-9, 0.3), *at(0.6, 0.6)).difference(island)),
        "park": layer(shapely.Point(at(0.8, 0.8)).buffer(0.1 * side)),
        "street": layer(
            shapely.LineString([at(0, 0), at(0.5, 0.3)]),
            shapely.LineString([at(0.5, 0.3), at(1, 1)]),
            shapely.LineString([at(0, 1), at(1, 0)]),
            shapely.LineString([at(40, 40), at(41, 41)]),
            ranks=[0, 0, 3, 0],
        ),
    }
    return fitted(Context.of(layers, [Place("Harbour", *at(0.5, 0.7), 3)], attribution), (*tiles.bounds,))
