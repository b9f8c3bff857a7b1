"""Ghost flows as pictures: how many there are at each threshold, and a corner of the table with its ghosts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, Chart, Json

Integers = NDArray[np.int64]
GHOST: Final = "ghost: nobody travels here"
KEPT: Final = "true flow, shown"
LOST: Final = "true flow, lost"
_VERMILION: Final = "#d55e00"
_GREY: Final = "#808a95"
_RARE: Final = 0.5  # flows: less is not drawn on a logarithmic axis


def tradeoff(
    thresholds: Sequence[int],
    ghosts: Sequence[tuple[float, float]],
    lost: Sequence[tuple[float, float]],
    chosen: int,
) -> Chart:
    """Ghosts and lost flows at each threshold, each expected and counted: lines and dots."""
    table = pd.concat(
        [
            pd.DataFrame(pairs, columns=["expected", "counted"]).assign(threshold=[*thresholds], what=what)
            for what, pairs in (("ghost flows", ghosts), ("true flows lost", lost))
        ]
    )
    names = ["ghost flows", "true flows lost"]
    legend: Json = {"orient": "top", "title": None}
    colour: Json = {
        "field": "what",
        "type": "nominal",
        "scale": {"domain": names, "range": [_VERMILION, NOISY]},
        "legend": legend,
    }
    x: Json = {
        "field": "threshold",
        "type": "quantitative",
        "title": "threshold: smaller noisy counts are left out",
        "axis": {"format": "d", "tickMinStep": 1},
        "scale": {"nice": False},
    }

    def y(field: str) -> Json:
        return {
            "field": field,
            "type": "quantitative",
            "title": "flows",
            "scale": {"type": "log", "domain": [_RARE, 200_000], "nice": False},
            "axis": {"format": ",d", "values": [10**power for power in range(6)]},
        }

    spec: Json = {
        "height": 360,
        "layer": [
            {
                "transform": [{"filter": f"datum.expected >= {_RARE}"}],
                "mark": {"type": "line", "strokeWidth": 2, "clip": True},
                "encoding": {"x": x, "y": y("expected"), "color": colour},
            },
            {
                "transform": [{"filter": f"datum.counted >= {_RARE}"}],
                "mark": {"type": "point", "filled": True, "size": 50, "opacity": 1, "tooltip": True},
                "encoding": {
                    "x": x,
                    "y": y("counted"),
                    "color": colour,
                    "shape": {
                        "field": "what",
                        "type": "nominal",
                        "scale": {"domain": names, "range": ["cross", "circle"]},
                        "legend": legend,
                    },
                },
            },
            {
                "data": {"values": [{"threshold": chosen}]},
                "mark": {"type": "rule", "color": _GREY, "strokeDash": [3, 3]},
                "encoding": {"x": {"field": "threshold", "type": "quantitative"}},
            },
        ],
    }
    alt = (
        "Ghost flows fall by the same factor with every step of the threshold, while more true flows are lost"
    )
    return Chart(table, spec, alt)


def corner(truth: Integers, shown: Integers, tiles: int, width: int) -> Chart:
    """The flows among the last ``width`` districts, the outermost ones: true ones, lost ones and ghosts."""
    first = tiles - width
    visible = np.zeros(tiles**2, bool)
    visible[shown] = True
    block = np.s_[first:, first:]
    there, true = visible.reshape(tiles, tiles)[block], truth.reshape(tiles, tiles)[block] > 0
    kinds = {KEPT: there & true, LOST: ~there & true, GHOST: there & ~true}
    table = pd.concat(
        [
            pd.DataFrame(np.argwhere(mask) + first + 1, columns=["origin", "goal"]).assign(what=what)
            for what, mask in kinds.items()
        ]
    )

    def axis(field: str, title: str) -> Json:
        return {
            "field": field,
            "type": "quantitative",
            "title": title,
            "axis": {"grid": False, "format": "d", "tickCount": 5},
            "scale": {"domain": [first, tiles + 1], "nice": False, "zero": False},
        }

    names = [*kinds]
    legend: Json = {"orient": "bottom", "columns": 1, "title": None}
    spec: Json = {
        "height": 460,
        "mark": {"type": "point", "size": 22, "strokeWidth": 1.6, "tooltip": True},
        "encoding": {
            "x": axis("goal", "to district number"),
            "y": axis("origin", "from district number"),
            "color": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": names, "range": [NOISY, _GREY, _VERMILION]},
                "legend": legend,
            },
            "shape": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": names, "range": ["circle", "square", "cross"]},
                "legend": legend,
            },
        },
    }
    alt = f"{int(kinds[GHOST].sum())} ghosts, {int(kinds[KEPT].sum())} true flows and {int(kinds[LOST].sum())} lost ones"
    return Chart(table, spec, f"Flows among the {width} outermost districts: {alt}")
