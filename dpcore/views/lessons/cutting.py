"""What a bound on trips costs and saves: the error of a table at every bound, and which bound is best for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from dpcore.views.lessons import lines
from dpcore.views.series import Chart, Json

_BOUNDS: Final = [1, 3, 10, 30, 100, 300]


def errors(
    bounds: Sequence[int], cut: Sequence[float], noise: Sequence[float], both: Sequence[float], chosen: int
) -> Chart:
    """How far a count is off at each bound: by cut trips, by noise, and by both."""
    named = [
        lines.Line(name, np.array(high, np.float64))
        for name, high in (("trips cut", cut), ("noise", noise), ("both together", both))
    ]
    lowest = max(1.0, min(noise))
    x: Json = {
        "field": "M",
        "type": "quantitative",
        "title": "M: trips of each person that count",
        "scale": {"type": "log", "nice": False},
        "axis": {"format": "d", "values": _BOUNDS},
    }
    y: Json = {
        "field": "off",
        "type": "quantitative",
        "title": "a count is off by",
        "scale": {"type": "log", "domainMin": lowest},
        "axis": {"format": ",~r", "tickCount": 4},
    }
    drawn = lines.layer([one.name for one in named], x, y)
    drawn["transform"] = [
        {"filter": "datum.off > 0"}
    ]  # the largest bound cuts nothing, and 0 has no logarithm
    spec: Json = {"height": 330, "layer": [drawn, lines.here("M", chosen)]}
    alt = "With a larger bound the error by cut trips falls and the noise grows; together they are least in between"
    return Chart(lines.table(bounds, named, "M", "off"), spec, alt)


def optima(epsilons: Sequence[float], best: Mapping[str, Sequence[int]], chosen: float) -> Chart:
    """The best bound at each epsilon, for every table."""
    named = [lines.Line(name, np.array(high, np.float64)) for name, high in best.items()]
    x: Json = {
        "field": "epsilon",
        "type": "quantitative",
        "title": "ε of the table, for a person",
        "scale": {"type": "log", "nice": False},
        "axis": {"format": "~g", "values": [0.1, 0.2, 0.5, 1, 2, 5, 10]},
    }
    y: Json = {
        "field": "M",
        "type": "quantitative",
        "title": "best M",
        "scale": {"type": "log"},
        "axis": {"format": "d", "values": _BOUNDS},
    }
    drawn = lines.layer([*best], x, y)
    drawn["mark"]["point"] = {"size": 40}
    spec: Json = {"height": 330, "layer": [drawn, lines.here("epsilon", chosen)]}
    alt = "The best bound grows with epsilon, and it is smaller for flows than for the map and the hours"
    return Chart(lines.table(epsilons, named, "epsilon", "M"), spec, alt)
