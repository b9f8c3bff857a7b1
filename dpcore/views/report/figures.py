"""The charts of a report file: the figures of the app's pages at one stop, and the call by which plotly draws each.

Whatever is drawn was made here: the file has no script but plotly and these calls, which hold data alone.
"""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from typing import Final

import numpy as np

from dpcore.views.charts import plots
from dpcore.views.charts.charts import Chart, text_of, titled
from dpcore.views.ground import style
from dpcore.views.ground.shown import estimated_numbers
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.ground.style import Json
from dpcore.views.report import numbers
from dpcore.views.report.pictured import Pictured
from dpcore.views.report.stop import Stop

_FONT: Final = {"family": "system-ui, sans-serif"}
_BUTTONS: Final = [["toImage"]]


class Charts:
    """The charts of one file, gathered while its text is written; a file without charts gathers none."""

    def __init__(self, said: str, ending: str, *, static: bool) -> None:
        """``said``: what stands beside every title, such as ``ε = 1``; ``ending``: the same in names of files."""
        self.static = static
        self._said, self._ending = said, ending
        self._calls: list[str] = []

    def place(self, identity: str, title: str, chart: Chart | None) -> str:
        """The HTML element of a chart; empty where there is nothing to draw, and in a file without charts."""
        if self.static or chart is None:
            return ""
        figure = titled(chart, text_of(f"{title}, {self._said}")).figure
        layout = {**figure["layout"], "template": _look()}
        saved = {"filename": f"{identity}-{self._ending}", "format": "png", "scale": 2}
        options = {
            "displaylogo": False,
            "responsive": True,
            "modeBarButtons": _BUTTONS,
            "toImageButtonOptions": saved,
        }
        self._calls.append(
            f"Plotly.newPlot({_json(identity)},{_json(figure['data'])},{_json(layout)},{_json(options)});"
        )
        said = f'role="img" aria-label="{escape(title)}"'
        return f'<div class="chart" id="{escape(identity)}" {said}></div>'

    def script(self) -> str:
        """The calls that draw them all."""
        return "\n".join(self._calls)


def _json(value: Json | str | list[Json]) -> str:
    """As JSON that may stand in a script element: no sign of it can end that element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _look() -> Json:
    """The style of all charts, by day; the file's own style darkens their letters and lines by night."""
    layout = style.template()["layout"]
    return {"layout": {**layout, "font": {**layout["font"], **_FONT}}}


def figure(stop: Stop, one: Pictured, charts: Charts, *, with_caption: bool) -> str:
    """A plot on both sides of the switch, with its numbers; ``with_caption``: below its name, where others stand beside it."""
    plot, table = one.plot, stop.table(one.whole.measure)
    said = released = drawn_of(one.measurement, stop.rung)
    top = drawn_of(one.whole, stop.rung).limits()[1]
    places = charts.place(one.identity, plot.title, _on_axis(one, plots.chart(plot, said, clipped=True), top))
    if table is not None:
        every, part = estimated_numbers(table), np.arange(one.first, one.first + len(released.cells))
        top = every.limits(slice(None) if _is_grouped(one) else plot.cells + one.first)[1]
        said = released.guessed(every.numbers.at(part), every.about)
        guess = _on_axis(one, plots.chart(plot, said, clipped=True), top)
        places = stop.sides(charts.place(f"{one.identity}--estimate", plot.title, guess), places)
    rows = numbers.plot_table(plot, said, one.identity)
    caption = f"<figcaption>{escape(one.part or plot.title)}</figcaption>" if with_caption else ""
    is_open = " open" if charts.static else ""
    return (
        f"<figure>{caption}{places}"
        f'<details class="numbers"{is_open}><summary>The numbers</summary>{rows}</details></figure>'
    )


def _on_axis(one: Pictured, chart: Chart, top: int) -> Chart:
    """The same chart; of a part with the axis of numbers that all parts share, which ends at ``top``."""
    if one.whole is one.measurement:
        return chart
    layout = chart.figure["layout"]
    shared = {**layout, "yaxis": {**layout["yaxis"], "range": [0, top]}}
    return replace(chart, figure={**chart.figure, "layout": shared})


def _is_grouped(one: Pictured) -> bool:
    """Whether groups of one table share the axis of numbers."""
    return len(one.whole.keys.axes) > 1
