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
from numpy.typing import ArrayLike, NDArray

from dpcore.estimates.words import likely_each
from dpcore.measures import Kind, measure_named
from dpcore.measures.keys import Axis
from dpcore.privacy import decimal_text
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import day, number
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.style import NOISY, TRUE, Json

CLIPPED: Final = (
    "Noise can take a small count below zero. Pictures draw it at zero, with a triangle. Tables and files keep "
    "it, because cutting would raise every total."
)
"""The one explanation of what is clipped."""
NOISY_NAME: Final = "noisy, with its 95 % range"
ESTIMATED_NAME: Final = "estimate, with its likely range"
UNRANGED_NAME: Final = "estimate; no range is known"
TRUE_NAME: Final = "the truth"
"""What a legend says where the truth stands beside the noisy counts, so that a picture alone tells one from the other."""
NOISY_TRACE: Final = "noisy"
"""``meta`` of the trace with the noisy counts and what a pointer reads, for scripts that move it."""
_NUMBERS: Final = ("noisy", "low", "high")
_RELEASED: Final = ("released noisy", "released low", "released high")
_ESTIMATED: Final = "estimated"  # whether a table holds estimates
_POINTED: Final = "x"  # a pointer reads the count above or below it, also where a bar is too low to be hit
_BIN_WORDS: Final = {"under ": "<", " or more": "+", " to under ": "-", " to ": "-"}
_SHORT: Final = 12  # letters that fit beside an axis
_DEEPEST: Final = 80  # pixels for slanted labels
_SHARE: Final = "of 1"  # unit of what lies between 0 and 1
_UNIT_ROOM: Final = 24  # pixels for the title of the axis
_HEIGHT: Final = 230
_KEY_ROOM: Final = 26  # pixels for a legend, so that the picture below stays as high
_FLAT: Final = 70  # letters of all labels together that fit side by side
_GAP: Final = 3  # letters between two labels

Counts = NDArray[np.int64]


def over_time(
    shown: Shown,
    truth: Counts | None = None,
    mark: str = "",
    *,
    clipped: bool = False,
    limits: tuple[int, int] | None = None,
) -> Chart:
    """Trips a day, week or month over the public period, by date of their end.

    ``shown``, here and below: drawn counts, or estimates that have the drawn counts beside them.
    """
    inside = slice(1, -1)  # the first and last cell hold what lies before and after the period
    days = np.array(shown.keys.axes[0].inside, dtype="datetime64[s]")
    table = _table(shown, truth, inside, days, clipped=clipped)
    each = f"trips a {shown.keys.axes[0].covers}"
    cells = np.arange(1, len(shown.cells) - 1, dtype=np.int64)
    limits = limits or _limits(shown, truth, cells, clipped=clipped)
    x = charts.axis(**charts.DATES)
    figure = _lines(table, x, _y(limits, each), shown.unit, mark)
    return Chart(table, figure, each.capitalize(), _file_name(shown))


def are_days(labels: Sequence[str]) -> bool:
    """Whether labels are days such as 2024-04-01, which a time axis can place."""
    return all(len(label) == 10 and label[4] == label[7] == "-" for label in labels)


def unit_of(measure: str) -> str:
    """What the edges of a histogram are in, such as ``minutes``; empty for shares and for what has no bins."""
    layout = measure_named(measure).layout
    return layout.unit if layout.kind is Kind.BINS and layout.unit != _SHARE else ""


def bars(
    shown: Shown,
    truth: Counts | None = None,
    mark: str = "",
    *,
    labels: Sequence[str],
    ticks: Sequence[str] | None = None,
    title: str,
    unit: str = "",
    cells: slice | NDArray[np.int64] = slice(None),
    limits: tuple[int, int] | None = None,
    clipped: bool = False,
) -> Chart:
    """Some cells as bars with intervals, in their order and under their labels; ``limits``: of the vertical axis.

    ``ticks``: the labels short enough to stand below an axis, where the labels are not. ``unit``: of the labels.
    """
    table = _table(shown, truth, cells, labels, clipped=clipped)
    limits = _limits(shown, truth, clipped=clipped) if limits is None else limits
    x, deep = _band_axis(labels, ticks or labels, unit)
    counts = shown.unit if len(shown.unit) <= _SHORT else "count"
    units = [unit_at(shown, at) for at in table["at"]]
    traces = _bars(table, units)
    if truth is not None:
        look = {"symbol": "line-ew", "size": 22, "line": {"color": TRUE, "width": 3}}
        true = charts.dots(table["at"], table["true"], _true(table, units), name=TRUE_NAME, **look)
        traces.append({**true, "cliponaxis": False})  # the largest may lie on the edge
    beside = truth is not None
    figure = charts.figure(
        traces,
        height=_HEIGHT + deep + _KEY_ROOM * beside,
        x=x,
        y=_y(limits, counts),
        mark=mark,
        legend=beside,
        bargap=0.12,
        hovermode=_POINTED,
    )
    return Chart(table, figure, title, _file_name(shown))


