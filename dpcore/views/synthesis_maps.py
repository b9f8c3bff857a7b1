"""Maps of trips between tiles as pictures: where they start and end, and the busiest routes as lines.

Colours and widths have fixed ends: multiples of the share that a tile or a route would have if all were equal. They
follow from the number of tiles, which is public, so that two pictures can be laid side by side and neither tells
anything by its scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.tessellation import Tessellation
from dpcore.views.svg import GREY, INK, MAP_HEIGHT, MAP_WIDTH, Projection, class_colours, outline

Numbers = NDArray[np.float64]

BREAKS: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Multiples of an equal share that part the colours."""
ROUTES: Final = 80
"""Lines on a map."""
_TITLE: Final = 48  # pixels above the map, for what it shows and who may see it: nothing lies on the tiles
_LEGEND: Final = 44  # pixels below the map
_WIDEST: Final = 7.0  # pixels, for a route with 1 % of all trips
_HEAD: Final = 2.6  # pixels, radius of the dot at the end of a route


@dataclass(frozen=True)
class _Colours:
    """What must be told from the page behind it."""

    text: str
    mark: str
    ground: str
    edge: str
    line: str


_LIGHT: Final = _Colours("#31333f", "#8a5d1d", "#eef1f4", "#c3cad1", INK)
_DARK: Final = _Colours("#e6e9ee", "#d6a760", "#252d37", "#46525f", "#2dd4bf")


def visits_svg(tiles: Tessellation, shares: Numbers, title: str, mark: str, *, dark: bool = False) -> str:
    """Tiles coloured by their share of the visits.

    Args:
        tiles: the tiles.
        shares: of each tile, adding up to 1 or, without trips, to 0.
        title: such as ``Original``.
        mark: such as ``Demo data``.
        dark: as the page is; the picture has no ground of its own.

    """
    project = Projection(tiles)
    colours = class_colours(len(BREAKS) + 1)
    classes = np.digitize(shares * len(shares), BREAKS)
    shapes: dict[str, list[str]] = {GREY: [], **{colour: [] for colour in colours}}
    for polygon, which, share in zip(tiles.polygons, classes.tolist(), shares.tolist(), strict=True):
        shapes[colours[which] if share > 0 else GREY].append(outline(polygon, project))
    drawn = "".join(
        f'<path d="{"".join(paths)}" fill="{colour}"/>' for colour, paths in shapes.items() if paths
    )
    body = f'<g fill-rule="evenodd" stroke="#fff" stroke-width="0.6" stroke-linejoin="round">{drawn}</g>'
    return _sheet(body + _legend(colours), f"{title}: visits per tile", title, mark, dark=dark)


def routes_svg(tiles: Tessellation, routes: Numbers, title: str, mark: str, *, dark: bool = False) -> str:
    """The busiest routes between two different tiles as lines with a dot at their end, wider with their share.

    ``routes``: share of each route, shape (tiles, tiles), in the order of the ids; ``dark``: as the page is.
    """
    project, colours = Projection(tiles), _DARK if dark else _LIGHT
    ground = "".join(outline(polygon, project) for polygon in tiles.polygons)
    middles = project.move(np.array([polygon.representative_point().coords[0] for polygon in tiles.polygons]))
    between = routes * ~np.eye(len(routes), dtype=bool)
    order = np.argsort(-between.ravel(), kind="stable")[:ROUTES]
    lines = []
    for place in order[between.ravel()[order] > 0][::-1].tolist():
        (x1, y1), (x2, y2) = middles[place // len(routes)], middles[place % len(routes)]
        wide = min(_WIDEST, max(0.6, _WIDEST * float(np.sqrt(100 * between.ravel()[place]))))
        # bent to one side, so that a route and the one back lie apart
        bend_x, bend_y = (x1 + x2) / 2 + (y2 - y1) * 0.14, (y1 + y2) / 2 - (x2 - x1) * 0.14
        lines.append(
            f'<path d="M{x1:.1f} {y1:.1f}Q{bend_x:.1f} {bend_y:.1f} {x2:.1f} {y2:.1f}" stroke-width="{wide:.1f}"/>'
            f'<circle cx="{x2:.1f}" cy="{y2:.1f}" r="{_HEAD + wide / 3:.1f}" fill="{colours.line}" stroke="none"/>'
        )
    body = (
        f'<path d="{ground}" fill="{colours.ground}" stroke="{colours.edge}" stroke-width="0.5" fill-rule="evenodd"/>'
        f'<g fill="none" stroke="{colours.line}" stroke-opacity="0.55" stroke-linecap="round">{"".join(lines)}</g>'
        f'<text x="{MAP_WIDTH / 2:.0f}" y="{MAP_HEIGHT + 24}" text-anchor="middle">the {len(lines)} busiest routes; '
        f"the dot is where they end; width by share of all trips</text>"
    )
    return _sheet(body, f"{title}: busiest routes", title, mark, dark=dark)


def _sheet(body: str, label: str, title: str, mark: str, *, dark: bool) -> str:
    colours = _DARK if dark else _LIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH} {_TITLE + MAP_HEIGHT + _LEGEND}" role="img" '
        f'aria-label="{escape(label)}" font-family="sans-serif" font-size="13" fill="{colours.text}">'
        f'<g transform="translate(0 {_TITLE})">{body}</g>'
        f'<text x="8" y="20" font-size="17" font-weight="600">{escape(title)}</text>'
        f'<text x="8" y="38" fill="{colours.mark}">{escape(mark)}</text></svg>'
    )


def _legend(colours: list[str]) -> str:
    wide, top = 58, MAP_HEIGHT + 6
    left = (MAP_WIDTH - wide * len(colours)) / 2
    parts = [
        f'<rect x="{left + i * wide:.0f}" y="{top}" width="{wide}" height="12" fill="{colour}"/>'
        for i, colour in enumerate(colours)
    ]
    parts += [
        f'<text x="{left + (i + 1) * wide:.0f}" y="{top + 26}" text-anchor="middle">{edge:g}\N{MULTIPLICATION SIGN}</text>'
        for i, edge in enumerate(BREAKS)
    ]
    return "".join(parts)
