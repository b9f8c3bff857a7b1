"""A median drawn at random, but only among the values that occur: what comes out is somebody's value. Broken on purpose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.dice import Dice

Floats = NDArray[np.float64]


def chances(values: Floats, epsilon: float) -> Floats:
    """How likely each value, rising, is to come out: the fewer ranks it misses the middle by, the likelier."""
    middle = len(values) / 2
    smaller = np.searchsorted(values, values)
    up_to = np.searchsorted(values, values, side="right")
    missed = np.maximum(np.maximum(smaller - middle, middle - up_to), 0)
    weight = np.exp(-epsilon * missed)  # one person moves a miss by 1/2 at most
    return np.asarray(weight / weight.sum())


def answers(values: Floats, epsilon: float, n: int, dice: Dice) -> Floats:
    """``n`` noisy medians."""
    return dice.floats.choice(np.sort(values), n, p=chances(values, epsilon))
