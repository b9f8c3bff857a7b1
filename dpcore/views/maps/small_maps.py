"""Small maps beside each other, as SVG text that needs no style from outside, with the legend of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from textwrap import wrap
from typing import Final

import numpy as np
import shapely

from dpcore.tiles import Tessellation
from dpcore.views.charts.plots import window_name
from dpcore.views.charts.series import Counts
from dpcore.views.ground.reading import class_words
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.style import TRUE
from dpcore.views.maps.map_classes import (
    FIRST,
    Classes,
    classes_of,
    classes_of_shown,
    colours_of,
)
from dpcore.views.maps.map_svg import FINE, MAP_HEIGHT, MAP_WIDTH, Projection

_MOST_CORNERS: Final = 40_000
_FIRST_TOLERANCE: Final = 2.0  # in steps of the sheet: a fifth of a pixel
_NOISE: Final = "#8a94a05c"  # a grey that is one by day and by night
_FEW: Final = "#b59b4a21"
_LINE: Final = 26  # letters of a line of the mark
_LETTERS: Final = 360  # height of a line of the mark in steps of the sheet


def shapes(tiles: Tessellation) -> list[str]:
    """The path of each tile in whole steps of the sheet; simplified where there are very many corners."""
    project = Projection(tiles)
    moved = shapely.transform(np.asarray(tiles.polygons, dtype=object), lambda at: project.move(at) * FINE)
    tolerance = _FIRST_TOLERANCE
    drawn = shapely.simplify(moved, tolerance)
    while shapely.get_num_coordinates(drawn).sum() > _MOST_CORNERS and tolerance < FINE * 20:
        tolerance *= 2
        drawn = shapely.simplify(moved, tolerance)
    return [_path(shape) for shape in drawn]


def _path(shape: shapely.Geometry) -> str:
    found = []
    for part in shapely.get_parts(shape):
        for ring in (part.exterior, *part.interiors):
            corners = np.rint(shapely.get_coordinates(ring)[:-1]).astype(int)
            kept = [corners[0], *(b for a, b in pairwise(corners) if (a != b).any())]
            steps = "".join(f"l{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(kept))
            found.append(f"M{kept[0][0]} {kept[0][1]}{steps}z")
    return "".join(found)


@dataclass(frozen=True)
class SmallMap:
    """One time window."""

    row: str
    """Weekdays or weekends."""
    column: str
    """The window, such as ``6-10 h``."""
    picture: str
    """An SVG text that needs no style from outside."""


def small_maps(
    tiles: Tessellation,
    shown: Shown,
    breaks: tuple[int, ...],
    truth: Counts | None = None,
    *,
    mark: str = "",
) -> tuple[SmallMap, ...]:
    """All windows of weekdays, then of weekends (``visits_per_time_tile``), in the colours that ``breaks`` part.

    With ``truth`` (owner pages only) the pictures show the true counts instead, in the same colours, none of them grey
    but those without a visit. ``mark`` is written into every picture.
    """
    day_types, windows, places = shown.keys.axes
    paths, classes = shapes(tiles), drawn_classes(shown, breaks, truth)
    by_window = classes.reshape(len(day_types.inside), len(windows.inside), len(places.labels))
    return tuple(
        SmallMap(
            f"{day_type.capitalize()}s",
            window_name(window),
            map_of(paths, by_window[day, at][: len(paths)], breaks, mark),
        )
        for day, day_type in enumerate(day_types.inside)
        for at, window in enumerate(windows.inside)
    )


def drawn_classes(shown: Shown, breaks: Sequence[int], truth: Counts | None = None) -> Classes:
    """The class of each cell (``map_classes``); of the ``truth`` where it is given (owner pages only), grey where there is no visit."""
    return classes_of_shown(shown, breaks) if truth is None else classes_of(truth, breaks, truth > 0)


def map_of(paths: list[str], classes: Classes, breaks: Sequence[int], mark: str = "") -> str:
    """One small map of the classes of the tiles (``shapes``) as an SVG text; ``breaks`` part the classes of counts."""
    colours = _colours(breaks)
    groups = "".join(
        f'<path fill="{colours[one]}" d="{"".join(paths[i] for i in np.flatnonzero(classes == one))}"/>'
        for one in np.unique(classes)
    )
    lines = wrap(mark, _LINE)
    above = (len(lines) * _LETTERS + _LETTERS // 3 * bool(lines)) // FINE  # so that the mark covers no tile
    said = "".join(
        f'<text x="20" font-family="sans-serif" y="{(line + 1) * _LETTERS - above * FINE}" font-size="{_LETTERS}" fill="{TRUE}">{escape(words)}</text>'
        for line, words in enumerate(lines)
    )
    high = MAP_HEIGHT + above
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {-above * FINE} {MAP_WIDTH * FINE} {high * FINE}" '
        f'width="{MAP_WIDTH}" height="{high}" fill-rule="evenodd">{groups}{said}</svg>'
    )


def _colours(breaks: Sequence[int]) -> tuple[str, ...]:
    """Those of the maps on the screen; what lies under them shows through grey and few, by day and by night."""
    return (_NOISE, _FEW, *colours_of(breaks)[FIRST:])


def small_legend(edges: tuple[int, ...], counts: str, grey: str, few: str = "") -> str:
    """The colours of small maps (``map_of``) in words, as HTML that needs no style from outside.

    ``grey``: what grey means; ``few``: what the colour of few means, empty where no map has it.
    """
    items = "".join(
        f'<li><span style="display:inline-block;width:0.8em;height:0.8em;background:{colour}"></span> {escape(word)}</li>'
        for colour, word in zip(_colours(edges), (grey, few, *class_words(edges)), strict=True)
        if word
    )
    look = "list-style:none;display:flex;flex-wrap:wrap;gap:2px 14px;padding:0;margin:0;font-size:0.85rem"
    return f'<ul style="{look}" aria-label="Colours of the maps, in {escape(counts)}">{items}</ul>'