def _file_name(shown: Shown, *more: str) -> str:
    epsilon = (shown.released or shown).epsilon
    at = [] if epsilon is None else [f"epsilon {decimal_text(epsilon)}"]
    return charts.file_name(shown.measure, *more, *at)


def _band_axis(labels: Sequence[str], ticks: Sequence[str], unit: str) -> tuple[Json, int]:
    """The axis below bars, and the pixels that it takes from the picture.

    Short names lie flat and long ones stand aslant, so that none is left out and none covers another.
    """
    longest = max(map(len, ticks), default=0)
    axis = charts.axis(
        unit,
        type="category",
        tickmode="array",
        tickvals=[*labels],
        ticktext=[charts.text_of(name) for name in ticks],
    )
    if (longest + _GAP) * len(labels) <= _FLAT:
        return {**axis, "tickangle": 0}, _UNIT_ROOM * bool(unit)
    return {**axis, "tickangle": -35}, min(_DEEPEST, 4 * longest) + _UNIT_ROOM * bool(unit)


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


def short_bins(labels: Sequence[str]) -> tuple[str, ...]:
    """``5 to under 10`` as 5-10, ``1440 or more`` as 1440+."""
    found = []
    for label in labels:
        short = label
        for word, sign in _BIN_WORDS.items():
            short = short.replace(word, sign)
        found.append(short.replace("-<", "-").replace("-", "\N{EN DASH}"))
    return tuple(found)


def per_hour(
    shown: Shown,
    truth: Counts | None = None,
    mark: str = "",
    *,
    kind: str,
    day_type: str,
    clipped: bool = False,
    limits: tuple[int, int] | None = None,
) -> Chart:
    """Starts or ends (``kind``) by hour of day on weekdays or weekends; all four share one scale.

    ``limits``, here and in ``over_time``: of the vertical axis, where it is shared with charts of other tables.
    """
    cells = _hour_cells(shown, kind, day_type)
    table = _table(shown, truth, cells, np.arange(24), clipped=clipped)
    clock = {"tickformat": "02d", "ticksuffix": ":00"}
    x = charts.axis(f"hour on {day_type}s", range=[-0.3, 23.3], dtick=3, **clock)
    limits = limits or _limits(shown, truth, clipped=clipped)
    figure = _lines(table, x, _y(limits, f"{kind}s"), shown.unit, mark)
    alt = f"{kind.capitalize()}s of trips by hour on {day_type}s"
    return Chart(table, figure, alt, _file_name(shown, kind, day_type))


def _hour_cells(shown: Shown, kind: str, day_type: str) -> NDArray[np.int64]:
    kinds, day_types, hours = shown.keys.axes
    first = (kinds.inside.index(kind) * len(day_types.inside) + day_types.inside.index(day_type)) * 24
    return np.arange(first, first + len(hours.inside))


def _table(
    shown: Shown,
    truth: Counts | None,
    cells: slice | NDArray[np.int64],
    at: ArrayLike,
    *,
    clipped: bool = False,
) -> pd.DataFrame:
    columns: dict[str, ArrayLike] = {}
    for names, one in ((_NUMBERS, shown), (_RELEASED, shown.released)):
        if one is not None:
            ends = zip(names, one.numbers.at(cells).columns, strict=True)
            columns |= {name: end.astype(np.int64 if one.is_drawn else np.float64) for name, end in ends}
    if clipped:
        for name, source in (("drawn", "noisy"), ("bottom", "low"), ("top", "high")):
            columns[name] = np.maximum(columns[source], 0)
    if truth is not None:
        columns["true"] = truth[cells]
    table = pd.DataFrame({**columns, "at": at})
    table.attrs[_ESTIMATED] = not shown.is_drawn
    return table


def _limits(
    shown: Shown, truth: Counts | None, cells: slice | Counts = slice(None), *, clipped: bool
) -> tuple[int, int]:
    bottom, top = shown.limits(cells, truth)
    return (0, top) if clipped else (bottom, top)


def _range_columns(table: pd.DataFrame) -> tuple[str, str, str]:
    """Columns of the middle, the lower and the upper end as they are drawn."""
    return ("drawn", "bottom", "top") if "drawn" in table else ("noisy", "low", "high")


