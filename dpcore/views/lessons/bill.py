"""What answers cost: noise under one bill, people in the tables of many days, and budgets that are split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from dpcore.views.lessons import lines
from dpcore.views.series import NOISY, Chart, Json

_SPLIT: Final = (NOISY, lines.VERMILION, lines.BLUE)


def spreads(geometric: Sequence[float], gaussian: Sequence[float], chosen: int) -> Chart:
    """Standard deviation of each answer, if one bill pays for 1, 2, 3, ... of them."""
    named = [
        lines.Line("geometric", np.array(geometric, np.float64)),
        lines.Line("Gaussian", np.array(gaussian, np.float64)),
    ]
    x: Json = {
        "field": "answers",
        "type": "quantitative",
        "title": "answers under one bill",
        "axis": {"format": "d", "tickMinStep": 1},
        "scale": {"nice": False},
    }
    y: Json = {"field": "deviation", "type": "quantitative", "title": "noise of each (standard deviation)"}
    drawn = lines.layer([one.name for one in named], x, y)
    table = lines.table(range(1, len(geometric) + 1), named, "answers", "deviation")
    alt = "Geometric noise grows with the number of answers, Gaussian noise with its root; the lines cross"
    return Chart(table, {"height": 320, "layer": [drawn, lines.here("answers", chosen)]}, alt)


def people(by_days: Sequence[int], chosen: int) -> Chart:
    """How many people travel on 1, 2, 3, ... days."""
    kept, broken = "the promise holds", "it does not"
    table = pd.DataFrame(
        [
            {"days": days, "people": number, "whose": kept if days < 2 else broken}
            for days, number in enumerate(by_days)
            if days
        ]
    )
    bars: Json = {
        "mark": {"type": "bar", "size": 8, "tooltip": True},
        "encoding": {
            "x": {
                "field": "days",
                "type": "quantitative",
                "title": "days on which somebody travels",
                "axis": {"format": "d", "tickMinStep": 1},
                "scale": {"domain": [0, len(by_days)], "nice": False},
            },
            "y": {
                "field": "people",
                "type": "quantitative",
                "title": "people (scale of roots)",
                "scale": {"type": "sqrt"},
            },
            "color": {
                "field": "whose",
                "type": "nominal",
                "title": None,
                "scale": {"domain": [kept, broken], "range": [NOISY, lines.VERMILION]},
                "legend": {"orient": "top"},
            },
        },
    }
    alt = "Most people travel on several days, so they are in several tables"
    return Chart(table, {"height": 300, "layer": [bars, lines.here("days", chosen)]}, alt)


def budgets(names: Sequence[str], splits: Mapping[str, Sequence[float]]) -> Chart:
    """Budgets as bars cut into the parts of the views; ``splits``: parts by the name of the split."""
    table = pd.DataFrame(
        [
            {"split": split, "view": name, "epsilon": part, "place": place}
            for split, parts in splits.items()
            for place, (name, part) in enumerate(zip(names, parts, strict=True))
        ]
    )
    spec: Json = {
        "height": 120 + 48 * len(splits),
        "mark": {"type": "bar", "tooltip": True, "stroke": "#ffffff", "strokeWidth": 1},
        "encoding": {
            "y": {
                "field": "split",
                "type": "nominal",
                "title": None,
                "sort": None,
                "axis": {"labelLimit": 160},
            },
            "x": {
                "field": "epsilon",
                "type": "quantitative",
                "title": "ε",
                "scale": {"nice": False},
                "axis": {"tickCount": 5},
            },
            "order": {"field": "place"},
            "color": {
                "field": "view",
                "type": "nominal",
                "title": None,
                "sort": None,
                "scale": {"domain": [*names], "range": [*_SPLIT]},
                "legend": {"orient": "top"},
            },
        },
    }
    return Chart(table, spec, f"Each split of the budget over {', '.join(names)}, from left to right")
