"""Distances on a sphere with the mean radius of the earth. The SQL of the measures uses the same formula."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

EARTH_RADIUS_M: Final = 6_371_008.8
"""Mean radius of the earth in metres (IUGG)."""

Degrees = NDArray[np.float64]


def distance_m(lat: Degrees, lng: Degrees, other_lat: Degrees, other_lng: Degrees) -> NDArray[np.float64]:
    """Great-circle distance in metres, by the haversine formula; NaN where a coordinate is NaN."""
    north, other_north = np.radians(lat), np.radians(other_lat)
    half = np.sin((other_north - north) / 2) ** 2
    half += np.cos(north) * np.cos(other_north) * np.sin(np.radians(other_lng - lng) / 2) ** 2
    distance: NDArray[np.float64] = 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.minimum(half, 1.0)))
    return distance
