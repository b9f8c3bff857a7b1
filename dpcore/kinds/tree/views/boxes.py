"""A tree as an icicle: each beginning a box, as wide as the number of trajectories that begin so.

Widths are whole numbers that add up (``dpcore.kinds.tree.tree.integer_weights``); counts and intervals are the estimates themselves.
Of a large tree only the largest nodes are drawn, with a sentence that says how many are not. A node was kept because its noisy
count was large. If an empty tile could have such a count, the interval begins at 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.tree.answers import AskableTree, half_width
from dpcore.kinds.tree.levels import Levels
from dpcore.kinds.tree.tree import integer_weights
from dpcore.kinds.tree.views.levels import NEUTRAL, LevelColour, ink_on, level_colours
from dpcore.views.charts.charts import mark_title, text_of
from dpcore.views.ground import style
from dpcore.views.ground.plain import about, cell, number
from dpcore.views.ground.style import Json

NODES: Final = 1_500
"""Boxes of a picture that a browser draws at once."""
ALL: Final = "all trajectories"
ENDS: Final = "ends here"
GOES_ON: Final = "goes on (cut)"
ARROW: Final = " \N{RIGHTWARDS ARROW} "


@dataclass(frozen=True, slots=True)
class Box:
    """One node; plain text that is not escaped."""

    id: str
    parent: str
    """Empty for the whole tree."""
    label: str
    """Name of the tile, or how trajectories end."""
    path: str
    """All tiles from the first on; empty for the whole tree."""
    level: int
    """Highest level on the path, from 1; 0 for the whole and for ends."""
    size: int
    """Width of the box."""
    count: int
    """The estimate, rounded; 0 where noise took it below."""
    low: int
    """Lower end of a 95 % interval of the noise; equal to ``count`` for the whole, whose number is not measured."""
    high: int
    """Upper end."""


@dataclass(frozen=True, slots=True)
class Icicle:
    """The largest nodes of a tree, each after its parent."""

    boxes: tuple[Box, ...]
    left_out: int
    """Nodes that are not drawn."""

    @property
    def rest(self) -> str:
        """What is not drawn, as a sentence; empty if all is."""
        if not self.left_out:
            return ""
        drawn = len(self.boxes) - 1
        return f"Drawn are the {drawn:,} largest of {drawn + self.left_out:,} nodes; questions are answered from all."


def icicle(asked: AskableTree, names: Mapping[str, str], most: int = NODES) -> Icicle:
    """The ``most`` largest nodes; ``names``: what people call a tile, by its id.

    Nodes that stand for nobody are left out too.
    """
    tree, size = asked.tree, _sizes(asked)
    # No node is larger than its parent, which stands before it: the largest are a tree again.
    order = np.argsort(-size, kind="stable")[: most + 1]
    drawn = np.sort(order[(size[order] > 0) | (order == 0)])
    places = [names.get(tile, tile) for tile in asked.tiles] + [ENDS, GOES_ON]
    whole = int(size[0])
    boxes = {0: Box("0", "", ALL, "", 0, whole, whole, whole, whole)}
    for node in drawn[drawn > 0].tolist():
        symbol, above = int(tree.symbol[node]), boxes[int(tree.parent[node])]
        low, high = _interval(asked, node)
        boxes[node] = Box(
            str(node),
            above.id,
            places[symbol],
            above.path + ARROW + places[symbol] if above.path else places[symbol],
            0 if symbol >= tree.locations else int(tree.level[node]),
            int(size[node]),
            max(0, round(float(tree.x[node]))),
            low,
            high,
        )
    return Icicle(tuple(boxes.values()), len(tree) - len(boxes))


def icicle_table(drawn: Icicle, scale: Sequence[str]) -> dict[str, list[str]]:
    """The same as columns of a table, largest first; ``scale``: names of the levels, level 1 first."""
    boxes = sorted(drawn.boxes[1:], key=lambda box: -box.size)
    return {
        "trajectories that begin": [cell(box.path) for box in boxes],
        "level": [scale[box.level - 1] if box.level else "" for box in boxes],
        "about": [number(box.count) for box in boxes],
        "from": [number(box.low) for box in boxes],
        "to": [number(box.high) for box in boxes],
    }


def _sizes(asked: AskableTree) -> NDArray[np.int64]:
    """The whole weights of each subtree together."""
    tree = asked.tree
    size = integer_weights(tree)
    for depth in range(int(tree.depth[-1]), 0, -1):
        rows = tree.of_depth(depth)
        np.add.at(size, tree.parent[rows], size[rows])
    return size


def _interval(asked: AskableTree, node: int) -> tuple[int, int]:
    """Its own noisy count with its noise, and the estimate: what was pruned below pulls equal estimates away."""
    own, estimate = int(asked.tree.y[node]), float(asked.tree.x[node])
    half = half_width(float(asked.noise.own[node]))
    low = 0 if asked.doubtful[node] else max(0, floor(min(own - half, estimate)))
    return low, max(low, ceil(max(own + half, estimate)))


HEIGHT: Final = 480
_LINE: Final = {False: "rgba(255,255,255,0.8)", True: "rgba(20,24,29,0.8)"}
_LEGEND_ROOM: Final = 48  # pixels: two lines on a narrow screen
_DEPTHS: Final = 4
"""Columns shown at once; a click on a box shows those further in. Deeper boxes would be thinner than a line."""


def icicle_figure(
    drawn: Icicle,
    levels: Levels,
    *,
    dark: bool = False,
    mark: str = "",
    begin: str = "",
    height: int = HEIGHT,
) -> Json:
    """A figure of plotly in its style; boxes go from left to right and are as high as their number.

    Plotly reads some tags in texts, so all texts are escaped.

    Args:
        drawn: the boxes.
        levels: of the places; the legend names each with its number of places.
        dark: the page is dark.
        mark: what must stand on the picture itself.
        begin: the box that is seen first, with a way back; empty for the whole.
        height: in pixels, with the legend.

    """
    colours = level_colours(levels.critical)
    scale = [NEUTRAL, *colours]
    fills = [scale[box.level].on(dark=dark) for box in drawn.boxes]
    told = [
        [
            text_of(box.path or box.label),
            number(box.count),
            about(box.count, box.low, box.high, "trajectories"),
        ]
        for box in drawn.boxes
    ]
    trace = {
        "type": "icicle",
        "ids": [box.id for box in drawn.boxes],
        "parents": [box.parent for box in drawn.boxes],
        "labels": [text_of(box.label) for box in drawn.boxes],
        "values": [box.size for box in drawn.boxes],
        "customdata": told,
        "branchvalues": "total",  # what the children leave is trajectories whose rest is not known
        "tiling": {"orientation": "h"},
        "marker": {"colors": fills, "line": {"width": 0.5, "color": _LINE[dark]}},
        "textfont": {"color": [ink_on(fill) for fill in fills]},
        "texttemplate": "%{label}  %{customdata[1]}",
        "maxdepth": _DEPTHS,
        "hovertemplate": "%{customdata[0]}<br>%{customdata[2]}<extra></extra>",
        "pathbar": {"visible": True, "thickness": 26},
    }
    layout: Json = {
        "height": height,
        "margin": {"t": 34 if mark else 6, "l": 4, "r": 4, "b": _LEGEND_ROOM},
        "legend": {"y": 0, "yanchor": "top"},
        "uniformtext": {"minsize": 9, "mode": "hide"},
        "template": style.template(dark=dark),
    }
    if mark:
        layout["title"] = mark_title(mark)
    if begin:
        trace["level"] = begin
        layout["margin"]["t"] = 60  # the way back stands there, below the mark
    return {"data": [_key(levels, colours, dark=dark), trace], "layout": layout}


def _key(levels: Levels, colours: Sequence[LevelColour], *, dark: bool) -> Json:
    """The legend of levels, most delicate first. An icicle has none: these are the names of a pie below its first box."""
    order = [*reversed(range(levels.critical))]
    return {
        "type": "pie",
        "labels": [
            f"{text_of(levels.descriptors[at].name)}: {number(int((levels.level == at + 1).sum()))}"
            for at in order
        ],
        "values": [1] * len(order),
        "sort": False,
        "marker": {
            "colors": [colours[at].on(dark=dark) for at in order],
            "line": {"color": style.GREY, "width": 1},
        },
        "textinfo": "none",
        "hoverinfo": "skip",
        "domain": {"x": [0.05, 0.051], "y": [0.5, 0.502]},
    }
