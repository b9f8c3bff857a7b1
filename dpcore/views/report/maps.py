"""Maps of a report: one path for each colour on either side of the switch, whatever the number of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Final

import numpy as np
import shapely

from dpcore.measures.measurement import Measurement
from dpcore.tiles import Tessellation
from dpcore.views.charts.series import Counts
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
from dpcore.views.maps.map_classes import FIRST, classes_of_shown, few_words
from dpcore.views.maps.map_svg import FINE, MAP_HEIGHT, MAP_WIDTH, Projection
from dpcore.views.numbers.estimated import estimate_breaks
from dpcore.views.numbers.ranking import strongest_between
from dpcore.views.report.markup import SEE_RELEASED, either
from dpcore.views.report.stop import Stop
from dpcore.views.report.surroundings import OVER, UNDER

_WIDEST: Final = 42.0  # stroke of the strongest flow, in steps


def middles(tiles: Tessellation) -> Counts:
    """A point inside each tile, where flows begin and end; whole steps, shape (tiles, 2)."""
    points = shapely.get_coordinates(shapely.point_on_surface(np.asarray(tiles.polygons, dtype=object)))
    return np.asarray(np.rint(Projection(tiles).move(points) * FINE), dtype=np.int64)


def map_svg(
    paths: list[str], measurement: Measurement, stop: Stop, *, first: int, alt: str, part: str = ""
) -> str:
    """Tiles coloured on both sides of the switch by the cells from ``first`` on (``map_classes``): one path for each pair of classes.

    A path names the class of its tiles' estimates (``e-``) and that of their released counts (``r-``); the style colours the one
    that is chosen. Without estimates both are that of the released counts. ``part``: of a split table.
    """
    breaks, edges = breaks_of(measurement), estimate_breaks(stop.release, measurement.measure)
    ways = stop.ways(measurement.measure)
    sides = [classes_of_shown(one, breaks if one.is_drawn else edges) for one in ways]
    guessed, released, edges = sides[0], sides[-1], edges if len(ways) > 1 else breaks
    here = slice(first, first + len(paths))
    drawn: dict[tuple[int, int], list[str]] = {}
    for path, *pair in zip(paths, guessed[here].tolist(), released[here].tolist(), strict=True):
        drawn.setdefault((pair[0], pair[1]), []).append(path)
    guesses, counts = _names(len(edges) + 1), _names(len(breaks) + 1)
    groups = "".join(
        f'<path class="e-{guesses[one]} r-{counts[other]}" d="{"".join(tiles)}"/>'
        for (one, other), tiles in sorted(drawn.items())
    )
    named = f' data-part="{escape(part)}"' if part else ""
    return (
        f'<svg viewBox="0 0 {MAP_WIDTH * FINE} {MAP_HEIGHT * FINE}" role="img" aria-label="{escape(alt)}" '
        f'data-map="{measurement.measure}"{named} fill-rule="evenodd">{UNDER}{groups}{OVER}</svg>'
    )


def _names(classes: int) -> list[str]:
    """The style of each class, of so many classes of counts."""
    return ["grey", "few", *(f"k{i}" for i in range(classes))]


def legends(stop: Stop, measurement: Measurement) -> str:
    """The colours of a map in words, on both sides of the switch."""
    name, drawn = measurement.measure, legend_html(measurement, stop.rung)
    if stop.table(name) is None:
        return drawn
    return either(estimated_legend(name, measurement.counts, estimate_breaks(stop.release, name)), drawn)


def estimated_legend(measure: str, counts: str, edges: tuple[int, ...]) -> str:
    """The colours of estimates in words; the same at every rung."""
    about = f"Colours of the map of {escape(measure)}, in estimated {escape(counts)}"
    items = _legend(about, edges, RANGE_AS_WIDE, few_words(few_below(edges), estimated=True))
    return f'{items}<p class="small">The colours are the same at every ε.</p>'


def legend_html(measurement: Measurement, rung: int) -> str:
    """The colours in words: grey first, then each class from its first count on. The same at every rung."""
    breaks, counts = breaks_of(measurement), escape(measurement.counts)
    finest = coloured_from(measurement, len(measurement.rungs) - 1)
    never = sum(edge <= finest for edge in breaks)  # classes that are grey at every rung
    below = number(coloured_from(measurement, rung))
    few = few_words(few_below(colour_breaks(measurement)), estimated=False)
    return (
        f"{_legend(f'Colours of the map, in {counts}', breaks, BY_NOISE, few, never)}"
        f'<p class="small">Coloured from <span data-below="{escape(measurement.measure)}">{below}</span> '
        f"{counts} on; the colours are the same at every ε.</p>"
    )


def _legend(about: str, edges: tuple[int, ...], grey: str, few: str, first: int = 0) -> str:
    """What grey and few mean, then the counts of each class from the class ``first`` on."""
    words = (grey, few, *class_words(edges))
    items = "".join(
        f'<li><svg viewBox="0 0 14 14" aria-hidden="true"><rect class="{name}" width="14" height="14"/></svg> {word}</li>'
        for at, (name, word) in enumerate(zip(_names(len(edges) + 1), words, strict=True))
        if not FIRST <= at < FIRST + first
    )
    return f'<ul class="legend" aria-label="{about}">{items}</ul>'


def colour_style() -> str:
    """The style of the colour classes: of legends, and of maps by the side that the switch shows."""
    colours = {"grey": "var(--noise)", "few": "var(--few)"}
    colours |= {f"k{i}": colour for i, colour in enumerate(class_colours(8))}
    chosen = f"body:has(#{SEE_RELEASED}:checked)"
    return "".join(
        f".{name},.e-{name},{chosen} .r-{name}{{fill:{colour}}}" for name, colour in colours.items()
    )


def flow_style(value: float, strongest: float, *, drowned: bool) -> tuple[str, float]:
    """Class and width of a flow; thin and dashed where noise dominates."""
    if drowned:
        return "flow drowned", 4.0
    return "flow", max(5.0, _WIDEST * (value / max(1, strongest)) ** 0.5)


def flows_svg(paths: list[str], points: Counts, shown: Shown, most: int) -> str:
    """The strongest flows of a stop, at most so many, as curves from tile to tile."""
    flows = shown.at(strongest_between(replace(shown, finest=None), most))
    values = flows.numbers.values.astype(np.int64)
    styles = [
        flow_style(value, values.max(), drowned=shown.is_drawn and not sure)
        for value, sure in zip(values.tolist(), flows.readable, strict=True)
    ]
    ends, kind = np.unravel_index(flows.cells, flows.keys.shape), "" if shown.is_drawn else "estimated "
    return _curves(
        paths,
        points,
        ends,
        styles,
        name="od_flows" if shown.is_drawn else "guessed",
        alt=f"The strongest {kind}flows between tiles",
    )


def _curves(
    paths: list[str],
    points: Counts,
    ends: Sequence[Counts],
    styles: list[tuple[str, float]],
    *,
    name: str,
    alt: str,
) -> str:
    """Flows as curves over the tiles. ``ends``: their origins and destinations; ``styles``: class and width of each."""
    lines = "".join(
        f'<path class="{look}" stroke-width="{wide:.0f}" d="{_bow(start, end)}"/>'
        for (look, wide), start, end in zip(styles, points[ends[0]], points[ends[1]], strict=True)
    )
    return (
        f'<svg viewBox="0 0 {MAP_WIDTH * FINE} {MAP_HEIGHT * FINE}" role="img" data-map="{name}" '
        f'aria-label="{alt}; the table holds their numbers">'
        f'{UNDER}<path class="ground" d="{"".join(paths)}"/>{OVER}{lines}</svg>'
    )


def _bow(start: Counts, end: Counts) -> str:
    """A curve that bends to its right, so that both directions of a pair can be seen."""
    middle = (start + end) / 2
    along = (end - start).astype(float)
    bend = middle + np.array([-along[1], along[0]]) * 0.14
    return f"M{start[0]} {start[1]}Q{bend[0]:.0f} {bend[1]:.0f} {end[0]} {end[1]}"
