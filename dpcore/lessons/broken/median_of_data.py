"""A median drawn at random, but only among the values that occur: what comes out is somebody's value. Broken on purpose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.dice import Dice

Floats = NDArray[np.float64]


def chances(values: Floats, epsilon: float) -> Floats:
    """How likely each value, rising, is to come out: the fewer ranks from the middle, the likelier."""
    ranks = np.arange(len(values)) + 0.5
    weight = np.exp(-epsilon * np.abs(ranks - len(values) / 2))  # one person moves a miss by 1/2 at most
    return np.asarray(weight / weight.sum())


def answers(values: Floats, epsilon: float, n: int, dice: Dice) -> Floats:
    """``n`` noisy medians."""
    return dice.floats.choice(np.sort(values), n, p=chances(values, epsilon))
