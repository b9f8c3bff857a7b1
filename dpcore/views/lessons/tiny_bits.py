"""Two combs of reachable outputs, one for each count: where their teeth meet, nothing is told."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, Chart, Json

_ONLY: Final = ("from 0 only", "from 1 only", "from both")
_ROWS: Final = ("count 0", "count 1")


def combs(values: NDArray[np.float64], of: NDArray[np.int64], chosen: int | None = None) -> Chart:
    """The outputs as teeth in the row of each count that reaches them; ``of``: 0, 1, or -1 for both; ``chosen``: marked."""
    table = pd.DataFrame(
        [
            {"output": value, "row": _ROWS[row], "reachable": _ONLY[mark], "digits": repr(float(value))}
            for value, mark in zip(values.tolist(), of.tolist(), strict=True)
            for row in ((0, 1) if mark < 0 else (mark,))
        ]
    )
    x: Json = {
        "field": "output",
        "type": "quantitative",
        "title": "output",
        "scale": {"zero": False, "nice": False, "padding": 12},
        "axis": {"tickCount": 6},
    }
    y: Json = {"field": "row", "type": "nominal", "title": None, "sort": [*_ROWS]}
    colour: Json = {
        "field": "reachable",
        "type": "nominal",
        "scale": {"domain": [*_ONLY], "range": [NOISY, "#d55e00", "#808a95"]},
        "legend": {"orient": "top", "title": None},
    }
    tooltip = [
        {"field": "digits", "type": "nominal", "title": "output"},
        {"field": "reachable", "type": "nominal"},
    ]
    layers: list[Json] = [
        {
            "mark": {"type": "tick", "thickness": 2.5, "bandSize": 44},
            "encoding": {"x": x, "y": y, "color": colour, "tooltip": tooltip},
        }
    ]
    if chosen is not None:
        layers.append(
            {
                "data": {"values": [{"output": float(values[chosen])}]},
                "mark": {"type": "rule", "color": "#808a95", "strokeDash": [2, 3], "strokeWidth": 1.5},
                "encoding": {"x": {"field": "output", "type": "quantitative"}},
            }
        )
    both = int((of < 0).sum())
    alt = f"{len(values)} outputs in two rows, one for each count; {both} of them stand in both rows"
    return Chart(table, {"height": 210, "layer": layers}, alt)
