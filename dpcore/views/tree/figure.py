"""The icicle as Plotly wants it: plain data, nothing of it markup."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from dpcore.views.charts import TRUE
from dpcore.views.plain import number
from dpcore.views.tree.boxes import Icicle
from dpcore.views.tree.colours import NEUTRAL, LevelColour, ink_on

Json = dict[str, Any]

HEIGHT: Final = 480
_LINE: Final = {False: "rgba(255,255,255,0.8)", True: "rgba(20,24,29,0.8)"}
_DEPTHS: Final = 4
"""Columns shown at once; a click on a box shows those further in. Deeper boxes would be thinner than a line."""


def icicle_figure(
    drawn: Icicle,
    colours: Sequence[LevelColour],
    *,
    dark: bool = False,
    mark: str = "",
    height: int = HEIGHT,
) -> Json:
    """A figure for Plotly; boxes go from left to right and are as high as their number.

    Plotly reads some tags in texts, so all texts are escaped.

    Args:
        drawn: the boxes.
        colours: ``level_colours`` of the scale, level 1 first.
        dark: whether the page is dark.
        mark: what must stand on the picture itself, such as ``Demo data``.
        height: in pixels.

    """
    scale = [NEUTRAL, *colours]
    fills = [scale[box.level].on(dark=dark) for box in drawn.boxes]
    told = [
        [escape(box.path or box.label), number(box.count), _between(box.low, box.high)] for box in drawn.boxes
    ]
    trace = {
        "type": "icicle",
        "ids": [box.id for box in drawn.boxes],
        "parents": [box.parent for box in drawn.boxes],
        "labels": [escape(box.label) for box in drawn.boxes],
        "values": [box.size for box in drawn.boxes],
        "customdata": told,
        "branchvalues": "total",  # what the children leave is trajectories whose rest is not known
        "tiling": {"orientation": "h"},
        "marker": {"colors": fills, "line": {"width": 0.5, "color": _LINE[dark]}},
        "textfont": {"color": [ink_on(fill) for fill in fills]},
        "texttemplate": "%{label}  %{customdata[1]}",
        "maxdepth": _DEPTHS,
        "hovertemplate": "%{customdata[0]}<br>about %{customdata[1]}%{customdata[2]}<extra></extra>",
        "pathbar": {"visible": True, "thickness": 26},
    }
    layout: Json = {
        "height": height,
        "margin": {"t": 34 if mark else 6, "l": 4, "r": 4, "b": 4},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "uniformtext": {"minsize": 9, "mode": "hide"},
    }
    if mark:
        font = {"size": 11, "color": TRUE}
        layout["title"] = {
            "text": escape(mark),
            "font": font,
            "x": 0,
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 4},
        }
    return {"data": [trace], "layout": layout}


def _between(low: int, high: int) -> str:
    return f" ({number(low)} to {number(high)})" if low < high else ""
