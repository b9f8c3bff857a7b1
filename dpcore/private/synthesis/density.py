"""How much of the data a stability histogram would show, for several lengths of bins: for the owner's eyes only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.taps import Taps, Texts, occupied, taps
from dpcore.synthesis.stability.plan import Combination, StabilityPlan

MINUTES: Final = (5, 15, 30, 60)


@dataclass(frozen=True, repr=False, eq=False)
class Density(Sealed):
    """Expected shares of the rows whose key would be shown, 0 to 1; exact facts went into them."""

    shares: Mapping[int, Mapping[str, float]]
    """By length of the bins in minutes, then by combination."""


def density(
    plan: StabilityPlan,
    columns: Mapping[str, Texts],
    key: bytes,
    users: Texts | None = None,
    minutes: tuple[int, ...] = MINUTES,
) -> Density:
    """The expected shares for some lengths of bins; nothing is drawn. Choosing by them looks at the data."""
    found = {}
    for length in minutes:
        tried = replace(plan, minutes=dict.fromkeys(plan.minutes, length))
        found[length] = shown_shares(taps(tried, columns, key, users))
    return Density(found)


def shown_shares(found: Taps) -> dict[str, float]:
    """For each combination the expected share of the rows that lie in shown keys; 0 without rows."""
    return {one.name: share_above(found, one, found.plan.threshold(one)) for one in found.plan.combinations}


def share_above(found: Taps, one: Combination, threshold: int) -> float:
    """The expected share of the rows whose key reaches a threshold, with the noise of the plan; 0 without rows."""
    _, counts = occupied(found, one)
    rate, short = float(found.plan.rho(one)), threshold - counts
    tail = np.exp(-rate * np.where(short >= 0, short, 1 - short)) / (1 + np.exp(-rate))
    reached = np.where(short >= 0, tail, 1 - tail)
    return float((counts * reached).sum() / max(len(found.part), 1))
