"""The exclusion attack as pictures: how sure it gets, and the number at the clinic told in two ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from dpcore.views.series import NOISY, TRUE, Chart, Json

OWN: Final = "its own count"
LEFT: Final = "by subtracting"
"""All who left less all others."""
_VERMILION: Final = "#d55e00"
_GREY: Final = "#808a95"
_RIGHT: Final = "attacker is right"
_SUREST: Final = "where both counts agree"
_ALONE: Final = "the clinic's count alone"


def certainty(
    times: Sequence[int], right: Sequence[float], surest: Sequence[float], alone: float, chosen: int
) -> Chart:
    """How sure one becomes of *clinic or square*, by how much the harmless places may show; ``chosen``: marked."""
    lines = ((_RIGHT, right), (_SUREST, surest), (_ALONE, [alone] * len(times)))
    table = pd.concat(
        [pd.DataFrame({"times": [*times], "certainty": [*values], "what": what}) for what, values in lines]
    )
    names = [what for what, _ in lines]
    legend: Json = {
        "orient": "top",
        "title": None,
        "columns": 1,
        "symbolType": "stroke",
        "symbolStrokeWidth": 2.5,
    }
    x: Json = {
        "field": "times",
        "type": "quantitative",
        "title": "ε of Public-ish, in times that of Critical",
        "scale": {"type": "log", "domain": [times[0], times[-1]], "nice": False},
        "axis": {"values": [*times], "format": "d"},
    }
    y: Json = {
        "field": "certainty",
        "type": "quantitative",
        "title": "certainty, from 50 % before",
        "axis": {"format": "%"},
        "scale": {"domain": [0.5, 1]},
    }
    curves: Json = {
        "mark": {"type": "line", "strokeWidth": 2.5, "point": {"size": 45}, "tooltip": True},
        "encoding": {
            "x": x,
            "y": y,
            "color": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": names, "range": [_VERMILION, _GREY, NOISY]},
                "legend": legend,
            },
            "strokeDash": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": names, "range": [[1, 0], [2, 3], [7, 4]]},
                "legend": legend,
            },
        },
    }
    here: Json = {
        "data": {"values": [{"times": chosen}]},
        "mark": {"type": "rule", "color": _GREY, "strokeDash": [2, 3]},
        "encoding": {"x": {"field": "times", "type": "quantitative"}},
    }
    alt = "The attacker becomes surer as the harmless places show more, though the clinic's own count shows the same"
    return Chart(table, {"height": 300, "layer": [curves, here]}, alt)


def two_ways(truth: int, own: tuple[int, int], left: tuple[int, int]) -> Chart:
    """The number at the clinic: each way with its 95 % interval, the true one dashed; pairs of value and half-width."""
    table = pd.DataFrame(
        [
            {"way": way, "told": value, "low": value - within, "high": value + within}
            for way, (value, within) in ((OWN, own), (LEFT, left))
        ]
    )
    y: Json = {
        "field": "way",
        "type": "nominal",
        "title": None,
        "sort": [OWN, LEFT],
    }
    x: Json = {
        "field": "low",
        "type": "quantitative",
        "title": "trips to the clinic",
        "scale": {"zero": False},
    }
    colour: Json = {
        "field": "way",
        "type": "nominal",
        "scale": {"domain": [OWN, LEFT], "range": [NOISY, _VERMILION]},
        "legend": None,
    }
    spec: Json = {
        "height": 130,
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 3, "tooltip": True},
                "encoding": {"y": y, "x": x, "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "circle", "size": 90, "opacity": 1, "tooltip": True},
                "encoding": {"y": y, "x": {**x, "field": "told"}, "color": colour},
            },
            {
                "data": {"values": [{"true": truth}]},
                "mark": {"type": "rule", "color": TRUE, "strokeDash": [5, 3], "strokeWidth": 2},
                "encoding": {"x": {"field": "true", "type": "quantitative"}},
            },
        ],
    }
    alt = f"True number {truth}, dashed; {OWN} says {own[0]} within {own[1]}, {LEFT} says {left[0]} within {left[1]}"
    return Chart(table, spec, alt)
