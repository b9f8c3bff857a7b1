"""Small maps beside each other, as SVG text that needs no style from outside, with the legend of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.tiles import Tessellation
from dpcore.views.charts.plots import window_name
from dpcore.views.charts.series import Counts
from dpcore.views.ground.reading import class_words
from dpcore.views.ground.shown import Shown
from dpcore.views.maps.drawn_map import DrawnMap, Key
from dpcore.views.maps.map_classes import FIRST, Classes, classes_of, classes_of_shown, colours_of
from dpcore.views.maps.still import key_html, still_map

_NOISE: Final = "#8a94a05c"  # a grey that is one by day and by night
_FEW: Final = "#b59b4a21"
_LETTERS: Final = 36  # of the mark, on a map that is seen small


def small_maps(
    tiles: Tessellation,
    shown: Shown,
    breaks: tuple[int, ...],
    truth: Counts | None = None,
    *,
    mark: str = "",
) -> dict[str, dict[str, str]]:
    """Of weekdays, then of weekends, a picture of each window (``visits_per_time_tile``), in the colours that ``breaks`` part.

    With ``truth`` (owner pages only) the pictures show the true counts instead, in the same colours, none of them grey
    but those without a visit. ``mark`` is written into every picture.
    """
    day_types, windows, places = shown.keys.axes
    by_window = iter(drawn_classes(shown, breaks, truth).reshape(-1, len(places.labels)))
    return {
        (days := f"{day_type.capitalize()}s"): {
            (name := window_name(window)): map_of(tiles, next(by_window), breaks, f"{days}, {name}", mark)
            for window in windows.inside
        }
        for day_type in day_types.inside
    }


def drawn_classes(shown: Shown, breaks: Sequence[int], truth: Counts | None = None) -> Classes:
    """The class of each cell (``map_classes``); of the ``truth`` where it is given (owner pages only), grey where there is no visit."""
    return classes_of_shown(shown, breaks) if truth is None else classes_of(truth, breaks, truth > 0)


def map_of(tiles: Tessellation, classes: Classes, breaks: Sequence[int], alt: str, mark: str = "") -> str:
    """One small map of the classes of the tiles, and of nothing behind them, as SVG text; ``breaks`` part the classes of counts."""
    drawn = DrawnMap(tiles, classes[: len(tiles.tile_ids)], _colours(breaks), None)
    return still_map(drawn, alt, mark=mark, dark=None, letters=_LETTERS)


def _colours(breaks: Sequence[int]) -> tuple[str, ...]:
    """Those of the maps on the screen; what lies under them shows through grey and few, by day and by night."""
    return (_NOISE, _FEW, *colours_of(breaks)[FIRST:])


def small_legend(edges: tuple[int, ...], counts: str, grey: str, few: str = "") -> str:
    """The colours of small maps (``map_of``) in words, as HTML that needs no style from outside.

    ``grey``: what grey means; ``few``: what the colour of few means, empty where no map has it.
    """
    key = zip(_colours(edges), (grey, few, *class_words(edges)), strict=True)
    return key_html(Key(counts, tuple(one for one in key if one[1])))
