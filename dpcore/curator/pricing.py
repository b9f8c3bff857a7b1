"""The price of a plan: how much one unit of the account can lose by it.

An account has one currency, so that switching between users and trips never opens a second budget.

=================  =====================  ==============================================================
account            plan                   price
=================  =====================  ==============================================================
users              users                  the plan's epsilon
users              trips                  refused: a person with many trips would lose without limit
trips              trips                  the plan's epsilon
trips              users, at most M       what one trip can lose: for each measure its share of epsilon, times
                                          the most that one trip changes it, over the most that a user changes it
=================  =====================  ==============================================================

**Bought quantiles** follow the same rule: each costs its part of epsilon, times the most that one trip changes a score, over
the most that a user changes it (``dpcore.measures.bought``).

**Why.** The noise of a measure has the scale sensitivity / epsilon. So a trip that changes the measure by ``c`` loses
``c * epsilon / sensitivity``. Under a bound of M trips one added trip can displace a kept one. Then counts of trips change by
two, while a user changes them by M: the trip loses 2/M of epsilon. ``tests/test_pricing.py`` reaches every such change by
brute force.

**Synthetic releases** follow the same rules. An account counts units that are added or removed. A promise about replacing one
unit has noise for two such steps, so one unit loses half of it. Under a bound of M trips of a person one added trip may
displace a kept one. Then two counts of a table change by one each, while a person changes them by M: the trip loses 2/M of
epsilon. The delta of a person covers the delta of such a trip: of its two keys only the new one can appear where nothing
was, and a person may have M such keys.

**Parts of large counts** (dates, modes) add nothing. A trip lies in one part, so parts are composed in parallel: all of them cost as
much as one. Replacing a trip takes one away and adds one, perhaps in another part. Each of the two costs half, because the noise is
drawn for two such steps. People are not divided by dates and modes: a person may be in every part. So nothing is composed in
parallel there. The M trips of a person are bounded over all parts together, and the noise hides all of them.
``tests/private/synthesis/test_parts_of_counts.py`` reaches each change by brute force.

**Trees of trajectories.** The epsilon of the choices is the budget of Critical for one trajectory. Adding or removing a
trajectory costs at most B, the budget of the lowest level that any place has (theorems A and B of ``dpcore.kinds.tree``: by
its first place, or by the highest place of a harmless trajectory). A person has M trajectories and loses M B. Under that bound one
more trip takes at most one trajectory away and brings at most one. If a trajectory is a trip, the trip comes and a kept one may
leave. If it is a day, the day of the trip changes or moves in the order, which replaces at most one kept day (proved in
``dpcore.kinds.tree.private`` and reached by brute force there). The trip loses B for the trajectory that leaves and B for the
one that comes, by way of the data without either: 2 B, which is 2/M of M B.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from dpcore.errors import PrivacyError
from dpcore.ledger.account import Price, amount_text
from dpcore.measures import bought
from dpcore.measures.bought import Draw, draws_of_five_numbers, draws_of_ranges
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit

_TRIP_CHANGES = 2


class Synthesis(Protocol):
    """Choices of a synthetic release, as far as its price depends on them."""

    @property
    def kind(self) -> str:
        """Name of its kind."""

    @property
    def bound(self) -> ContributionBound:
        """Privacy unit and M."""

    @property
    def epsilon(self) -> Fraction:
        """For its own kind of neighbours: one unit is added or removed, or one is replaced by another."""

    @property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of one unit that is added or removed."""


def price_of_plan(plan: Plan, currency: PrivacyUnit) -> Price:
    """What a plan of tables costs an account of that currency; raises like ``must_be_payable``."""
    unit = plan.bound.unit
    if unit is currency:
        return Price(
            plan.epsilon,
            steps=(
                f"The plan and the account both count epsilon for each {unit.value}: {amount_text(plan.epsilon)}.",
            ),
        )
    must_be_payable(unit, currency)
    return _for_each_trip(plan)


def must_be_payable(unit: PrivacyUnit, currency: PrivacyUnit) -> None:
    """Refuse to pay for the protection of trips from an account of users; raises PrivacyError."""
    if unit is PrivacyUnit.TRIP and currency is PrivacyUnit.USER:
        raise PrivacyError(
            "a plan that protects single trips cannot be paid from an account of users",
            "privacy unit trip",
            "It counts all trips of everybody, so a person with k trips would lose k times its epsilon, without limit. "
            "Choose the privacy unit user with a bound on trips per person, or open the account of a data set in trips from "
            "the start.",
        )


