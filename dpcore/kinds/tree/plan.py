"""The plan of a trajectory tree and its price. Public, exact, and checked before anything is counted or charged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from dpcore.errors import PrivacyError
from dpcore.kinds.tree.levels import Levels
from dpcore.privacy import ContributionBound

MAX_HEIGHT: Final = 64
RATE_BITS: Final = 16
"""Rates are drawn in multiples of ``2**-16``, rounded down, so there are few different ones, and they are short and exact."""
FALSE_CHILDREN: Final = Fraction(3, 10)
"""Average number of empty children that a node keeps by chance; with 1 or more the tree would grow without end."""
RECORD_SHARE: Final = Fraction(1, 2)
"""Share of epsilon that the record allocation spends on prefixes; the rest is for the end of the trajectory."""


class Definition(Enum):
    """Which of the two promises of the package is made."""

    LOCATION = "location"
    RECORD = "record"


class Strategy(Enum):
    """How the budget is spread along a path (the allocation)."""

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
    """Levels, epsilon, height and allocation of a tree; raises PrivacyError if they are invalid together."""

    levels: Levels
    """The level of every tile."""
    epsilon: Fraction
    """Budget of Critical for one trajectory, exact."""
    height: int
    """h: how many tiles of a trajectory count; the rest is cut. With 1, the tree is a table of first tiles."""
    definition: Definition = Definition.LOCATION
    """The promise."""
    strategy: Strategy = Strategy.ADAPTIVE
    """The allocation; the promise must be proved for it."""
    false_children: Fraction = FALSE_CHILDREN
    """Eta, above 0 and below 1, see ``allocation.threshold``."""

    def __post_init__(self) -> None:
        if not isinstance(self.epsilon, Fraction) or self.epsilon <= 0:
            raise PrivacyError("epsilon must be an exact number above 0", "epsilon", "Give one such as 0.5.")
        whole = isinstance(self.height, int) and not isinstance(self.height, bool)
        if not whole or not 1 <= self.height <= MAX_HEIGHT:
            raise PrivacyError(
                f"the height of a trajectory tree must be a whole number from 1 to {MAX_HEIGHT}",
                "height",
                "Give the number of tiles of a trajectory that count.",
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
                "Leave it at 0.3, unless you have a reason.",
            )
        # Rates of the adaptive allocation are at least epsilon / H too: see the end of theorem A.
        least = min(self.epsilon / self.positions, RECORD_SHARE * self.epsilon / self.height)
        if least * 2**RATE_BITS < 1:
            raise PrivacyError(
                "epsilon is too small for trajectories of this length",
                f"epsilon over {self.positions} positions",
                "Raise epsilon, or lower the height.",
            )

    @property
    def positions(self) -> int:
        """H: the tiles of a path and its end marker."""
        return self.height + 1

    @property
    def locations(self) -> int:
        """Number of tiles. It is also the symbol of ``$``; that of ``+`` is one more."""
        return len(self.levels.tiles)

    def budget(self, level: int) -> Fraction:
        """B(level) for a level from 1 to K: epsilon over its weight."""
        return self.epsilon / self.levels.descriptors[level - 1].weight


@dataclass(frozen=True, slots=True)
class TreePrice:
    """Epsilons of one privacy unit; both must be shown together."""

    descriptors: tuple[tuple[str, Fraction], ...]
    """Largest loss by descriptor, least delicate first. location-PLDP: of whether the unit ever went on to such a place, if
    its trajectories end earlier but stay in the data. record-PLDP: of whole trajectories on which this descriptor is the
    highest, for people with at most M. For all other changes see ``implied_losses``."""
    record: Fraction
    """Largest loss of everything that the unit adds, for everyone. The ledger charges this."""


@dataclass(frozen=True, slots=True)
class ImpliedLoss:
    """One line of the table of losses in the package docstring."""

    change: str
    whom: str
    """Whose loss the epsilon is."""
    epsilon: Fraction


def _lost(plan: TreePlan, level: int) -> Fraction:
    """Largest loss at one level for one trajectory; with the uniform allocation it is epsilon at every level."""
    return plan.epsilon if plan.strategy is Strategy.UNIFORM else plan.budget(level)


def price_of_tree(plan: TreePlan, bound: ContributionBound) -> TreePrice:
    """What one unit can lose; the M trajectories of a person lose M times as much as one.

    The record loses at most the budget of the lowest level that some tile has: with location-PLDP by the first tile of a
    trajectory, with record-PLDP by the highest tile of a harmless trajectory. The unit of a sequence of several trips, such
    as the day of a person, is the person.
    """
    descriptors = plan.levels.descriptors
    return TreePrice(
        tuple((one.name, bound.trips * _lost(plan, level)) for level, one in enumerate(descriptors, 1)),
        bound.trips * _lost(plan, plan.levels.lowest),
    )


def price_of_levels(plan: TreePlan, bound: ContributionBound) -> tuple[tuple[str, Fraction], ...]:
    """Largest loss of one unit for each descriptor that some place has, least delicate first.

    None exceeds the loss of the record, which is that of the lowest of these levels.
    """
    every = price_of_tree(plan, bound).descriptors
    return tuple(every[level - 1] for level in plan.levels.present)


def implied_losses(plan: TreePlan, bound: ContributionBound) -> tuple[ImpliedLoss, ...]:
    """How much other changes can reveal, in words for the owner and for readers of a release.

    Levels that no place has are left out, because no trajectory can visit them. If a person has more than M trajectories and
    a whole one is missing, another one takes its place. ``dpcore.kinds.tree.private`` proves what that reveals.
    """
    times, low, most = bound.trips, _lost(plan, plan.levels.lowest), bound.max_trips
    whom = (
        "one trip" if most is None else "a person" + (f" ({times} times one trajectory)" if times > 1 else "")
    )
    known = "everything about a person or trip"
    lines = [
        ImpliedLoss(f"{known} is added or removed", whom, times * low),
        ImpliedLoss(f"{known} becomes something else (clinic or square?)", whom, 2 * times * low),
    ]
    named = [(plan.levels.descriptors[level - 1].name, _lost(plan, level)) for level in plan.levels.present]
    stays, few = "", "one trajectory"
    if most is not None:
        stays, few = " but stays in the data", f"one trajectory of a person with at most {most}"
    if plan.definition is Definition.RECORD:
        added = "one trajectory that visits nothing above"
        lines += [ImpliedLoss(f"{added} {name} is added or removed", few, lost) for name, lost in named]
        missing = "one trajectory that visits nothing above {} is missing, and another one takes its place"
    else:
        ends = "one trajectory ends before its first visit to a"
        lines += [ImpliedLoss(f"{ends} {name} place{stays}", "one trajectory", lost) for name, lost in named]
        out = "a visit to a {} place is removed from one trajectory or moved to another place, and the rest is kept"
        lines += [ImpliedLoss(out.format(name), "one trajectory", _twice(lost, low)) for name, lost in named]
        missing = "one trajectory that begins at a {} place is missing, and another one takes its place"
    if most is not None:
        many = f"one trajectory of a person with more than {most}"
        lines += [ImpliedLoss(missing.format(name), many, _twice(lost, low)) for name, lost in named]
    return tuple(lines)


def _twice(lost: Fraction, low: Fraction) -> Fraction:
    """Largest loss of two steps: one at a level, then a trajectory (or the rest of one) that is added, at most ``low``.

    A visit is removed or exchanged: the trajectory is cut before it, B(level), and extended by a next tile of any level. Or a
    trajectory is removed, B(level), and another one is added. Removing the old one and adding the new one costs at most
    2 ``low``. At present the sum never exceeds that, because no level of a place is below the lowest. The bound remains in case
    budgets are ever counted differently.
    """
    return min(lost + low, 2 * low)
