"""What lies under the tiles, in the file of a release: water and parks below them, streets, railways and names above.

It is drawn once and shown by every map of the file. It comes from the bundle; a release without context has none.
"""

from __future__ import annotations

from html import escape
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.context import AREAS, LINES, Context, Layer, fitted
from dpcore.tiles import Tessellation
from dpcore.views.maps.context_message import GROUND
from dpcore.views.maps.projection import FINE, MAP_HEIGHT, MAP_WIDTH, Projection, path_of

UNDER: Final = '<use href="#under"/>'
OVER: Final = '<use href="#over"/><use class="names" href="#names"/>'
"""Where a map shows it: before the tiles, and after them."""
_MOST: Final = 150_000  # of the cost that ``fitted`` reckons: about as many bytes as letters of paths
_WIDTHS: Final = (22, 16, 9, 5)  # steps, by rank
_CASED: Final = 2  # ranks of streets with a dark rim
_LETTERS: Final = (150, 130, 120, 115, 115, 110)  # height of names, by rank
_NAMED: Final = 60
_APART: Final = 40  # steps between two names
_SMALL: Final = 100  # height of the attribution


def surroundings(context: Context | None, tiles: Tessellation) -> str:
    """The parts that maps show by ``UNDER`` and ``OVER``; empty without a context."""
    if context is None or context.is_empty:
        return ""
    west, south, east, north = tiles.bounds
    light, project = fitted(context, (west, south, east, north), _MOST), Projection(tiles)
    under, drawn, over = [], [], []
    for kind in reversed(AREAS):
        drawn.append(f'<path id="{kind}" fill-rule="evenodd" d="{_path(light.layers[kind], project)}"/>')
        under.append(f'<use href="#{kind}" class="{kind}"/>')
        over.append(f'<use href="#{kind}" class="{kind} rim"/>')
    for kind in LINES:
        layer = light.layers[kind]
        for rank in sorted({*layer.ranks.tolist()}, reverse=True):
            name = f"{kind}{rank}"
            drawn.append(f'<path id="{name}" d="{_path(layer.at(layer.ranks == rank), project)}"/>')
            wide = _WIDTHS[rank]
            if kind == "street" and rank < _CASED:
                over.append(f'<use href="#{name}" class="casing" stroke-width="{wide + 9}"/>')
            over.append(f'<use href="#{name}" class="{kind}" stroke-width="{wide}"/>')
    said = (
        f'<text class="whose" x="{MAP_WIDTH * FINE - 30}" y="{MAP_HEIGHT * FINE - 30}" font-size="{_SMALL}" '
        f'text-anchor="end">{escape(light.attribution)}</text>'
    )
    return (
        '<svg class="unseen" aria-hidden="true"><defs>'
        f'{"".join(drawn)}<g id="under">{"".join(under)}</g><g id="over" fill="none">{"".join(over)}</g>'
        f'<g id="names">{_names(light, project)}{said}</g></defs></svg>'
    )


def attribution(context: Context | None) -> str:
    """Whose work it is, for the foot of the file."""
    if context is None or context.is_empty:
        return ""
    return f'<p class="small">Water, parks, streets and names: {escape(context.attribution)}</p>'


def surroundings_style() -> str:
    """The style of these parts by day and by night."""
    small = ".small-maps :is(use[href='#over'],.names){display:none}"
    return f"{_style('light')}@media (prefers-color-scheme: dark){{{_style('dark')}}}{small}"


def _style(theme: str) -> str:
    colours = {name: "#" + bytes(rgb).hex() for name, rgb in GROUND[theme].items()}
    return (
        f".water{{fill:{colours['water']};stroke:{colours['shore']};stroke-width:8}}"
        f".park{{fill:{colours['park']};stroke:{colours['hedge']};stroke-width:5}}"
        f".waterway{{stroke:{colours['shore']}}}.street{{stroke:var(--paper)}}.casing,.rail{{stroke:var(--ink);stroke-opacity:.45}}"
        ".rim{fill:none}#names text{fill:var(--ink);stroke:var(--paper);stroke-width:28;paint-order:stroke;text-anchor:middle}"
        "#names text.whose{text-anchor:end}"
    )


def _path(layer: Layer, project: Projection) -> str:
    return path_of(shapely.transform(np.asarray(layer.shapes, dtype=object), project.move))


def _names(context: Context, project: Projection) -> str:
    """The names that fit on the sheet, the most important first; none covers another."""
    taken: list[NDArray[Any]] = []
    found = []
    for place in context.places:
        x, y = project.move(np.array([[place.lng, place.lat]]))[0] * FINE
        high = _LETTERS[min(place.rank, len(_LETTERS) - 1)]
        half = sum(0.55 if sign.isascii() else 1.0 for sign in place.name) * high / 2 + _APART
        box = np.array([x - half, y - high, x + half, y + _APART])
        if box[0] < 0 or box[1] < 0 or box[2] > MAP_WIDTH * FINE or box[3] > MAP_HEIGHT * FINE - 2 * _SMALL:
            continue
        if any((box[:2] < other[2:]).all() and (box[2:] > other[:2]).all() for other in taken):
            continue
        taken.append(box)
        found.append(f'<text x="{x:.0f}" y="{y:.0f}" font-size="{high}">{escape(place.name)}</text>')
        if len(found) == _NAMED:
            break
    return "".join(found)
