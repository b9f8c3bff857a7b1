"""Draws for lessons: by ``dpcore.noise`` as in every release, or in a classroom from a seed that everybody knows.

Noise from a seed lets everybody in a class see the same, and whoever knows the seed can take it away again. That is right for a demonstration on public data and wrong for anything else: privacy holds only while
the attacker does not know the noise.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpcore.noise import samplers
from dpcore.noise.sparse import sparse_ladder

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Dice:
    """Where the draws of one action of a lesson come from; made anew for each action."""

    def __init__(self, seed: int | None = None) -> None:
        """Honest dice, or with a seed those of a classroom: the same seed, the same draws."""
        self.seed = seed
        start = int.from_bytes(os.urandom(16)) if seed is None else seed
        self._floats = np.random.default_rng(start)

    @property
    def repeats(self) -> bool:
        """Whether everybody with this seed sees the same."""
        return self.seed is not None

    def discrete_laplace(self, rho: Fraction, n: int) -> Integers:
        """Noise of ``n`` counts; ``rho`` is epsilon over the sensitivity."""
        if self.repeats:
            return seeded_laplace(rho, n, self._floats)
        return samplers.discrete_laplace(rho, n)

    def ladder(self, rhos: Sequence[Fraction], n: int) -> Integers:
        """Noise of ``n`` counts at several rungs, lowest first, shape ``(rungs, n)``."""
        if self.repeats:
            return seeded_ladder(rhos, n, self._floats)
        return samplers.ladder(rhos, n)

    def sparse(
        self, cells: Integers, counts: Integers, size: int, rho: Fraction
    ) -> tuple[Integers, Integers]:
        """Cells of a public table of ``size`` whose noisy count is 1 or more, ascending, and those noisy counts."""
        if self.repeats:
            return seeded_sparse(cells, counts, size, rho, self._floats)
        shown, values = sparse_ladder(cells, counts, size, [rho], 1)
        return shown, values[0]

    @property
    def floats(self) -> np.random.Generator:
        """Floating-point draws: for broken mechanisms, coin flips of a game, and normal noise."""
        return self._floats


def seeded_geometric(rho: Fraction, n: int, dice: np.random.Generator) -> Integers:
    """``n`` draws with ``P(G >= y) = exp(-rho y)``, by floats and a known seed."""
    return np.floor(dice.exponential(1 / float(rho), n)).astype(np.int64)


def seeded_laplace(rho: Fraction, n: int, dice: np.random.Generator) -> Integers:
    """The difference of two seeded_geometric draws."""
    return seeded_geometric(rho, n, dice) - seeded_geometric(rho, n, dice)


def seeded_ladder(rhos: Sequence[Fraction], n: int, dice: np.random.Generator) -> Integers:
    """Noise of several rungs, lowest first, shape ``(rungs, n)``: each finer half is the smaller of two, as in ``dpcore.noise``."""
    halves = [np.stack([seeded_geometric(rhos[0], n, dice) for _ in range(2)])]
    for coarse, fine in pairwise(rhos):
        halves.append(np.minimum(halves[-1], seeded_geometric(fine - coarse, 2 * n, dice).reshape(2, n)))
    return np.stack([one - other for one, other in halves])


def seeded_sparse(
    cells: Integers, counts: Integers, size: int, rho: Fraction, dice: np.random.Generator
) -> tuple[Integers, Integers]:
    """Cells of a table whose noisy count is 1 or more, and these counts. The law is that of ``dpcore.noise.sparse``."""
    noisy = seeded_laplace(rho, size, dice)
    noisy[cells] += counts
    shown = np.flatnonzero(noisy >= 1)
    return shown, noisy[shown]
