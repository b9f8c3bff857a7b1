"""Public bins of trip durations: the same for all cities, so that neither bins nor outliers are read off the data."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

SHORTEST: Final = 60
"""Seconds; a shorter trip is an outlier by definition and not counted."""
LONGEST: Final = 86_400
"""Seconds; a trip that lasts this long or longer is an outlier by definition and not counted."""

EDGES: Final[tuple[int, ...]] = (
    60, 84, 119, 167, 236, 332, 467, 657, 926, 1303, 1835, 2585, 3640, 5125, 7200, 86_400,
)  # fmt: skip
"""Seconds. From one minute to two hours 14 bins of equal ratio (each 1.41 times the one before), rounded to whole
seconds; then one for what lasts longer, up to a day. More bins there would mostly hold noise, and a phantom trip of half
a day weighs as much in the mean as seventy real ones."""

BINS: Final = tuple(f"{low} to {high} s" for low, high in pairwise(EDGES))
"""Names of the bins; each ends where the next begins."""


def counted(seconds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which durations are no outliers."""
    return (seconds >= SHORTEST) & (seconds < LONGEST)


def bin_of(seconds: NDArray[np.int32]) -> NDArray[np.int64]:
    """The number of the bin that holds each duration; outliers go to the nearest bin."""
    return np.clip(np.searchsorted(np.array(EDGES), seconds, side="right") - 1, 0, len(BINS) - 1)
