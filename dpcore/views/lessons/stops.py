"""The noise of two stops of a slider against each other: a straight line gives the truth away, a cloud does not."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, Chart, Json

Floats = NDArray[np.float64]


def against(at_one: Floats, at_other: Floats, one: str, other: str) -> Chart:
    """One dot for each count: its noise at two stops, shape ``(counts,)`` each; ``one``, ``other``: their epsilons."""
    table = pd.DataFrame({"one": at_one, "other": at_other})
    spec: Json = {
        "height": 300,
        "mark": {"type": "circle", "color": NOISY, "size": 34, "opacity": 0.55, "tooltip": True},
        "encoding": {
            "x": {"field": "one", "type": "quantitative", "title": f"noise at ε = {one}"},
            "y": {"field": "other", "type": "quantitative", "title": f"noise at ε = {other}"},
        },
    }
    return Chart(table, spec, f"Noise of every count at ε = {one} and at ε = {other}, one dot each")
