"""The measured tables of synthetic trips: noisy integers on public cells, and what they say of the total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Origin
from dpcore.noise.accuracy import standard_deviation
from dpcore.synthesis.workload import Group, SynthesisPlan


@dataclass(frozen=True, eq=False)
class NoisyTables:
    """One noisy table for each group of a plan."""

    plan: SynthesisPlan
    values: Mapping[str, NDArray[np.int64]]
    """By name of the group, in its shape; may be negative, since clipping would bias every total."""
    origin: Origin
    """A throw-away draw for its owner's eyes, or one that was paid for. Only the latter may be published."""

    def __post_init__(self) -> None:
        """Each group has its table; a fault here is ours."""
        shapes = {group.name: self.plan.shape(group) for group in self.plan.groups}
        if {name: table.shape for name, table in self.values.items()} != shapes:
            raise ValueError("tables and plan disagree")

    def variance(self, group: Group) -> float:
        """Variance of the noise of one cell of a table."""
        return standard_deviation(self.plan.rho(group)) ** 2

    @property
    def total(self) -> float:
        """The best estimate of the number of trips, which is secret: the mean of the tables' noisy totals.

        Each total is weighted by the inverse of its variance, cells times the variance of one.
        """
        weights = [1 / (self.plan.cells(group) * self.variance(group)) for group in self.plan.groups]
        totals = [float(self.values[group.name].sum()) for group in self.plan.groups]
        return float(np.average(totals, weights=weights))
