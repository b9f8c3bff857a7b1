"""What error to expect, from the mechanism alone: no data, no simulation, nothing spent.

The noise V of one cell is discrete Laplace of rate ``rho = epsilon / sensitivity``; with ``q = exp(-rho)``,
``P(V >= t) = q**t / (1 + q)`` for ``t >= 0``, ``P(abs(V) > h) = 2 q**(h + 1) / (1 + q)`` and ``Var V = 2 q / (1 - q)**2``
(Ghosh, Roughgarden, Sundararajan, STOC 2009). The formulas are public, so floating point is fine here.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log, log1p, log2, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

GRID: Final = Fraction(1, 1000)
"""Step to which a rate is rounded up when it answers a wish for accuracy."""
_MAX_SPAN: Final = 2**17  # longest table of the law of a sum
_MANY: Final = 200  # sums of so many cells are near enough to the normal law
_MAX_SUM_CONFIDENCE: Final = 0.999999  # rounding errors of the transform stay far below what is left


def _check(rho: Fraction, confidence: float) -> None:
    """Refuse a rate or a confidence without meaning."""
    if rho <= 0:
        raise ValueError("rho must be more than 0")
    if not 0 < confidence < 1:
        raise ValueError("a confidence lies between 0 and 1, such as 0.95")


def half_width(rho: Fraction, confidence: float = 0.95) -> int:
    """The smallest integer h such that the noise of one cell is within -h to h with the confidence or more.

    So ``value - h`` to ``value + h`` holds the true count that often; in counts. Source: the tail of the law
    above. ValueError if rho is not positive or the confidence not between 0 and 1.
    """
    _check(rho, confidence)
    rate, left = float(rho), 1 - confidence

    def tail(h: int) -> float:
        return 2 * exp(-rate * (h + 1)) / (1 + exp(-rate))

    # The logarithm's rounding may miss the edge by one, so the search starts a little below it.
    h = max(0, ceil((log(2 / left) - log1p(exp(-rate))) / rate) - 3)
    while tail(h) > left:
        h += 1
    return h


def standard_deviation(rho: Fraction) -> float:
    """Standard deviation of the noise of one cell, ``sqrt(2 q) / (1 - q)``, in counts; ValueError unless rho > 0."""
    _check(rho, 0.5)
    return sqrt(2) * exp(-float(rho) / 2) / -expm1(-float(rho))


def half_width_of_sum(rho: Fraction, cells: int, confidence: float = 0.95) -> int:
    """The smallest integer h such that the noise of a sum of ``cells`` cells is within -h to h that often.

    The law of the sum is tabulated from its characteristic function ``((1-q)**2 / (1 - 2 q cos w + q**2))**cells``,
    exact to rounding. Where the table would be too long: of 200 cells or more, the normal law corrected for its
    kurtosis ``3 / cells`` (Cornish and Fisher 1938); of fewer, the same law on a coarser grid, rounded up. Both are
    within 0.2 % then.

    Args:
        rho: epsilon over sensitivity of one cell.
        cells: how many cells are added, 1 or more.
        confidence: more than 0, at most 0.999999.

    Returns:
        A half width in counts.

    Raises:
        ValueError: an argument out of range.

    """
    _check(rho, confidence)
    if cells < 1 or confidence > _MAX_SUM_CONFIDENCE:
        raise ValueError("a sum needs 1 cell or more, and a confidence of at most 0.999999")
    if cells == 1:
        return half_width(rho, confidence)
    deviation = sqrt(cells) * standard_deviation(rho)
    span = 14 * deviation + 60 / float(rho) + 50
    if span <= _MAX_SPAN:
        return _tabulated(float(rho), cells, confidence, span)
    if cells >= _MANY:
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        z += (z**3 - 3 * z) / 24 * 3 / cells
        return max(0, ceil(z * deviation - 0.5))  # of integers, more than h is more than h + 1/2
    factor = ceil(span / _MAX_SPAN) + 1
    return ceil(factor * (half_width_of_sum(rho * factor, cells, confidence) + 0.5))


def _tabulated(rate: float, cells: int, confidence: float, span: float) -> int:
    """The half width of a sum from its whole law, on a circle of integers long enough that nothing wraps."""
    length = 1 << ceil(log2(span))
    q = exp(-rate)
    # (1-q)**2 + 2 q (1 - cos w), the denominator written without cancellation
    wave = 4 * q * np.sin(np.pi * np.arange(length // 2 + 1) / length) ** 2
    law = np.fft.irfft((1 + wave / expm1(-rate) ** 2) ** -float(cells), length)
    both = np.maximum(law[1 : length // 2], 0.0)  # P(S = 1), P(S = 2), ...; the law is symmetric
    tails = 2 * np.cumsum(both[::-1])[::-1]  # P(abs(S) > h) for h = 0, 1, ..., summed from its small end
    return int(np.argmax(tails <= 1 - confidence))


def reaches(rho: Fraction, value: int) -> float:
    """The chance that the noise of one cell is ``value`` or more, below 0 too; ValueError unless rho is positive."""
    _check(rho, 0.5)
    beyond = exp(-float(rho) * abs(value)) / (1 + exp(-float(rho)))
    return beyond if value >= 0 else 1 - beyond * exp(-float(rho))


def expected_specks(rho: Fraction, cells: int, threshold: int) -> float:
    """How many of ``cells`` empty cells reach a threshold by chance, on average: ``cells * P(V >= threshold)``.

    ValueError unless rho is positive and both numbers are 1 or more.
    """
    _check(rho, 0.5)
    if cells < 1 or threshold < 1:
        raise ValueError("a table has 1 cell or more, and its threshold is 1 or more")
    return exp(log(cells) - float(rho) * threshold) / (1 + exp(-float(rho)))


def speck_threshold(rho: Fraction, cells: int, expected: Fraction | float = 1) -> int:
    """The value from which a map of ``cells`` empty cells shows about one of them by chance, at most; or ``expected``.

    The smallest integer t, 1 or more, with ``cells * P(V >= t) <= expected``; in counts. A threshold at the half width
    of one cell would show one in forty. ValueError unless rho and ``expected`` are positive and ``cells >= 1``.
    """
    _check(rho, 0.5)
    if cells < 1 or expected <= 0:
        raise ValueError("a map has 1 cell or more, and some of them may be shown by chance")
    rate = float(rho)
    t = max(
        1, ceil((log(cells / expected) - log1p(exp(-rate))) / rate) - 2
    )  # a little below, as in half_width
    while expected_specks(rho, cells, t) > expected:
        t += 1
    return t


def stands_out_from(rho: Fraction, cells: int, threshold: int | None = None) -> int:
    """Smallest noisy count that stands out: above its own interval, where at most about one empty cell gets by chance.

    Its 95 % interval lies above zero. In a table of few cells the interval decides, in one of many the specks. A
    sparse table leaves out what was noisy below its ``threshold`` and never trusts less; in counts. ValueError as in
    ``speck_threshold``.
    """
    return max(speck_threshold(rho, cells), half_width(rho) + 1, threshold or 0)


def epsilon_for_half_width(width: int, confidence: float = 0.95) -> Fraction:
    """The rate, epsilon for a sensitivity of 1, at which the noise of one cell stays within ``width`` that often.

    The smallest multiple of 1/1000 that suffices, exact; times the sensitivity it is the epsilon of the measure.
    Less noise costs more privacy. ValueError for a negative width or a confidence not between 0 and 1.
    """
    if width < 0:
        raise ValueError("a half width is 0 or more")
    low, high = 0, 1
    while half_width(high * GRID, confidence) > width:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if half_width(middle * GRID, confidence) > width else (low, middle)
    return high * GRID


def posterior(epsilon: Fraction | float, prior: float) -> float:
    """The most that someone can come to believe, from a belief of ``prior``, about one person's presence.

    Posterior odds are at most ``exp(epsilon)`` times prior odds, whatever else they know. Both are probabilities. What a
    person who is there did is two steps away, so it takes twice the epsilon: ``dpcore.promise``.
    ValueError for a negative epsilon or a prior outside 0 to 1. Source: the definition of differential privacy.
    """
    if epsilon < 0 or not 0 <= prior <= 1:
        raise ValueError("epsilon is 0 or more, and a belief lies between 0 and 1")
    return prior / (prior + (1 - prior) * exp(-float(epsilon))) if prior else 0.0


def best_guess(epsilon: Fraction | float) -> float:
    """How often the best guess of one unknown bit is right at most: ``exp(epsilon) / (1 + exp(epsilon))``.

    A coin flip has 0.5. ValueError for a negative epsilon. Source: ``posterior`` of a prior of one half.
    """
    return posterior(epsilon, 0.5)
