"""Noise from a seed: everybody in a class sees the same, and whoever knows the seed can take it away again.

Right for a demonstration on public data, wrong for anything else: privacy is the attacker's not knowing the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def geometric(rho: Fraction, n: int, dice: np.random.Generator) -> Integers:
    """``n`` draws with ``P(G >= y) = exp(-rho y)``, by floats and a known seed."""
    return np.floor(dice.exponential(1 / float(rho), n)).astype(np.int64)


def discrete_laplace(rho: Fraction, n: int, dice: np.random.Generator) -> Integers:
    """The difference of two geometric draws."""
    return geometric(rho, n, dice) - geometric(rho, n, dice)


def ladder(rhos: Sequence[Fraction], n: int, dice: np.random.Generator) -> Integers:
    """Noise of several rungs, lowest first, shape ``(rungs, n)``: each finer half is the smaller of two, as in ``dpcore.noise``."""
    halves = [np.stack([geometric(rhos[0], n, dice) for _ in range(2)])]
    for coarse, fine in pairwise(rhos):
        halves.append(np.minimum(halves[-1], geometric(fine - coarse, 2 * n, dice).reshape(2, n)))
    return np.stack([one - other for one, other in halves])


def sparse(
    cells: Integers, counts: Integers, size: int, rho: Fraction, dice: np.random.Generator
) -> tuple[Integers, Integers]:
    """Cells of a table whose noisy count is 1 or more, and those counts: the law of ``dpcore.noise.sparse``, cell by cell."""
    noisy = discrete_laplace(rho, size, dice)
    noisy[cells] += counts
    shown = np.flatnonzero(noisy >= 1)
    return shown, noisy[shown]
