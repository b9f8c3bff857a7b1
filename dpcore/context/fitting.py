"""Makes a context light enough for a browser: clipped to the tiles, simplified, and the smallest left out first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.context.context import AREAS, LINES, NAMES, Context, Layer, Shapes

Bounds = tuple[float, float, float, float]
"""West, south, east, north in degrees."""

MAX_COST: Final = 1_250_000
"""Bytes that a browser gets at most, reckoned: of a city the message of ``dpcore.views.maps.context_message`` stays below 1.5 MB."""
MAX_PLACES: Final = 800
MAX_HOLES: Final = 100
"""Of one area; the largest stay."""
_CORNER, _SHAPE = 4, 8  # bytes, reckoned, of a corner and of the beginning of a shape
_BESIDE, _ABOVE = 0.75, 0.35  # of the larger side of the tiles: a map is mostly wider than high
_PIXELS: Final = 8_000  # of the larger side: a quarter of a pixel of a large picture
_SMALLEST: Final = 4  # tolerances: areas and lines below are dots
_TRIES: Final = 4
_DIGITS: Final = 6
GRID: Final = 1e-6
"""Degrees that corners are rounded to: a tenth of a metre."""


def window(bounds: Bounds) -> Bounds:
    """The tiles' bounds with the margin that a context fills."""
    west, south, east, north = bounds
    shrink = float(np.cos(np.radians((south + north) / 2)))
    side = max((east - west) * shrink, north - south)
    beside, above = _BESIDE * side / shrink, _ABOVE * side
    return west - beside, south - above, east + beside, north + above


def fitted(context: Context, bounds: Bounds, most: int = MAX_COST) -> Context:
    """The context around tiles with these bounds, in at most ``most`` bytes, reckoned; its notes say what was left out."""
    box = window(bounds)
    there = {kind: _clipped(layer, box, area=kind in AREAS) for kind, layer in context.layers.items()}
    west, south, east, north = box
    places = [
        replace(one, lng=round(one.lng, _DIGITS), lat=round(one.lat, _DIGITS))
        for one in context.places
        if west <= one.lng <= east and south <= one.lat <= north
    ]
    side = max(bounds[2] - bounds[0], bounds[3] - bounds[1])
    found = {kind: layer if kind in AREAS else _joined_lines(layer) for kind, layer in there.items()}
    for attempt in range(_TRIES):
        tolerance = side / _PIXELS * 2**attempt
        found = {kind: _simpler(layer, tolerance, area=kind in AREAS) for kind, layer in found.items()}
        if cost(found) <= most:
            break
    found = _lightest(found, most)
    left_out = _losses(there, found, len(places))
    return Context.of(found, places[:MAX_PLACES], context.attribution, (*context.notes, *left_out))


def _clipped(layer: Layer, box: Bounds, *, area: bool) -> Layer:
    """The parts of shapes within a box."""
    if not len(layer):
        return layer
    whole = shapely.box(*box)
    west, south, east, north = shapely.bounds(layer.shapes).T
    near = (west <= box[2]) & (east >= box[0]) & (south <= box[3]) & (north >= box[1])
    inside = (west >= box[0]) & (east <= box[2]) & (south >= box[1]) & (north <= box[3])
    layer, inside = layer.at(near), inside[near]
    shapes = layer.shapes.copy()
    if area:
        shapes[~inside] = shapely.make_valid(shapes[~inside])
    shapes[~inside] = shapely.intersection(shapes[~inside], whole)
    return _single_shapes(shapes, layer.ranks, area=area)


def _single_shapes(shapes: Shapes, ranks: NDArray[np.int64], *, area: bool) -> Layer:
    """The single areas, or lines, of shapes of any type."""
    for _ in range(2):  # collections hold collections
        shapes, owners = shapely.get_parts(shapes, return_index=True)
        ranks = ranks[owners]
    wanted = shapely.GeometryType.POLYGON if area else shapely.GeometryType.LINESTRING
    fits = (shapely.get_type_id(shapes) == wanted) & ~shapely.is_empty(shapes)
    return Layer(shapes[fits], ranks[fits])


