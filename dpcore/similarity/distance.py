"""Distances on the ground between places in degrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.tessellation.distance import distance_m

Numbers = NDArray[np.float64]


def metres(one: Numbers, other: Numbers) -> Numbers:
    """Great-circle distances in metres from every place to every other, (longitude, latitude) in degrees.

    Shapes (n, 2) and (m, 2) give (n, m).
    """
    (lng, lat), (to_lng, to_lat) = one.T[:, :, None], other.T[:, None, :]
    return distance_m(lat, lng, to_lat, to_lng)
