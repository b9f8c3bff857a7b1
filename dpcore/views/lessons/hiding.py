"""How many trips people make, and from where on the noise hides them no more."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, Chart, Json

Integers = NDArray[np.int64]

LAST: Final = 50
"""The last bar holds all who make so many trips or more."""
_TELLTALE: Final = "#d1662a"


def people(trips: Integers, crosses_from: int | None, chosen: int) -> Chart:
    """People by their number of trips; striking are those who can be told with near certainty, and the chosen one.

    ``trips``: of each person, shape ``(people,)``; ``crosses_from``: the trips from which somebody can be told, None
    if nobody can; ``chosen``: the trips of one person.
    """
    counted = np.bincount(np.minimum(trips, LAST), minlength=LAST + 1)[1:]
    numbers = np.arange(1, LAST + 1)
    told = np.zeros(LAST, bool) if crosses_from is None else numbers >= min(crosses_from, LAST + 1)
    state = np.where(told, "can be told with 99 %", "stays below 99 %")
    table = pd.DataFrame({"trips": numbers, "people": counted, "state": state})
    x: Json = {
        "field": "trips",
        "type": "quantitative",
        "title": f"trips in four weeks ({LAST}: and more)",
        "scale": {"domain": [0, LAST + 1], "nice": False},
        "axis": {"format": "d", "tickMinStep": 1},
    }
    names = ["stays below 99 %", "can be told with 99 %"]
    colour: Json = {
        "field": "state",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [NOISY, _TELLTALE]},
        "legend": {"orient": "top"},
    }
    height: Json = {
        "field": "people",
        "type": "quantitative",
        "title": "people (each line ten times more)",
        "scale": {"type": "symlog", "domain": [0, 100_000]},
        "axis": {"values": [1, 10, 100, 1_000, 10_000], "labelExpr": "format(datum.value, ',')"},
    }
    layers: list[Json] = [
        {
            "mark": {"type": "bar", "width": {"band": 0.8}, "tooltip": True},
            "encoding": {"x": {**x, "bandPosition": 0.5}, "y": height, "color": colour},
        },
        _line(min(chosen, LAST), f"chosen: {chosen}", 24),
    ]
    if crosses_from is not None and crosses_from <= LAST:
        layers.append(_line(crosses_from - 0.5, f"99 % from {crosses_from}", 8))
    spec: Json = {"height": 300, "layer": layers}
    return Chart(table, spec, "People by their number of trips, and from where on they can be told")


def _line(at: float, text: str, below: int) -> Json:
    """An upright line with its words beside it."""
    return {
        "data": {"values": [{"at": at, "text": text}]},
        "layer": [
            {
                "mark": {"type": "rule", "color": "#808a95", "strokeDash": [4, 3], "strokeWidth": 1.5},
                "encoding": {"x": {"field": "at", "type": "quantitative"}},
            },
            {
                "mark": {
                    "type": "text",
                    "align": "left",
                    "dx": 5,
                    "y": below,
                    "fontSize": 13,
                    "color": "#808a95",
                },
                "encoding": {
                    "x": {"field": "at", "type": "quantitative"},
                    "text": {"field": "text", "type": "nominal"},
                },
            },
        ],
    }