def _for_each_trip(plan: Plan) -> Price:
    """The price of a plan that protects users, for one trip."""
    total = Fraction(0)
    steps = []
    for measure in plan.measures:
        name = measure.name
        epsilon = plan.share(name) * plan.epsilon
        by_trip, by_user = measure.change_of_one_trip(plan.bound), measure.sensitivity(plan.bound)
        cost = epsilon * Fraction(by_trip, by_user)
        total += cost
        steps.append(
            f"{name}: its share of epsilon is {amount_text(epsilon)}. Its noise hides a change of {by_user} by one person, and one trip "
            f"more or less changes it by at most {by_trip}: "
            f"{amount_text(epsilon)} x {by_trip}/{by_user} = {amount_text(cost)} for each trip."
        )
    for named, draws in (
        ("five-number summary", draws_of_five_numbers(plan)),
        ("range of bins", draws_of_ranges(plan)),
    ):
        for name in dict.fromkeys(draw.measure for draw in draws):
            cost, step = _of_quantiles(plan, named, [draw for draw in draws if draw.measure == name])
            total += cost
            steps.append(step)
    steps.append(f"Together epsilon {amount_text(total)} for each trip.")
    return Price(total, steps=tuple(steps))


def _of_quantiles(plan: Plan, named: str, draws: Sequence[Draw]) -> tuple[Fraction, str]:
    """What one trip loses by the bought quantiles of one measure, and how that is computed."""
    measure = plan.measure(draws[0].measure)
    epsilon = sum((draw.epsilon for draw in draws), Fraction(0))
    cost, parts = Fraction(0), []
    for draw in draws:
        by_trip = bought.change_of_one_trip(measure, plan.bound, draw.level)
        by_user = bought.sensitivity(measure, plan.bound, draw.level)
        cost += draw.epsilon * Fraction(by_trip, by_user)
        parts.append(f"{draw.statistic} {by_trip}/{by_user}")
    return cost, (
        f"{measure.name}, {named}: bought with epsilon {amount_text(epsilon)} in {len(draws)} equal parts. One trip more or less changes "
        f"the score of a point by this part of what one person changes: {', '.join(parts)}. Together {amount_text(cost)} for each trip."
    )


def price_of_noisy_tables(choices: Synthesis, currency: PrivacyUnit) -> Price:
    """The price of noisy tables and of the trips made from them; raises like ``must_be_payable``."""
    unit = choices.bound.unit
    epsilon, delta = choices.loss
    steps = [
        f"Synthetic release ({choices.kind}), all tables together: epsilon {amount_text(epsilon)} for each {unit.value}."
    ]
    if epsilon != choices.epsilon:
        steps.append(
            f"Its epsilon of {amount_text(choices.epsilon)} is about replacing one {unit.value} by another. One that is added or removed "
            "loses half of it."
        )
    hides = (
        f"Its noise hides {choices.bound.trips} trips of a person, and one trip more or less changes a table by at most "
        f"{_TRIP_CHANGES}"
    )
    price = price_in_currency(choices.bound, currency, epsilon, steps, hides)
    if not delta:
        return price
    risk = f"Delta {amount_text(delta)}: with this probability a key that one {unit.value} alone has may be shown."
    return Price(price.epsilon, delta, (*price.steps, risk))


def price_in_currency(
    bound: ContributionBound, currency: PrivacyUnit, epsilon: Fraction, steps: list[str], hides: str
) -> Price:
    """How much one unit of the account loses if one unit of the bound loses ``epsilon``.

    ``steps`` explain ``epsilon``, a sentence each. ``hides`` says what the noise hides and what one trip changes: it begins the
    sentence on one trip, where people are hidden and the account counts trips.
    """
    must_be_payable(bound.unit, currency)
    if bound.unit is currency:
        return Price(epsilon, steps=tuple(steps))
    factor = Fraction(_TRIP_CHANGES, bound.trips)
    step = f"{hides}: {amount_text(epsilon)} x {_TRIP_CHANGES}/{bound.trips} = {amount_text(epsilon * factor)} for each trip."
    return Price(epsilon * factor, steps=(*steps, step))
