"""Maps of a report: one path for each colour on either side of the switch, whatever the number of tiles."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np

from dpcore.measures.measurement import Measurement
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import number
from dpcore.views.ground.reading import (
    BY_NOISE,
    RANGE_AS_WIDE,
    breaks_of,
    class_words,
    colour_breaks,
    coloured_from,
    few_below,
)
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.style import class_colours
from dpcore.views.maps.drawn_map import Arrows, DrawnMap, Key
from dpcore.views.maps.map_classes import FIRST, classes_of_shown, few_words
from dpcore.views.maps.projection import inside
from dpcore.views.maps.still import Styled, key_html, still_map
from dpcore.views.numbers.estimated import estimate_breaks
from dpcore.views.numbers.ranking import strongest_between
from dpcore.views.report.markup import SEE_RELEASED, either
from dpcore.views.report.stop import Stop
from dpcore.views.report.surroundings import OVER, UNDER


def map_svg(measurement: Measurement, stop: Stop, *, first: int, alt: str, part: str = "") -> str:
    """Tiles coloured on both sides of the switch by the cells from ``first`` on (``map_classes``): one path for each pair of classes.

    A path names the class of its tiles' estimates (``e-``) and that of their released counts (``r-``); the style colours the one
    that is chosen. Without estimates both are that of the released counts. ``part``: of a split table.
    """
    breaks, edges = breaks_of(measurement), estimate_breaks(stop.release, measurement.measure)
    ways = stop.ways(measurement.measure)
    sides = [classes_of_shown(one, breaks if one.is_drawn else edges) for one in ways]
    guessed, released, edges = sides[0], sides[-1], edges if len(ways) > 1 else breaks
    guesses, counts = _names(len(edges) + 1), _names(len(breaks) + 1)
    tiles = stop.release.tessellation
    here = slice(first, first + len(tiles.tile_ids))
    drawn = DrawnMap(
        tiles,
        guessed[here] * len(counts) + released[here],
        tuple(f"e-{one} r-{other}" for one in guesses for other in counts),
        None,
    )
    named = f' data-part="{escape(part)}"' if part else ""
    return still_map(drawn, alt, styled=Styled(f'data-map="{measurement.measure}"{named}', UNDER, OVER))


def _names(classes: int) -> list[str]:
    """The style of each class, of so many classes of counts."""
    return ["grey", "few", *(f"k{i}" for i in range(classes))]


def legends(stop: Stop, measurement: Measurement) -> str:
    """The colours of a map in words, on both sides of the switch."""
    name, drawn = measurement.measure, legend_html(measurement, stop.rung)
    if stop.table(name) is None:
        return drawn
    return either(estimated_legend(measurement.counts, estimate_breaks(stop.release, name)), drawn)


def estimated_legend(counts: str, edges: tuple[int, ...]) -> str:
    """The colours of estimates in words; the same at every rung."""
    items = _legend(f"estimated {counts}", edges, RANGE_AS_WIDE, few_words(few_below(edges), estimated=True))
    return f'{items}<p class="small">The colours are the same at every ε.</p>'


def legend_html(measurement: Measurement, rung: int) -> str:
    """The colours in words: grey first, then each class from its first count on. The same at every rung."""
    breaks, counts = breaks_of(measurement), measurement.counts
    finest = coloured_from(measurement, len(measurement.rungs) - 1)
    never = sum(edge <= finest for edge in breaks)  # classes that are grey at every rung
    below = number(coloured_from(measurement, rung))
    few = few_words(few_below(colour_breaks(measurement)), estimated=False)
    return (
        f"{_legend(counts, breaks, BY_NOISE, few, never)}"
        f'<p class="small">Coloured from <span data-below="{escape(measurement.measure)}">{below}</span> '
        f"{escape(counts)} on; the colours are the same at every ε.</p>"
    )


def _legend(counts: str, edges: tuple[int, ...], grey: str, few: str, first: int = 0) -> str:
    """What grey and few mean, then the counts of each class from the class ``first`` on."""
    key = [*zip(_names(len(edges) + 1), (grey, few, *class_words(edges)), strict=True)]
    return key_html(Key(counts, (*key[:FIRST], *key[FIRST + first :])), styled=True)


def colour_style() -> str:
    """The style of the colour classes: of legends, and of maps by the side that the switch shows."""
    colours = {"grey": "var(--noise)", "few": "var(--few)"}
    colours |= {f"k{i}": colour for i, colour in enumerate(class_colours(8))}
    chosen = f"body:has(#{SEE_RELEASED}:checked)"
    return "".join(
        f".{name},.e-{name},{chosen} .r-{name}{{fill:{colour};background:{colour}}}"
        for name, colour in colours.items()
    )


def flows_svg(tiles: Tessellation, shown: Shown, most: int) -> str:
    """The first flows of a stop, at most so many, as bows from tile to tile; dashed where they are not known."""
    flows = shown.at(strongest_between(replace(shown, finest=None), most))
    (starts, ends), points = np.unravel_index(flows.cells, flows.keys.shape), inside(tiles.polygons)
    drawn = DrawnMap(
        tiles,
        np.zeros(len(points), np.int64),
        ("ground",),
        None,
        Arrows(points[starts], points[ends], flows.numbers.values, flows.known),
    )
    name, kind = ("od_flows", "") if shown.is_drawn else ("guessed", "estimated ")
    alt = f"The strongest {kind}flows between tiles; the table holds their numbers"
    return still_map(drawn, alt, styled=Styled(f'data-map="{name}"', UNDER, OVER))
