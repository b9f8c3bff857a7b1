"""A purchased quantile: the point of a public grid that wins after noise (exponential mechanism).

Every point of the grid gets a score from the exact counts (``dpcore.measures.bought``). Exponential noise is added to all
scores alike. The answer is the number of the largest one and nothing else. Every point can win whatever the data, so the
possible answers never depend on them. If one unit changes each score by at most ``D``, noise of mean ``2 D / epsilon``
gives epsilon-differential privacy. This is the permute-and-flip form of the exponential mechanism (McKenna and Sheldon
2020; Ding and others 2021). OpenDP draws the noise. Its scale is a floating-point number that is rounded up, so the noise
is never too small.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import inf, nextafter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.bins import PARTS
from dpcore.measures.bought import noise_scale

if TYPE_CHECKING:
    import opendp.prelude as dp

_INTEGERS = "i64"


def scores(counts: NDArray[np.int64], level: int) -> list[int]:
    """The score of every point in twentieths of a rank: 0 at the quantile, negative elsewhere.

    Args:
        counts: exact number of values at each point of the grid, integers, in order.
        level: the level of the quantile in twentieths, 1 to 19.

    """
    listed = [int(count) for count in counts]
    to_here = list(accumulate(listed))
    rank = level * (to_here[-1] if to_here else 0)
    return [
        -max(0, PARTS * (upto - count) - rank, rank - PARTS * upto)
        for count, upto in zip(listed, to_here, strict=True)
    ]


def winner(counts: NDArray[np.int64], level: int, *, sensitivity: int, epsilon: Fraction) -> int:
    """The number of the point that wins. One draw, which costs ``epsilon``.

    Args:
        counts: as for ``scores``, with every point of the public grid, whatever the data.
        level: the level of the quantile in twentieths.
        sensitivity: the most that one privacy unit changes a score, in twentieths.
        epsilon: the cost of the draw, exact.

    Raises:
        ValueError: epsilon is not positive, or there is no point.

    """
    if epsilon <= 0 or len(counts) == 0:
        raise ValueError("a quantile needs a grid, and an epsilon above 0")
    drawn = _mechanism(_rounded_up(noise_scale(sensitivity, epsilon)))(scores(counts, level))
    return int(drawn)


@lru_cache(maxsize=256)
def _mechanism(scale: float) -> dp.Measurement:
    """OpenDP's noisy maximum of whole scores. It holds no data."""
    import opendp.prelude as dp  # noqa: PLC0415 - slow to load, and few commands need it

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=_INTEGERS)), dp.linf_distance(T=_INTEGERS)
    return dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)


def _rounded_up(scale: Fraction) -> float:
    """The smallest double that is not below an exact scale, so that there is never too little noise."""
    near = float(scale)
    return near if Fraction(near) >= scale else nextafter(near, inf)
