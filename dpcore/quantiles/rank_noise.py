"""How far noise moves a rank: the law of what a noisy histogram says about how many values lie below an edge.

With ``S`` the noise of the cells below an edge and ``T`` that of the others, ``20 (values below) - k n`` is off by
``(20 - k) S - k T``: a sum of independent discrete Laplace numbers with two weights. Its law is tabulated from its
characteristic function, as in ``dpcore.accuracy``. Nothing here knows data.

**Many edges.** A law takes a table, and anyone may make a histogram of many bins. So beyond ``OWN_LAWS`` edges only some
get a law of their own, and the others borrow from the next one with more noise. That is never too narrow: let ``k <= 10``
(else count from the other end). From one edge to the next a ``k V`` becomes a ``(20 - k) V``. Add ``U``, uniform and
within -10 to 10, made of a part as wide as either weight: then the rest of the sum is symmetric and unimodal (Wintner
1936), and so it passes any width more often, the larger the number beside it is in size. ``U`` itself costs at most 10
on either side of the comparison, 20 in all: one rank.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, gcd, log2, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.accuracy import standard_deviation
from dpcore.quantiles.grids import LEVELS, PARTS

OWN_LAWS: Final = 24
"""A histogram of so many inner edges has a law for each of them."""
_STEP: Final = 1.1  # from one law to the next where edges borrow, in standard deviations
_LONGEST: Final = 2**14  # longest table; noise that needs more goes on a coarser scale, rounded up


@lru_cache(maxsize=10_000)
def rank_half_widths(rho: Fraction, bins: int, level: int, confidence: float = 0.95) -> tuple[int, ...]:
    """For every inner edge of a histogram a half width that holds its noise so often; see ``rank_half_width``.

    Of more than ``OWN_LAWS`` edges some are up to a tenth and one rank too large, and few laws are tabulated.
    """
    if level > PARTS // 2:
        return rank_half_widths(rho, bins, PARTS - level, confidence)[::-1]
    widths: list[int] = []
    lender = bins - 1
    for edge in range(bins - 1, 0, -1):
        if bins - 1 <= OWN_LAWS or _STEP * _weight(edge, bins, level) < _weight(lender, bins, level):
            lender = edge
        own = rank_half_width(rho, lender, bins - lender, level, confidence)
        widths.append(own if edge == lender else own + PARTS)
    return tuple(reversed(widths))


def _weight(edge: int, bins: int, level: int) -> float:
    """The standard deviation at an edge, in that of one cell."""
    return sqrt(edge * (PARTS - level) ** 2 + (bins - edge) * level**2)


def rank_half_width(rho: Fraction, below: int, above: int, level: int, confidence: float = 0.95) -> int:
    """The smallest integer h such that the noise of ``20 (values below) - level n`` is within -h to h that often.

    Args:
        rho: epsilon over sensitivity of one cell.
        below: cells below the edge.
        above: the other cells.
        level: the level of the quantile in twentieths, 1 to 19.
        confidence: more than 0, at most 0.999999.

    Returns:
        A half width in twentieths of a count; on a coarser scale, where noise is wide, up to 2 % too large.

    """
    if level > PARTS // 2:  # the same law, seen from the other end
        below, above, level = above, below, PARTS - level
    elif 2 * level == PARTS:
        below, above = 0, below + above
    return _half_width(rho, below, above, level, confidence)


def worst_rank(rho: Fraction, bins: int) -> float:
    """Ranks that the noise of a histogram moves any of the five numbers by, at most, in 95 of 100 cases.

    Taken at the edge and the level where it is largest.
    """
    worst = max(  # the variance is a straight line in the number of cells below
        rank_half_width(rho, below, bins - below, level)
        for level in LEVELS.values()
        for below in (1, bins - 1)
    )
    return worst / PARTS


@lru_cache(maxsize=100_000)
def _half_width(rho: Fraction, below: int, above: int, level: int, confidence: float) -> int:
    unit = gcd(PARTS, level)  # all of the noise is a multiple of it
    cells, weights = (below, above), ((PARTS - level) // unit, level // unit)
    factor = ceil(_span(standard_deviation(rho), float(rho), cells, weights) / _LONGEST)
    if factor == 1:
        return unit * _tabulated(float(rho), cells, weights, confidence)
    coarse = _tabulated(_coarser(rho, factor), cells, weights, confidence)
    return unit * ceil(factor * (coarse + sum(weights) / 2))


def _span(deviation: float, rate: float, cells: tuple[int, int], weights: tuple[int, int]) -> float:
    """Length of a circle on which less than 1e-9 of a law wraps; ``deviation`` is that of one cell."""
    squares = sum(n * w**2 for n, w in zip(cells, weights, strict=True))
    return 14 * sqrt(squares) * deviation + sum(weights) * (24 / rate + 24)


def _coarser(rho: Fraction, factor: int) -> float:
    """The rate of a discrete Laplace number with the same standard deviation in units so much larger."""
    variance = (standard_deviation(rho) / factor) ** 2
    # 2 q / (1 - q)**2 = variance, and (1 - q) / q = (exp(rate) - 1)
    return float(np.log1p((1 + sqrt(2 * variance + 1)) / variance))


def _tabulated(rate: float, cells: tuple[int, int], weights: tuple[int, int], confidence: float) -> int:
    """The half width from the whole law, on a circle of integers."""
    span = _span(sqrt(2) * exp(-rate / 2) / -expm1(-rate), rate, cells, weights)
    length = min(1 << ceil(log2(span)), _LONGEST)
    decay = sum(
        count * _transform(rate, weight, length) for count, weight in zip(cells, weights, strict=True)
    )
    both = np.maximum(np.fft.irfft(np.exp(-decay), length)[1 : length // 2], 0.0)
    tails = 2 * np.cumsum(both[::-1])[::-1]  # P(abs(S) > h), summed from its small end
    return int(np.argmax(tails <= 1 - confidence))


@lru_cache(maxsize=256)
def _transform(rate: float, weight: int, length: int) -> NDArray[np.float64]:
    """Minus the logarithm of the characteristic function of a weighted discrete Laplace number, without cancellation."""
    wave: NDArray[np.float64] = (
        4 * exp(-rate) * np.sin(np.pi * weight * np.arange(length // 2 + 1) / length) ** 2
    )
    found: NDArray[np.float64] = np.log1p(wave / expm1(-rate) ** 2)
    return found
