"""Maps of lessons as pictures: tiles in a few colours with their meaning below, and numbers on some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.tessellation import Tessellation
from dpcore.views.svg import MAP_HEIGHT, MAP_WIDTH, Projection, outline

Integers = NDArray[np.int64]

_ROW: Final = 30  # pixels of one line of the legend
_COLUMNS: Final = 2
_RING: Final = 10  # pixels, radius of the disc below a number


@dataclass(frozen=True)
class Kind:
    """One sort of tile."""

    colour: str
    means: str
    """Plain text; empty: not in the legend."""


def tiles_svg(
    tiles: Tessellation,
    kinds: Sequence[Kind],
    which: Integers,
    numbers: Mapping[int, str],
    title: str,
    *,
    dark: bool = False,
) -> str:
    """Tiles in the colour of their kind, as SVG text.

    Args:
        tiles: the tiles.
        kinds: the sorts of tiles there are.
        which: the kind of each tile, shape ``(tiles,)``.
        numbers: what stands on some tiles, by tile number: short, so that no meaning hangs on colour alone.
        title: what the map shows.
        dark: as the page is; the picture has no ground of its own.

    """
    project = Projection(tiles)
    shapes: list[list[str]] = [[] for _ in kinds]
    for polygon, kind in zip(tiles.polygons, which.tolist(), strict=True):
        shapes[kind].append(outline(polygon, project))
    drawn = "".join(
        f'<path d="{"".join(paths)}" fill="{kind.colour}"/>'
        for kind, paths in zip(kinds, shapes, strict=True)
        if paths
    )
    ink, edge = ("#e6e9ee", "#11161c") if dark else ("#31333f", "#ffffff")
    legend = [kind for kind in kinds if kind.means]
    height = MAP_HEIGHT + _ROW * -(-len(legend) // _COLUMNS) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="17" fill="{ink}">'
        f'<g fill-rule="evenodd" stroke="{edge}" stroke-width="0.8" stroke-linejoin="round">{drawn}</g>'
        f"{_marks(tiles, project, numbers)}{_legend(legend)}"
        f'<text x="8" y="20" font-weight="600">{escape(title)}</text></svg>'
    )


def _marks(tiles: Tessellation, project: Projection, numbers: Mapping[int, str]) -> str:
    """Numbers in discs in the middle of their tiles."""
    if not numbers:
        return ""
    middles = project.move(
        np.array([tiles.polygons[tile].representative_point().coords[0] for tile in numbers])
    )
    return "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RING}" fill="#ffffff" stroke="#31333f" stroke-width="1.2"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" font-size="13" fill="#31333f">{escape(text)}</text>'
        for (x, y), text in zip(middles.tolist(), numbers.values(), strict=True)
    )


def _legend(kinds: Sequence[Kind]) -> str:
    parts = []
    for place, kind in enumerate(kinds):
        x = 8 + place % _COLUMNS * (MAP_WIDTH // _COLUMNS)
        y = MAP_HEIGHT + 12 + place // _COLUMNS * _ROW
        parts.append(
            f'<rect x="{x}" y="{y}" width="20" height="16" fill="{kind.colour}" stroke="#808a95"/>'
            f'<text x="{x + 28}" y="{y + 14}" font-size="16">{escape(kind.means)}</text>'
        )
    return "".join(parts)
