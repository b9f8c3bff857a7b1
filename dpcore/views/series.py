"""Counts over dates, weekdays and hours as charts: noisy with its 95 % band, true beside it if given.

The vertical axis holds the whole band. The band is privacy noise alone; what cutting trips removes lies between the noisy and the true line.

A chart of a release is ``clipped``: no count is negative, so what noise took below zero is drawn at zero with a mark
of its own (``CLIPPED``), while the table beside it keeps the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.measures import measure_named
from dpcore.measures.keys import Axis
from dpcore.measures.measurement import Measurement
from dpcore.views.charts import NOISY, TRUE, Chart, Json, layer, marked, names, quantity, tooltip
from dpcore.views.reading import axis_range

CLIPPED: Final = (
    "Noise can take a small count below zero. Pictures draw it at zero, with a triangle; tables and files keep it, "
    "because cutting would raise every total."
)
"""The one explanation of what is clipped."""
_SHORT: Final = 12  # letters that fit beside an axis
_DEEPEST: Final = 80  # pixels for slanted labels
_FLAT: Final = 70  # letters of all labels together that fit side by side

Counts = NDArray[np.int64]


def over_time(
    series: Measurement, rung: int, truth: Counts | None = None, mark: str = "", *, clipped: bool = False
) -> Chart:
    """Trips a day, week or month over the public period, by date of their end."""
    inside = slice(1, -1)  # the first and last cell hold what lies before and after the period
    table = _table(series, rung, truth, inside, clipped=clipped).assign(
        at=pd.to_datetime([*series.keys.axes[0].inside])
    )
    x = {"field": "at", "type": "temporal", "title": None, "axis": {"format": "%m-%d", "labelOverlap": True}}
    each = f"trips a {series.keys.axes[0].covers}"
    cells = np.arange(1, len(series.cell_numbers) - 1, dtype=np.int64)
    spec = _lines(table, x, _limits(series, rung, truth, cells, clipped=clipped), each, mark)
    return Chart(table, spec, each.capitalize())


def are_days(labels: Sequence[str]) -> bool:
    """Whether labels are days such as 2024-04-01, which a time axis can place."""
    return all(len(label) == 10 and label[4] == label[7] == "-" for label in labels)


def per_weekday(
    series: Measurement, rung: int, truth: Counts | None = None, mark: str = "", *, clipped: bool = False
) -> Chart:
    """Trips by weekday of their end, as bars with intervals."""
    measure = measure_named(series.measure)
    labels = tuple(measure.layout.labels.values())
    return bars(series, rung, truth, mark, labels=labels, title=measure.title, clipped=clipped)


def histogram(
    series: Measurement,
    rung: int,
    title: str,
    truth: Counts | None = None,
    mark: str = "",
    *,
    clipped: bool = False,
) -> Chart:
    """Counts in public bins (a measurement whose one axis is an axis of bins), as bars with intervals."""
    (axis,) = series.keys.axes
    labels = bin_names(axis, whole=measure_named(series.measure).whole)
    return bars(series, rung, truth, mark, labels=labels, title=title, clipped=clipped)


def bars(
    series: Measurement,
    rung: int,
    truth: Counts | None = None,
    mark: str = "",
    *,
    labels: Sequence[str],
    title: str,
    cells: slice | NDArray[np.int64] = slice(None),
    limits: tuple[int, int] | None = None,
    clipped: bool = False,
) -> Chart:
    """Some cells as bars with intervals, in their order and under their labels; ``limits``: of the vertical axis."""
    table = _table(series, rung, truth, cells, clipped=clipped).assign(at=[*labels])
    limits = _limits(series, rung, truth, clipped=clipped) if limits is None else limits
    x = names("at", sort=None, axis=_band_axis(labels))
    slanted = bool(_band_axis(labels)["labelAngle"])
    counts = series.counts if len(series.counts) <= _SHORT else "count"
    layers = _bars(table, limits, counts)
    if truth is not None:
        look = {"color": TRUE, "thickness": 3, "width": 24}
        layers.append(layer("tick", look, y=_y("true", limits, counts)))
    spec = _spec(table, x, layers, mark)
    if slanted:  # the labels take their room from the picture
        spec["height"] += min(_DEEPEST, 4 * max(map(len, labels)))
    return Chart(table, spec, title)


def _band_axis(labels: Sequence[str]) -> Json:
    """Short names lie flat, long ones stand aslant: none is left out, and none covers another."""
    flat = max(map(len, labels), default=0) * len(labels) <= _FLAT
    return {"labelAngle": 0} if flat else {"labelAngle": -35, "labelLimit": 160, "labelOverlap": False}


def bin_names(axis: Axis, *, whole: bool = True) -> list[str]:
    """The bins of an axis as a person reads them: ``2``, ``4 to 5``, ``501 or more``.

    What is binned are ``whole`` numbers, or anything between: then ``4 to under 6``.
    """
    return [_bin_name(start, end, whole=whole) for start, end in zip(axis.inside, axis.ends, strict=True)]


def _bin_name(start: str, end: str, *, whole: bool = True) -> str:
    if start == "-inf":
        return f"under {end}"
    if end == "inf":
        return f"{start} or more"
    if not (whole and start.isdecimal() and end.isdecimal()):
        return f"{start} to under {end}"
    last = int(end) - 1
    return start if last == int(start) else f"{start} to {last}"


def per_hour(
    series: Measurement,
    rung: int,
    truth: Counts | None = None,
    mark: str = "",
    *,
    kind: str,
    day_type: str,
    clipped: bool = False,
) -> Chart:
    """Starts or ends (``kind``) by hour of day on weekdays or weekends; all four share one scale."""
    table = _table(series, rung, truth, _hour_cells(series, kind, day_type), clipped=clipped).assign(
        at=np.arange(24)
    )
    x = quantity("at", f"hour, {day_type}s", scale={"domain": [0, 23], "nice": False})
    spec = _lines(table, x, _limits(series, rung, truth, clipped=clipped), f"{kind}s", mark)
    return Chart(table, spec, f"{kind.capitalize()}s of trips by hour on {day_type}s")


def _hour_cells(series: Measurement, kind: str, day_type: str) -> NDArray[np.int64]:
    kinds, day_types, hours = series.keys.axes
    first = (kinds.inside.index(kind) * len(day_types.inside) + day_types.inside.index(day_type)) * 24
    return np.arange(first, first + len(hours.inside))


def _table(
    series: Measurement,
    rung: int,
    truth: Counts | None,
    cells: slice | NDArray[np.int64],
    *,
    clipped: bool = False,
) -> pd.DataFrame:
    noisy = series.values[rung][cells]
    wide = series.half_widths[rung]
    table = pd.DataFrame({"noisy": noisy, "low": noisy - wide, "high": noisy + wide})
    if clipped:
        drawn = {"drawn": "noisy", "bottom": "low", "top": "high"}
        table = table.assign(**{name: table[source].clip(lower=0) for name, source in drawn.items()})
    if truth is not None:
        table["true"] = truth[cells]
    return table


def _limits(
    series: Measurement,
    rung: int,
    truth: Counts | None = None,
    cells: Counts | None = None,
    *,
    clipped: bool = False,
) -> tuple[int, int]:
    bottom, top = axis_range(series, rung, truth, cells)
    return (0, top) if clipped else (bottom, top)


def _drawn(table: pd.DataFrame) -> tuple[str, str, str]:
    """Columns of the middle, the lower and the upper end as they are drawn."""
    return ("drawn", "bottom", "top") if "drawn" in table else ("noisy", "low", "high")


def _bars(table: pd.DataFrame, limits: tuple[int, int], title: str) -> list[Json]:
    middle, low, high = _drawn(table)
    return [
        layer("bar", {"color": NOISY, "opacity": 0.5, "clip": True}, y=_y(middle, limits, title)),
        layer("rule", {"color": NOISY, "strokeWidth": 2, "clip": True}, y=quantity(low), y2={"field": high}),
        *_below_zero(table, limits, title),
    ]


def _lines(table: pd.DataFrame, x: Json, limits: tuple[int, int], title: str, mark: str) -> Json:
    middle, low, high = _drawn(table)
    band = {"color": NOISY, "opacity": 0.2, "clip": True}
    line = {"color": NOISY, "strokeWidth": 2, "clip": True, "point": {"size": 14, "color": NOISY}}
    layers = [
        layer("area", band, y=_y(low, limits, title), y2={"field": high}),
        layer("line", line, y=_y(middle, limits, title)),
        *_below_zero(table, limits, title),
    ]
    if "true" in table:
        dashed = {"color": TRUE, "strokeDash": [5, 3], "strokeWidth": 1.5, "clip": True}
        layers.append(layer("line", dashed, y=_y("true", limits, title)))
    return _spec(table, x, layers, mark)


def _below_zero(table: pd.DataFrame, limits: tuple[int, int], title: str) -> list[Json]:
    """A triangle at zero for what noise took below it; only where there is such a count."""
    if "drawn" not in table or not (table["noisy"] < 0).any():
        return []
    look = {"shape": "triangle-down", "color": NOISY, "size": 46, "filled": True, "opacity": 1}
    return [layer("point", look, where="datum.noisy < 0", y=_y("drawn", limits, title))]


def _y(field: str, limits: tuple[int, int], title: str) -> Json:
    return quantity(field, title, scale={"domain": list(limits)})


def _spec(table: pd.DataFrame, x: Json, layers: list[Json], mark: str) -> Json:
    when = {"field": "at", "type": x["type"], "title": "at"}
    if x["type"] == "temporal":
        when["format"] = "%Y-%m-%d"
    titles = {"noisy": "about", "low": "from", "high": "to", "true": "true"}
    shown = tooltip(**{name: title for name, title in titles.items() if name in table})
    return marked({"height": 190, "encoding": {"x": x, "tooltip": [when, *shown]}, "layer": layers}, mark)


def chart_table(chart: Chart) -> pd.DataFrame:
    """The numbers of a chart as they were released, below zero too."""
    table = chart.table[["at", "noisy", "low", "high"]]
    if pd.api.types.is_datetime64_any_dtype(table["at"]):
        table = table.assign(at=table["at"].dt.date.astype(str))
    return table.set_axis(["at", "about", "from", "to"], axis=1)
