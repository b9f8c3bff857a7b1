"""Still maps as SVG text and their keys as SVG and HTML, without any script or request.

Words stand above the map and its key below, so nothing covers a tile. A picture has no ground of its own. All texts are escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Final

import numpy as np
import shapely

from dpcore.views.ground.style import FLOW, TRUE, ground, ink, mark_colour
from dpcore.views.ground.themes import on_page
from dpcore.views.maps.drawn_map import Arrows, DrawnMap, Key
from dpcore.views.maps.projection import FINE, MAP_HEIGHT, MAP_WIDTH, Projection, bow, path_of, tile_paths

_LETTERS: Final = 16  # pixels, where the map is as wide as its sheet
_BROAD: Final = 0.55  # of a letter, by its height
_EDGE: Final = "#9aa5b1"


@dataclass(frozen=True)
class Styled:
    """How a map stands in a file with a style of its own, which says what all looks like: its colours are names of classes there."""

    attributes: str
    """Of the picture, as SVG text."""
    under: str
    """What the file has to be seen below and above the tiles, as SVG text in steps."""
    over: str


def still_map(
    drawn: DrawnMap,
    alt: str,
    *,
    title: str = "",
    mark: str = "",
    dark: bool | None = False,
    letters: int = _LETTERS,
    styled: Styled | None = None,
) -> str:
    """A map with its title, mark and key as SVG text. Its list and what lies under the tiles stand elsewhere.

    ``mark``: such as that of an owner's preview; ``dark``: as the page is, None: fit for both; ``letters``: their height on a sheet of 640 pixels.
    """
    marked, dark = TRUE if dark is None else mark_colour(dark=dark), bool(dark)
    project, attribute = Projection(drawn.tiles), "fill" if styled is None else "class"
    paths = np.array(tile_paths(drawn.tiles), dtype=object)
    tiles = "".join(
        f'<path {attribute}="{on_page(drawn.colours[one], dark=dark)}" d="{"".join(paths[drawn.which == one])}"/>'
        for one in np.unique(drawn.which)
    )
    rim = "" if styled else f' stroke="{_EDGE}" stroke-width="{drawn.border * FINE}" stroke-linejoin="round"'
    under, over = ("", "") if styled is None else (styled.under, styled.over)
    bows = "" if drawn.arrows is None else _bows(drawn.arrows, project, dark=dark, styled=styled is not None)
    borders = "".join(
        f'<path d="{path_of([shapely.transform(one, project.move)])}" fill="none" stroke="{ink(dark=dark)}" stroke-width="{2 * FINE}"/>'
        for one in drawn.outlined
    )
    names = "".join(
        _name(name, project.move(point[None])[0].tolist(), dark=dark) for name, point in drawn.names
    )
    above = [
        (words, f'fill="{ink(dark=dark)}" font-weight="600"') for words in _lines(title, MAP_WIDTH, letters)
    ]
    above += [(words, f'fill="{marked}"') for words in _lines(mark, MAP_WIDTH, letters)]
    row = round(1.3 * letters)
    top = row * len(above) + letters // 3 * bool(above)
    said = "".join(_text(6, row * at + letters - top, words, look) for at, (words, look) in enumerate(above))
    key, below = ("", 0) if drawn.key is None else _key(drawn.key, MAP_WIDTH, letters, dark=dark)
    return (
        f'<svg {_look(letters) if styled is None else styled.attributes} viewBox="0 {-top} {MAP_WIDTH} {MAP_HEIGHT + top + below}" role="img" '
        f'aria-label="{escape(alt)}">'
        f'<g transform="scale({1 / FINE})" fill-rule="evenodd"{rim}>{under}{tiles}{over}{bows}{borders}</g>'
        f'{names}{said}<g transform="translate(0 {MAP_HEIGHT})">{key}</g></svg>'
    )


def still_key(key: Key, alt: str, *, wide: int, letters: int = 12, dark: bool = False) -> str:
    """A key as a picture of its own, so many pixels wide on every page."""
    body, high = _key(key, wide, letters, dark=dark)
    return (
        f'<svg {_look(letters)} viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img" '
        f'aria-label="{escape(alt)}">{body}</svg>'
    )


def _look(letters: int) -> str:
    """What a picture says of itself that has no style around it."""
    return f'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="{letters}"'


def key_html(key: Key, *, styled: bool = False) -> str:
    """A key as a list; ``styled``: in a file with a style of its own, in which the colours are names of classes."""
    box = "" if styled else "display:inline-block;width:0.8em;height:0.8em;background:"
    items = "".join(
        f'<li><span {"class" if styled else "style"}="{box}{colour}"></span> {escape(words)}</li>'
        for colour, words in key.colours
    )
    look = "list-style:none;display:flex;flex-wrap:wrap;gap:2px 14px;padding:0;margin:0;font-size:0.85rem"
    named = 'class="legend"' if styled else f'style="{look}"'
    return f'<ul {named} aria-label="Colours of the map, in {escape(key.unit)}">{items}</ul>'


def _key(key: Key, wide: int, letters: int, *, dark: bool) -> tuple[str, int]:
    """The unit, the strip of the scale, and all other colours with their words; and how high they are."""
    row, found, middle = round(1.5 * letters), [], 'text-anchor="middle"'
    top = letters // 4
    for words in _lines(key.unit, wide, letters):
        found.append(_text(6, top + letters, words))
        top += row
    strip = key.colours[: len(key.edges) + 1] if key.edges else ()
    if strip:
        if any(key.ends):
            found.append(_text(0, top + letters, key.ends[0]))
            found.append(_text(wide, top + letters, key.ends[1], 'text-anchor="end"'))
            top += row
        step, under = wide / len(strip), top + 2 * letters
        found += [_box(at * step, top, step, letters, one, dark=dark) for at, (one, _) in enumerate(strip)]
        found += [_text((at + 1) * step, under + 1, edge, middle) for at, edge in enumerate(key.edges)]
        top += round(2.4 * letters)
    others = key.colours[len(strip) :]
    broad = max((len(words) for _, words in others), default=0) * _BROAD * letters + 2.2 * letters
    columns = max(1, min(len(others), int(wide / broad)))
    for at, (colour, words) in enumerate(others):
        left, low = at % columns * (wide // columns), top + at // columns * row + letters // 4
        found.append(_box(left + 1, low, letters, letters, colour, dark=dark, rim=True))
        found.append(_text(left + 1.5 * letters, low + 0.85 * letters, words))
    top += -(-len(others) // columns) * row + letters // 4
    return f'<g fill="{ink(dark=dark)}">{"".join(found)}</g>', top


def _box(
    left: float, top: float, wide: float, high: float, colour: str, *, dark: bool, rim: bool = False
) -> str:
    edge = f' stroke="{_EDGE}" stroke-width="0.5"' if rim else ""
    shape = f'x="{left:.0f}" y="{top}" width="{wide:.0f}" height="{high}"'
    return f'<rect {shape} fill="{on_page(colour, dark=dark)}"{edge}/>'


def _text(left: float, base: float, words: str, look: str = "") -> str:
    return f'<text x="{left:.0f}" y="{base:.0f}"{look and " "}{look}>{escape(words)}</text>'


def _lines(words: str, wide: int, letters: int) -> list[str]:
    return wrap(words, int(wide / (_BROAD * letters)))


def _name(name: str, at: tuple[float, float], *, dark: bool) -> str:
    """A word on the map, with a rim, so that no colour below hides it."""
    rim = f'stroke="{ground(dark=dark)}" stroke-width="4" paint-order="stroke" stroke-linejoin="round"'
    look = f'text-anchor="middle" font-size="14" font-weight="600" fill="{ink(dark=dark)}" {rim}'
    return _text(at[0], at[1] + 5, name, look)


def _bows(arrows: Arrows, project: Projection, *, dark: bool, styled: bool) -> str:
    """Flows as bows, thick where they end; the smallest first, so that none hides a larger one."""
    starts, ends, widths = project.move(arrows.origins), project.move(arrows.destinations), arrows.widths
    flow, found = on_page(FLOW, dark=dark), []
    for at in np.argsort(arrows.sizes, kind="stable"):
        sure = bool(arrows.sure[at])
        if styled:
            look = f'class="flow{"" if sure else " drowned"}"'
        elif sure:
            look = f'fill="{flow}" fill-opacity="0.85" stroke="{ground(dark=dark)}" stroke-width="2"'
        else:
            look = (
                f'fill="{flow}" fill-opacity="0.3" stroke="{flow}" stroke-width="6" stroke-dasharray="24 18"'
            )
        corners = [f"{x} {y}" for x, y in np.rint(bow(starts[at], ends[at], widths[at]) * FINE).astype(int)]
        found.append(
            f'<path {look} d="M{corners[0]}Q{" ".join(corners[1:3])}L{" ".join(corners[3:7])}Q{" ".join(corners[7:])}z"/>'
        )
    return "".join(found)
