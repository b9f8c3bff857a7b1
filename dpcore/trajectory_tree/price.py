"""What a trajectory tree costs: for each level of places, and for a whole record; exact."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpcore.privacy import ContributionBound
from dpcore.trajectory_tree.plan import Definition, Strategy, TreePlan


@dataclass(frozen=True, slots=True)
class TreePrice:
    """Epsilons of one privacy unit; both must be shown together."""

    descriptors: tuple[tuple[str, Fraction], ...]
    """Loss at most by descriptor, least delicate first. location-PLDP: whether the unit ever went on to a place of
    it. record-PLDP: the whole trajectory, if it is the highest on it."""
    record: Fraction
    """Loss at most of everything that the unit adds. This is what the ledger is charged."""


@dataclass(frozen=True, slots=True)
class ImpliedLoss:
    """One line of the table of the package."""

    change: str
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


def implied_losses(plan: TreePlan, bound: ContributionBound) -> tuple[ImpliedLoss, ...]:
    """What a change of a unit may show at most, in words for the owner and the reader of a release."""
    times, low = bound.trips, _lost(plan, plan.levels.lowest)
    lines = [ImpliedLoss("everything that is known of a person or trip is added or removed", times * low)]
    named = tuple(enumerate(plan.levels.descriptors, 1))
    if plan.definition is Definition.RECORD:
        return (
            *lines,
            *(
                ImpliedLoss(
                    f"one trajectory is added or removed that visits nothing above {one.name}",
                    _lost(plan, level),
                )
                for level, one in named
            ),
        )
    return (
        *lines,
        *(
            ImpliedLoss(
                f"one trajectory ends before its first visit to a {one.name} place", _lost(plan, level)
            )
            for level, one in named
        ),
        *(
            # Cut and extended again; never dearer than the record taken out and put back.
            ImpliedLoss(
                f"a visit to a {one.name} place is taken out of one trajectory and the rest kept",
                _lost(plan, level) + low,
            )
            for level, one in named
        ),
    )
