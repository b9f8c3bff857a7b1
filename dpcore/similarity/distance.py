"""Distances on the ground between places in degrees."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

EARTH_RADIUS: Final = 6_371_008.8
"""Mean radius in metres."""


def metres(one: Numbers, other: Numbers) -> Numbers:
    """Great-circle distances in metres from every place to every other, (longitude, latitude) in degrees.

    Shapes (n, 2) and (m, 2) give (n, m). Haversine formula on a sphere of 6,371,008.8 m.
    """
    (lng, lat), (to_lng, to_lat) = np.radians(one).T[:, :, None], np.radians(other).T[:, None, :]
    half = np.sin((lat - to_lat) / 2) ** 2 + np.cos(lat) * np.cos(to_lat) * np.sin((lng - to_lng) / 2) ** 2
    distance: Numbers = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1.0)))
    return distance
