"""Twenty dots for one number: how likely is it over a line? Count the dots beyond it.

Each dot stands for one chance in twenty (Fernandes et al., CHI 2018). They are quantiles of ``value - V`` with the
noise V of the cell: what a reader can believe of the count whose noisy value this is, if every count was equally
likely beforehand. The answer itself is exact, from the law of the noise.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.charts import NOISY, Chart
from dpcore.views.plain import chance_words
from dpcore.views.ranking import noise_tail

DOTS: Final = 20
_COLUMNS: Final = 13  # places for dots between the outermost ones
_UNDER: Final = "#9aa4ae"

Json = dict[str, Any]


def dots(value: int, rho: Fraction, count: int = DOTS) -> NDArray[np.int64]:
    """Where the dots stand, rising: quantiles at the middles of ``count`` equal chances."""
    upper = noise_tail((np.arange(count // 2) + 0.5) / count, float(rho))
    return np.sort(value - np.concatenate([-upper, upper]))


def chance_at_least(value: int, line: int, rho: Fraction) -> float:
    """The chance that the count is ``line`` or more, given its noisy value and a flat prior.

    >>> round(chance_at_least(100, 100, Fraction(1, 1000)), 2)
    0.5
    """
    rate = float(rho)
    ahead = value - line  # count >= line if and only if V <= ahead
    if ahead >= 0:
        return 1 - exp(-rate * (ahead + 1)) / (1 + exp(-rate))
    return exp(rate * ahead) / (1 + exp(-rate))


def dotplot(value: int, rho: Fraction, line: int, counts: str) -> Chart:
    """The dots as a picture, those at the line or beyond it coloured.

    Dots below 0 are drawn at 0: a count cannot be negative, only a noisy one can.
    """
    at = np.maximum(dots(value, rho), 0)
    width = max(1, int(np.ceil((at[-1] - at[0]) / _COLUMNS)))
    place = at[0] + (at - at[0]) // width * width
    height = np.array([int((place[:i] == place[i]).sum()) for i in range(len(place))]) + 1
    over = np.where(at >= line, "yes", "no")
    table = pd.DataFrame({"at": place, "height": height, "over": over, "count": at})
    margin = max(1, width)
    domain = [int(place[0]) - margin, int(place[-1]) + margin]
    x: Json = {
        "field": "at",
        "type": "quantitative",
        "title": counts,
        "scale": {"domain": domain, "nice": False},
        "axis": {"grid": False, "tickCount": 4, "format": ",d", "tickMinStep": 1},
    }
    y: Json = {
        "field": "height",
        "type": "quantitative",
        "axis": None,
        "scale": {"domain": [0, max(7, int(height.max())) + 0.6]},
    }
    colour = {
        "field": "over",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": ["yes", "no"], "range": [NOISY, _UNDER]},
    }
    tooltip = [{"field": "count", "type": "quantitative", "title": f"about, {counts}", "format": ","}]
    spec: Json = {
        "height": 118,
        "layer": [
            {
                "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": colour, "shape": _shapes(), "tooltip": tooltip},
            },
            {
                "data": {"values": [{"line": line}]},
                "mark": {
                    "type": "rule",
                    "strokeDash": [4, 3],
                    "color": _UNDER,
                    "strokeWidth": 1.5,
                    "clip": True,
                },
                "encoding": {"x": {"field": "line", "type": "quantitative"}},
            },
        ],
    }
    beyond = int((at >= line).sum())
    alt = f"{DOTS} dots for what the count may be; {beyond} of them at {line:,} {counts} or more"
    return Chart(table, spec, alt)


def _shapes() -> Json:
    """Colour is not all that tells: what lies below the line is a diamond."""
    return {
        "field": "over",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": ["yes", "no"], "range": ["circle", "diamond"]},
    }


def answer(value: int, rho: Fraction, line: int, counts: str) -> str:
    """Whether the count is over a line, in words."""
    beyond = int((np.maximum(dots(value, rho), 0) >= line).sum())
    if line <= 0:
        return "A count is never below zero."
    chance = chance_at_least(value, line, rho)
    return f"{beyond} of {DOTS} dots: {line:,} {counts} or more with a chance of {chance_words(chance)}."


def near_line(value: int, half_width: int) -> int:
    """A round number near a noisy count, to ask about first.

    >>> near_line(12_289, 300), near_line(-4, 30), near_line(7, 0)
    (12500, 10, 7)
    """
    step: int = 10 ** max(0, len(str(half_width)) - 1)
    return max(step, value // step * step if half_width < 10 else round(value / (5 * step)) * 5 * step)
