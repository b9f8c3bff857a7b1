"""The total cost of a stability histogram: for one trip added or removed, for one trip replaced, and for a person.

The numbers of the Opal release are here too (Asghar, Tyler and Kaafar 2017, arXiv 1705.05957): cards of Sydney's public
transport, two weeks, four modes. Trip ends on and off were counted apart, and for each also time and place together.
Epsilon was 1 for one column and 2 for two, delta 1/8,000,000 each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpcore.kinds.stability.plan import Combination, Neighbours, StabilityPlan, Variant
from dpcore.kinds.stability.thresholds import published_delta, published_threshold, reported
from dpcore.privacy import ContributionBound

ONE_TRIP = "This protects one trip, not a person."
"""Shown with every release whose unit is a trip."""

DELTA: Final = Fraction(1, 8_000_000)
"""Delta of each combination of the Opal release."""


@dataclass(frozen=True)
class Total:
    """The promise of a whole release under one relation."""

    neighbours: Neighbours
    unit: str
    """Whose presence is hidden: ``trip`` or ``person``."""
    epsilon: Fraction
    delta: Fraction
    """An upper bound on the delta that follows from noise and thresholds; six digits."""


def totals(plan: StabilityPlan) -> tuple[Total, ...]:
    """The promise under both relations for one trip, or the one for a person. Combinations add up, parts do not.

    A trip is in one part. A replaced trip may leave one part and enter another, but then each of its two keys pays half. A
    general mechanism for replaced rows would have to count both parts.
    """
    delta = sum(
        (reported(plan.certified_delta(one, plan.threshold(one))) for one in plan.combinations), Fraction()
    )
    if plan.variant is Variant.USER:
        return (Total(Neighbours.ADD_REMOVE, "person", plan.epsilon, delta),)
    once = sum((plan.rho(one) for one in plan.combinations), Fraction())
    return (
        Total(Neighbours.ADD_REMOVE, "trip", once, delta),
        Total(Neighbours.REPLACE_ONE, "trip", 2 * once, delta),
    )


def parts_words(plan: StabilityPlan) -> str:
    """How many parts there are, and why they cost nothing more."""
    parts = f"{len(plan.partitions):,} parts ({' x '.join(plan.partition_by)}) are counted side by side"
    if plan.variant is Variant.USER:
        return (
            f"{parts}. A person may be in several of them, so the noise hides {plan.bound.trips} trips of a person over all parts "
            "together: parts cost nothing more."
        )
    return f"{parts}. A trip lies in one of them only, so all parts together cost as much as one."


@dataclass(frozen=True)
class VariantRow:
    """One variant of noise and threshold for the same counts, for a table that compares them."""

    name: str
    scale: float
    """Scale of the noise."""
    threshold: float
    smallest: int
    """Smallest count that can be published."""
    delta: Fraction
    """An upper bound on the delta of one combination."""


def variant_rows(epsilon: Fraction, delta: Fraction = DELTA) -> tuple[VariantRow, ...]:
    """The published mechanism and ours, for one combination with the trip as privacy unit."""
    published = published_threshold(epsilon, delta)
    rows = [
        VariantRow("as published", 2 / float(epsilon), published, round(published), published_delta(delta))
    ]
    for variant in (Variant.OPAL, Variant.TIGHT, Variant.ADD_REMOVE):
        one = Combination(("key",), epsilon, delta)
        plan = StabilityPlan((), ((),), (one,), variant, ContributionBound.per_trip())
        threshold = plan.threshold(one)
        certified = reported(plan.certified_delta(one, threshold))
        rows.append(VariantRow(variant.value, float(1 / plan.rho(one)), threshold, threshold, certified))
    return tuple(rows)


def published_totals() -> tuple[Total, ...]:
    """The cost of the published release: as its document says, as its noise really gives, and for one trip added or removed."""
    epsilon, claimed = Fraction(4 * 1 + 2 * 2), (4 + 2) * DELTA  # four single columns and two pairs
    real = published_delta(claimed)
    return (
        Total(Neighbours.REPLACE_ONE, "trip", epsilon, claimed),
        Total(Neighbours.REPLACE_ONE, "trip", epsilon, real),
        Total(Neighbours.ADD_REMOVE, "trip", epsilon / 2, real),
    )
