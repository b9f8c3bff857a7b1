"""The difference of two maps as a picture: where B has a larger share of the visits than A, and where a smaller one.

The colours have fixed ends: multiples of the share that a tile would have if all were equal. They follow from the
number of tiles, which is public, so the scale says nothing about either side.
"""

from __future__ import annotations

from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.similarity import Pair
from dpcore.similarity.layout import tile_numbers
from dpcore.similarity.shares import shares
from dpcore.tessellation import Tessellation
from dpcore.views.svg import MAP_HEIGHT, MAP_WIDTH, Projection, outline

Numbers = NDArray[np.float64]

BREAKS: Final = (0.1, 0.5, 1.0, 2.0)
"""Sizes of a difference that part the colours, as multiples of an equal share."""
# Orange (A has more) over white to blue (B has more): told apart with any colour vision, zero in the middle.
_COLOURS: Final = (
    "#7f3b08", "#b35806", "#e08214", "#fdb863", "#f7f7f7", "#92c5de", "#4393c3", "#2166ac", "#053061",
)  # fmt: skip
_LEGEND: Final = 46  # pixels below the map


def differences(pair: Pair, tiles: Tessellation) -> Numbers | None:
    """B's share less A's of each tile, as multiples of an equal share; None where a side has none inside the tiles."""
    number = tile_numbers(pair.columns["tile_id"], tiles.tile_ids)
    inside = number >= 0
    p, q = shares(pair.one[inside]), shares(pair.other[inside])
    if p is None or q is None:
        return None
    found = np.zeros(len(tiles.tile_ids))
    found[number[inside]] = (q - p) * len(tiles.tile_ids)
    return found


def difference_svg(tiles: Tessellation, found: Numbers, names: tuple[str, str], mark: str) -> str:
    """The picture with its legend and its mark, as SVG without any script."""
    project = Projection(tiles)
    edges = np.array([-size for size in reversed(BREAKS)] + list(BREAKS))
    classes = np.digitize(found, edges)
    shapes: dict[str, list[str]] = {colour: [] for colour in _COLOURS}
    for polygon, which in zip(tiles.polygons, classes.tolist(), strict=True):
        shapes[_COLOURS[which]].append(outline(polygon, project))
    drawn = "".join(
        f'<path d="{"".join(paths)}" fill="{colour}"/>' for colour, paths in shapes.items() if paths
    )
    label = f"Difference of two maps: {names[1]} less {names[0]}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH} {MAP_HEIGHT + _LEGEND}" role="img" '
        f'aria-label="{escape(label)}" font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<g fill-rule="evenodd" stroke="#9aa5b1" stroke-width="0.4" stroke-linejoin="round">{drawn}</g>'
        f"{_legend()}"
        f'<text x="6" y="14" fill="#a9762f">{escape(mark)}</text></svg>'
    )


def _legend() -> str:
    wide, top = 46, MAP_HEIGHT + 6
    left = (MAP_WIDTH - wide * len(_COLOURS)) / 2
    parts = [
        f'<rect x="{left + i * wide:.0f}" y="{top}" width="{wide}" height="12" fill="{colour}" stroke="#9aa5b1"/>'
        for i, colour in enumerate(_COLOURS)
    ]
    edges = [*(f"\N{MINUS SIGN}{size:g}" for size in reversed(BREAKS)), *(f"+{size:g}" for size in BREAKS)]
    parts += [
        f'<text x="{left + (i + 1) * wide:.0f}" y="{top + 26}" text-anchor="middle">{edge}</text>'
        for i, edge in enumerate(edges)
    ]
    parts.append(f'<text x="{left - 8:.0f}" y="{top + 10}" text-anchor="end">A has more</text>')
    parts.append(f'<text x="{left + wide * len(_COLOURS) + 8:.0f}" y="{top + 10}">B has more</text>')
    return "".join(parts)
