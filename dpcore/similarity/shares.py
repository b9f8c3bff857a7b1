"""Shares and how far two of them lie apart: SMAPE, Kullback-Leibler and Jensen-Shannon divergence.

Noisy counts may be negative, and nothing has a negative share: for shares, and only for them, what lies below zero
is taken for zero. SMAPE of numbers takes them as they stand.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SMOOTHING: Final = 0.5
"""Counts added to every cell of both sides before the Kullback-Leibler divergence, which an empty cell makes infinite."""


def shares(counts: Numbers) -> Numbers | None:
    """Each count over the sum, negative ones taken for 0; None where nothing is left to share out."""
    positive = np.maximum(counts, 0.0)
    total = float(positive.sum())
    return positive / total if total > 0 else None


def smape(one: Numbers, other: Numbers) -> float:
    """Mean of ``relative_difference``: 0 (equal) to 2.

    Of numbers as they stand; give shares to compare how two tables are spread. 0 without cells.
    """
    return float(np.mean(relative_difference(one, other))) if one.size else 0.0


def relative_difference(one: Numbers, other: Numbers) -> Numbers:
    """``abs(a - b) / ((abs(a) + abs(b)) / 2)`` of two numbers, 0 where both are 0; broadcast against each other."""
    both = np.abs(one) + np.abs(other)
    found: Numbers = 2 * np.abs(one - other) / np.where(both > 0, both, 1.0)
    return found


def kl_divergence(reference: Numbers, other: Numbers) -> float:
    """Kullback-Leibler divergence of ``other`` from ``reference``, two tables of counts, in bits (base 2): 0 or more.

    Half a count is added to every cell of both sides, negative ones taken for 0, so that it is always finite.
    """
    p = np.maximum(reference, 0.0) + SMOOTHING
    q = np.maximum(other, 0.0) + SMOOTHING
    p, q = p / p.sum(), q / q.sum()
    return max(0.0, float(np.sum(p * np.log2(p / q))))


def jensen_shannon(p: Numbers, q: Numbers) -> float:
    """Jensen-Shannon divergence of two lists of shares: base 2, not rooted, 0 (equal) to 1 (nothing in common).

    A rooted one in natural logarithms, d, as some tools print it, is ``d**2 / ln 2`` here.
    """
    middle = (p + q) / 2
    return min(1.0, max(0.0, (_half(p, middle) + _half(q, middle)) / 2))


def _half(p: Numbers, middle: Numbers) -> float:
    some = p > 0
    return float(np.sum(p[some] * np.log2(p[some] / middle[some])))
