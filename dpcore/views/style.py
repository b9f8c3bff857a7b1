"""How every picture looks: colours, letters and lines, by day and by night.

The colours are told apart by people with any of the usual kinds of colour blindness. No meaning hangs on colour alone:
lines also differ by dashes, dots by shape.
"""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

NOISY: Final = "#0f9b8e"
TRUE: Final = "#a9762f"
GREY: Final = "#808a95"
VERMILION: Final = "#d55e00"
BLUE: Final = "#3f8fd2"

LINES: Final = (NOISY, VERMILION, BLUE, TRUE)
"""Colours of several lines in one picture, in this order."""
DASHES: Final = ("solid", "7px,3px", "2px,2px", "9px,3px,2px,3px")
"""Their dashes."""

_INK: Final = {False: "#1f2933", True: "#e6e9ed"}
_GRID: Final = {False: "#e3e6ea", True: "#2e363f"}
_PAPER: Final = {False: "#ffffff", True: "#1e242b"}
_CLEAR: Final = "rgba(0,0,0,0)"
_LETTERS: Final = 12  # pixels


def ink(*, dark: bool = False) -> str:
    """The colour of letters."""
    return _INK[dark]


def template(*, dark: bool = False, letters: int = _LETTERS) -> Json:
    """A template of plotly: what all figures share. The ground is that of the page.

    Args:
        dark: the page is dark.
        letters: size of the letters in pixels.

    """
    axis = {
        "gridcolor": _GRID[dark],
        "linecolor": _GRID[dark],
        "zerolinecolor": _GRID[dark],
        "automargin": True,
        "fixedrange": True,  # a finger that scrolls the page moves no picture
        "title": {"standoff": 8},
    }
    return {
        "layout": {
            "font": {"size": letters, "color": _INK[dark], "family": "Source Sans, sans-serif"},
            "paper_bgcolor": _CLEAR,
            "plot_bgcolor": _CLEAR,
            "separators": ".,",
            "xaxis": {**axis, "showgrid": False, "ticks": "outside", "tickcolor": _GRID[dark]},
            "yaxis": axis,
            "hovermode": "closest",
            "hoverlabel": {
                "bgcolor": _PAPER[dark],
                "font": {"color": _INK[dark], "size": 13},
                "align": "left",
            },
            "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "itemclick": False},
            "modebar": {"bgcolor": _CLEAR, "color": GREY, "activecolor": NOISY},
        }
    }
