"""Noisy tables for synthetic trips: exact discrete Laplace noise on every cell of every group, occupied or not."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.measurement import Origin
from dpcore.noise import check_rungs, discrete_laplace
from dpcore.synthesis.workload import NoisyTables, SynthesisPlan

Counts = NDArray[np.int64]


def must_be_drawable(plan: SynthesisPlan) -> None:
    """Refuse, before anything is charged, rates too long for the sampler; raises PrivacyError."""
    for group in plan.groups:
        try:
            check_rungs([plan.rho(group)])
        except ValueError:
            raise PrivacyError(
                "M and epsilon of this plan make numbers too long to draw exactly",
                group.name,
                "Choose an epsilon with fewer decimals.",
            ) from None


def noisy_tables(exact: Mapping[str, Counts], plan: SynthesisPlan, *, origin: Origin) -> NoisyTables:
    """Fresh noisy tables of a plan; together they cost its epsilon.

    Args:
        exact: counts by name of the group, in its shape, of trips that are bounded as the plan says.
        plan: shares of epsilon and the bound.
        origin: whether this is a throw-away draw or one that was paid for.

    """
    values = {group.name: noised(exact[group.name], plan.rho(group)) for group in plan.groups}
    return NoisyTables(plan, values, origin)


def noised(counts: Counts, rho: Fraction) -> Counts:
    """Counts plus fresh noise of rate ``rho`` = epsilon over sensitivity on each cell; same shape."""
    noise: Counts = discrete_laplace(rho, counts.size).reshape(counts.shape)
    return counts + noise
