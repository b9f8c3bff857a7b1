"""Which tables are measured for synthetic trips, how they share epsilon, and how the total is estimated from them.

The tables count small groups of attributes that overlap as a tree. Roy, Kantarcioglu and Sweeney (2016) chose such groups by
looking at the data; here they are fixed. One trip adds one to one cell of each table. So the sensitivity of a table is the
contribution bound, and the epsilons add up (sequential composition).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures.measurement import Origin
from dpcore.noise.accuracy import standard_deviation
from dpcore.privacy import ContributionBound
from dpcore.synthesis.domain import TripDomain

MAX_TABLE_CELLS: Final = 4_000_000
"""Limit for one table; exact noise for so many takes about half a second."""


@dataclass(frozen=True)
class Group:
    """Attributes that are counted together."""

    axes: tuple[str, ...]
    """Names of attributes; the last one varies fastest in the table."""
    weight: int
    """Weight for the share of epsilon."""

    @property
    def name(self) -> str:
        """The names of its attributes, such as ``start+end``."""
        return "+".join(self.axes)


def groups(domain: TripDomain) -> tuple[Group, ...]:
    """The tables of a domain. A table without its attributes is left out, and its share goes to the others.

    Of a full weight of 20, flows have 8, hours of a station 5 and dates 2. The rest describes the trip and the person.
    """
    found = [
        Group(("start", "end"), 8),
        Group(("start", "hour", "day_type"), 5),
        Group(("date",), 2),
        Group(("band", "duration"), 1),
    ]
    if domain.area is not None:
        found.append(Group(("start", domain.area.name), 2))
    if domain.person:
        parent = "start" if domain.area is None else domain.area.name
        found.append(Group((parent, *(attribute.name for attribute in domain.person)), 1))
    if domain.by_month:
        found.append(Group(("start", "month"), 1))
    return tuple(found)


@dataclass(frozen=True)
class SynthesisPlan:
    """What is measured for synthetic trips, under which bound, and for which total epsilon. Public facts only."""

    domain: TripDomain
    bound: ContributionBound
    epsilon: Fraction
    """Total; each table gets its share."""

    def __post_init__(self) -> None:
        exact = isinstance(self.epsilon, Fraction)
        if not exact or not Fraction(limits.MIN_EPSILON) <= self.epsilon <= Fraction(limits.MAX_EPSILON):
            raise PrivacyError(
                "epsilon must be an exact number within its limits",
                "epsilon",
                f"Give {limits.MIN_EPSILON} to {limits.MAX_EPSILON}.",
            )
        for group in self.groups:
            if self.cells(group) > MAX_TABLE_CELLS:
                raise PrivacyError(
                    f"a table would have {self.cells(group):,} cells",
                    group.name,
                    f"At most {MAX_TABLE_CELLS:,} are drawn: list fewer stations or fewer values.",
                )

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The tables that are measured."""
        return groups(self.domain)

    def shape(self, group: Group) -> tuple[int, ...]:
        """Number of values of each attribute of a table."""
        return tuple(self.domain.sizes[axis] for axis in group.axes)

    def cells(self, group: Group) -> int:
        """Number of cells of a table."""
        return prod(self.shape(group))

    def share(self, group: Group) -> Fraction:
        """The exact share of epsilon that a table gets; the shares add up to 1."""
        return Fraction(group.weight, sum(one.weight for one in self.groups))

    def rho(self, group: Group) -> Fraction:
        """Rate of a table's noise: its epsilon over its sensitivity, which is 1 for trips and M for users."""
        return self.share(group) * self.epsilon / self.bound.trips


@dataclass(frozen=True, eq=False)
class NoisyTables:
    """One noisy table for each group of a plan."""

    plan: SynthesisPlan
    values: Mapping[str, NDArray[np.int64]]
    """By name of the group, in its shape. Negative values stay, because clipping them would bias every total."""
    origin: Origin
    """A preview for its owner's eyes, or a draw that was paid for. Only the latter may be published."""

    def __post_init__(self) -> None:
        shapes = {group.name: self.plan.shape(group) for group in self.plan.groups}
        if {name: table.shape for name, table in self.values.items()} != shapes:
            raise ValueError("tables and plan disagree")

    def variance(self, group: Group) -> float:
        """Variance of the noise of one cell of a table."""
        return standard_deviation(self.plan.rho(group)) ** 2

    @property
    def total(self) -> float:
        """The best estimate of the secret number of trips: the mean of the noisy totals of all tables.

        Each total is weighted by inverse variance; its variance is the number of cells times that of one cell.
        """
        weights = [1 / (self.plan.cells(group) * self.variance(group)) for group in self.plan.groups]
        totals = [float(self.values[group.name].sum()) for group in self.plan.groups]
        return float(np.average(totals, weights=weights))
