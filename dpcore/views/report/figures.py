"""The charts of a report file: figures of plotly, and what the file's script needs to move them with epsilon.

The figures are those of the app's pages, made by the same functions. A chart of cells travels as one figure without
counts, because the file holds the counts of every rung anyway: the script puts them in. Any other chart travels as its
figure at the first rung and, for each further rung, the parts that differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from dpcore.views import plots, series, style
from dpcore.views.charts import Chart, text_of
from dpcore.views.estimated import spoken_of
from dpcore.views.reading import axis_range
from dpcore.views.report import numbers
from dpcore.views.report.data import Pictured
from dpcore.views.report.estimates import Carried
from dpcore.views.style import Json

_COUNTED: Final = {"y", "hovertext", "array", "arrayminus"}
"""Parts of a trace and of its intervals that the script makes of the counts of a rung."""
_FONT: Final = {"family": "system-ui, sans-serif"}


class Charts:
    """The charts of one file, gathered while its text is written; a file without charts gathers none."""

    def __init__(self, *, static: bool) -> None:
        self.static = static
        self._found: dict[str, Json] = {}

    def of_cells(self, one: Pictured) -> str:
        """The HTML element of a plot; empty in a file without charts."""
        return "" if self.static else self._place(one.identity, _chart_of_cells(one))

    def of_rungs(self, identity: str, title: str, charts: Iterable[Chart | None]) -> str:
        """The place of a chart with one figure for each rung, None where there is nothing to draw."""
        chart = None if self.static else _chart_of_rungs(title, charts)
        return "" if chart is None else self._place(identity, chart)

    def data(self) -> Json:
        """All figures and their looks, for the script."""
        return {"charts": self._found} if self.static else {"charts": self._found, "looks": _looks()}

    def _place(self, identity: str, chart: Json) -> str:
        self._found[identity] = chart
        said = f'role="img" aria-label="{chart["title"]}"'  # escaped already
        return f'<div class="chart" data-chart="{escape(identity)}" {said}></div>'


def _chart_of_cells(one: Pictured) -> Json:
    """A plot as a figure without counts: the words of its places, and the end of its vertical axis at every rung.

    The parts of a table share one axis.
    """
    plot, measurement = one.plot, one.measurement
    rungs, is_part = range(len(measurement.rungs)), one.whole is not measurement
    chart = plots.chart(plot, measurement, rungs[-1], clipped=True)
    figure = chart.figure
    traces = [_without_counts(trace) for trace in figure["data"] if "meta" in trace]
    return {
        "title": text_of(plot.title),
        "places": [series.place_words(at) for at in chart.table["at"]],
        "units": [series.unit_at(measurement, at) for at in chart.table["at"]],
        "figure": {"data": traces, "layout": figure["layout"]},
        "tops": [
            axis_range(one.whole, rung)[1] if is_part else plots.limits(plot, measurement, rung)[1]
            for rung in rungs
        ],
    }


def _without_counts(part: Json) -> Json:
    return {
        key: _without_counts(value) if isinstance(value, dict) else value
        for key, value in part.items()
        if key not in _COUNTED
    }


def _chart_of_rungs(title: str, charts: Iterable[Chart | None]) -> Json | None:
    """A chart with one figure for each rung; None in place of a chart where there is nothing to draw.

    None if there is nothing at any rung.
    """
    figures = [None if chart is None else chart.figure for chart in charts]
    first = next((figure for figure in figures if figure is not None), None)
    if first is None:
        return None
    return {
        "title": text_of(title),
        "figure": first,
        "changes": [None if figure is None else _changes(first, figure) for figure in figures],
    }


def _changes(first: Json, other: Json) -> Json:
    """The entries of each trace and of the layout that differ from the first figure."""
    return {
        "data": [_differing(one, two) for one, two in zip(first["data"], other["data"], strict=True)],
        "layout": _differing(first["layout"], other["layout"]),
    }


def _differing(one: Json, two: Json) -> Json:
    return {key: value for key, value in two.items() if key not in one or one[key] != value}


def _looks() -> Json:
    """The style of all charts on a light and on a dark page, and the marks of what noise took below zero."""
    found: Json = {"below": series.triangles([], [])}
    for name, dark in (("light", False), ("dark", True)):
        layout = style.template(dark=dark)["layout"]
        found[name] = {"layout": {**layout, "font": {**layout["font"], **_FONT}}}
    return found


def figure(carried: Carried, one: Pictured, rung: int, charts: Charts, *, titled: bool) -> str:
    """A plot with its numbers one click away; ``titled``: below its name, where others stand beside it."""
    name, plot = one.whole.measure, one.plot
    shown, table = carried.shown(name, rung), carried.finest.tables.get(name)
    if shown is not None:
        shown = shown.at(slice(one.first, one.first + one.measurement.keys.size))
    about = "" if table is None else spoken_of(table)
    rows = numbers.plot_table(plot, one.measurement, rung, one.identity, guessed=(shown, about))
    caption = f"<figcaption>{escape(one.part or plot.title)}</figcaption>" if titled else ""
    return (
        f"<figure>{caption}{charts.of_cells(one)}"
        f'<details class="numbers" open><summary>The numbers</summary>{rows}</details></figure>'
    )
