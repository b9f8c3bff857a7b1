"""What an attacker knows after every question: estimates that walk to the truth, and how many of them hit it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, TRUE, Chart, Json

Floats = NDArray[np.float64]


def estimates(answers: NDArray[np.int64], means: Floats, truth: int, counts: str) -> Chart:
    """Each answer as a dot, the mean so far as a line, the truth dashed; ``counts``: what is counted."""
    asked = np.arange(1, len(answers) + 1)
    table = pd.DataFrame({"question": asked, "answer": answers, "mean": means, "truth": truth})
    x = _questions(len(answers))
    spec: Json = {
        "height": 240,
        "encoding": {"x": x},
        "layer": [
            {
                "mark": {"type": "circle", "opacity": 0.7, "color": "#808a95", "tooltip": True},
                "encoding": {
                    "y": {
                        "field": "answer",
                        "type": "quantitative",
                        "title": counts,
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


def hits(share: Floats, law: Floats) -> Chart:
    """Share of counts that the rounded mean hits after each question, and dashed what the law of the noise foretells."""
    table = pd.DataFrame({"question": np.arange(1, len(share) + 1), "share": share, "law": law})
    y: Json = {
        "field": "share",
        "type": "quantitative",
        "title": "hit exactly",
        "axis": {"labelExpr": "format(100 * datum.value, '.0f') + ' %'"},
        "scale": {"domain": [0, 1]},
    }
    spec: Json = {
        "height": 240,
        "encoding": {"x": _questions(len(share))},
        "layer": [
            {
                "mark": {"type": "line", "color": NOISY, "strokeWidth": 2.5, "tooltip": True},
                "encoding": {"y": y},
            },
            {
                "mark": {"type": "line", "color": TRUE, "strokeDash": [5, 3], "tooltip": True},
                "encoding": {"y": {**y, "field": "law"}},
            },
        ],
    }
    return Chart(
        table, spec, "Share of tiles hit exactly, rising with every question, beside the dashed expectation"
    )


def _questions(asked: int) -> Json:
    """The axis of questions: whole numbers only."""
    return {
        "field": "question",
        "type": "quantitative",
        "title": "questions asked",
        "scale": {"domain": [0 if asked > 1 else 0.5, asked if asked > 1 else 1.5], "nice": False},
        "axis": {"format": "d", "tickMinStep": 1},
    }
