"""Was this person there? Weigh what was shown under both stories; nobody can weigh better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def log_odds(noise_if_away: Integers, own: Integers, rate: float) -> Floats:
    """By how much the odds of *there* against *away* move, as a logarithm, where all other trips are known.

    ``noise_if_away``: what was shown less the trips of all others, shape ``(tries, counts)``; ``own``: the person's
    trips in each count. Noise of a rate makes every count likely as ``exp(-rate * abs(noise))``.
    """
    return np.asarray(rate * (np.abs(noise_if_away) - np.abs(noise_if_away - own)).sum(axis=1))
