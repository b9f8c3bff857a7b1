"""Two tables that differ by a little: subtract one from the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


def readable(first: Integers, second: Integers) -> Flags:
    """Where both tables show a number, so that they can be subtracted; what is hidden is negative."""
    return np.asarray((first >= 0) & (second >= 0))


def extra(first: Integers, second: Integers) -> Integers:
    """What the second table holds more than the first, count by count."""
    return np.asarray(second - first)


def says_there(difference: Integers, others: int) -> Flags:
    """The attacker's verdict on one trip, from a difference and the number of trips of everybody else in it."""
    return np.asarray(difference - others >= 1)
