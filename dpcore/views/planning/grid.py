"""A grid before it is laid: the sheet on which its box is drawn, and in words how many tiles there are and which can be read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
import shapely

from dpcore.noise.expected_estimates import CERTAIN
from dpcore.planning.tile_size import Readable
from dpcore.privacy import PrivacyUnit
from dpcore.tiles import Box, Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground import style
from dpcore.views.ground.plain import percent
from dpcore.views.ground.style import Json
from dpcore.views.planning.advice import WORSE

MOST_DRAWN: Final = 3_000
"""Tiles whose outlines are drawn; more of them would be a grey plane and keep a browser busy."""
SQUARES: Final = tuple(
    round(step * power) for power in (100, 1_000, 10_000) for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8)
)
"""Widths in metres that are proposed, rising."""
RESOLUTIONS: Final = tuple(range(11, 3, -1))
"""Resolutions of H3 that pages offer, smallest hexagons first."""
HOPE: Final = f"Expected under the usual shares of ε. {WORSE}"
"""What the forecast rests on."""


def grid_sheet(box: Box, loaded: Tessellation, grid: Tessellation | None = None) -> Chart:
    """A sheet of degrees to draw a box on, with the outline of the loaded tiles, and with those of the grid in it.

    A street map would come from a stranger's server. Of a grid of more than ``MOST_DRAWN`` tiles those nearest to its middle
    are drawn.
    """
    outline = shapely.union_all(loaded.polygons).simplify((box.east - box.west) / 500)
    wide, high = (box.east - box.west) * 0.15, (box.north - box.south) * 0.15
    frame = {"type": "rect", "x0": box.west, "x1": box.east, "y0": box.south, "y1": box.north}
    figure = charts.figure(
        [
            _outlines(list(shapely.get_parts(outline)), style.GREY, 1.0),
            *([_outlines(_in_the_middle(grid), style.NOISY, 0.6)] if grid else []),
        ],
        height=340,
        x=charts.axis("longitude", range=[box.west - wide, box.east + wide], fixedrange=False),
        y=charts.axis(
            "latitude",
            range=[box.south - high, box.north + high],
            fixedrange=False,
            scaleanchor="x",
            scaleratio=1 / math.cos(math.radians(box.middle_latitude)),
        ),
        shapes=[{**frame, "line": {"color": style.NOISY, "width": 2}}],
        dragmode="select",
    )
    told = "The tiles and the box, in degrees" if grid is None else "The box and the grid in it, in degrees"
    return Chart(pd.DataFrame(), figure, told)


def _outlines(shapes: Sequence[shapely.Geometry], color: str, width: float) -> Json:
    """The outer rings of polygons as one line with gaps."""
    rings = shapely.get_exterior_ring(shapely.get_parts(np.array(shapes)))
    corners, ring = shapely.get_coordinates(rings, return_index=True)
    ends = np.flatnonzero(np.diff(ring)) + 1
    lng, lat = np.insert(corners, ends, np.nan, axis=0).T
    return charts.line(lng, lat, [], color=color, width=width)


def _in_the_middle(grid: Tessellation) -> list[shapely.Geometry]:
    if len(grid.polygons) <= MOST_DRAWN:
        return list(grid.polygons)
    bounds = shapely.bounds(np.array(grid.polygons))
    middles = (bounds[:, :2] + bounds[:, 2:]) / 2
    west, south, east, north = grid.bounds
    away = np.abs((middles - [(west + east) / 2, (south + north) / 2]) / [east - west, north - south]).max(
        axis=1
    )
    return [grid.polygons[number] for number in np.argsort(away, kind="stable")[:MOST_DRAWN]]


def drawn_words(tiles: int) -> str:
    """What the sheet leaves out of a grid of so many tiles; empty if nothing."""
    return (
        ""
        if tiles <= MOST_DRAWN
        else f"The sheet shows {MOST_DRAWN:,} of {tiles:,} tiles, those in the middle."
    )


def readable_words(expected: Readable, size: str, epsilon: str) -> str:
    """What is expected of a size, such as ``squares of 500 m``, in a sentence."""
    hidden = (
        "hides one trip"
        if expected.bound.unit is PrivacyUnit.TRIP
        else f"hides a person and counts at most {expected.bound.trips} trips of each"
    )
    least, most = (round(number) for number in expected.tiles_known)
    return (
        f"With {size} ({expected.tiles:,} tiles), {least:,} to {most:,} tiles are expected to be known within {percent(CERTAIN)}, in "
        f"a typical city {percent(expected.share)} of them, in a release at ε {epsilon} that {hidden}."
    )
