"""Draws for lessons: by ``dpcore.noise`` as in every release, or in a classroom from a seed that all know."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.broken import seeded_noise
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
            return seeded_noise.discrete_laplace(rho, n, self._floats)
        return samplers.discrete_laplace(rho, n)

    def ladder(self, rhos: Sequence[Fraction], n: int) -> Integers:
        """Noise of ``n`` counts at several rungs, lowest first, shape ``(rungs, n)``."""
        if self.repeats:
            return seeded_noise.ladder(rhos, n, self._floats)
        return samplers.ladder(rhos, n)

    def sparse(
        self, cells: Integers, counts: Integers, size: int, rho: Fraction
    ) -> tuple[Integers, Integers]:
        """Cells of a public table of ``size`` whose noisy count is 1 or more, ascending, and those noisy counts."""
        if self.repeats:
            return seeded_noise.sparse(cells, counts, size, rho, self._floats)
        shown, values = sparse_ladder(cells, counts, size, [rho], 1)
        return shown, values[0]

    @property
    def floats(self) -> np.random.Generator:
        """For what is floating point by nature: broken mechanisms, coin flips of a game, normal noise."""
        return self._floats
