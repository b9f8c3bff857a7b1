"""Exact counts in, noisy counts out: what the wings with synthetic data draw with. All noise is exact and discrete (``dpcore.noise``).

Nothing here knows where the counts come from.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.noise.samplers import check_rungs, discrete_laplace

Counts = NDArray[np.int64]


def rates_must_be_drawable(rates: Mapping[str, Fraction]) -> None:
    """Refuse, before anything is charged, rates too long for the sampler. Raises PrivacyError."""
    for name, rho in rates.items():
        try:
            check_rungs([rho])
        except ValueError:
            raise PrivacyError(
                "M and epsilon of this plan make numbers too long to draw exactly",
                name,
                "Choose an epsilon with fewer decimals.",
            ) from None


def noised(counts: Counts, rho: Fraction) -> Counts:
    """Counts plus new noise of rate ``rho`` = epsilon over sensitivity on each cell; same shape."""
    noise: Counts = discrete_laplace(rho, counts.size).reshape(counts.shape)
    return counts + noise


def fresh_seed() -> int:
    """A new random seed. Stored with a synthetic data set, it makes the drawing reproducible."""
    return int.from_bytes(os.urandom(8), "big") >> 1
