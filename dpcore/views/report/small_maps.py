"""The maps of all time windows as small pictures with one colour scale, for pages of the app."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Final

import numpy as np

from dpcore.measurement import Measurement
from dpcore.tessellation import Tessellation
from dpcore.views.charts import TRUE
from dpcore.views.plots import window_name
from dpcore.views.reading import trusted_from
from dpcore.views.report.maps import FINE, breaks_of, shapes
from dpcore.views.series import Counts
from dpcore.views.svg import MAP_HEIGHT, MAP_WIDTH, class_colours

_NOISE: Final = "#8a94a05c"  # a grey that is one by day and by night
_LINE: Final = 20  # letters of a line of the mark
_LETTERS: Final = 460  # height of the mark in steps of the sheet


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
    tiles: Tessellation, arrivals: Measurement, rung: int, truth: Counts | None = None, *, mark: str = ""
) -> tuple[SmallMap, ...]:
    """All windows of weekdays, then of weekends (``visits_per_time_tile``).

    With ``truth`` (owner pages only) the pictures show the true counts instead, in the same colours, none of them grey
    but those without a visit. ``mark`` is written into every picture.
    """
    day_types, windows, places = arrivals.keys.axes
    paths, breaks = shapes(tiles), np.array(breaks_of(arrivals))
    counts = arrivals.values[rung] if truth is None else truth
    below = max(1, trusted_from(arrivals, rung)) if truth is None else 1
    by_window = counts.reshape(len(day_types.inside), len(windows.inside), len(places.labels))
    return tuple(
        SmallMap(
            f"{day_type.capitalize()}s",
            window_name(window),
            _picture(paths, by_window[day, at][: len(paths)], breaks, below=below, mark=mark),
        )
        for day, day_type in enumerate(day_types.inside)
        for at, window in enumerate(windows.inside)
    )


def _picture(paths: list[str], values: Counts, breaks: Counts, *, below: int, mark: str) -> str:
    colours = [_NOISE, *class_colours(len(breaks) + 1)]
    kinds = np.where(values < below, 0, 1 + np.searchsorted(breaks, values, side="right"))
    groups = "".join(
        f'<path fill="{colours[kind]}" d="{"".join(paths[i] for i in np.flatnonzero(kinds == kind))}"/>'
        for kind in np.unique(kinds)
    )
    said = "".join(
        f'<text x="20" y="{(line + 1) * _LETTERS}" font-size="{_LETTERS}" fill="{TRUE}">{escape(words)}</text>'
        for line, words in enumerate(wrap(mark, _LINE))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MAP_WIDTH * FINE} {MAP_HEIGHT * FINE}" '
        f'width="{MAP_WIDTH}" height="{MAP_HEIGHT}" fill-rule="evenodd">{groups}{said}</svg>'
    )
