"""Laplace noise as most programs make it: a logarithm of a random fraction, in floating-point numbers. Broken on purpose.

On paper every real number can come out whatever the count is. In a computer there are finitely many fractions, so
finitely many noises, and adding a count rounds them away to other numbers: some outputs belong to one count only
(Mironov, CCS 2012).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.dice import Dice

Floats = NDArray[np.float64]
BITS = 53
"""Binary digits of a random fraction in most languages."""


def from_fraction(fraction: Floats, epsilon: float) -> Floats:
    """The noise that a fraction between 0 and 1 becomes: textbook formula, ordinary arithmetic."""
    centred = fraction - 0.5
    return np.asarray(-np.sign(centred) * np.log(1 - 2 * np.abs(centred)) / epsilon)


def answers(count: int, epsilon: float, n: int, dice: Dice) -> Floats:
    """``n`` noisy answers for a count that one unit changes by 1."""
    fractions = np.floor(dice.floats.random(n) * (2.0**BITS - 1) + 1) / 2.0**BITS  # never 0
    return count + from_fraction(fractions, epsilon)
