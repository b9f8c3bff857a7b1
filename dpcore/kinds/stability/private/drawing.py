"""Exact counts of keys in, large noisy counts out: the only way from private counts to a histogram of keys.

*Large counts of keys that nobody listed beforehand*: the keys that occur get noise, and small results are left out. Time
and memory grow with the keys that occur. An absent key only says that its noisy count was below the threshold. A listed key
says that it occurs, and delta pays for that (``dpcore.kinds.stability.thresholds``).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from dpcore.kinds.stability.plan import StabilityPlan
from dpcore.noise.samplers import check_rungs, discrete_laplace
from dpcore.noise.sparse import sparse_ladder, threshold_for
from dpcore.private.synthetic.drawing import Counts, rates_must_be_drawable

_FALSE_KEYS: Final = Fraction(1)
"""Expected number of empty keys that a release over a public domain shows by chance."""


def keys_must_be_drawable(plan: StabilityPlan) -> None:
    """Refuse, before anything is charged, rates too long for the sampler. Raises PrivacyError."""
    rates_must_be_drawable({one.name: plan.rho(one) for one in plan.combinations})


def large_counts(keys: Counts, counts: Counts, rho: Fraction, threshold: int) -> tuple[Counts, Counts]:
    """The keys whose noisy count reaches the threshold, in their order, and those noisy counts.

    Args:
        keys: numbers of the keys that occur, strictly ascending in an order that depends on no count.
        counts: their exact counts, 1 or more.
        rho: rate of the noise, exact.
        threshold: see ``StabilityPlan.threshold``.

    Raises:
        ValueError: keys out of order, counts below 1, or a rate that cannot be drawn exactly.

    """
    check_rungs([rho])
    if keys.shape != counts.shape or bool((np.diff(keys) <= 0).any()) or bool((counts < 1).any()):
        raise ValueError("keys that occur must ascend, each with a count of 1 or more")
    noisy = counts + discrete_laplace(rho, len(counts))
    shown = noisy >= threshold
    return keys[shown], noisy[shown]


def large_counts_of_domain(
    cells: Counts, counts: Counts, size: int, rho: Fraction
) -> tuple[Counts, Counts, int]:
    """The same over a public list of all possible keys, with delta 0, because empty keys get noise as well.

    Args:
        cells: numbers of the occupied keys within the domain, ascending.
        counts: their exact counts.
        size: number of all possible keys.
        rho: rate of the noise, exact.

    Returns:
        The keys shown, their noisy counts, and the threshold at which one empty key is shown on average.

    """
    threshold = threshold_for(size, rho, _FALSE_KEYS)
    shown, values = sparse_ladder(cells, counts, size, [rho], threshold)
    return shown, values[-1], threshold
