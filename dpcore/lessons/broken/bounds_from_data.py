"""A total whose noise is made for the longest trip that occurs: how wide the noise is tells who is there. Broken on purpose."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.dice import Dice

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def answers(minutes: Floats, epsilon: Fraction, n: int, dice: Dice) -> Integers:
    """``n`` noisy totals of whole minutes, one trip for each person; the bound is the largest value there is."""
    largest = ceil(minutes.max())
    return int(np.rint(minutes).sum()) + dice.discrete_laplace(epsilon / largest, n)
