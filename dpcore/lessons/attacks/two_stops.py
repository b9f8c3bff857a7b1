"""Two stops of a slider that rescales its noise: two equations, two unknowns."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def truth_from(one: Floats, at_one: Fraction, other: Floats, at_other: Fraction) -> Floats:
    """The counts, from what two stops showed: shown = count + noise / epsilon, twice, with the same noise."""
    low, high = float(at_one), float(at_other)
    return np.rint((high * other - low * one) / (high - low))
