"""Ask the same question again and again, and take the mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def mean_so_far(answers: Integers) -> Floats:
    """The attacker's estimate after each answer, shape as ``answers`` along its first axis."""
    asked = np.arange(1, len(answers) + 1).reshape(-1, *[1] * (answers.ndim - 1))
    return np.asarray(np.cumsum(answers, axis=0) / asked)


def hits_so_far(answers: Integers, truth: Integers) -> Floats:
    """Share of counts that the rounded mean hits exactly after each answer; ``answers`` has shape ``(asked, counts)``."""
    return np.asarray(np.mean(np.rint(mean_so_far(answers)) == truth, axis=1))
