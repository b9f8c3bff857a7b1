"""Estimates of an attacker after every question: how they walk to the truth while the bill grows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, TRUE, Chart, Json

Floats = NDArray[np.float64]


def estimates(answers: NDArray[np.int64], means: Floats, truth: int) -> Chart:
    """Each answer as a dot, the mean so far as a line, the truth dashed; one row for each question."""
    asked = np.arange(1, len(answers) + 1)
    table = pd.DataFrame({"question": asked, "answer": answers, "mean": means, "truth": truth})
    x: Json = {"field": "question", "type": "quantitative", "title": "questions asked"}
    spec: Json = {
        "height": 260,
        "encoding": {"x": x},
        "layer": [
            {
                "mark": {"type": "circle", "opacity": 0.35, "color": "#808a95", "tooltip": True},
                "encoding": {
                    "y": {
                        "field": "answer",
                        "type": "quantitative",
                        "title": "visits",
                        "scale": {"zero": False},
                    }
                },
            },
            {
                "mark": {"type": "line", "color": NOISY, "strokeWidth": 2.5, "tooltip": True},
                "encoding": {"y": {"field": "mean", "type": "quantitative"}},
            },
            {
                "mark": {"type": "line", "color": TRUE, "strokeDash": [5, 3], "tooltip": True},
                "encoding": {"y": {"field": "truth", "type": "quantitative"}},
            },
        ],
    }
    return Chart(
        table, spec, "Answers as dots, their mean as a line that comes to the true number, which is dashed"
    )
