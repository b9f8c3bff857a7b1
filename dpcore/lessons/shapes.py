"""Three shapes of noise at the same epsilon: their densities, what can be told through them, and which is narrower when.

One person adds 1 to each of ``k`` counts. Laplace and geometric noise pay for the sum of these changes, ``k``: each count
gets the rate ``epsilon / k``. Gaussian noise pays for their length, ``sqrt(k)``, and needs a delta. Its deviation is the
smallest that suffices (Balle and Wang, ICML 2018): for a change of length 1

    Phi(1 / (2 s) - epsilon s) - exp(epsilon) Phi(-1 / (2 s) - epsilon s) <= delta.

All of this is public arithmetic; nothing here draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.noise.accuracy import standard_deviation

Floats = NDArray[np.float64]
MOST_COUNTS: Final = 1_000
"""Where the search for the crossover ends."""
_HALVINGS: Final = 80  # of an interval of six orders of magnitude: down to the last digit


@dataclass(frozen=True, eq=False)
class Shape:
    """One shape of noise: how likely each answer is without the trip in question, and what it says for the trip."""

    name: str
    answer: Floats
    """Answers less the count without the trip."""
    density: Floats
    """Without the trip: per unit, or for integers their chances."""
    log_ratio: Floats
    """Logarithm of how much likelier the answer is with the trip, which adds 1."""


@lru_cache(256)
def gaussian_deviation(epsilon: float, delta: float) -> float:
    """The smallest standard deviation of normal noise that gives (epsilon, delta) for a change of length 1."""
    low, high = 1e-3, 1e4
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        lost = special.ndtr(0.5 / middle - epsilon * middle) - np.exp(
            epsilon + special.log_ndtr(-0.5 / middle - epsilon * middle)
        )
        low, high = (middle, high) if lost > delta else (low, middle)
    return float(high)


def passes(epsilon: float, delta: float) -> float:
    """The chance that a Gaussian answer speaks for the trip more strongly than epsilon, where the trip is there.

    Exact. The answer passes where ``(2 x - 1) / (2 s^2) > epsilon``. This is more than delta, which bounds it less
    ``exp(epsilon)`` times its chance without the trip.
    """
    deviation = gaussian_deviation(epsilon, delta)
    return float(special.ndtr(0.5 / deviation - epsilon * deviation))


def shapes(epsilon: float, delta: float, reach: float) -> tuple[Shape, Shape, Shape]:
    """Laplace, geometric and Gaussian noise of a count that one trip changes by 1, at answers from ``-reach`` to ``reach``."""
    fine = np.linspace(-reach, reach, 401)
    whole = np.arange(-int(reach), int(reach) + 1, dtype=np.float64)
    deviation, q = gaussian_deviation(epsilon, delta), exp(-epsilon)

    def told(answer: Floats) -> Floats:
        return epsilon * (np.abs(answer) - np.abs(answer - 1))

    bell = np.exp(-0.5 * (fine / deviation) ** 2) / (deviation * sqrt(2 * np.pi))
    return (
        Shape("Laplace", fine, epsilon / 2 * np.exp(-epsilon * np.abs(fine)), told(fine)),
        Shape("geometric", whole, (1 - q) / (1 + q) * q ** np.abs(whole), told(whole)),
        Shape("Gaussian", fine, bell, (2 * fine - 1) / (2 * deviation**2)),
    )


def reaches(epsilon: float, delta: float) -> tuple[float, float]:
    """How far out to look: where Laplace noise usually is, and where Gaussian noise has begun to tell more than epsilon."""
    passes = epsilon * gaussian_deviation(epsilon, delta) ** 2
    return float(ceil(max(4 / epsilon, 6))), float(ceil(max(4 / epsilon, 6, 1.3 * passes)))


def spreads(epsilon: Fraction, delta: float, counts: int) -> tuple[float, float, float]:
    """Standard deviations of the noise of each count, Laplace, geometric, Gaussian, if one person changes so many by 1."""
    return (
        sqrt(2) * counts / float(epsilon),
        standard_deviation(epsilon / counts),
        gaussian_deviation(float(epsilon), delta) * sqrt(counts),
    )


def crossover(epsilon: Fraction, delta: float) -> int | None:
    """From how many counts of one person on Gaussian noise is narrower than geometric; None beyond ``MOST_COUNTS``."""
    for counts in range(1, MOST_COUNTS + 1):
        _, geometric, gaussian = spreads(epsilon, delta, counts)
        if gaussian < geometric:
            return counts
    return None