def _simpler(layer: Layer, tolerance: float, *, area: bool) -> Layer:
    """The shapes with fewer corners, on the grid; without those too small to be seen."""
    if not len(layer):
        return layer
    if area:
        shapes = shapely.simplify(shapely.make_valid(layer.shapes), tolerance)
        whole = _single_shapes(shapely.set_precision(shapes, GRID), layer.ranks, area=True)
        large = whole.at(shapely.area(whole.shapes) > (_SMALLEST * tolerance) ** 2)
        plain = Layer(_shortened(_without_small_holes(large.shapes, tolerance)), large.ranks)
        return plain.at(shapely.is_valid(plain.shapes))
    found = Layer(_shortened(shapely.simplify(layer.shapes, tolerance, preserve_topology=False)), layer.ranks)
    return found.at(shapely.length(found.shapes) > _SMALLEST * tolerance)


def _shortened(shapes: Shapes) -> Shapes:
    """The shapes with corners of few digits, so that a file gives back the very same ones."""
    found: Shapes = shapely.transform(shapes, lambda at: np.round(at, _DIGITS))
    return found


def _without_small_holes(shapes: Shapes, tolerance: float) -> Shapes:
    """The areas without holes too small to be seen, and with the largest ones alone where there are many."""
    found = shapes.copy()
    for at in np.flatnonzero(shapely.get_num_interior_rings(shapes)):
        holes = shapely.polygons(shapely.get_rings(shapes[at])[1:])
        sizes = shapely.area(holes)
        large = np.argsort(-sizes, kind="stable")[:MAX_HOLES]
        kept = [holes[i].exterior for i in sorted(large) if sizes[i] > (_SMALLEST * tolerance) ** 2]
        found[at] = shapely.Polygon(shapes[at].exterior, kept)
    return found


def _joined_lines(layer: Layer) -> Layer:
    """Lines of one rank that meet end to end as one line each: a street is many pieces in a file."""
    if not len(layer):
        return layer
    found = []
    for rank in np.unique(layer.ranks):
        lines = shapely.get_parts(
            shapely.line_merge(shapely.multilinestrings(layer.shapes[layer.ranks == rank]))
        )
        found.append(Layer(lines, np.full(len(lines), rank)))
    return Layer(np.concatenate([one.shapes for one in found]), np.concatenate([one.ranks for one in found]))


def cost(layers: Mapping[str, Layer]) -> int:
    """Bytes that a browser gets of the shapes, reckoned."""
    return sum(layer.corners * _CORNER + len(layer) * _SHAPE for layer in layers.values())


def _lightest(layers: dict[str, Layer], most: int) -> dict[str, Layer]:
    """The layers without their least important shapes: the lowest rank first, of a rank the smallest first."""
    kinds = [*layers]
    of = np.concatenate([np.full(len(layer), at) for at, layer in enumerate(layers.values())])
    ranks = np.concatenate([layer.ranks for layer in layers.values()])
    sizes = np.concatenate([_sizes(layer, kind) for kind, layer in layers.items()])
    costs = np.concatenate(
        [shapely.get_num_coordinates(layer.shapes) * _CORNER + _SHAPE for layer in layers.values()]
    )
    order = np.lexsort((-sizes, ranks))
    kept = np.zeros(len(of), np.bool_)
    kept[order[np.cumsum(costs[order]) <= most]] = True
    found = {}
    for at, kind in enumerate(kinds):
        layer = layers[kind].at(kept[of == at])
        found[kind] = layer.at(np.argsort(layer.ranks, kind="stable"))
    return found


def _sizes(layer: Layer, kind: str) -> NDArray[Any]:
    """How much of the map each shape takes: degrees."""
    sizes: NDArray[Any] = (
        np.sqrt(shapely.area(layer.shapes)) if kind in AREAS else shapely.length(layer.shapes)
    )
    return sizes


def _losses(before: dict[str, Layer], after: dict[str, Layer], places: int) -> list[str]:
    """What was left out of what lies around the tiles, by length or area, and only where it is a part worth saying."""
    said = []
    for kind in (*AREAS, *LINES):
        whole, rest = (float(_measure(layers[kind], kind)) for layers in (before, after))
        if whole > 0 and 1 - rest / whole > 0.005:
            unit = "area" if kind in AREAS else "length"
            said.append(f"{NAMES[kind]}: {max(1, round(100 * (1 - rest / whole)))} % of their {unit}")
    if places > MAX_PLACES:
        said.append(f"names: {places - MAX_PLACES:,} of {places:,}")
    return [f"Left out to keep the map light: {'; '.join(said)}."] if said else []


def _measure(layer: Layer, kind: str) -> float:
    return float((shapely.area if kind in AREAS else shapely.length)(layer.shapes).sum())
