"""How much of the data a stability histogram would show, for several lengths of bins: for the owner's eyes only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.taps import Counts, Taps, occupied
from dpcore.synthesis.stability.plan import Combination

MINUTES: Final = (5, 15, 30, 60)


@dataclass(frozen=True, repr=False, eq=False)
class Density(Sealed):
    """Expected shares of the rows whose key would be shown, 0 to 1; exact facts went into them."""

    shares: Mapping[int, Mapping[str, float]]
    """By length of the bins in minutes, then by combination. Choosing by them looks at the data."""


def shown_shares(found: Taps) -> dict[str, float]:
    """For each combination the expected share of the rows that lie in shown keys; 0 without rows."""
    return {one.name: share_above(found, one, found.plan.threshold(one)) for one in found.plan.combinations}


def share_above(found: Taps, one: Combination, threshold: int) -> float:
    """The expected share of the rows whose key reaches a threshold, with the noise of the plan; 0 without rows."""
    counts, reached = _reached(found, one, threshold)
    return float((counts * reached).sum() / max(len(found.part), 1))


def keys_above(found: Taps, one: Combination, threshold: int) -> float:
    """The expected number of keys that reach a threshold, with the noise of the plan."""
    return float(_reached(found, one, threshold)[1].sum())


def _reached(found: Taps, one: Combination, threshold: int) -> tuple[Counts, NDArray[np.float64]]:
    """The exact count of each key that occurs, and the probability that it reaches a threshold."""
    _, counts = occupied(found, one)
    rate, short = float(found.plan.rho(one)), threshold - counts
    tail = np.exp(-rate * np.where(short >= 0, short, 1 - short)) / (1 + np.exp(-rate))
    return counts, np.where(short >= 0, tail, 1 - tail)
