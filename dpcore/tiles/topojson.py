"""Reads TopoJSON: parsed JSON whose tiles share their borders as arcs.

Neighbours get the bits of one arc, so their borders meet. Every arc is checked: one that is missing or does not continue the one
before it would quietly give another tile.

Source: https://github.com/topojson/topojson-specification, version 1.0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import geojson
from dpcore.tiles.features import Features, Ring, check_count, collected
from dpcore.tiles.labels import one_layer
from dpcore.tiles.projection import WGS84, Projection, system_of_file


def features(
    document: Mapping[str, Any], source_name: str, layer: str | None = None, tiles_crs: str | None = None
) -> Features:
    """The features of one object of a parsed topology, in WGS84.

    ``layer``: name of the object. None: the only one. ``tiles_crs``: system of the coordinates. Raises TessellationError.
    """
    system = system_of_file(None, tiles_crs, source_name, otherwise=WGS84)
    geometries = _geometries(document.get("objects"), layer, source_name)
    check_count(len(geometries), source_name)
    arcs = _arcs(document, source_name)
    used = 0

    def parts(geometry: object, where: str) -> list[list[Ring]]:
        nonlocal used
        kind = geometry.get("type") if isinstance(geometry, dict) else None
        if not isinstance(geometry, dict) or kind not in ("Polygon", "MultiPolygon"):
            raise TessellationError(
                "the geometry is not a polygon", where, "A tile is a Polygon or a MultiPolygon."
            )
        polygons = [geometry.get("arcs")] if kind == "Polygon" else geometry.get("arcs")
        try:
            rings = [[[_arc(arcs, i) for i in ring] for ring in rings] for rings in polygons]  # type: ignore[union-attr] # see below
        except (TypeError, IndexError):  # no lists, or no such arc
            raise _malformed(where) from None
        # An arc may be used very often, so its corners are counted before they are copied.
        used += sum(len(arc) for polygon in rings for ring in polygon for arc in ring)
        if used > limits.MAX_CORNERS:
            raise TessellationError("too many corners", where, "Simplify the borders of the tiles.")
        return [[_ring(ring, where) for ring in polygon] for polygon in rings]

    return collected(
        geometries, geojson.properties_of, parts, Projection.of(system, source_name), source_name
    )


def _geometries(objects: object, wanted: str | None, source_name: str) -> list[object]:
    """The geometries of the object with the name."""
    if not isinstance(objects, dict) or not objects:
        raise TessellationError("there are no objects", source_name, "Export the tiles again as TopoJSON.")
    found = objects[one_layer(objects, wanted, source_name)]
    inside = found.get("geometries", [found]) if isinstance(found, dict) else None
    if not isinstance(inside, list):
        raise TessellationError("the list of geometries is missing", source_name, "Export the tiles again.")
    return inside


def _arcs(document: Mapping[str, Any], source_name: str) -> list[Ring]:
    """The corners of all arcs. Quantised ones are steps on a grid from corner to corner."""
    arcs, transform = document.get("arcs"), document.get("transform")
    if not isinstance(arcs, list):
        raise _malformed(source_name)
    found = [geojson.positions(arc, f"{source_name}, arc {number:,}") for number, arc in enumerate(arcs)]
    if transform is None:
        return found
    try:
        scale, translate = (tuple(map(float, transform[key])) for key in ("scale", "translate"))
    except (TypeError, KeyError, ValueError):
        raise _malformed(source_name) from None
    if len(scale) != 2 or len(translate) != 2 or not all(map(isfinite, (*scale, *translate))):
        raise _malformed(source_name)
    return [np.cumsum(arc, axis=0) * scale + translate for arc in found]


def _arc(arcs: Sequence[Ring], number: object) -> Ring:
    """The arc with a number. A negative one stands for an arc backwards: -1 for the first."""
    if type(number) is not int or not -len(arcs) <= number < len(arcs):
        raise IndexError
    return arcs[number] if number >= 0 else arcs[~number][::-1]


def _ring(arcs: Sequence[Ring], where: str) -> Ring:
    """The ring of arcs, each of which begins where the one before it ends."""
    if not arcs or any((one[-1] != other[0]).any() for one, other in pairwise(arcs)):
        raise _malformed(where)
    return np.concatenate([arcs[0], *(arc[1:] for arc in arcs[1:])])


def _malformed(where: str) -> TessellationError:
    return TessellationError("the arcs do not form rings", where, "Export the tiles again as TopoJSON.")
