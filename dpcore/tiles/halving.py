"""Public halving: tiles in halves, and the halves in halves, by where they lie. It reads no trips.

The tiles are put in an order of which every half is a stretch, so the order alone says the whole tree: the tiles at places
``first`` to ``last`` (not included) are cut at ``(first + last) // 2``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from dpcore.tiles.distance import EARTH_RADIUS_M

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


def halving(polygons: Sequence[BaseGeometry]) -> Integers:
    """The numbers of all tiles in an order whose halves, and their halves, are neighbours; shape ``(tiles,)``.

    Each part is cut along the longer side of the box around its centroids, with as many of them on one side as on the other,
    or one fewer. Ties are as in ``along_the_longer_side``. ``polygons``: WGS84, longitude first.
    """
    places = metres(polygons)
    count = len(places)
    order, cuts = np.arange(count), np.array([0, count])
    while int(np.diff(cuts).max()) > 1:
        part = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
        at = places[order]
        east, north = (np.maximum.reduceat(at, cuts[:-1]) - np.minimum.reduceat(at, cuts[:-1])).T
        upward = (north > east)[part]
        along, across = np.where(upward, at.T[::-1], at.T)
        order = order[np.lexsort((order, across, along, part))]
        cuts = np.unique(np.concatenate((cuts, (cuts[:-1] + cuts[1:]) // 2)))
    return order.astype(np.int64)


def metres(polygons: Sequence[BaseGeometry]) -> Numbers:
    """East and north of each centroid in metres, true at the middle latitude; shape ``(tiles, 2)``.

    Rounded to a millimetre, so that two versions of a geometry library agree about which tile comes first.
    """
    shapes = np.array(polygons)
    _, south, _, north = shapely.total_bounds(shapes)
    wide = np.cos(np.radians((south + north) / 2))
    found = np.radians(shapely.get_coordinates(shapely.centroid(shapes))) * EARTH_RADIUS_M
    return np.asarray(np.round(found * np.array([wide, 1.0]), 3), np.float64)


def along_the_longer_side(places: Numbers) -> Integers:
    """The order of some places along the longer side of the box around them. Equal ones stay in their order."""
    east, north = np.ptp(places, axis=0)
    along = 0 if east >= north else 1
    return np.lexsort((places[:, 1 - along], places[:, along]))