def _bars(table: pd.DataFrame, units: Sequence[str]) -> list[Json]:
    middle, low, high = _range_columns(table)
    drawn = charts.bars(
        table["at"], table[middle], _says(table, units), name=_name(table), color=charts.faded(NOISY, 0.5)
    )
    return [{**charts.intervals(drawn, table[low], table[high]), "meta": NOISY_TRACE}, *_below_zero(table)]


def _lines(table: pd.DataFrame, x: Json, y: Json, counts: str, mark: str) -> Json:
    middle, low, high = _range_columns(table)
    noisy = charts.line(table["at"], table[middle], _says(table, [counts] * len(table)), name=_name(table))
    traces = [
        *charts.band(table["at"], table[low], table[high]),
        {**charts.dotted(noisy, 4), "meta": NOISY_TRACE},
        *_below_zero(table),
    ]
    if "true" in table:
        look = {"color": TRUE, "dash": "5px,3px", "width": 1.5}
        truly = f"%{{x}}{':00' * (table['at'].dtype.kind == 'i')}: truly %{{y:,}} {counts}"
        traces.append(charts.line(table["at"], table["true"], truly, name=TRUE_NAME, **look))
    beside = "true" in table
    return charts.figure(
        traces, height=_HEIGHT + _KEY_ROOM * beside, x=x, y=y, mark=mark, legend=beside, hovermode=_POINTED
    )


def _name(table: pd.DataFrame) -> str:
    """What the legend says of the numbers."""
    if not table.attrs[_ESTIMATED]:
        return NOISY_NAME
    return ESTIMATED_NAME if np.isfinite(table["high"]).any() else UNRANGED_NAME


def _below_zero(table: pd.DataFrame) -> list[Json]:
    """A triangle at zero for what noise took below it; only where there is such a count."""
    if "drawn" not in table or not (table["noisy"] < 0).any():
        return []
    below = table[table["noisy"] < 0]
    return [triangles(below["at"], below["drawn"])]


def triangles(x: ArrayLike, y: ArrayLike) -> Json:
    """The marks of what noise took below zero."""
    return {**charts.dots(x, y, [], symbol="triangle-down", size=8), "cliponaxis": False, "showlegend": False}


def _y(limits: tuple[int, int], title: str) -> Json:
    return charts.axis(title, range=[*limits], **charts.WHOLE)


def unit_at(shown: Shown, at: object) -> str:
    """What is counted at a place on the axis."""
    return measure_named(shown.measure).layout.units.get(str(at), shown.unit)


def _says(table: pd.DataFrame, units: Sequence[str]) -> list[str]:
    """What a pointer reads at each noisy count: the released value, below zero too."""
    if table.attrs[_ESTIMATED]:
        estimated = likely_each(table["noisy"], table["low"], table["high"], units)
        drawn = zip(*(table[name] for name in _RELEASED), units, strict=True)
        return [
            f"{place_words(at)}: {told}<br>released: {charts.about(*counted)}"
            for at, told, counted in zip(table["at"], estimated, drawn, strict=True)
        ]
    rows = zip(*(table[name] for name in ("at", "noisy", "low", "high")), units, strict=True)
    return [f"{place_words(at)}: {charts.about(*counted)}" for at, *counted in rows]


def _true(table: pd.DataFrame, units: Sequence[str]) -> list[str]:
    rows = zip(table["at"], table["true"], units, strict=True)
    return [f"{place_words(at)}: truly {number(true)} {unit}" for at, true, unit in rows]


def place_words(at: object) -> str:
    """A place on the axis in words; hours as on a clock."""
    if isinstance(at, pd.Timestamp):
        return day(at)
    return f"{at}:00" if isinstance(at, int) else charts.text_of(str(at))


def chart_table(chart: Chart) -> pd.DataFrame:
    """The numbers of a chart: as they were released, below zero too, after the estimates where the chart shows these."""
    estimated = chart.table.attrs.get(_ESTIMATED, False)
    table = chart.table[["at", "noisy", "low", "high", *(_RELEASED if estimated else ())]]
    if estimated:
        table = table.assign(**{name: table[name].round() for name in ("noisy", "low", "high")})
    if pd.api.types.is_datetime64_any_dtype(table["at"]):
        table = table.assign(at=table["at"].dt.date.astype(str))
    names = ["estimate", "likely from", "likely to", "released", "noise from", "noise to"]
    return table.set_axis(["at", *(names if estimated else ("about", "from", "to"))], axis=1)
