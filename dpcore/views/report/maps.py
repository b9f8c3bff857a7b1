"""The tiles as shapes on a sheet, and maps of them: one path for each colour, whatever the number of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from textwrap import wrap
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.estimates import Ranged
from dpcore.measures.measurement import Measurement
from dpcore.tiles import Tessellation
from dpcore.views.estimated import drawn_counts
from dpcore.views.flows import drawn_flows
from dpcore.views.map_svg import MAP_HEIGHT, MAP_WIDTH, Projection
from dpcore.views.plain import number
from dpcore.views.plots import window_name
from dpcore.views.reading import colour_breaks, coloured_from
from dpcore.views.report.surroundings import FINE, OVER, UNDER
from dpcore.views.series import Counts
from dpcore.views.style import TRUE, class_colours

_MOST_CORNERS: Final = 40_000
_FIRST_TOLERANCE: Final = 2.0  # in steps of the sheet: a fifth of a pixel
_WIDEST: Final = 42.0  # stroke of the strongest flow, in steps


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


def middles(tiles: Tessellation) -> Counts:
    """A point inside each tile, where flows begin and end; whole steps, shape (tiles, 2)."""
    points = shapely.get_coordinates(shapely.point_on_surface(np.asarray(tiles.polygons, dtype=object)))
    return np.asarray(np.rint(Projection(tiles).move(points) * FINE), dtype=np.int64)


def map_svg(
    paths: list[str],
    measurement: Measurement,
    rung: int,
    *,
    first: int,
    alt: str,
    shown: Ranged | None = None,
    edges: tuple[int, ...] | None = None,
    part: str = "",
) -> str:
    """Tiles coloured by the counts of the cells from ``first`` on; grey below what stands out of the noise.

    ``part``: of a split table, which a pointer reads before the name of a tile.

    With ``shown`` by these estimates in the classes that ``edges`` part; grey where a likely range is as wide as its number.
    """
    breaks, of = np.array(edges or breaks_of(measurement)), slice(first, first + len(paths))
    values: NDArray[np.float64] | Counts = measurement.values[rung][of]
    grey = values < coloured_from(measurement, rung)
    if shown is not None:
        values = shown.values[of]
        grey = ~((shown.high[of] - shown.low[of]) / 2 < values)
    found = np.searchsorted(breaks, values, side="right")
    found[grey] = -1
    groups = "".join(
        f'<path class="{"grey" if number_of < 0 else f"k{number_of}"}" '
        f'd="{"".join(path for path, mine in zip(paths, found, strict=True) if mine == number_of)}"/>'
        for number_of in range(-1, len(breaks) + 1)
    )
    return (
        f'<svg viewBox="0 0 {MAP_WIDTH * FINE} {MAP_HEIGHT * FINE}" role="img" aria-label="{escape(alt)}" '
        f'data-map="{measurement.measure}" data-first="{first}" data-part="{escape(part)}" fill-rule="evenodd">{UNDER}{groups}{OVER}<path class="chosen" d=""/></svg>'
    )


def finest_below(measurement: Measurement) -> int:
    """The count from which tiles are coloured at the highest rung; nowhere from less."""
    return coloured_from(measurement, len(measurement.rungs) - 1)


def breaks_of(measurement: Measurement) -> tuple[int, ...]:
    """The colour breaks of a measure on every map and at every rung of the report."""
    return colour_breaks(measurement, finest_below(measurement))


def estimated_legend(measure: str, counts: str, edges: tuple[int, ...]) -> str:
    """The colours of estimates in words; the same at every rung."""
    about = f"Colours of the map of {escape(measure)}, in estimated {escape(counts)}"
    items = _legend(about, edges, "the likely range is as wide as the number")
    return f'{items}<p class="small">The colours are the same at every ε.</p>'


def legend_html(measurement: Measurement, rung: int) -> str:
    """The colours in words: grey first, then each class from its first count on. The same at every rung."""
    breaks, counts = breaks_of(measurement), escape(measurement.counts)
    never = sum(edge <= finest_below(measurement) for edge in breaks)  # classes that are grey at every rung
    below = number(coloured_from(measurement, rung))
    return (
        f"{_legend(f'Colours of the map, in {counts}', breaks, 'noise alone could have made it', never)}"
        f'<p class="small">Coloured from <span data-below="{escape(measurement.measure)}">{below}</span> '
        f"{counts} on; the colours are the same at every ε.</p>"
    )


def _legend(about: str, edges: tuple[int, ...], grey: str, first: int = 0) -> str:
    """What grey means, then the counts of each class from the class ``first`` on."""
    words = enumerate(class_words(edges))
    classes = [("grey", grey), *((f"k{i}", word) for i, word in words if i >= first)]
    items = "".join(
        f'<li><svg viewBox="0 0 14 14" aria-hidden="true"><rect class="{name}" width="14" height="14"/></svg> {word}</li>'
        for name, word in classes
    )
    return f'<ul class="legend" aria-label="{about}">{items}</ul>'


def class_words(edges: Sequence[int]) -> list[str]:
    """The classes between some edges in words, such as ``10 to 19``, the lowest first."""
    between = [
        f"{number(low)} to {number(high - 1)}" if high - low > 1 else number(low)
        for low, high in pairwise(edges)
    ]
    return [f"under {number(edges[0])}", *between, f"{number(edges[-1])} or more"]


def small_legend(edges: tuple[int, ...], counts: str, grey: str) -> str:
    """The colours of small maps (``map_of``) in words, as HTML that needs no style from outside; ``grey``: what grey means."""
    items = "".join(
        f'<li><span style="display:inline-block;width:0.8em;height:0.8em;background:{colour}"></span> {escape(word)}</li>'
        for colour, word in zip(
            [_NOISE, *class_colours(len(edges) + 1)], [grey, *class_words(edges)], strict=True
        )
    )
    look = "list-style:none;display:flex;flex-wrap:wrap;gap:2px 14px;padding:0;margin:0;font-size:0.85rem"
    return f'<ul style="{look}" aria-label="Colours of the maps, in {escape(counts)}">{items}</ul>'


def colour_style() -> str:
    """The style of the colour classes."""
    return "".join(f".k{i}{{fill:{colour}}}" for i, colour in enumerate(class_colours(8)))


def flow_style(value: int, strongest: int, below: int) -> tuple[str, float]:
    """Class and width of a flow at a rung; thin and dashed where noise dominates."""
    if value < below:
        return "flow drowned", 4.0
    return "flow", max(5.0, _WIDEST * (value / max(1, strongest)) ** 0.5)


def flows_svg(paths: list[str], points: Counts, flows: Measurement, rung: int) -> str:
    """The strongest flows of the highest rung as curves from tile to tile, one choice for all rungs."""
    drawn = drawn_flows(flows)
    ends = np.unravel_index(flows.cell_numbers[drawn], flows.keys.shape)
    values, below = flows.values[rung][drawn], coloured_from(flows, rung)
    strongest = int(flows.values[-1][drawn].max(initial=1))
    styles = [flow_style(int(value), strongest, below) for value in values]
    return _curves(paths, points, ends, styles, name="od_flows", alt="The strongest flows between tiles")


def estimated_flows_svg(
    paths: list[str], points: Counts, ends: Sequence[Counts], values: Counts | None, strongest: float
) -> str:
    """Estimated flows as curves from tile to tile; dashed where the file does not carry the estimates of the rung."""
    styles = [("flow drowned", 4.0)] * len(ends[0])
    if values is not None:
        styles = [flow_style(int(value), int(strongest), 0) for value in values]
    return _curves(
        paths, points, ends, styles, name="guessed", alt="The strongest estimated flows between tiles"
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
        f'<svg viewBox="0 0 {MAP_WIDTH * FINE} {MAP_HEIGHT * FINE}" role="img" data-map="{name}" data-first="0" '
        f'aria-label="{alt}; the table holds their numbers">'
        f'{UNDER}<path class="ground" d="{"".join(paths)}"/>{OVER}{lines}<path class="chosen" d=""/></svg>'
    )


def _bow(start: Counts, end: Counts) -> str:
    """A curve that bends to its right, so that both directions of a pair can be seen."""
    middle = (start + end) / 2
    along = (end - start).astype(float)
    bend = middle + np.array([-along[1], along[0]]) * 0.14
    return f"M{start[0]} {start[1]}Q{bend[0]:.0f} {bend[1]:.0f} {end[0]} {end[1]}"


def _path(shape: shapely.Geometry) -> str:
    found = []
    for part in shapely.get_parts(shape):
        for ring in (part.exterior, *part.interiors):
            corners = np.rint(shapely.get_coordinates(ring)[:-1]).astype(int)
            kept = [corners[0], *(b for a, b in pairwise(corners) if (a != b).any())]
            steps = "".join(f"l{b[0] - a[0]} {b[1] - a[1]}" for a, b in pairwise(kept))
            found.append(f"M{kept[0][0]} {kept[0][1]}{steps}z")
    return "".join(found)


_NOISE: Final = "#8a94a05c"  # a grey that is one by day and by night
_LINE: Final = 26  # letters of a line of the mark
_LETTERS: Final = 360  # height of a line of the mark in steps of the sheet


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
    arrivals: Measurement,
    rung: int,
    truth: Counts | None = None,
    *,
    mark: str = "",
    shown: Ranged | None = None,
    edges: tuple[int, ...] | None = None,
) -> tuple[SmallMap, ...]:
    """All windows of weekdays, then of weekends (``visits_per_time_tile``).

    With ``truth`` (owner pages only) the pictures show the true counts instead, in the same colours, none of them grey
    but those without a visit. With ``shown`` they show these estimates, grey where half of a likely range is as wide as its
    number, in the colours that ``edges`` part. ``mark`` is written into every picture.
    """
    day_types, windows, places = arrivals.keys.axes
    paths, breaks = shapes(tiles), np.array(edges or breaks_of(arrivals))
    counts = arrivals.values[rung] if truth is None else truth
    below = coloured_from(arrivals, rung) if truth is None else 1
    if shown is not None:
        counts, below = drawn_counts(shown), 1
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


def map_of(paths: list[str], values: Counts, breaks: tuple[int, ...], below: int, mark: str = "") -> str:
    """One small map of counts of the tiles (``shapes``) as an SVG text; grey below ``below``, else in the classes of ``breaks``."""
    return _picture(paths, values, np.array(breaks), below=below, mark=mark)


def _picture(paths: list[str], values: Counts, breaks: Counts, *, below: int, mark: str) -> str:
    colours = [_NOISE, *class_colours(len(breaks) + 1)]
    kinds = np.where(values < below, 0, 1 + np.searchsorted(breaks, values, side="right"))
    groups = "".join(
        f'<path fill="{colours[kind]}" d="{"".join(paths[i] for i in np.flatnonzero(kinds == kind))}"/>'
        for kind in np.unique(kinds)
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
