"""Pictures of two tables that differ by one day: maps of each, of their difference, and how often attackers are right."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.privacy import best_guess
from dpcore.tessellation import Tessellation
from dpcore.views.lessons.tile_maps import Kind, tiles_svg
from dpcore.views.series import NOISY, TRUE, Chart, Json
from dpcore.views.svg import GREY

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

_BLUES: Final = ("#d5e3f0", "#9dc0de", "#5f97c6", "#2b6ca3", "#123f6b")
_EDGES: Final = (10, 50, 200, 800)
_ORANGE: Final = "#e07b39"


def count_map(tiles: Tessellation, counts: Integers, title: str, *, dark: bool = False) -> str:
    """One table as it is published, as SVG text; what is hidden is negative and grey."""
    names = ("below 10" if (counts >= 0).all() else "", "10 to 49", "50 to 199", "200 to 799", "800 and more")
    kinds = [
        Kind(_hidden(dark=dark), "hidden"),
        *(Kind(colour, name) for colour, name in zip(_BLUES, names, strict=True)),
    ]
    which = np.where(counts < 0, 0, 1 + np.digitize(counts, _EDGES))
    return tiles_svg(tiles, kinds, which, {}, title, dark=dark)


def difference_map(
    tiles: Tessellation, difference: Integers, told: Flags, title: str, *, dark: bool = False
) -> str:
    """The second table less the first: where exactly one trip comes out, a disc with a 1; grey where nothing can be told."""
    kinds = [
        Kind(_hidden(dark=dark), "" if told.all() else "cannot be subtracted"),
        Kind("#222b34" if dark else "#e9eef3", "0 or less"),
        Kind(_ORANGE, "exactly 1"),
        Kind("#f3c99f", "2 to 9"),
        Kind(_BLUES[1], "10 and more"),
    ]
    which = np.where(told, 1 + np.digitize(difference, (1, 2, 10)), 0)
    ones = np.flatnonzero(told & (difference == 1)).tolist()
    return tiles_svg(tiles, kinds, which, dict.fromkeys(ones, "1"), title, dark=dark)


def _hidden(*, dark: bool) -> str:
    """Grey that stands back on the page behind it."""
    return "#59626c" if dark else GREY


def guesses(
    epsilons: Sequence[Fraction], subtracting: Floats, informed: Floats, chosen: Fraction, repetitions: int
) -> Chart:
    """Share of right answers of two attackers at each epsilon, below the line that none can cross."""
    at = [float(epsilon) for epsilon in epsilons]
    bound = [best_guess(epsilon) for epsilon in epsilons]
    parts = {
        "no attacker gets above": bound,
        "subtracts the tables": subtracting,
        "knows all other trips": informed,
    }
    table = pd.concat(
        [
            pd.DataFrame({"epsilon": at, "right": shares, "who": who, "chosen": float(chosen)})
            for who, shares in parts.items()
        ],
        ignore_index=True,
    )
    x: Json = {
        "field": "epsilon",
        "type": "quantitative",
        "title": "ε of both tables together",
        "scale": {"type": "log"},
        "axis": {"values": [0.1, 0.2, 0.5, 1, 2, 5, 10], "format": "~g"},
    }
    y: Json = {
        "field": "right",
        "type": "quantitative",
        "title": "right answers",
        "axis": {"labelExpr": "format(100 * datum.value, '.0f') + ' %'"},
        "scale": {"domain": [0.4, 1]},
    }
    names = list(parts)
    who: Json = {
        "field": "who",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [TRUE, NOISY, "#2b6ca3"]},
        "legend": {"orient": "bottom", "columns": 1, "labelLimit": 320},
    }
    shape = {**who, "scale": {"domain": names, "range": ["stroke", "circle", "triangle-up"]}}
    spec: Json = {
        "height": 380,
        "layer": [
            {
                "transform": [{"filter": f"datum.who == '{names[0]}'"}],
                "mark": {"type": "line", "strokeDash": [6, 3], "strokeWidth": 2},
                "encoding": {"x": x, "y": y, "color": who},
            },
            {
                "transform": [{"filter": f"datum.who != '{names[0]}'"}],
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "tooltip": True},
                "encoding": {"x": x, "y": y, "color": who, "shape": shape},
            },
            {
                "transform": [{"filter": f"datum.who == '{names[0]}' && datum.epsilon == datum.chosen"}],
                "mark": {"type": "rule", "color": "#808a95", "strokeDash": [2, 3]},
                "encoding": {"x": x},
            },
        ],
    }
    return Chart(table, spec, f"Share of right answers in {repetitions:,} tries, below the bound at every ε")
