"""Checked: the values of one column after its checks, with what is missing and what is bad."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.source.rules import Rule
from dpcore.private.source.text import Mask


@dataclass(frozen=True, repr=False, eq=False)
class CheckedFloats(Sealed):
    """Degrees, float64; NaN where missing, anything where bad."""

    values: NDArray[np.float64]
    missing: Mask
    bad: tuple[tuple[Rule, Mask], ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class CheckedTimes(Sealed):
    """Instants: microseconds since 1970-01-01 00:00 UTC, int64; anything where missing or bad."""

    values: NDArray[np.int64]
    missing: Mask
    bad: tuple[tuple[Rule, Mask], ...] = ()
