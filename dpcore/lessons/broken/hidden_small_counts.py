"""Counts below a limit are hidden, all others are exact: two tables that overlap tell what neither shows."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

HIDDEN: Final = -1
"""Stands where a count is not shown."""


def shown(counts: Integers, least: int) -> Integers:
    """The table as it is printed: counts below ``least`` are hidden. Broken on purpose."""
    return np.where(counts < least, HIDDEN, counts)
