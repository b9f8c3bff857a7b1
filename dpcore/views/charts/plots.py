"""Which pictures a table has: its cells in order, with the names that people read.

``chart`` draws a plot for the pages of the app and for the report file alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Ranged
from dpcore.measures import MEASURES, Kind, Layout, measure_named
from dpcore.measures.measurement import Measurement
from dpcore.views.charts import charts, series
from dpcore.views.ground.plain import district_name
from dpcore.views.ground.reading import axis_range

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


def plots(measurement: Measurement) -> tuple[Plot, ...]:
    """The pictures of a table, by the layout of its measure.

    None for tables over tiles, which have maps and rankings, and for sums and means, whose cells are no counts.
    """
    measure = MEASURES.get(measurement.measure)
    if measure is None or measure.layout.kind in {Kind.TILES, Kind.FLOWS}:
        return ()
    kind, named = measure.layout.kind, measure.layout.labels
    axes, every = measurement.keys.axes, measurement.keys.all_cells
    if kind is Kind.PAIRS:
        return (_pairs(measurement, measure.title),)
    if measure.layout.groups:
        return _groups(measurement, measure.layout)
    if kind is Kind.DATES:
        dates = axes[0].inside
        return (Plot("days", measure.title, dates, _short_dates(dates), every[1:-1], every),)
    if kind is Kind.BINS:
        labels = tuple(series.bin_names(axes[0], whole=measure.whole))
        return (Plot("bins", measure.title, labels, series.short_bins(labels), every, every),)
    labels = tuple(named.get(key, key) for key in axes[0].labels)
    total = every if measure.adds_up else None
    return (Plot("rows", measure.title, labels, labels, every, total),)


def _pairs(measurement: Measurement, title: str) -> Plot:
    """The pairs with the largest released counts, the same ones at every rung. There are too many to draw them all."""
    finest = measurement.values[-1]
    largest = np.argsort(-finest, kind="stable")[:_LARGEST].astype(np.int64)
    keys = measurement.keys.labels(measurement.cell_numbers[largest])
    labels = tuple(
        " \N{RIGHTWARDS ARROW} ".join(map(district_name, ends)) for ends in zip(*keys.values(), strict=True)
    )
    if len(finest) > _LARGEST:
        title = f"{title}: the {_LARGEST} largest"
    return Plot("pairs", title, labels, labels, largest, np.arange(len(finest), dtype=np.int64))


def _groups(measurement: Measurement, layout: Layout) -> tuple[Plot, ...]:
    """One line for each combination of the keys before the last axis; those of one first key add up to a total."""
    *axes, last = measurement.keys.axes
    size, of_first = len(last.labels), measurement.keys.size // len(axes[0].labels)
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


def tile_windows(measurement: Measurement, tile: int) -> tuple[Plot, ...]:
    """The time windows of one tile (``visits_per_time_tile``): one picture for weekdays, one for weekends."""
    day_types, windows, tiles = measurement.keys.axes
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
    measurement: Measurement,
    rung: int,
    truth: series.Counts | None = None,
    mark: str = "",
    *,
    clipped: bool = False,
    fixed: tuple[int, int] | None = None,
    shown: Ranged | None = None,
) -> charts.Chart:
    """The plot for a page of the app.

    ``fixed``: the range of its vertical axis, if it shares one with others; ``shown``: estimates of all listed cells in
    place of the noisy counts.
    """
    if measure_named(measurement.measure).layout.kind is Kind.DATES and series.are_days(plot.labels):
        return series.over_time(measurement, rung, truth, mark, clipped=clipped, shown=shown)
    if measurement.measure == "trips_per_hour":
        kind, _, day_type = plot.name.partition("-")
        return series.per_hour(
            measurement, rung, truth, mark, kind=kind, day_type=day_type, clipped=clipped, shown=shown
        )
    low, high = fixed or limits(plot, measurement, rung, truth, shown)
    return series.bars(
        measurement,
        rung,
        truth,
        mark,
        labels=plot.labels,
        ticks=plot.ticks,
        title=plot.title,
        unit=series.unit_of(measurement),
        cells=plot.cells,
        limits=(0 if clipped else low, high),
        clipped=clipped,
        shown=shown,
    )


def whole(
    measurement: Measurement,
    rung: int,
    truth: series.Counts | None = None,
    mark: str = "",
    *,
    clipped: bool = False,
    shown: Ranged | None = None,
) -> charts.Chart:
    """All plots of a table in one figure, two beside each other, each below its title. ``shown`` as for ``chart``."""
    parts = [
        (plot.title, chart(plot, measurement, rung, truth, mark, clipped=clipped, shown=shown))
        for plot in plots(measurement)
    ]
    return parts[0][1] if len(parts) == 1 else charts.beside(parts, mark)


def limits(
    plot: Plot,
    measurement: Measurement,
    rung: int,
    truth: series.Counts | None = None,
    shown: Ranged | None = None,
) -> tuple[int, int]:
    """The vertical axis of a plot at a rung, with room for every interval; groups of one table share one."""
    grouped = bool(measure_named(measurement.measure).layout.groups)
    if shown is not None:
        return 0, series.top_of(shown, None if grouped else plot.cells, truth)
    if grouped:
        return axis_range(measurement, rung, truth)
    return axis_range(measurement, rung, truth, plot.cells)


def _short_dates(dates: tuple[str, ...]) -> tuple[str, ...]:
    """2024-04-01 as 04-01; a date of another form stays."""
    return tuple(date[5:] if len(date) == 10 else date for date in dates)
