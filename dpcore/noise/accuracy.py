"""The error to expect, from the mechanism alone. It uses no data and no simulation, and costs no epsilon.

The noise V of one cell is discrete Laplace of rate ``rho = epsilon / sensitivity``. With ``q = exp(-rho)``,
``P(V >= t) = q**t / (1 + q)`` for ``t >= 0``, ``P(abs(V) > h) = 2 q**(h + 1) / (1 + q)`` and ``Var V = 2 q / (1 - q)**2``
(Ghosh, Roughgarden, Sundararajan, STOC 2009). The formulas are public, so floating point is fine here.

*Ranks.* A noisy histogram says how many values lie below an edge. The noise of that number moves the rank of a quantile.
With ``S`` the noise of the cells below an edge and ``T`` that of the others, ``20 (values below) - k n`` is off by
``(20 - k) S - k T``: a sum of independent discrete Laplace numbers with two weights. Its law is tabulated from its
characteristic function too.

**Many edges.** Each law needs a table, and anyone may make a histogram of many bins. So beyond ``OWN_LAWS`` edges only
some edges get a law of their own. The others borrow the next law with more noise, which is never too narrow. Proof. Let
``k <= 10``; otherwise count from the other end. From one edge to the next, one ``k V`` becomes ``(20 - k) V``. Add ``U``,
uniform and within -10 to 10, in which one part is as wide as either weight. With it the rest of the sum is symmetric and
unimodal (Wintner 1936), so the sum passes any width more often, the larger in size the number added to it is. ``U``
itself costs at most 10 on either side of the comparison, 20 in all: one rank.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, gcd, log, log1p, log2, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.bins import LEVELS, PARTS

GRID: Final = Fraction(1, 1000)
"""A rate that answers a wish for accuracy is rounded up to a multiple of this."""
_MAX_SPAN: Final = 2**17  # longest table of the law of a sum
_MANY: Final = 200  # a sum of so many cells is close enough to the normal law
_MAX_SUM_CONFIDENCE: Final = 0.999999  # rounding errors of the transform stay far below 1 minus this
OWN_LAWS: Final = 24
"""A histogram with at most this many inner edges has a law for each of them."""
_RANK_STEP: Final = 1.1  # ratio of standard deviations between one law and the next where edges borrow
_LONGEST_RANK: Final = 2**14  # longest table; wider noise is tabulated on a coarser scale, rounded up


def _check(rho: Fraction, confidence: float) -> None:
    """Refuse a rate or a confidence out of range."""
    if rho <= 0:
        raise ValueError("rho must be more than 0")
    if not 0 < confidence < 1:
        raise ValueError("a confidence lies between 0 and 1, such as 0.95")


def half_width(rho: Fraction, confidence: float = 0.95) -> int:
    """The smallest integer h such that the noise of one cell lies within -h to h with at least that confidence.

    ``value - h`` to ``value + h`` then holds the true count with that confidence. In counts. Source: the tail of the law
    above. ValueError if rho is not positive or the confidence is not between 0 and 1.
    """
    _check(rho, confidence)
    rate, left = float(rho), 1 - confidence

    def tail(h: int) -> float:
        return 2 * exp(-rate * (h + 1)) / (1 + exp(-rate))

    # Rounding of the logarithm may miss the exact value by one, so the search starts a little below it.
    h = max(0, ceil((log(2 / left) - log1p(exp(-rate))) / rate) - 3)
    while tail(h) > left:
        h += 1
    return h


def standard_deviation(rho: Fraction) -> float:
    """Standard deviation of the noise of one cell, ``sqrt(2 q) / (1 - q)``, in counts. ValueError unless rho > 0."""
    _check(rho, 0.5)
    return sqrt(2) * exp(-float(rho) / 2) / -expm1(-float(rho))


def half_width_of_sum(rho: Fraction, cells: int, confidence: float = 0.95) -> int:
    """The smallest integer h such that the noise of a sum of ``cells`` cells lies within -h to h with that confidence.

    The law of the sum is tabulated from its characteristic function ``((1-q)**2 / (1 - 2 q cos w + q**2))**cells``,
    exact up to rounding. Where the table would be too long: for 200 cells or more, the normal law corrected for its
    kurtosis ``3 / cells`` (Cornish and Fisher 1938); for fewer, the same law on a coarser grid, rounded up. Both are then
    within 0.2 %.

    Args:
        rho: epsilon over sensitivity of one cell.
        cells: number of cells that are added, 1 or more.
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
        return max(0, ceil(z * deviation - 0.5))  # for integers, more than h means at least h + 1
    factor = ceil(span / _MAX_SPAN) + 1
    return ceil(factor * (half_width_of_sum(rho * factor, cells, confidence) + 0.5))


