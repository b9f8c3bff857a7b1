"""The style of every picture: colours, letters and lines, for light and dark pages.

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

DROWNED: Final = "#dadce1"
"""Tiles on a map whose count noise alone could have made: no class has a grey."""
FEW: Final = "#f9f6ec"
"""Tiles on a map that are known to be empty or nearly so."""
UNDER_FLOWS: Final = "#eceef1"
"""Tiles under the flows of a picture."""
FLOW: Final = "#b00058"
"""Lines of flows, as on the screen (pages/assets/ladder_colours.js)."""
NO_DIFFERENCE: Final = "#f7f7f7"
"""Tiles without a difference."""
WITHIN: Final = "#b4bcc4"
"""Tiles within noise: between no difference and the borders."""
QUIET: Final = "#52606d"
"""The colour of smaller words."""
# Viridis, as on the screen (pages/assets/ladder_colours.js): grey is left for what noise drowned.
_VIRIDIS: Final = ((68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37))

_INK: Final = {False: "#1f2933", True: "#e6e9ed"}
_GRID: Final = {False: "#e3e6ea", True: "#2e363f"}
_PAPER: Final = {False: "#ffffff", True: "#1e242b"}
_MARK: Final = {False: "#8a5d1d", True: "#d6a760"}
_GROUND: Final = {False: "#ffffff", True: "#14181d"}  # as in .streamlit/config.toml
_CLEAR: Final = "rgba(0,0,0,0)"
_LETTERS: Final = 12  # pixels


def ink(*, dark: bool = False) -> str:
    """The colour of letters."""
    return _INK[dark]


def ground(*, dark: bool = False) -> str:
    """The colour of the page behind a picture."""
    return _GROUND[dark]


def mark_colour(*, dark: bool = False) -> str:
    """The colour of the mark of a picture, such as that of an owner's preview."""
    return _MARK[dark]


def class_colours(classes: int) -> list[str]:
    """One colour for each class of a map, darkest first."""
    found = []
    for i in range(classes):
        at = (i + 0.5) / classes * (len(_VIRIDIS) - 1)
        low = min(int(at), len(_VIRIDIS) - 2)
        mixed = [
            round(a + (at - low) * (b - a)) for a, b in zip(_VIRIDIS[low], _VIRIDIS[low + 1], strict=True)
        ]
        found.append("#" + "".join(f"{part:02x}" for part in mixed))
    return found


def template(*, dark: bool = False, letters: int = _LETTERS) -> Json:
    """A template of plotly: what all figures share. The ground has the colour of the page, so that a saved picture has it too.

    Args:
        dark: the page is dark.
        letters: size of the letters in pixels.

    """
    axis = {
        "gridcolor": _GRID[dark],
        "zerolinecolor": _GRID[dark],
        "automargin": True,
        "fixedrange": True,  # a finger that scrolls the page moves no picture
        "title": {"standoff": 8},
    }
    return {
        "layout": {
            "font": {"size": letters, "color": _INK[dark], "family": "Source Sans, sans-serif"},
            "paper_bgcolor": _GROUND[dark],
            "plot_bgcolor": _CLEAR,
            "title": {"font": {"size": 11, "color": _MARK[dark]}},
            "xaxis": {**axis, "showgrid": False, "ticks": "outside", "tickcolor": _GRID[dark]},
            "yaxis": axis,
            "hoverlabel": {"bgcolor": _PAPER[dark], "font": {"color": _INK[dark]}, "align": "left"},
            "legend": {
                "traceorder": "normal",
                "orientation": "h",
                "x": 0,
                "y": 1,
                "yanchor": "bottom",
                "itemclick": False,
            },
            "modebar": {"bgcolor": _CLEAR, "color": GREY, "activecolor": NOISY},
        }
    }
