"""Look at every stop of the ladder, and combine them in the best way there is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def weighted_mean(shown: Integers, epsilons: Sequence[Fraction]) -> Floats:
    """Every stop by its precision, as if each had noise of its own; ``shown`` has shape ``(stops, counts)``."""
    weight = np.array([float(epsilon) ** 2 for epsilon in epsilons])
    return np.asarray(weight @ shown / weight.sum())


def finest_alone(shown: Integers) -> Integers:
    """The last stop, and nothing else: the lower ones are made of it, so nothing can do better."""
    return np.asarray(shown[-1])
