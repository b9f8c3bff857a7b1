"""The draws that a growing tree asks for; handed in by whoever may draw, so that counting knows no randomness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NoiseSource:
    """Three exact samplers; in earnest those of ``dpcore.noise``."""

    laplace: Callable[[Fraction, int], Integers]
    """(rate, n): discrete Laplace noise of n nodes."""
    specks: Callable[[int, int, Fraction, int], Integers]
    """(empty, size, rate, threshold): ranks, ascending, of the empty cells whose noise reaches the threshold."""
    tail: Callable[[Fraction, int], Integers]
    """(rate, n): by how much the noise of n such cells passes the threshold, ``P(Y >= y) = exp(-rate y)``."""
