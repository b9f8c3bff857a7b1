"""Counts over dates, weekdays and hours as charts: noisy with its 95 % band, true beside it if given.

A chart is a small table and a Vega-Lite specification: written as such, because building it through a
chart library costs a hundred times the server time. The vertical axis stays the same at every epsilon. The
band is privacy noise alone; what cutting trips removes lies between the noisy and the true line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.measurement import Measurement
from dpcore.views.scale import axis_range

NOISY: Final = "#0f9b8e"
TRUE: Final = "#a9762f"
_NAMES: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

Counts = NDArray[np.int64]
Json = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A picture of one series."""

    table: pd.DataFrame
    """``at``, ``noisy``, ``low``, ``high``, and ``true`` if it was given."""
    spec: Json
    """Vega-Lite, without its data."""
    alt: str
    """What the picture shows, for those who cannot see it."""


def over_time(series: Measurement, rung: int, truth: Counts | None = None, mark: str = "") -> Chart:
    """Trips a day over the public period, by date of their end."""
    inside = slice(1, -1)  # the first and last cell hold what lies before and after the period
    table = _table(series, rung, truth, inside).assign(at=pd.to_datetime([*series.keys.axes[0].inside]))
    x = {"field": "at", "type": "temporal", "title": None, "axis": {"format": "%-d %b", "labelOverlap": True}}
    return Chart(table, _lines(table, x, axis_range(series, truth), "trips a day", mark), "Trips a day")


def per_weekday(series: Measurement, rung: int, truth: Counts | None = None, mark: str = "") -> Chart:
    """Trips by weekday of their end, as bars with intervals."""
    table = _table(series, rung, truth, slice(None)).assign(at=_NAMES)
    limits = axis_range(series, truth)
    x = {"field": "at", "type": "nominal", "title": None, "sort": None, "axis": {"labelAngle": 0}}
    layers: list[Json] = [
        {
            "mark": {"type": "bar", "color": NOISY, "opacity": 0.5},
            "encoding": {"y": _y("noisy", limits, "trips")},
        },
        {
            "mark": {"type": "rule", "color": NOISY, "strokeWidth": 2},
            "encoding": {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}},
        },
    ]
    if truth is not None:
        tick = {"type": "tick", "color": TRUE, "thickness": 3, "width": 24}
        layers.append({"mark": tick, "encoding": {"y": _y("true", limits, "trips")}})
    return Chart(table, _spec(table, x, layers, mark), "Trips by weekday")


def per_hour(
    series: Measurement, rung: int, truth: Counts | None = None, mark: str = "", *, kind: str, day_type: str
) -> Chart:
    """Starts or ends (``kind``) by hour of day on weekdays or weekends; all four share one scale."""
    table = _table(series, rung, truth, _hour_cells(series, kind, day_type)).assign(at=np.arange(24))
    x = {
        "field": "at",
        "type": "quantitative",
        "title": f"hour, {day_type}s",
        "scale": {"domain": [0, 23], "nice": False},
    }
    spec = _lines(table, x, axis_range(series, truth), f"{kind}s", mark)
    return Chart(table, spec, f"{kind.capitalize()}s of trips by hour on {day_type}s")


def _hour_cells(series: Measurement, kind: str, day_type: str) -> NDArray[np.int64]:
    kinds, day_types, hours = series.keys.axes
    first = (kinds.inside.index(kind) * len(day_types.inside) + day_types.inside.index(day_type)) * 24
    return np.arange(first, first + len(hours.inside))


def _table(
    series: Measurement, rung: int, truth: Counts | None, cells: slice | NDArray[np.int64]
) -> pd.DataFrame:
    noisy = series.values[rung][cells]
    wide = series.half_widths[rung]
    table = pd.DataFrame({"noisy": noisy, "low": noisy - wide, "high": noisy + wide})
    if truth is not None:
        table["true"] = truth[cells]
    return table


def _lines(table: pd.DataFrame, x: Json, limits: tuple[int, int], title: str, mark: str) -> Json:
    line = {
        "type": "line",
        "color": NOISY,
        "strokeWidth": 2,
        "clip": True,
        "point": {"size": 14, "color": NOISY},
    }
    layers: list[Json] = [
        {
            "mark": {"type": "area", "color": NOISY, "opacity": 0.2, "clip": True},
            "encoding": {"y": _y("low", limits, title), "y2": {"field": "high"}},
        },
        {"mark": line, "encoding": {"y": _y("noisy", limits, title)}},
    ]
    if "true" in table:
        dashed = {"type": "line", "color": TRUE, "strokeDash": [5, 3], "strokeWidth": 1.5, "clip": True}
        layers.append({"mark": dashed, "encoding": {"y": _y("true", limits, title)}})
    return _spec(table, x, layers, mark)


def _y(field: str, limits: tuple[int, int], title: str) -> Json:
    return {"field": field, "type": "quantitative", "title": title, "scale": {"domain": list(limits)}}


def _spec(table: pd.DataFrame, x: Json, layers: list[Json], mark: str) -> Json:
    when = {"field": "at", "type": x["type"], "title": "at"}
    if x["type"] == "temporal":
        when["format"] = "%-d %B"
    names = {"noisy": "about", "low": "from", "high": "to", "true": "true"}
    numbers = [
        {"field": name, "type": "quantitative", "title": title, "format": ","}
        for name, title in names.items()
        if name in table
    ]
    spec: Json = {"height": 190, "encoding": {"x": x, "tooltip": [when, *numbers]}, "layer": layers}
    if mark:  # every picture of private or demo data carries its mark, wherever it is copied to
        spec["title"] = {
            "text": mark,
            "fontSize": 11,
            "fontWeight": "normal",
            "anchor": "start",
            "color": TRUE,
        }
    return spec
