"""What an auditor sees: the answers of a machine in two worlds, and how often the telling event happened."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, Chart, Json

Floats = NDArray[np.float64]
WITH: Final = "with the person"
WITHOUT: Final = "without"
_VERMILION: Final = "#d55e00"
_BINS: Final = 40


def worlds(present: Floats, absent: Floats, look: str, line: float) -> Chart:
    """How the answers are spread in both worlds, as shares of the trials; the line of the event dashed."""
    table = pd.concat(
        [
            pd.DataFrame({"at": at, "share": share}).assign(world=name)
            for name, (at, share) in zip((WITH, WITHOUT), _spread(present, absent), strict=True)
        ]
    )
    scale: Json = {"domain": [WITH, WITHOUT], "range": [NOISY, _VERMILION]}
    legend: Json = {"orient": "top", "title": None}
    world: Json = {"field": "world", "type": "nominal", "legend": legend}
    spec: Json = {
        "height": 300,
        "layer": [
            {
                "mark": {"type": "line", "strokeWidth": 1.5, "point": {"size": 34}, "tooltip": True},
                "encoding": {
                    "x": {
                        "field": "at",
                        "type": "quantitative",
                        "title": look,
                        "scale": {"zero": False},
                        "axis": {"tickMinStep": 1},
                    },
                    "y": {
                        "field": "share",
                        "type": "quantitative",
                        "title": "share of the trials",
                        "axis": {"format": "%"},
                    },
                    "color": {**world, "scale": scale},
                    "strokeDash": {**world, "scale": {"domain": scale["domain"], "range": [[1, 0], [5, 3]]}},
                },
            },
            {
                "data": {"values": [{"at": line}]},
                "mark": {"type": "rule", "color": "#808a95", "strokeDash": [2, 3], "strokeWidth": 1.5},
                "encoding": {"x": {"field": "at", "type": "quantitative"}},
            },
        ],
    }
    return Chart(table, spec, f"Two curves, with and without the person: {look}, as shares of the trials")


def _spread(*worlds: Floats) -> list[tuple[Floats, Floats]]:
    """Where the answers of each world are, and which share of them: each value where there are few, else bins."""
    pooled = np.concatenate(worlds)
    low, high = np.quantile(pooled, [0.005, 0.995])
    values = np.unique(pooled[(pooled >= low) & (pooled <= high)])
    if len(values) <= _BINS:
        return [(values, (seen[:, None] == values).mean(axis=0)) for seen in worlds]
    edges = np.linspace(low, high, _BINS + 1)
    return [((edges[:-1] + edges[1:]) / 2, np.histogram(seen, edges)[0] / len(seen)) for seen in worlds]


def event_words(look: str, sign: str, line: float) -> str:
    """The event as a person says it.

    >>> event_words("answer", ">=", 12.0), event_words("answer", "=", 17.63333)
    ('the answer is 12 or more', 'the answer is exactly 17.6333')
    """
    number = f"{line:,.0f}" if line.is_integer() else f"{line:,.4f}"
    return (
        f"the {look} is "
        + {">=": f"{number} or more", "<=": f"{number} or less", "=": f"exactly {number}"}[sign]
    )


def interval_words(hits: int, trials: int, low: float, high: float) -> str:
    """How often something happened, and where its probability lies, to three digits.

    >>> interval_words(7, 700, 0.004, 0.02051)
    '7 of 700 trials: between 0.4 % and 2.05 %'
    """
    return f"{hits:,} of {trials:,} trials: between {100 * low:.3g} % and {100 * high:.3g} %"
