"""What lies under the tiles of a deck in a notebook: water and parks below them, streets and names above, nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any, Final

import pydeck
import shapely

from dpcore.context import AREAS, Context, Layer
from dpcore.views.maps.context_message import GROUND
from dpcore.views.maps.deck import OfflineDeck

_COLOURS: Final = GROUND["light"]
_LINES: Final = {
    "waterway": [*_COLOURS["shore"], 230],
    "rail": [60, 60, 66, 150],
    "street": [255, 255, 255, 235],
}
_CASING: Final = [34, 38, 44, 110]
_WIDTHS: Final = ([40, 1.5], [28, 1], [18, 0.75], [10, 0.4])
"""Metres and fewest pixels, by rank."""
_INK: Final = [34, 38, 44, 255]
_PAPER: Final = [255, 255, 255, 230]
_NAMED: Final = 60  # names that are written: a deck has none of the app's care for overlaps
_DECIMALS: Final = 5


def with_context(deck: OfflineDeck, context: Context) -> OfflineDeck:
    """The deck with a context around its first layer, the tiles, and with the attribution among its words."""
    tiles, *others = deck.layers
    areas = [_areas(kind, context.layers[kind]) for kind in reversed(AREAS)]
    streets = context.layers["street"]
    lines = [
        _lines("casing", streets, _CASING, more=1.2),
        *(_lines(kind, context.layers[kind], colour) for kind, colour in _LINES.items()),
    ]
    deck.layers = [*areas, tiles, *lines, *others, _names(context)]
    deck.description = f"{deck.description}<br>{escape(context.attribution)}"
    return deck


def _areas(kind: str, layer: Layer) -> Any:  # noqa: ANN401 - pydeck has no types
    rows = [
        {"polygon": [_corners(ring) for ring in (shape.exterior, *shape.interiors)]} for shape in layer.shapes
    ]
    return pydeck.Layer(
        "PolygonLayer", rows, id=kind, get_polygon="polygon", get_fill_color=[*_COLOURS[kind]], stroked=False
    )


def _lines(name: str, layer: Layer, colour: list[int], more: float = 0) -> Any:  # noqa: ANN401 - pydeck has no types
    rows = [
        {"path": _corners(shape), "width": _WIDTHS[rank][0] * (1.3 if more else 1)}
        for shape, rank in sorted(
            zip(layer.shapes, layer.ranks.tolist(), strict=True), key=lambda one: -one[1]
        )
    ]
    return pydeck.Layer(
        "PathLayer",
        rows,
        id=name,
        get_path="path",
        get_color=colour,
        get_width="width",
        width_min_pixels=0.6 + more,
        width_max_pixels=4 + more,
    )


def _names(context: Context) -> Any:  # noqa: ANN401 - pydeck has no types
    # deck.gl computes a text that begins with "@@=": a space before it makes it a text
    rows = [{"at": [one.lng, one.lat], "text": f" {one.name} "} for one in context.places[:_NAMED]]
    return pydeck.Layer(
        "TextLayer",
        rows,
        id="names",
        get_position="at",
        get_text="text",
        get_color=_INK,
        get_size=12,
        outline_width=3,
        outline_color=_PAPER,
        font_settings={"sdf": True},
        font_family="'sans-serif'",
        character_set="'auto'",
        billboard=True,
    )


def _corners(shape: shapely.Geometry) -> list[list[float]]:
    found: list[list[float]] = shapely.get_coordinates(shape).round(_DECIMALS).tolist()
    return found
