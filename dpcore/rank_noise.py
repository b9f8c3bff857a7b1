"""How far noise moves a rank: the law of what a noisy histogram says about how many values lie below an edge.

With ``S`` the noise of the cells below an edge and ``T`` that of the others, ``20 (values below) - k n`` is off by
``(20 - k) S - k T``: a sum of independent discrete Laplace numbers with two weights. Its law is tabulated from its
characteristic function, as in ``dpcore.accuracy``. Nothing here knows data.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, log2, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.accuracy import standard_deviation
from dpcore.quantile_grids import PARTS

_SPAN: Final = 2**15  # longest table; noise that needs more goes on a coarser scale, rounded up


@lru_cache(maxsize=100_000)
def rank_half_width(rho: Fraction, below: int, above: int, level: int, confidence: float = 0.95) -> int:
    """The smallest integer h such that the noise of ``20 (values below) - level n`` is within -h to h that often.

    Args:
        rho: epsilon over sensitivity of one cell.
        below: cells below the edge.
        above: the other cells.
        level: the level of the quantile in twentieths, 1 to 19.
        confidence: more than 0, at most 0.999999.

    Returns:
        A half width in twentieths of a count; on a coarser scale, where noise is wide, up to 1 % too large.

    """
    deviation = sqrt(below * (PARTS - level) ** 2 + above * level**2) * standard_deviation(rho)
    span = 14 * deviation + PARTS * (60 / float(rho) + 50)
    factor = ceil(span / _SPAN)
    coarse = _tabulated(float(rho) * factor, (below, above), (PARTS - level, level), confidence)
    return coarse if factor == 1 else ceil(factor * (coarse + PARTS / 2))


def _tabulated(rate: float, cells: tuple[int, int], weights: tuple[int, int], confidence: float) -> int:
    """The half width from the whole law, on a circle of integers long enough that nothing wraps."""
    deviation = (
        sqrt(sum(n * w**2 for n, w in zip(cells, weights, strict=True)))
        * sqrt(2)
        * exp(-rate / 2)
        / -expm1(-rate)
    )
    length = 1 << ceil(log2(14 * deviation + PARTS * (60 / rate + 50)))
    law = np.ones(length // 2 + 1)
    for count, weight in zip(cells, weights, strict=True):
        law *= _transform(rate, weight, length) ** -float(count)
    both = np.maximum(np.fft.irfft(law, length)[1 : length // 2], 0.0)
    tails = 2 * np.cumsum(both[::-1])[::-1]  # P(abs(S) > h), summed from its small end
    return int(np.argmax(tails <= 1 - confidence))


def _transform(rate: float, weight: int, length: int) -> NDArray[np.float64]:
    """One over the characteristic function of a weighted discrete Laplace number, without cancellation."""
    wave: NDArray[np.float64] = (
        4 * exp(-rate) * np.sin(np.pi * weight * np.arange(length // 2 + 1) / length) ** 2
    )
    found: NDArray[np.float64] = 1 + wave / expm1(-rate) ** 2
    return found
