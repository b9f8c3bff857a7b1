"""Several named lines in one picture, told apart by colour and by dashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.views.series import NOISY, TRUE, Json

Floats = NDArray[np.float64]

GREY: Final = "#808a95"
VERMILION: Final = "#d55e00"
BLUE: Final = "#3f8fd2"
COLOURS: Final = (NOISY, VERMILION, BLUE, TRUE)
DASHES: Final = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3])


@dataclass(frozen=True, eq=False)
class Line:
    """One line: its name and its heights."""

    name: str
    high: Floats


def table(at: Sequence[float], lines: Sequence[Line], x: str, y: str) -> pd.DataFrame:
    """One row for each point of each line, with the columns ``x``, ``y`` and ``line``."""
    return pd.concat([pd.DataFrame({"line": one.name, x: [*at], y: one.high}) for one in lines])


def layer(names: Sequence[str], x: Json, y: Json, *, step: bool = False) -> Json:
    """The lines of such a table; ``step``: a value holds until the next."""
    legend: Json = {"orient": "top", "title": None, "symbolType": "stroke", "symbolStrokeWidth": 2.5}
    mark: Json = {"type": "line", "strokeWidth": 2.5, "clip": True, "tooltip": True}
    if step:
        mark["interpolate"] = "step-after"

    def told_apart(looks: Sequence[object]) -> Json:
        scale = {"domain": [*names], "range": [*looks[: len(names)]]}
        return {"field": "line", "type": "nominal", "sort": None, "scale": scale, "legend": legend}

    return {
        "mark": mark,
        "encoding": {"x": x, "y": y, "color": told_apart(COLOURS), "strokeDash": told_apart(DASHES)},
    }


def here(field: str, value: float) -> Json:
    """An upright line at what was chosen."""
    return {
        "data": {"values": [{field: value}]},
        "mark": {"type": "rule", "color": GREY, "strokeDash": [2, 3], "strokeWidth": 1.5},
        "encoding": {"x": {"field": field, "type": "quantitative"}},
    }
