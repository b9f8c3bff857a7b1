"""Public assumptions about how trips are spread, for forecasts made before anyone looks at the data.

Two laws with one number each, chosen on the synthetic city, whose truth is public, and on no data of any owner:

* *Places.* Order tiles (or pairs of tiles) by their count. The count at the quantile ``Phi(z)`` is
  ``mean * exp(s * z - s**2 / 2)``, a log-normal spread with the given mean. In words: half of the tiles get less than
  four tenths of the mean, one in ten more than twice the mean.
* *People.* Beyond a first trip, the number of trips of a person follows a Pareto law (type II, shape 3) with the given
  mean: most make few, some make many. A bound M keeps at least the first trip of everyone.

Where a service stops at few places (stations of rented bikes on a fine grid), most tiles get nothing at all, and the
law promises too many of them. Public formulas, so floating point is fine here.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

SPREAD: Final[Mapping[str, float]] = MappingProxyType({"visits_per_tile": 1.3, "od_flows": 2.1})
"""The number s of the law of places, by measure; a measure that is not listed has no such law."""
TRIPS_IN_FOUR_WEEKS: Final = 20
"""Trips of one person in four weeks, where nobody says otherwise."""

_Z: Final = np.linspace(-9, 9, 4001)
_WEIGHTS: Final = np.exp(-_Z * _Z / 2) / np.exp(-_Z * _Z / 2).sum()


def share_counted(trips_per_user: float, max_trips: int) -> float:
    """The expected share of all trips that a bound lets count, 0 to 1; ``trips_per_user`` is their mean, 1 or more.

    Under the law above, of the mean of ``m - 1`` further trips the share ``1 - (1 + (M - 1) / (2 (m - 1)))**-2`` counts.

    >>> round(share_counted(9, 10), 2), share_counted(1, 1), round(share_counted(63, 10), 2)
    (0.64, 1.0, 0.14)
    """
    further = trips_per_user - 1
    if further <= 0:
        return 1.0
    counted = 1 - (1 + (max_trips - 1) / (2 * further)) ** -2
    return float((1 + further * counted) / trips_per_user)


def share_reaching(threshold: int, rho: Fraction, mean: float, spread: float) -> float:
    """The expected share of places whose noisy count reaches a threshold, 0 to 1.

    The noise is discrete Laplace of rate ``rho``; a place that nobody visits may reach it too, by chance.

    Args:
        threshold: smallest noisy count that is asked for.
        rho: epsilon of the measure over its sensitivity.
        mean: mean count of all places, 0 or more.
        spread: the number s of the law of places.

    """
    counts = mean * np.exp(spread * _Z - spread**2 / 2)
    return float((_WEIGHTS * _noise_reaches(np.ceil(threshold - counts), float(rho))).sum())


def _noise_reaches(least: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """``P(V >= t)`` for whole t of either sign; see ``accuracy`` for the law of V."""
    q = np.exp(-rate)
    far = np.exp(-rate * np.maximum(least, 1 - least)) / (1 + q)  # of the tail on the far side of 0
    found: NDArray[np.float64] = np.where(least > 0, far, 1 - far)
    return found
