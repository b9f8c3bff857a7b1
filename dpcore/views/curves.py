"""The curve of shares as a chart for pages of the app: how much the busiest cells hold together."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from dpcore.views.charts import NOISY, TRUE, Chart
from dpcore.views.shares import ALONE_CURVE, NOISY_CURVE, TRUE_CURVE, Curve

_ALONE = "#8a94a0"
_LEGEND = {
    "orient": "top",
    "title": None,
    "symbolType": "stroke",
    "symbolSize": 260,
    "columnPadding": 10,
    "labelFontSize": 11,
    "offset": 0,
    "padding": 0,
}

_PERCENT = "format(100 * {}, '.0f') + ' %'"  # as ``plain.percent`` writes a share


def curve_chart(curve: Curve, title: str, truth: Curve | None = None, mark: str = "") -> Chart:
    """Share held by the busiest 1, 2, 5 and so on, beside what noise alone would draw (dashed grey), with a legend.

    With ``truth`` (owner pages only) the true curve in brown, and the mark of private pictures.
    """
    table = pd.DataFrame({"at": curve.places, "noisy": curve.shares, "alone": curve.noise_alone})
    lines = [("noisy", NOISY_CURVE, NOISY, [1, 0]), ("alone", ALONE_CURVE, _ALONE, [4, 4])]
    if truth is not None:
        table["true"] = truth.shares
        lines.append(("true", TRUE_CURVE, TRUE, [8, 3]))
    fields = [field for field, *_ in lines]
    named = {field: name for field, name, *_ in lines}
    legend = {**_LEGEND, "labelExpr": f"{json.dumps(named)}[datum.label]"}

    def line(values: list[Any]) -> dict[str, Any]:
        scale = {"domain": fields, "range": values}
        return {"field": "line", "type": "nominal", "scale": scale, "legend": legend}

    spec: dict[str, Any] = {
        "height": 260,  # the legend takes its room from it
        "transform": [
            {"fold": fields, "as": ["line", "share"]},
            {"calculate": _PERCENT.format("datum.share"), "as": "held"},
        ],
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            "x": {
                "field": "at",
                "type": "quantitative",
                "title": None,
                "scale": {"type": "log", "domain": [1, max(2, curve.places[-1])], "nice": False},
                "axis": {"grid": False, "tickCount": 5, "format": ",d"},
            },
            "y": {
                "field": "share",
                "type": "quantitative",
                "title": "share",
                "scale": {"domain": [0, 1]},
                "axis": {"labelExpr": _PERCENT.format("datum.value"), "tickCount": 3},
            },
            "color": line([colour for *_, colour, _ in lines]),
            "strokeDash": line([dash for *_, dash in lines]),
            "tooltip": [_tooltip("at", ","), {"field": "held", "type": "nominal", "title": "share"}],
        },
    }
    if mark:
        spec["title"] = {
            "text": mark,
            "fontSize": 11,
            "fontWeight": "normal",
            "anchor": "start",
            "color": TRUE,
        }
    return Chart(table, spec, title)


def _tooltip(field: str, form: str) -> dict[str, str]:
    return {"field": field, "type": "quantitative", "format": form}
