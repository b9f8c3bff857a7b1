"""Which pictures a table needs: its cells in order, under the names that people read.

One plot is drawn by Vega on a page of the app (``chart``) and as plain SVG in a file; both show the same cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.measurement import Measurement
from dpcore.measures import measure_named
from dpcore.views import charts, series
from dpcore.views.reading import axis_range

Cells = NDArray[np.int64]
Kind = Literal["bars", "line"]

STATISTIC_NAMES: Final = {
    "users": "people",
    "trips": "trips",
    "records": "records",
    "complete_trips": "complete trips",
    "incomplete_trips": "incomplete trips",
}
FIELD_NAMES: Final = {
    "uid": "person",
    "tid": "trip",
    "datetime": "time",
    "lat": "latitude",
    "lng": "longitude",
}
_BIN_WORDS: Final = {"under ": "<", " or more": "+", " to under ": "-", " to ": "-"}


@dataclass(frozen=True, eq=False)
class Plot:
    """One picture of some cells of a measurement."""

    name: str
    """Short and unique within its measure, such as ``start-weekday``."""
    title: str
    kind: Kind
    labels: tuple[str, ...]
    """One for each cell, as a table says it."""
    ticks: tuple[str, ...]
    """The same, short enough to stand below an axis."""
    cells: Cells
    """Positions of the cells in the table."""
    total: Cells | None
    """The cells of which these are parts, for shares; None where they are no parts of one total."""


def plots(measurement: Measurement) -> tuple[Plot, ...]:
    """The pictures of a table; none for tables over tiles, which are maps and rankings."""
    columns, name = measurement.keys.columns, measurement.measure
    axes, every = measurement.keys.axes, measurement.keys.all_cells
    if name == "trips_over_time":
        dates = axes[0].inside
        return (Plot("days", "Trips over time", "line", dates, _short_dates(dates), every[1:-1], every),)
    if name == "trips_per_weekday":
        names = series.WEEKDAY_NAMES
        return (Plot("days", "By weekday", "bars", names, names, every, every),)
    if name == "trips_per_hour":
        return tuple(
            _hours(measurement, kind, day_type) for kind in axes[0].inside for day_type in axes[1].inside
        )
    if name in {"ds_statistics", "missing_values"}:
        known = STATISTIC_NAMES if name == "ds_statistics" else FIELD_NAMES
        labels = tuple(known.get(key, key) for key in axes[0].inside)
        return (Plot("rows", measure_named(name).title, "bars", labels, labels, every, None),)
    if "bin_start" in columns and len(axes) == 1:
        labels = tuple(series.bin_names(axes[0], whole=measure_named(name).whole))
        return (Plot("bins", measure_named(name).title, "bars", labels, _short_bins(labels), every, every),)
    return ()


def tile_windows(measurement: Measurement, tile: int) -> tuple[Plot, ...]:
    """The time windows of one tile (``visits_per_time_tile``): one picture for weekdays, one for weekends."""
    day_types, windows, tiles = measurement.keys.axes
    step = len(tiles.labels)
    labels = tuple(window_name(window) for window in windows.inside)
    found = []
    for number, day_type in enumerate(day_types.inside):
        first = number * len(labels) * step + tile
        cells = first + step * np.arange(len(labels), dtype=np.int64)
        title = f"Arrivals by time of day, {day_type}s"
        found.append(Plot(f"tile-{day_type}", title, "bars", labels, labels, cells, None))
    return tuple(found)


def window_name(window: str) -> str:
    """A time window as a clock says it.

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
) -> charts.Chart:
    """The plot for a page of the app; ``fixed``: the range of its vertical axis, if it shares one with others."""
    if measurement.measure == "trips_over_time" and series.are_days(plot.labels):
        return series.over_time(measurement, rung, truth, mark, clipped=clipped)
    if measurement.measure == "trips_per_hour":
        kind, _, day_type = plot.name.partition("-")
        return series.per_hour(measurement, rung, truth, mark, kind=kind, day_type=day_type, clipped=clipped)
    low, high = fixed or limits(plot, measurement, rung, truth)
    return series.bars(
        measurement,
        rung,
        truth,
        mark,
        labels=plot.labels,
        title=plot.title,
        cells=plot.cells,
        limits=(0 if clipped else low, high),
        clipped=clipped,
    )


def limits(
    plot: Plot, measurement: Measurement, rung: int, truth: series.Counts | None = None
) -> tuple[int, int]:
    """The vertical axis of a plot at a rung, with room for every interval; all hours share one."""
    if measurement.measure == "trips_per_hour":
        return axis_range(measurement, rung, truth)
    return axis_range(measurement, rung, truth, plot.cells)


def _hours(measurement: Measurement, kind: str, day_type: str) -> Plot:
    kinds, day_types, hours = measurement.keys.axes
    size = len(hours.inside)
    of_kind = kinds.inside.index(kind) * len(day_types.inside) * size
    first = of_kind + day_types.inside.index(day_type) * size
    return Plot(
        f"{kind}-{day_type}",
        f"{kind.capitalize()}s of trips by hour, {day_type}s",
        "line",
        tuple(f"{hour} h" for hour in hours.inside),
        hours.inside,
        np.arange(first, first + size),
        np.arange(of_kind, of_kind + len(day_types.inside) * size),
    )


def _short_dates(dates: tuple[str, ...]) -> tuple[str, ...]:
    """2024-04-01 as 04-01; a date of another form stays."""
    return tuple(date[5:] if len(date) == 10 else date for date in dates)


def _short_bins(labels: tuple[str, ...]) -> tuple[str, ...]:
    """``5 to under 10`` as 5-10, ``1440 or more`` as 1440+."""
    found = []
    for label in labels:
        short = label
        for word, sign in _BIN_WORDS.items():
            short = short.replace(word, sign)
        found.append(short.replace("-<", "-").replace("-", "\N{EN DASH}"))
    return tuple(found)
