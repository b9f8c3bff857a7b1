"""Which pictures a table has: its cells in order, with the names that people read.

``chart`` draws a plot for the pages of the app and for the report file alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures import MEASURES, Kind, Layout, measure_named
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts, series
from dpcore.views.ground.plain import district_labels, district_name, short_date
from dpcore.views.ground.shown import Shown

Cells = NDArray[np.int64]

_LARGEST: Final = 25
"""Pairs of districts in a picture."""


@dataclass(frozen=True, eq=False)
class Plot:
    """One picture of some cells of a measurement."""

    name: str
    """Short and unique within its measure, such as ``start-weekday``."""
    title: str
    labels: tuple[str, ...]
    """One for each cell, as a table says it."""
    ticks: tuple[str, ...]
    """The same, short enough to stand below an axis."""
    cells: Cells
    """Positions of the cells in the table."""
    total: Cells | None
    """The cells whose sum is the total, for shares; None where the cells do not add up to a total."""


def plots(shown: Shown, tiles: Tessellation | None = None) -> tuple[Plot, ...]:
    """The pictures of a table, by the layout of its measure; ``tiles``: those whose districts it counts, for their names.

    None for tables over tiles, which have maps and rankings, and for sums and means, whose cells are no counts.
    """
    if not is_plotted(shown.measure):
        return ()
    measure = measure_named(shown.measure)
    kind, named = measure.layout.kind, measure.layout.labels
    axes, every = shown.keys.axes, shown.keys.all_cells
    if kind is Kind.PAIRS:
        return (_pairs(shown, measure.title, tiles),)
    if measure.layout.groups:
        return _groups(shown, measure.layout)
    if kind is Kind.DATES:
        dates = axes[0].inside
        return (Plot("days", measure.title, dates, _short_dates(dates), every[1:-1], every),)
    if kind is Kind.BINS:
        labels = tuple(series.bin_names(axes[0], whole=measure.whole))
        return (Plot("bins", measure.title, labels, series.short_bins(labels), every, every),)
    labels = tuple(named.get(key, key) for key in axes[0].labels)
    total = every if measure.adds_up else None
    return (Plot("rows", measure.title, labels, labels, every, total),)


def is_plotted(measure: str) -> bool:
    """Whether tables of a measure have pictures here."""
    found = MEASURES.get(measure)
    return found is not None and found.layout.kind not in {Kind.TILES, Kind.FLOWS}


def _pairs(shown: Shown, title: str, tiles: Tessellation | None) -> Plot:
    """The pairs with the largest released counts, the same ones at every rung. There are too many to draw them all."""
    drawn = shown.released or shown
    finest = (drawn.finest or drawn.numbers).values
    largest = np.argsort(-finest, kind="stable")[:_LARGEST].astype(np.int64)
    keys = shown.keys.labels(shown.cells[largest])
    called = {} if tiles is None else district_labels(tiles, shown.keys.axes[0])
    labels = tuple(
        " \N{RIGHTWARDS ARROW} ".join(called.get(one, district_name(one)) for one in ends)
        for ends in zip(*keys.values(), strict=True)
    )
    if len(finest) > _LARGEST:
        title = f"{title}: the {_LARGEST} largest"
    return Plot("pairs", title, labels, labels, largest, np.arange(len(finest), dtype=np.int64))


def _groups(shown: Shown, layout: Layout) -> tuple[Plot, ...]:
    """One line for each combination of the keys before the last axis; those of one first key add up to a total."""
    *axes, last = shown.keys.axes
    size, of_first = len(last.labels), shown.keys.size // len(axes[0].labels)
    found = []
    for number, keys in enumerate(product(*(axis.labels for axis in axes))):
        first = number * size
        begin = first // of_first * of_first
        title = layout.group_title.format(*keys)
        found.append(
            Plot(
                "-".join(keys),
                title[:1].upper() + title[1:],
                tuple(layout.labels.get(key, key) for key in last.labels),
                last.labels,
                np.arange(first, first + size),
                np.arange(begin, begin + of_first),
            )
        )
    return tuple(found)


def tile_windows(shown: Shown, tile: int) -> tuple[Plot, ...]:
    """The time windows of one tile (``visits_per_time_tile``): one picture for weekdays, one for weekends."""
    day_types, windows, tiles = shown.keys.axes
    step = len(tiles.labels)
    labels = tuple(window_name(window) for window in windows.inside)
    found = []
    for number, day_type in enumerate(day_types.inside):
        first = number * len(labels) * step + tile
        cells = first + step * np.arange(len(labels), dtype=np.int64)
        title = f"Arrivals by time of day on {day_type}s"
        found.append(Plot(f"tile-{day_type}", title, labels, labels, cells, None))
    return tuple(found)


def window_name(window: str) -> str:
    """A time window in hours of the clock.

    >>> window_name("22-2") == "22\N{EN DASH}2 h"
    True
    """
    return window.replace("-", "\N{EN DASH}") + " h"


def chart(
    plot: Plot,
    shown: Shown,
    truth: series.Counts | None = None,
    mark: str = "",
    *,
    clipped: bool = False,
    fixed: tuple[int, int] | None = None,
) -> charts.Chart:
    """The plot for a page of the app.

    ``fixed``: the range of its vertical axis, if it shares one with others.
    """
    if measure_named(shown.measure).layout.kind is Kind.DATES and series.are_days(plot.labels):
        return series.over_time(shown, truth, mark, clipped=clipped)
    if shown.measure == "trips_per_hour":
        kind, _, day_type = plot.name.partition("-")
        return series.per_hour(shown, truth, mark, kind=kind, day_type=day_type, clipped=clipped)
    low, high = fixed or limits(plot, shown, truth)
    return series.bars(
        shown,
        truth,
        mark,
        labels=plot.labels,
        ticks=plot.ticks,
        title=plot.title,
        unit=series.unit_of(shown.measure),
        cells=plot.cells,
        limits=(0 if clipped else low, high),
        clipped=clipped,
    )


def whole(
    shown: Shown,
    truth: series.Counts | None = None,
    mark: str = "",
    *,
    clipped: bool = False,
) -> charts.Chart:
    """All plots of a table in one figure, two beside each other, each below its title."""
    parts = [(plot.title, chart(plot, shown, truth, mark, clipped=clipped)) for plot in plots(shown)]
    return parts[0][1] if len(parts) == 1 else charts.beside(parts, mark)


def limits(plot: Plot, shown: Shown, truth: series.Counts | None = None) -> tuple[int, int]:
    """The vertical axis of a plot, with room for every range; groups of one table share one."""
    grouped = bool(measure_named(shown.measure).layout.groups)
    return shown.limits(slice(None) if grouped else plot.cells, truth)


def _short_dates(dates: tuple[str, ...]) -> tuple[str, ...]:
    """2024-04-01 as 1 Apr; a date of another form stays."""
    return tuple(short_date(date.fromisoformat(one)) if len(one) == 10 else one for one in dates)
