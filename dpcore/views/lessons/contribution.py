"""What one person changes: the counts that move most, four sizes of the change beside their limits, and a map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.tessellation import Tessellation
from dpcore.views.lessons.tile_maps import Kind, tiles_svg
from dpcore.views.series import NOISY, TRUE, Chart, Json

Integers = NDArray[np.int64]

_NORMS: Final = (
    "how many counts move (L0)",
    "all moves added (L1)",
    "as the crow flies (L2)",
    "the largest move (L\N{INFINITY})",
)
_STEPS: Final = (1, 2, 5, 10)
_GREENS: Final = ("#edf1f4", "#b9e2dc", "#6cc2b6", "#1f9a8c", "#0a5e55")


def moved(names: Sequence[str], change: Sequence[int]) -> Chart:
    """The counts that one person moves most, as bars from zero."""
    table = pd.DataFrame({"count": [*names], "change": [*change]})
    y: Json = {
        "field": "count",
        "type": "nominal",
        "title": None,
        "sort": None,
        "axis": {"labelLimit": 160, "labelOverlap": False},
    }
    x: Json = {
        "field": "change",
        "type": "quantitative",
        "title": "moved by",
        "axis": {"format": "d", "tickMinStep": 1},
        "scale": {"domainMin": 0},
    }
    spec: Json = {
        "height": 60 + 26 * len(names),
        "mark": {"type": "bar", "color": NOISY, "tooltip": True},
        "encoding": {"x": x, "y": y},
    }
    return Chart(table, spec, "Counts that one person moves most")


def norms(mine: Sequence[float], limits: Sequence[float] | None) -> Chart:
    """Four sizes of a change as bars, L0 first; the most that anybody can reach as upright marks, if there is a bound."""
    table = pd.DataFrame({"size": _NORMS, "value": [*mine]})
    if limits is not None:
        table["limit"] = [*limits]
    y: Json = {"field": "size", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 220}}
    top = 1.15 * max(*mine, *(limits or ()), 1)  # room for the number beside the longest bar
    x: Json = {"field": "value", "type": "quantitative", "title": None, "scale": {"domain": [0, top]}}
    layers: list[Json] = [
        {
            "mark": {"type": "bar", "color": NOISY, "tooltip": True},
            "encoding": {"x": x},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 5, "color": "#808a95", "fontSize": 13},
            "encoding": {"x": x, "text": {"field": "value", "type": "quantitative", "format": ",.4~r"}},
        },
    ]
    if limits is not None:
        tick: Json = {"type": "tick", "color": TRUE, "thickness": 4, "size": 30, "tooltip": True}
        layers.append({"mark": tick, "encoding": {"x": {**x, "field": "limit"}}})
    spec: Json = {"height": 230, "encoding": {"y": y}, "layer": layers}
    return Chart(table, spec, "Four sizes of what one person changes, and the most that anybody can reach")


def moved_map(tiles: Tessellation, change: Integers, *, dark: bool = False) -> str:
    """Tiles by how far one person moves their count, as SVG text, with the number on each tile that moves."""
    names = ("not moved", "moved by 1", "by 2 to 4", "by 5 to 9", "by 10 and more")
    colours = ("#2a333d", *_GREENS[1:]) if dark else _GREENS
    kinds = [Kind(colour, name) for colour, name in zip(colours, names, strict=True)]
    which = np.digitize(change, _STEPS)
    numbers = {tile: str(change[tile]) for tile in np.flatnonzero(change).tolist()}
    return tiles_svg(tiles, kinds, which, numbers, "What this person moves", dark=dark)
