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

from dpcore.tiles.distance import distance_m

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


def halving(polygons: Sequence[BaseGeometry]) -> Integers:
    """The numbers of all tiles in an order whose halves, and their halves, are neighbours; shape ``(tiles,)``.

    Each part is cut along its longer side in metres, with as many centroids on one side as on the other, or one fewer.
    Of centroids in a line the earlier tile comes first, so equal tiles give an equal order. ``polygons``: WGS84,
    longitude first.
    """
    places = _metres(shapely.get_coordinates(shapely.centroid(np.array(polygons))))
    count = len(places)
    order, cuts = np.arange(count), np.array([0, count])
    while int(np.diff(cuts).max()) > 1:
        part = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
        at = places[order]
        wide = np.maximum.reduceat(at, cuts[:-1]) - np.minimum.reduceat(at, cuts[:-1])
        along = at[np.arange(count), wide.argmax(axis=1)[part]]
        order = order[np.lexsort((order, along, part))]
        cuts = np.unique(np.concatenate((cuts, (cuts[:-1] + cuts[1:]) // 2)))
    return order.astype(np.int64)


def _metres(degrees: Numbers) -> Numbers:
    """Longitude and latitude as metres east and north of the middle of all. It bends far from there, which moves no half."""
    lng, lat = degrees.T
    middle_lng, middle_lat = np.full_like(lng, lng.mean()), np.full_like(lat, lat.mean())
    east = np.sign(lng - middle_lng) * distance_m(middle_lat, middle_lng, middle_lat, lng)
    north = np.sign(lat - middle_lat) * distance_m(middle_lat, middle_lng, lat, middle_lng)
    return np.column_stack((east, north))
