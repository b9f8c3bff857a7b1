"""What a stability histogram costs altogether, said for one trip, for its replacement, and for a person.

Beside it the numbers of the Opal release (Asghar, Tyler and Kaafar 2017, arXiv 1705.05957): Sydney's public transport
cards, two weeks, four modes. Trip ends on and off were counted apart, and time and place together for each: epsilon 1
for one column and 2 for two, delta 1/8,000,000 each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import expm1, log
from typing import Final

from dpcore.privacy import ContributionBound
from dpcore.synthesis.stability.plan import Combination, Neighbours, StabilityPlan, Variant
from dpcore.synthesis.stability.thresholds import published_delta, published_threshold, reported

ONE_TRIP = "This protects one trip, not a person."
"""Stands beside every release whose unit is a trip."""

DELTA: Final = Fraction(1, 8_000_000)
"""Of each combination of the Opal release."""


@dataclass(frozen=True)
class Total:
    """The promise of a whole release under one relation."""

    neighbours: Neighbours
    unit: str
    """Whose presence is hidden: ``trip`` or ``person``."""
    epsilon: Fraction
    delta: Fraction
    """At least the true delta, from the noise and the thresholds; six digits."""


def totals(plan: StabilityPlan) -> tuple[Total, ...]:
    """The promise under both relations (for one trip), or for a person; combinations add up, parts do not.

    A trip is in one part. A replaced trip may leave one part and enter another: the two keys pay half each, which a
    general mechanism for replaced rows would not allow to be counted once.
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


@dataclass(frozen=True)
class PersonRow:
    """What a promise about one trip means for somebody with several."""

    trips: int
    epsilon: Fraction
    delta: float
    """1 where nothing is promised any more."""

    @property
    def void(self) -> bool:
        """Whether nothing is promised any more."""
        return self.delta >= 1


def person_table(total: Total, trips: tuple[int, ...] = (1, 10, 20, 40)) -> tuple[PersonRow, ...]:
    """The promise for a person with so many trips: ``k epsilon`` and ``delta (exp(k epsilon)-1) / (exp(epsilon)-1)``.

    Of a promise about one trip; one about a person says everything itself, and has no rows here.
    """
    if total.unit != "trip":
        return ()
    return tuple(PersonRow(k, k * total.epsilon, _grown(total, k)) for k in trips)


def _grown(total: Total, trips: int) -> float:
    epsilon = float(total.epsilon)
    # by logarithms: exp(320) times delta would be no number to print, and exp(800) no number at all
    size = log(float(total.delta)) + (trips - 1) * epsilon + log(-expm1(-trips * epsilon) / -expm1(-epsilon))
    return 1.0 if size >= 0 else min(1.0, float(expm1(size) + 1))


@dataclass(frozen=True)
class VariantRow:
    """One way to noise the same counts, for a table of ways."""

    name: str
    scale: float
    """Of the noise."""
    threshold: float
    smallest: int
    """Smallest count that can be published."""
    delta: Fraction
    """At least the true delta of one combination."""


def variant_rows(epsilon: Fraction, delta: Fraction = DELTA) -> tuple[VariantRow, ...]:
    """The published mechanism and ours, for one combination at trip level."""
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
    """What the published release cost: as its document says, what that noise really gives, and under add/remove."""
    epsilon, claimed = Fraction(4 * 1 + 2 * 2), (4 + 2) * DELTA  # four single columns and two pairs
    real = published_delta(claimed)
    return (
        Total(Neighbours.REPLACE_ONE, "trip", epsilon, claimed),
        Total(Neighbours.REPLACE_ONE, "trip", epsilon, real),
        Total(Neighbours.ADD_REMOVE, "trip", epsilon / 2, real),
    )
