"""A median drawn on a grid: how far each point is from the middle, how likely it comes out, and what the data allow."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.lessons import lines
from dpcore.views.series import NOISY, TRUE, Chart, Json

Floats = NDArray[np.float64]


def _minutes(low: float, high: float) -> Json:
    return {
        "field": "minutes",
        "type": "quantitative",
        "title": "minutes",
        "scale": {"domain": [low, high], "nice": False},
    }


def _true(median: float) -> Json:
    return {
        "data": {"values": [{"minutes": median}]},
        "mark": {"type": "rule", "color": TRUE, "strokeDash": [5, 3], "strokeWidth": 1.5},
        "encoding": {"x": {"field": "minutes", "type": "quantitative"}},
    }


def missed(points: Floats, ranks: Floats, median: float, high: float) -> Chart:
    """Ranks by which each point of the grid up to ``high`` misses the middle; the true median dashed."""
    seen = points <= high
    table = pd.DataFrame({"minutes": points[seen], "missed": ranks[seen]})
    line: Json = {
        "mark": {"type": "line", "color": NOISY, "strokeWidth": 2.5, "tooltip": True},
        "encoding": {
            "x": _minutes(0, high),
            "y": {"field": "missed", "type": "quantitative", "title": "misses the middle by (trips)"},
        },
    }
    alt = "Points far from the median miss the middle by many trips, those at it by none"
    return Chart(table, {"height": 280, "layer": [line, _true(median)]}, alt)


def chances(
    points: Floats, drawn: Floats, exponential: Floats, median: float, window: tuple[float, float]
) -> Chart:
    """How likely each point of the grid within a window comes out, in two forms of the mechanism."""
    seen = (points >= window[0]) & (points <= window[1])
    named = [
        lines.Line("as this app draws", drawn[seen]),
        lines.Line("exponential mechanism", exponential[seen]),
    ]
    table = lines.table(points[seen].tolist(), named, "minutes", "chance")
    y: Json = {
        "field": "chance",
        "type": "quantitative",
        "title": "chance",
        "axis": {"labelExpr": "format(100 * datum.value, '~r') + ' %'"},
    }
    layer = lines.layer([one.name for one in named], _minutes(*window), y)
    alt = "The chance of a point is largest near the true median and falls on both sides; it is nowhere zero"
    return Chart(table, {"height": 280, "layer": [layer, _true(median)]}, alt)


def among(values: Floats, chance: Floats, median: float, window: tuple[float, float]) -> Chart:
    """How likely each value of the data within a window comes out where only these can: one stick for each trip."""
    seen = (values >= window[0]) & (values <= window[1])
    table = pd.DataFrame({"minutes": values[seen], "chance": chance[seen]})
    sticks: Json = {
        "mark": {"type": "rule", "color": lines.VERMILION, "strokeWidth": 1.6, "tooltip": True},
        "encoding": {
            "x": _minutes(*window),
            "y": {
                "field": "chance",
                "type": "quantitative",
                "title": "chance",
                "axis": {"labelExpr": "format(100 * datum.value, '~r') + ' %'"},
            },
            "y2": {"datum": 0},
        },
    }
    alt = "Only values of somebody's trip can come out: a stick for each of them, and nothing between"
    return Chart(table, {"height": 280, "layer": [sticks, _true(median)]}, alt)
