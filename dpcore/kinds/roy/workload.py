"""Which tables are measured for synthetic trips, how they share epsilon, and how the total is estimated from them.

The tables count small groups of attributes. Roy, Kantarcioglu and Sweeney (2016) chose such groups by looking at the data. Here
they are usual ones, or groups that the owner declares. Each attribute has exactly one code for each trip, also where its value is
missing. So one trip adds one to one cell of each table, whatever its attributes are. The sensitivity of a table is the
contribution bound: 1 for one trip, and M for a person, of whom at most M trips count. The epsilons add up (sequential composition).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.kinds.roy.domain import Group, TripDomain
from dpcore.measures.measurement import Origin
from dpcore.noise.accuracy import standard_deviation
from dpcore.privacy import ContributionBound

MAX_TABLE_CELLS: Final = 4_000_000
"""Limit for one table; exact noise for so many takes about half a second."""
MAX_WEIGHT: Final = 100
"""Of a group that the owner chose."""
_PAIR: Final = 2
_FOLLOWS: Final = {"band": ("start", "end"), "day_type": ("date",), "month": ("date",)}
"""What is known where others are."""


def groups(domain: TripDomain) -> tuple[Group, ...]:
    """The tables of a domain. A table that nothing is drawn from is left out, and its share goes to the others.

    Of a full weight of 20, flows have 8, hours of a station 5 and dates 2. The rest describes the trip and the person. What a
    group of the owner draws, no other table does. Last come tables that were asked for only to tell an association.

    Raises PrivacyError for groups that cannot be.
    """
    for group in (*domain.together, *domain.measured):
        _check_axes(domain, group)
    _check_drawn(domain)
    taken = _own_sources(domain)
    found = [Group(("start", "end"), 8)]
    if "hour" not in taken:
        found.append(Group(("start", "hour", "day_type"), 5))
    elif "date" not in taken:
        found.append(Group(("start", "day_type"), 2))
    if "date" not in taken:
        found.append(Group(("date",), 2))
    if "duration" not in taken:
        found.append(Group(("band", "duration"), 1))
    if domain.area is not None and domain.area.name not in taken:
        found.append(Group(("start", domain.area.name), 2))
    person = [attribute.name for attribute in domain.person if attribute.name not in taken]
    if person:
        found.append(Group(("start" if domain.area is None else domain.area.name, *person), 1))
    if domain.by_month:
        found.append(Group(("start", "month"), 1))
    found += [Group((one.name,), 1) for one in domain.declared if one.name not in taken]
    found += [*domain.together, *domain.measured]
    _check_paid_once(domain, found)
    return tuple(found)


def drawn_by(domain: TripDomain) -> tuple[tuple[str, ...], ...]:
    """The attributes that each group of the owner draws, given those of the group that come before them in drawing order.

    An attribute is drawn by the first group that names it together with an earlier one; in later groups it is given. The first
    one of a group is given, and so are places, day type and month, which other tables draw.
    """
    rank = {name: number for number, name in enumerate(domain.order)}
    found: list[tuple[str, ...]] = []
    for group in domain.together:
        taken = {name for names in found for name in names}
        later = sorted(group.axes, key=rank.__getitem__)[1:]
        found.append(tuple(name for name in later if rank[name] >= rank["date"] and name not in taken))
    return tuple(found)


def sources(domain: TripDomain) -> dict[str, Group]:
    """For each attribute from ``date`` on, in drawing order, the table from which it is drawn.

    ``date`` is missing unless a group of the owner draws it: otherwise a calendar of months and day types does.
    """
    own = _own_sources(domain)
    usual = [group for group in groups(domain) if group not in domain.together + domain.measured]
    found = {}
    for name in domain.order[domain.order.index("date") :]:
        if name in own:
            found[name] = own[name]
        elif name != "date":
            # the last that names it: a table of persons names the area, which that of areas draws
            having = [group for group in usual if name in group.axes]
            area = domain.area is not None and name == domain.area.name
            found[name] = having[0] if area else having[-1]
    return found


def usual_parents(domain: TripDomain) -> dict[str, set[str]]:
    """For each attribute from ``date`` on, those with which its usual table counts it, whatever the owner chose."""
    plain = replace(domain, together=(), measured=())
    return {name: {*group.axes} - {name} for name, group in sources(plain).items()}


def _check_axes(domain: TripDomain, group: Group) -> None:
    """Refuse a group that names what is not there, or pays for what follows from the rest of it."""
    unknown = [axis for axis in group.axes if axis not in domain.order]
    if unknown or len(group.axes) < _PAIR or len({*group.axes}) != len(group.axes):
        raise PrivacyError(
            "a group names two or more attributes of these trips, each once",
            group.name,
            f"Choose among {', '.join(domain.order)}.",
        )
    for known, of in _FOLLOWS.items():
        if {known, *of} <= {*group.axes}:
            raise PrivacyError(
                f"{known} follows from {' and '.join(of)}",
                group.name,
                "Leave it out: its cells would cost and tell nothing.",
            )
    if not 0 < group.weight <= MAX_WEIGHT:
        raise PrivacyError(
            "a weight is out of range", group.name, f"Give a whole number from 1 to {MAX_WEIGHT}."
        )


def _own_sources(domain: TripDomain) -> dict[str, Group]:
    """For each attribute that a group of the owner draws, that group."""
    drawn = zip(domain.together, drawn_by(domain), strict=True)
    return {name: group for group, names in drawn for name in names}


def _check_drawn(domain: TripDomain) -> None:
    """Refuse groups from which nothing is drawn."""
    for group, drawn in zip(domain.together, drawn_by(domain), strict=True):
        if not drawn:
            raise PrivacyError(
                "nothing is drawn from a group that is not drawn already",
                group.name,
                "Add date, hour, duration or an attribute to it, put it before others, or leave it out.",
            )
    own = _own_sources(domain)
    if domain.by_month and "date" in own:
        raise PrivacyError(
            "months follow from the dates that a group draws", own["date"].name, "Do not tell months apart."
        )


def _check_paid_once(domain: TripDomain, tables: Sequence[Group]) -> None:
    """Refuse a table that is only measured if another one holds it."""
    for group in domain.measured:
        wider = [one for one in tables if {*group.axes} <= {*one.axes} and one is not group]
        if wider:
            raise PrivacyError(
                "a table that is paid for holds this association already",
                f"{group.name}, {wider[0].name}",
                "Leave it out.",
            )


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
