"""Not seen where counts are sharp, so elsewhere: a delicate count told by the harmless ones beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def what_is_left(all_who_left: int, elsewhere: Integers) -> int:
    """How many went to the one place that is not listed, where all who left are known to have gone somewhere."""
    return all_who_left - int(elsewhere.sum())


def log_odds(clinic: Integers, square: Integers, at_clinic: float, at_square: float) -> Floats:
    """By how much the odds of *to the clinic* against *to the square* move, as a logarithm, for one trip.

    ``clinic`` and ``square``: noisy counts less all other trips there, shape ``(tries,)``; whoever made the one trip adds
    1 to one of them. ``at_clinic`` and ``at_square``: rates of their noise.
    """
    seen = np.where(clinic >= 1, at_clinic, -at_clinic)
    missed = np.where(square >= 1, -at_square, at_square)
    return np.asarray(seen + missed)
