"""Three shapes of noise as pictures: how likely each answer is, what it tells, and which is narrower for many counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, TRUE, Chart, Json

Floats = NDArray[np.float64]
Curve = tuple[str, Floats, Floats]
"""Name, where, how high."""
NAMES: Final = ("Laplace", "geometric", "Gaussian")
BOUND: Final = "no attacker can"
_BLUE: Final = "#5577d0"
_GREY: Final = "#808a95"
_NEAR: Final = 15  # beyond, dots of whole numbers would touch
_COLOURS: Final[Json] = {
    "domain": [*NAMES, BOUND],
    "range": [_GREY, NOISY, _BLUE, TRUE],
}
_DASHES: Final[Json] = {"domain": [*NAMES, BOUND], "range": [[6, 3], [1, 0], [2, 2], [8, 4]]}


def _table(curves: Sequence[Curve], x: str, y: str) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"noise": name, x: at, y: high}) for name, at, high in curves])


def _channels(names: Sequence[str]) -> Json:
    legend = {
        "orient": "top",
        "values": [*names],
        "title": None,
        "symbolType": "stroke",
        "symbolStrokeWidth": 2.5,
    }
    return {
        "color": {"field": "noise", "type": "nominal", "scale": _COLOURS, "legend": legend},
        "strokeDash": {"field": "noise", "type": "nominal", "scale": _DASHES, "legend": legend},
    }


def _axis(field: str, title: str, **more: object) -> Json:
    return {"field": field, "type": "quantitative", "title": title, **more}


def _of_answers(curves: Sequence[Curve], y: Json, alt: str) -> Chart:
    """A curve for each shape, its integers as dots."""
    table = _table(curves, "answer", y["field"])
    whole = "datum.noise === 'geometric'"
    x = _axis("answer", "answer less the count without the trip", axis={"format": "d", "tickMinStep": 1})
    dots: Json = {
        "transform": [{"filter": whole}],
        "mark": {
            "type": "circle",
            "size": 45 if len(curves[0][1]) and float(curves[0][1][-1]) <= _NEAR else 16,
            "opacity": 1,
            "tooltip": True,
        },
    }
    lines: Json = {
        "transform": [{"filter": f"!({whole})"}],
        "mark": {"type": "line", "strokeWidth": 2, "clip": True, "tooltip": True},
    }
    channels = _channels([name for name, *_ in curves])
    lines["encoding"] = {"strokeDash": channels.pop("strokeDash")}
    spec: Json = {"height": 330, "encoding": {"x": x, "y": y, **channels}, "layer": [lines, dots]}
    return Chart(table, spec, alt)


def densities(curves: Sequence[Curve]) -> Chart:
    """How likely each answer is without the trip."""
    return _of_answers(
        curves,
        _axis("chance", "how likely"),
        "Laplace and geometric noise have a sharp peak at zero, Gaussian noise is a wide bell",
    )


def log_ratios(curves: Sequence[Curve], epsilon: float) -> Chart:
    """What each answer tells: the logarithm of how much likelier it is with the trip; epsilon as dashed lines."""
    top = 2 * epsilon
    scale = {"domain": [-top, top]}
    chart = _of_answers(
        curves,
        _axis("told", "speaks for the trip (log ratio)", scale=scale),
        "Laplace and geometric noise never tell more than epsilon, the line of Gaussian noise goes on and on",
    )
    lines: Json = {
        "data": {"values": [{"epsilon": epsilon}, {"epsilon": -epsilon}]},
        "mark": {"type": "rule", "color": TRUE, "strokeDash": [8, 4], "strokeWidth": 1.5},
        "encoding": {"y": {"field": "epsilon", "type": "quantitative"}, "x": None, "color": None},
    }
    chart.spec["layer"].append(lines)
    return chart


def spreads(counts: Sequence[int], geometric: Floats, gaussian: Floats, chosen: int) -> Chart:
    """Standard deviation of the noise of each count, by how many counts one person changes."""
    at = np.array(counts, np.float64)
    table = _table((("geometric", at, geometric), ("Gaussian", at, gaussian)), "counts", "deviation")
    x = _axis("counts", "counts that one person changes", axis={"format": "d", "tickMinStep": 1})
    y = _axis("deviation", "standard deviation of the noise")
    line: Json = {
        "mark": {"type": "line", "strokeWidth": 2.5, "tooltip": True},
        "encoding": {"x": x, "y": y, **_channels(("geometric", "Gaussian"))},
    }
    here: Json = {
        "data": {"values": [{"counts": chosen}]},
        "mark": {"type": "rule", "color": _GREY, "strokeDash": [2, 3]},
        "encoding": {"x": {"field": "counts", "type": "quantitative"}},
    }
    alt = "Geometric noise grows with the number of counts, Gaussian noise with its square root; the lines cross"
    return Chart(table, {"height": 340, "layer": [line, here]}, alt)


def alarms(curves: Sequence[Curve]) -> Chart:
    """Right alarms by wrong ones, of each attacker; what no attacker can reach is shaded."""
    table = _table(curves, "wrong", "right")
    x = _axis("wrong", "wrong alarms", axis={"format": "%"}, scale={"domain": [0, 1]})
    y = _axis("right", "right alarms", axis={"format": "%"}, scale={"domain": [0, 1]})
    names = [name for name, *_ in curves]
    shade: Json = {
        "transform": [{"filter": f"datum.noise === '{BOUND}'"}],
        "mark": {"type": "area", "color": TRUE, "opacity": 0.15, "line": False},
        "encoding": {"x": x, "y": y, "y2": {"datum": 1}},
    }
    line: Json = {
        "mark": {"type": "line", "strokeWidth": 2.5, "tooltip": True},
        "encoding": {"x": x, "y": y, "order": {"field": "wrong"}, **_channels(names)},
    }
    chance: Json = {
        "data": {"values": [{"wrong": 0, "right": 0}, {"wrong": 1, "right": 1}]},
        "mark": {"type": "line", "color": _GREY, "strokeWidth": 1},
        "encoding": {"x": x, "y": y},
    }
    alt = (
        "Right alarms against wrong alarms: every attacker stays below the shaded region that epsilon forbids"
    )
    return Chart(table, {"height": 360, "layer": [shade, chance, line]}, alt)
