"""What tidying does: errors of sums that cancel or add up, and totals of tables before and after they agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.lessons import lines
from dpcore.views.series import NOISY, TRUE, Chart, Json

Numbers = NDArray[np.int64] | NDArray[np.float64]


def running(drawn: Numbers, tidied: Numbers, foretold: Numbers) -> Chart:
    """Error of the sum over more and more districts: as drawn, tidied, and what the formula of cutting foretells."""
    named = [
        lines.Line(name, np.asarray(high, np.float64))
        for name, high in (("as drawn", drawn), ("tidied", tidied), ("cut at zero, formula", foretold))
    ]
    x: Json = {
        "field": "districts",
        "type": "quantitative",
        "title": "districts added up",
        "axis": {"format": "d"},
        "scale": {"nice": False},
    }
    y: Json = {"field": "off", "type": "quantitative", "title": "sum less truth (trips)"}
    layer = lines.layer([one.name for one in named], x, y)
    table = lines.table(range(1, len(drawn) + 1), named, "districts", "off")
    alt = "The error of the sum over more and more districts: as drawn, tidied, and by the formula of cutting alone"
    return Chart(table, {"height": 320, "layer": [layer]}, alt)


def totals(
    names: Sequence[str], drawn: Sequence[float], wide: Sequence[float], agreed: float, truth: int
) -> Chart:
    """What each table says about one total, with its interval; a line where all agree, and the truth dashed."""
    table = pd.DataFrame(
        {
            "table": [*names],
            "total": [*drawn],
            "low": np.subtract(drawn, wide),
            "high": np.add(drawn, wide),
        }
    )
    y: Json = {"field": "table", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 210}}
    x: Json = {
        "type": "quantitative",
        "title": "trips in all",
        "scale": {"zero": False},
        "axis": {"tickCount": 4},
    }

    def upright(value: float, look: Json) -> Json:
        return {
            "data": {"values": [{"total": value}]},
            "mark": {"type": "rule", "strokeWidth": 2, **look},
            "encoding": {"x": {**x, "field": "total"}},
        }

    spec: Json = {
        "height": 230,
        "layer": [
            {
                "mark": {"type": "rule", "color": NOISY, "strokeWidth": 2},
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 70,
                    "color": NOISY,
                    "opacity": 1,
                    "tooltip": True,
                },
                "encoding": {"y": y, "x": {**x, "field": "total"}},
            },
            upright(agreed, {"color": lines.BLUE}),
            upright(truth, {"color": TRUE, "strokeDash": [5, 3]}),
        ],
    }
    return Chart(table, spec, "Totals of the tables as dots with intervals; all agree at the upright line")
