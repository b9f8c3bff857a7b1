"""Which counts can have led to a floating-point answer: look for a random fraction that gives it, to the last digit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.broken.float_noise import BITS, from_fraction

Floats = NDArray[np.float64]
_NEAR = 4  # fractions to either side of the inverse, whose rounding may miss by some


def reachable(answers: Floats, count: int, epsilon: float) -> NDArray[np.bool_]:
    """Whether each answer can come out if the count is this: turn the formula round, then try the fractions nearby."""
    noise = answers - count
    fraction = 0.5 - np.sign(noise) * np.expm1(-epsilon * np.abs(noise)) / 2
    found = np.zeros(len(answers), bool)
    for step in range(-_NEAR, _NEAR + 1):
        tried = (np.rint(fraction * 2.0**BITS) + step) / 2.0**BITS
        inside = (tried > 0) & (tried < 1)
        found |= inside & (count + from_fraction(np.where(inside, tried, 0.5), epsilon) == answers)
    return found


def told(answers: Floats, low: int, epsilon: float) -> NDArray[np.int64]:
    """What each answer gives away: ``low`` or ``low + 1`` if it fits to that count alone, else -1."""
    one, other = reachable(answers, low, epsilon), reachable(answers, low + 1, epsilon)
    return np.where(one & ~other, low, np.where(other & ~one, low + 1, -1))
