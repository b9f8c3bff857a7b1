"""What a trajectory tree is asked to be, and what it costs: public, exact, checked before anything is counted or charged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.privacy import ContributionBound, decimal_text
from dpcore.synthesis.tree.levels import Levels

MAX_HEIGHT: Final = 64
RATE_BITS: Final = 16
"""Rates are drawn in multiples of ``2**-16``, rounded down: short exact terms, and few different ones."""
FALSE_CHILDREN: Final = Fraction(3, 10)
"""Empty children that a node shows by chance, on average; 1 and more would let the tree grow without end."""
RECORD_SHARE: Final = Fraction(1, 2)
"""Of epsilon, what the record allocation spends on prefixes; the rest waits for the end of the trajectory."""


class Definition(Enum):
    """Which of the two promises of the package is made."""

    LOCATION = "location"
    RECORD = "record"


class Strategy(Enum):
    """How the budget is laid along a path."""

    UNIFORM = "uniform"
    NON_ADAPTIVE = "non-adaptive"
    ADAPTIVE = "adaptive"
    RECORD = "record"


def usual_strategy(definition: Definition) -> Strategy:
    """The allocation that errs least for a promise."""
    return Strategy.RECORD if definition is Definition.RECORD else Strategy.ADAPTIVE


_PROVED: Final = {
    Definition.LOCATION: (Strategy.UNIFORM, Strategy.NON_ADAPTIVE, Strategy.ADAPTIVE),
    Definition.RECORD: (Strategy.UNIFORM, Strategy.RECORD),
}


@dataclass(frozen=True, slots=True, eq=False)
class TreePlan:
    """Levels, epsilon and height of a tree, and how it spends; raises PrivacyError where they make no sense."""

    levels: Levels
    """The level of every tile."""
    epsilon: Fraction
    """Budget of Critical for one trajectory, exact."""
    height: int
    """h: tiles of a trajectory that count; the rest is cut. With 1, the tree is a table of first tiles."""
    definition: Definition = Definition.LOCATION
    """The promise."""
    strategy: Strategy = Strategy.ADAPTIVE
    """The allocation; it must be proved for the promise."""
    false_children: Fraction = FALSE_CHILDREN
    """Eta, more than 0 and less than 1: see ``allocation.threshold``."""

    def __post_init__(self) -> None:
        if not isinstance(self.epsilon, Fraction) or self.epsilon <= 0:
            raise PrivacyError("epsilon must be an exact number above 0", "epsilon", "Give one such as 0.5.")
        whole = isinstance(self.height, int) and not isinstance(self.height, bool)
        if not whole or not 1 <= self.height <= MAX_HEIGHT:
            raise PrivacyError(
                f"the height of a trajectory tree must be a whole number from 1 to {MAX_HEIGHT}",
                "height",
                "Give the number of tiles of a trajectory that shall count.",
            )
        if self.strategy not in _PROVED[self.definition]:
            raise PrivacyError(
                f"the {self.strategy.value} allocation does not keep the promise of {self.definition.value}-PLDP",
                "strategy",
                f"Choose one of: {', '.join(one.value for one in _PROVED[self.definition])}.",
            )
        if not isinstance(self.false_children, Fraction) or not 0 < self.false_children < 1:
            raise PrivacyError(
                "the expected number of false children must lie between 0 and 1",
                "false children",
                "Leave it at 0.3, unless you know why not.",
            )
        # Rates of the adaptive allocation, too, are epsilon over H or more; see the positivity in theorem A.
        least = min(self.epsilon / self.positions, RECORD_SHARE * self.epsilon / self.height)
        if least * 2**RATE_BITS < 1:
            raise PrivacyError(
                "epsilon is too small for so long trajectories",
                f"epsilon over {self.positions} positions",
                "Raise epsilon, or lower the height.",
            )

    @property
    def positions(self) -> int:
        """H: the tiles of a path and its end marker."""
        return self.height + 1

    @property
    def locations(self) -> int:
        """How many tiles there are; also the symbol of ``$``, and one less than that of ``+``."""
        return len(self.levels.tiles)

    def budget(self, level: int) -> Fraction:
        """B of a level, 1 to K: epsilon over its weight."""
        return self.epsilon / self.levels.descriptors[level - 1].weight


@dataclass(frozen=True, slots=True)
class TreePrice:
    """Epsilons of one privacy unit; both must be shown together."""

    descriptors: tuple[tuple[str, Fraction], ...]
    """Loss at most by descriptor, least delicate first. location-PLDP: whether the unit ever went on to a place of
    it, if its trajectories end earlier but stay in the data. record-PLDP: whole trajectories, if it is the highest on
    them, of people with at most M. Others: ``implied_losses``."""
    record: Fraction
    """Loss at most of everything that the unit adds, of everyone. This is what the ledger is charged."""


@dataclass(frozen=True, slots=True)
class ImpliedLoss:
    """One line of the table of the package."""

    change: str
    whom: str
    """Of whom or of what the epsilon is the loss."""
    epsilon: Fraction


def _lost(plan: TreePlan, level: int) -> Fraction:
    """Loss at most at one level for one trajectory. The uniform allocation gives everyone epsilon."""
    return plan.epsilon if plan.strategy is Strategy.UNIFORM else plan.budget(level)


def price_of_tree(plan: TreePlan, bound: ContributionBound) -> TreePrice:
    """What one unit can lose: M trajectories of a person lose M times as much.

    The record loses at most the budget of the lowest level that any tile has: location-PLDP by the first tile of a
    trajectory, record-PLDP by the highest one of a harmless trajectory. A sequence made of several trips, such as the
    day of a person, is no trip: its unit is the person.
    """
    descriptors = plan.levels.descriptors
    return TreePrice(
        tuple((one.name, bound.trips * _lost(plan, level)) for level, one in enumerate(descriptors, 1)),
        bound.trips * _lost(plan, plan.levels.lowest),
    )


def price_of_levels(plan: TreePlan, bound: ContributionBound) -> tuple[tuple[str, Fraction], ...]:
    """Loss of one unit by descriptor, least delicate first, of the levels that some place has.

    None is more than that of the record: the lowest of them is the level of the record.
    """
    every = price_of_tree(plan, bound).descriptors
    return tuple(every[level - 1] for level in plan.levels.present)


def implied_losses(plan: TreePlan, bound: ContributionBound) -> tuple[ImpliedLoss, ...]:
    """What a change of a unit may show at most, in words for the owner and the reader of a release.

    Levels that no place has are left out: no trajectory can visit them. Under a bound of M, a whole trajectory that is
    missing is replaced by another one of a person who has more: ``dpcore.private.trajectories`` proves what that shows.
    """
    times, low, most = bound.trips, _lost(plan, plan.levels.lowest), bound.max_trips
    whom = (
        "one trip" if most is None else "a person" + (f" ({times} times one trajectory)" if times > 1 else "")
    )
    known = "everything that is known of a person or trip"
    lines = [
        ImpliedLoss(f"{known} is added or removed", whom, times * low),
        ImpliedLoss(f"{known} becomes something else (clinic or square?)", whom, 2 * times * low),
    ]
    named = [(plan.levels.descriptors[level - 1].name, _lost(plan, level)) for level in plan.levels.present]
    stays, few = "", "one trajectory"
    if most is not None:
        stays, few = " but stays in the data", f"one trajectory of a person with at most {most}"
    if plan.definition is Definition.RECORD:
        added = "one trajectory is added or removed that visits nothing above"
        lines += [ImpliedLoss(f"{added} {name}", few, lost) for name, lost in named]
        missing = "one trajectory is missing that visits nothing above {}, and another one takes its place"
    else:
        ends = "one trajectory ends before its first visit to a"
        lines += [ImpliedLoss(f"{ends} {name} place{stays}", "one trajectory", lost) for name, lost in named]
        out = "a visit to a {} place is taken out of one trajectory or becomes one to another place, and the rest is kept"
        lines += [ImpliedLoss(out.format(name), "one trajectory", _twice(lost, low)) for name, lost in named]
        missing = "one trajectory is missing that begins at a {} place, and another one takes its place"
    if most is not None:
        many = f"one trajectory of a person with more than {most}"
        lines += [ImpliedLoss(missing.format(name), many, _twice(lost, low)) for name, lost in named]
    return tuple(lines)


def _twice(lost: Fraction, low: Fraction) -> Fraction:
    """Loss at most of two steps: one of a level, and then a trajectory or its rest that is added, low at most.

    A visit taken out or exchanged: cut before it, B(level), and extended by a next tile of whatever level a place has. A
    trajectory taken out, B(level), and another one put in. By way of the data without it, the old one removed and the new
    one added, it is 2 low at most. Today the sum is never more, for a level that a place has is none below the lowest;
    the bound stays, should a budget ever be counted otherwise.
    """
    return min(lost + low, 2 * low)


def epsilon_text(epsilon: Fraction) -> str:
    """An epsilon of a level for people, never rounded down: exact where six decimals are, else about three digits.

    >>> epsilon_text(Fraction(5, 8)), epsilon_text(Fraction(10, 3)), epsilon_text(Fraction(1, 300))
    ('0.625', '3.34', '0.00334')
    """
    exact = decimal_text(epsilon)
    if Fraction(exact) == epsilon:
        return exact
    decimals = 2
    while epsilon * 10**decimals < 100 and decimals < limits.MAX_EPSILON_DECIMALS:
        decimals += 1
    return decimal_text(Fraction(ceil(epsilon * 10**decimals), 10**decimals))
