"""What an attacker can prove about epsilon and delta from many draws on two neighbouring data sets."""

from __future__ import annotations

import numpy as np
from scipy import stats

ALPHA = 1e-6  # of each bound: fresh randomness cannot be seeded
LEVEL = 1e-9  # of tests of a law


def proven_epsilon(here: np.ndarray, there: np.ndarray, delta: float = 0.0) -> float:
    """A bound below epsilon that holds with probability 1 - ALPHA, from scores on both data sets.

    The event ``score >= c`` is chosen on 30 % of the runs; Clopper-Pearson bounds are taken on the other 70 %.
    """

    def bound(a, b, c):
        k, m = int((a >= c).sum()), int((b >= c).sum())
        low = stats.beta.ppf(ALPHA / 2, k, len(a) - k + 1) if k else 0.0
        high = stats.beta.isf(ALPHA / 2, m + 1, len(b) - m) if m < len(b) else 1.0
        return np.log(max(low - delta, 1e-300) / high)

    cut = int(len(here) * 0.3)
    cuts = np.unique(np.concatenate([here[:cut], there[:cut]]))
    best = max(cuts, key=lambda c: bound(here[:cut], there[:cut], c))
    return bound(here[cut:], there[cut:], best)


def exceeds(events: int, runs: int, probability: float) -> bool:
    """Whether so many events prove that each has more than the probability."""
    return stats.binom.sf(events - 1, runs, probability) < LEVEL
