"""The curve of shares as a chart for pages of the app: how much the busiest cells hold together."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dpcore.views.series import NOISY, TRUE, Chart
from dpcore.views.shares import Curve

_ALONE = "#8a94a0"


def curve_chart(curve: Curve, title: str, truth: Curve | None = None, mark: str = "") -> Chart:
    """Share held by the busiest 1, 2, 5 and so on, beside what noise alone would draw (dashed grey).

    With ``truth`` (owner pages only) the true curve in brown, and the mark of private pictures.
    """
    table = pd.DataFrame({"at": curve.places, "noisy": curve.shares, "alone": curve.noise_alone})
    lines = [("noisy", NOISY, []), ("alone", _ALONE, [4, 4])]
    if truth is not None:
        table["true"] = truth.shares
        lines.append(("true", TRUE, [5, 3]))
    x: dict[str, Any] = {
        "field": "at",
        "type": "quantitative",
        "title": "busiest",
        "scale": {"type": "log", "domain": [1, max(2, curve.places[-1])], "nice": False},
        "axis": {"grid": False, "tickCount": 5, "format": ",d"},
    }

    def y(field: str) -> dict[str, Any]:
        return {
            "field": field,
            "type": "quantitative",
            "title": "share",
            "scale": {"domain": [0, 1]},
            "axis": {"format": "%", "tickCount": 3},
        }

    spec: dict[str, Any] = {
        "height": 190,
        "encoding": {"x": x},
        "layer": [
            {
                "mark": {"type": "line", "color": colour, "strokeDash": dash, "strokeWidth": 2},
                "encoding": {"y": y(field), "tooltip": [_tooltip("at", ","), _tooltip(field, ".0%")]},
            }
            for field, colour, dash in lines
        ],
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
