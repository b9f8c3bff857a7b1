"""A count of trips with the noise of one trip, sold as protection of persons: nobody's trips are cut. Broken on purpose."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.dice import Dice

Integers = NDArray[np.int64]


def answers(trips_per_person: Integers, epsilon: Fraction, n: int, dice: Dice) -> Integers:
    """``n`` noisy totals; a person with k trips moves them by k, the noise is made for 1."""
    return int(trips_per_person.sum()) + dice.discrete_laplace(epsilon, n)
