"""Whose value is this? Look a published number up in what somebody knows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def whose(answer: float, known: Floats) -> NDArray[np.int64]:
    """Places of the values that are exactly what was published; one place: it is that person's secret."""
    return np.flatnonzero(known == answer)
