"""Counts over dates, weekdays and hours as charts: noisy with its 95 % band, true beside it if given.

The vertical axis stays the same at every epsilon. The band is privacy noise alone; what cutting trips
removes lies between the noisy and the true line and is not in it.
"""

from __future__ import annotations

from typing import Final

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.measurement import Measurement
from dpcore.views.scale import axis_range

NOISY: Final = "#0f766e"
TRUE: Final = "#8a6d3b"
_NAMES: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

Counts = NDArray[np.int64]
Chart = alt.LayerChart | alt.FacetChart


def over_time(series: Measurement, rung: int, truth: Counts | None = None, mark: str = "") -> Chart:
    """Trips a day over the public period, by date of their end."""
    inside = slice(1, -1)  # the first and last cell hold what lies before and after the period
    days = [*series.keys.axes[0].inside]
    table = _table(series, rung, truth, inside).assign(at=pd.to_datetime(days))
    x = alt.X("at:T", title=None, axis=alt.Axis(format="%-d %b", labelOverlap=True))
    return _lines(table, x, axis_range(series, truth), "trips a day", mark)


def per_weekday(series: Measurement, rung: int, truth: Counts | None = None, mark: str = "") -> Chart:
    """Trips by weekday of their end, as bars with intervals."""
    table = _table(series, rung, truth, slice(None)).assign(at=_NAMES)
    x = alt.X("at:N", title=None, sort=None, axis=alt.Axis(labelAngle=0))
    bottom, top = axis_range(series, truth)
    y = alt.Y("noisy:Q", title="trips", scale=alt.Scale(domain=[bottom, top]))
    base = alt.Chart(table, title=_title(mark)).encode(x=x, tooltip=_tooltip(table))
    layers = [
        base.mark_bar(color=NOISY, opacity=0.55, clip=True).encode(y=y),
        base.mark_rule(color=NOISY, strokeWidth=2, clip=True).encode(y="low:Q", y2="high:Q"),
    ]
    if truth is not None:
        layers.append(base.mark_tick(color=TRUE, thickness=3, width=26, clip=True).encode(y="true:Q"))
    return alt.layer(*layers).properties(height=200)


def per_hour(
    series: Measurement, rung: int, truth: Counts | None = None, mark: str = "", *, kind: str, day_type: str
) -> Chart:
    """Starts or ends (``kind``) by hour of day on weekdays or weekends; all four share one scale."""
    cells = _hour_cells(series, kind, day_type)
    table = _table(series, rung, truth, cells).assign(at=np.arange(24))
    x = alt.X("at:Q", title=f"hour, {day_type}s", scale=alt.Scale(domain=[0, 23], nice=False))
    return _lines(table, x, axis_range(series, truth), f"{kind}s", mark)


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


def _lines(table: pd.DataFrame, x: alt.X, limits: tuple[int, int], title: str, mark: str) -> Chart:
    y = alt.Y("noisy:Q", title=title, scale=alt.Scale(domain=list(limits)))
    base = alt.Chart(table, title=_title(mark)).encode(x=x, tooltip=_tooltip(table))
    layers = [
        base.mark_area(color=NOISY, opacity=0.18, clip=True).encode(
            y=alt.Y("low:Q", title=title, scale=alt.Scale(domain=list(limits))), y2="high:Q"
        ),
        base.mark_line(color=NOISY, strokeWidth=2, clip=True, point=alt.OverlayMarkDef(size=12)).encode(y=y),
    ]
    if "true" in table:
        layers.append(
            base.mark_line(color=TRUE, strokeDash=[5, 3], strokeWidth=1.5, clip=True).encode(y="true:Q")
        )
    return alt.layer(*layers).properties(height=200)


def _tooltip(table: pd.DataFrame) -> list[alt.Tooltip]:
    when = (
        alt.Tooltip("at:T", title="day") if table["at"].dtype.kind == "M" else alt.Tooltip("at", title="at")
    )
    names = {"noisy": "about", "low": "from", "high": "to", "true": "true"}
    return [when, *(alt.Tooltip(f"{n}:Q", title=t, format=",") for n, t in names.items() if n in table)]


def _title(mark: str) -> alt.TitleParams | alt.utils.schemapi.UndefinedType:
    """The mark that every picture of private or demo data carries."""
    if not mark:
        return alt.Undefined
    return alt.TitleParams(mark, fontSize=11, fontWeight="normal", anchor="start", color="#8a6d3b")
