"""The loop that finds the stays of people, compiled by numba."""

from __future__ import annotations

from math import asin, cos, radians, sin, sqrt

import numba as nb
import numpy as np
from numpy.typing import NDArray

from dpcore.tiles.distance import EARTH_RADIUS_M


@nb.njit(nogil=True, cache=True)
def stays(  # noqa: PLR0917 - compiled functions take arrays
    person: NDArray[np.int64],
    us: NDArray[np.int64],
    lat: NDArray[np.float64],
    lng: NDArray[np.float64],
    metres: float,
    least_us: int,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> int:
    """Write the first and last point of every stay that counts, and return the number of stays."""
    found = 0
    opened = 0
    for here in range(1, len(us) + 1):
        ended = here == len(us) or person[here] != person[opened]
        if not ended and _metres(lat[opened], lng[opened], lat[here], lng[here]) < metres:
            continue
        until = us[here - 1] if ended else us[here]
        if until - us[opened] >= least_us:
            first[found] = opened
            last[found] = here - 1
            found += 1
        opened = here
    return found


@nb.njit(inline="always")
def _metres(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """``tiles.distance.distance_m`` of two points."""
    half = sin(radians(other_lat - lat) / 2) ** 2
    half += cos(radians(lat)) * cos(radians(other_lat)) * sin(radians(other_lng - lng) / 2) ** 2
    return 2 * EARTH_RADIUS_M * asin(sqrt(min(half, 1.0)))