def _tabulated(rate: float, cells: int, confidence: float, span: float) -> int:
    """The half width of a sum from its whole law, on a circle of integers so long that nothing wraps around."""
    length = 1 << ceil(log2(span))
    return _half_width_of_law((1 + _wave(rate, 1, length)) ** -float(cells), length, confidence)


def _wave(rate: float, weight: int, length: int) -> NDArray[np.float64]:
    """``2 q (1 - cos w) / (1 - q)**2`` of a weighted cell, without cancellation: 1 / characteristic function - 1."""
    found: NDArray[np.float64] = np.sin(np.pi * weight * np.arange(length // 2 + 1) / length) ** 2
    return 4 * exp(-rate) * found / expm1(-rate) ** 2


def _half_width_of_law(characteristic: NDArray[np.float64], length: int, confidence: float) -> int:
    both = np.maximum(np.fft.irfft(characteristic, length)[1 : length // 2], 0.0)  # symmetric: P of 1, 2, ...
    tails = 2 * np.cumsum(both[::-1])[::-1]  # P(abs(S) > h) for h = 0, 1, ..., added from the small end
    return int(np.argmax(tails <= 1 - confidence))


def reaches(rho: Fraction, value: int) -> float:
    """The probability that the noise of one cell is ``value`` or more; ``value`` may be negative. ValueError unless rho > 0."""
    _check(rho, 0.5)
    beyond = exp(-float(rho) * abs(value)) / (1 + exp(-float(rho)))
    return beyond if value >= 0 else 1 - beyond * exp(-float(rho))


def expected_false_positives(rho: Fraction, cells: int, threshold: int) -> float:
    """Expected number of ``cells`` empty cells that reach a threshold by chance: ``cells * P(V >= threshold)``.

    ValueError unless rho is positive and both numbers are 1 or more.
    """
    _check(rho, 0.5)
    if cells < 1 or threshold < 1:
        raise ValueError("a table has 1 cell or more, and its threshold is 1 or more")
    return exp(log(cells) - float(rho) * threshold) / (1 + exp(-float(rho)))


def false_positive_threshold(rho: Fraction, cells: int, expected: Fraction | float = 1) -> int:
    """The threshold that at most ``expected`` of ``cells`` empty cells reach by chance, on average.

    The smallest integer t, 1 or more, with ``cells * P(V >= t) <= expected``; in counts. The 95 % half width of one cell
    as threshold would show one empty cell in forty. ValueError unless rho and ``expected`` are positive and ``cells >= 1``.
    """
    _check(rho, 0.5)
    if cells < 1 or expected <= 0:
        raise ValueError("a map has 1 cell or more, and the number shown by chance is positive")
    rate = float(rho)
    t = max(
        1, ceil((log(cells / expected) - log1p(exp(-rate))) / rate) - 2
    )  # starts a little below, as in half_width
    while expected_false_positives(rho, cells, t) > expected:
        t += 1
    return t


def stands_out_from(rho: Fraction, cells: int, threshold: int | None = None) -> int:
    """Smallest noisy count that stands out: its 95 % interval lies above 0, and at most about one empty cell reaches it.

    In a table of few cells the interval decides, in one of many cells the false positives. A sparse table leaves out noisy
    counts below its ``threshold``, so no smaller count is trusted there. In counts. ValueError as in
    ``false_positive_threshold``.
    """
    return max(false_positive_threshold(rho, cells), half_width(rho) + 1, threshold or 0)


def epsilon_for_half_width(width: int, confidence: float = 0.95) -> Fraction:
    """The rate (epsilon for a sensitivity of 1) at which the noise of one cell stays within ``width`` with that confidence.

    It is the smallest sufficient multiple of 1/1000, exact. Multiply by the sensitivity for the epsilon of the measure.
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


@lru_cache(maxsize=10_000)
def rank_half_widths(rho: Fraction, bins: int, level: int, confidence: float = 0.95) -> tuple[int, ...]:
    """For every inner edge of a histogram a half width for its noise with that confidence; see ``rank_half_width``.

    With more than ``OWN_LAWS`` edges few laws are tabulated, and some half widths are up to a tenth and one rank too large.
    """
    if level > PARTS // 2:
        return rank_half_widths(rho, bins, PARTS - level, confidence)[::-1]
    widths: list[int] = []
    lender = bins - 1
    for edge in range(bins - 1, 0, -1):
        if bins - 1 <= OWN_LAWS or _RANK_STEP * _rank_deviation(edge, bins, level) < _rank_deviation(
            lender, bins, level
        ):
            lender = edge
        own = rank_half_width(rho, lender, bins - lender, level, confidence)
        widths.append(own if edge == lender else own + PARTS)
    return tuple(reversed(widths))


def _rank_deviation(edge: int, bins: int, level: int) -> float:
    """The standard deviation at an edge, in standard deviations of one cell."""
    return sqrt(edge * (PARTS - level) ** 2 + (bins - edge) * level**2)


def rank_half_width(rho: Fraction, below: int, above: int, level: int, confidence: float = 0.95) -> int:
    """The smallest integer h such that the noise of ``20 (values below) - level n`` lies within -h to h so often.

    Args:
        rho: epsilon over sensitivity of one cell.
        below: cells below the edge.
        above: the other cells.
        level: the level of the quantile in twentieths, 1 to 19.
        confidence: more than 0, at most 0.999999.

    Returns:
        A half width in twentieths of a count. Wide noise is tabulated on a coarser scale: up to 2 % too large.

    """
    if level > PARTS // 2:  # the same law, counted from the other end
        below, above, level = above, below, PARTS - level
    elif 2 * level == PARTS:
        below, above = 0, below + above
    return _half_width_of_rank(rho, below, above, level, confidence)


def worst_rank(rho: Fraction, bins: int) -> float:
    """Ranks by which the noise of a histogram moves any of its five numbers: at most so many in 95 of 100 cases.

    It is taken at the edge and the level where it is largest.
    """
    worst = max(  # the variance is linear in the number of cells below
        rank_half_width(rho, below, bins - below, level)
        for level in LEVELS.values()
        for below in (1, bins - 1)
    )
    return worst / PARTS


@lru_cache(maxsize=100_000)
def _half_width_of_rank(rho: Fraction, below: int, above: int, level: int, confidence: float) -> int:
    unit = gcd(PARTS, level)  # all of the noise is a multiple of it
    cells, weights = (below, above), ((PARTS - level) // unit, level // unit)
    factor = ceil(_rank_span(standard_deviation(rho), float(rho), cells, weights) / _LONGEST_RANK)
    if factor == 1:
        return unit * _rank_tabulated(float(rho), cells, weights, confidence)
    coarse = _rank_tabulated(_coarser(rho, factor), cells, weights, confidence)
    return unit * ceil(factor * (coarse + sum(weights) / 2))


def _rank_span(deviation: float, rate: float, cells: tuple[int, int], weights: tuple[int, int]) -> float:
    """Length of a circle on which less than 1e-9 of a law wraps around; ``deviation`` is that of one cell."""
    squares = sum(n * w**2 for n, w in zip(cells, weights, strict=True))
    return 14 * sqrt(squares) * deviation + sum(weights) * (24 / rate + 24)


def _coarser(rho: Fraction, factor: int) -> float:
    """The rate of a discrete Laplace number with the same standard deviation in units that are ``factor`` times larger."""
    variance = (standard_deviation(rho) / factor) ** 2
    # 2 q / (1 - q)**2 = variance, and (1 - q) / q = (exp(rate) - 1)
    return float(np.log1p((1 + sqrt(2 * variance + 1)) / variance))


def _rank_tabulated(rate: float, cells: tuple[int, int], weights: tuple[int, int], confidence: float) -> int:
    """The half width from the whole law, on a circle of integers."""
    span = _rank_span(sqrt(2) * exp(-rate / 2) / -expm1(-rate), rate, cells, weights)
    length = min(1 << ceil(log2(span)), _LONGEST_RANK)
    decay = sum(
        count * _transform(rate, weight, length) for count, weight in zip(cells, weights, strict=True)
    )
    return _half_width_of_law(np.exp(-decay), length, confidence)


@lru_cache(maxsize=256)
def _transform(rate: float, weight: int, length: int) -> NDArray[np.float64]:
    """Minus the logarithm of the characteristic function of a weighted discrete Laplace number."""
    found: NDArray[np.float64] = np.log1p(_wave(rate, weight, length))
    return found
