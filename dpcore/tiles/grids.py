"""Tiles made by a rule instead of read from a file: squares and hexagons over a box.

Neighbours take their common corners from one list, so their shared borders are equal bit for bit.
"""

from __future__ import annotations

from math import ceil, cos, isfinite, pi, radians, sin, sqrt
from typing import Final

import numpy as np
import shapely

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.distance import EARTH_RADIUS_M
from dpcore.tiles.tessellation import Box, Tessellation

_DECIMALS: Final = 9
"""Decimals of corners in degrees: a tenth of a millimetre."""
_METRES_PER_DEGREE: Final = EARTH_RADIUS_M * pi / 180
_SMALLEST_SQUARE: Final = 1.0
_HIGHEST_LATITUDE: Final = 85.0
_WIDEST_BOX: Final = 170.0
_FINEST_HEXAGONS: Final = 15


def square_grid(box: Box, metres: float) -> Tessellation:
    """Squares with sides of ``metres``, laid from the south-west corner until the box is covered.

    They are square at the middle latitude of the box (on a sphere) and all equal in degrees. The last row and column may
    extend beyond the north and east side. Ids are ``r03c012``: row from the south, column from the west. Raises
    TessellationError for too many tiles, before any tile is made.
    """
    height, width = _degrees(box, metres)
    rows, columns = _rows_and_columns(box, metres)
    _refuse_too_many(rows * columns, "square grid", "Choose larger squares or a smaller box.")
    lng = np.round(box.west + width * np.arange(columns + 1), _DECIMALS)
    lat = np.round(box.south + height * np.arange(rows + 1), _DECIMALS)
    if lng[-1] > 180 or lat[-1] > 90:
        raise TessellationError(
            "the last squares would lie beyond the edge of the map", "square grid", "Choose smaller squares."
        )
    row, column = (each.ravel() for each in np.indices((rows, columns)))
    squares = shapely.box(lng[column], lat[row], lng[column + 1], lat[row + 1])
    row_digits, column_digits = len(str(rows - 1)), len(str(columns - 1))
    ids = [
        f"r{r:0{row_digits}d}c{c:0{column_digits}d}"
        for r, c in zip(row.tolist(), column.tolist(), strict=True)
    ]
    return Tessellation.of(ids, [None] * len(ids), list(squares), "square grid")


def number_of_squares(box: Box, metres: float) -> int:
    """How many tiles ``square_grid`` would lay. Raises TessellationError as it does, but not for too many tiles."""
    rows, columns = _rows_and_columns(box, metres)
    return rows * columns


def _rows_and_columns(box: Box, metres: float) -> tuple[int, int]:
    height, width = _degrees(box, metres)
    # Slightly less than the quotient, so that rounding adds no row to a box made of whole squares.
    return (
        max(1, ceil((box.north - box.south) / height - 1e-9)),
        max(1, ceil((box.east - box.west) / width - 1e-9)),
    )


def _degrees(box: Box, metres: float) -> tuple[float, float]:
    """Height and width of a square in degrees."""
    if isinstance(metres, bool) or not isfinite(metres) or metres < _SMALLEST_SQUARE:
        raise TessellationError(
            "the side of a square is too small", "square grid", f"Give {_SMALLEST_SQUARE:g} m or more."
        )
    if max(abs(box.south), abs(box.north)) > _HIGHEST_LATITUDE:
        raise TessellationError(
            "the box is too near a pole",
            "square grid",
            f"Stay within {_HIGHEST_LATITUDE:g} degrees of the equator.",
        )
    height = metres / _METRES_PER_DEGREE
    return height, height / cos(radians(box.middle_latitude))


def hexagon_grid(box: Box, resolution: int) -> Tessellation:
    """The H3 cells of a resolution (0 coarsest to 15) whose centre lies in the box.

    Ids are the H3 indexes, such as ``891f1d4a9a7ffff``. Sides are straight lines between the vertices of a cell in
    longitude and latitude. Raises TessellationError for a box that holds no centre, for too many tiles (before any is
    made), and near the 180th meridian.

    Source: https://h3geo.org.
    """
    import h3  # noqa: PLC0415 - few need hexagons, and it is slow to load

    if (
        isinstance(resolution, bool)
        or not isinstance(resolution, int)
        or not 0 <= resolution <= _FINEST_HEXAGONS
    ):
        raise TessellationError(
            "there is no such size of hexagons", "hexagon grid", f"Choose 0 (coarsest) to {_FINEST_HEXAGONS}."
        )
    if box.east - box.west > _WIDEST_BOX:
        raise TessellationError(
            "the box is too wide", "hexagon grid", f"At most {_WIDEST_BOX:g} degrees. Lay two grids instead."
        )
    about = about_so_many_hexagons(box, resolution)
    if about > 2 * limits.MAX_TILES:
        _refuse_too_many(about, "hexagon grid", _COARSER, about="about ")
    cells = sorted(_cells(box, resolution))
    _refuse_too_many(len(cells), "hexagon grid", _COARSER)
    if not cells:
        raise TessellationError(
            "no hexagon has its centre in the box", "hexagon grid", "Choose smaller hexagons or a larger box."
        )
    # Each vertex has an index and is computed once for all cells around it.
    corners_of = [h3.cell_to_vertexes(cell) for cell in cells]
    place = {
        vertex: tuple(round(degrees, _DECIMALS) for degrees in reversed(h3.vertex_to_latlng(vertex)))
        for vertex in set().union(*corners_of)
    }
    hexagons = []
    for corners in corners_of:
        ring = [place[vertex] for vertex in corners]
        lng = [corner[0] for corner in ring]
        if max(lng) - min(lng) > 180:
            raise TessellationError(
                "a hexagon crosses the 180th meridian",
                "hexagon grid",
                "Keep the box away from that meridian.",
            )
        hexagons.append(shapely.Polygon(ring))
    return Tessellation.of(cells, [None] * len(cells), hexagons, "hexagon grid")


_COARSER: Final = "Choose larger hexagons (a lower resolution) or a smaller box."


def hexagon_metres(resolution: int) -> float:
    """The average distance between the middles of neighbouring hexagons of a resolution, in metres."""
    import h3  # noqa: PLC0415 - as above

    return float(h3.average_hexagon_edge_length(resolution, unit="m") * sqrt(3))


def about_so_many_hexagons(box: Box, resolution: int) -> int:
    """How many hexagons of average size fill the box. The true number is at most about twice as large or as small."""
    import h3  # noqa: PLC0415 - as above

    stripe = abs(sin(radians(box.north)) - sin(radians(box.south)))
    area = (EARTH_RADIUS_M / 1_000) ** 2 * stripe * radians(box.east - box.west)
    return int(area / h3.average_hexagon_area(resolution, unit="km^2"))


def _cells(box: Box, resolution: int) -> list[str]:
    import h3  # noqa: PLC0415 - as above

    ring = [(box.south, box.west), (box.south, box.east), (box.north, box.east), (box.north, box.west)]
    return list(h3.h3shape_to_cells(h3.LatLngPoly(ring), resolution))


def _refuse_too_many(tiles: int, where: str, mend: str, *, about: str = "") -> None:
    if tiles > limits.MAX_TILES:
        raise TessellationError(
            f"this would be {about}{tiles:,} tiles",
            where,
            f"At most {limits.MAX_TILES:,} are allowed. {mend}",
        )
