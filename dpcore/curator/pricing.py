"""What a plan costs an account: its epsilon, counted for the unit that the account counts.

An account is kept in one currency, so that switching between users and trips never opens a second budget.

=================  =====================  ==============================================================
account            plan                   price
=================  =====================  ==============================================================
users              users                  the plan's epsilon
users              trips                  none: a person with many trips would lose without limit
trips              trips                  the plan's epsilon
trips              users, at most M       what one trip can lose by it: for each measure its share of epsilon,
                                          times the most that one trip changes over the most that a user changes
=================  =====================  ==============================================================

Bought quantiles cost alike: each its part of epsilon, times the most that one trip changes a score over the most that a
user changes it (``dpcore.measures.bought``).

The noise of a measure is as wide as its sensitivity over its epsilon. One trip that changes the measure by ``c``
therefore loses ``c`` times epsilon over the sensitivity. Under a bound of M trips one added trip can displace a
kept one, so counts of trips change by two where a user changes them by M: the trip loses 2/M of epsilon.
``tests/test_pricing.py`` reaches every such change by brute force.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpcore.errors import PrivacyError
from dpcore.ledger.account import Price, said
from dpcore.measures import bought
from dpcore.measures.bought import Draw, draws_of_five_numbers, draws_of_ranges
from dpcore.measures.plan import Plan
from dpcore.privacy import PrivacyUnit


def price(plan: Plan, currency: PrivacyUnit) -> Price:
    """What a plan costs an account of that currency, exactly and step by step.

    Raises PrivacyError for a plan that protects trips in an account of users.
    """
    unit = plan.bound.unit
    if unit is currency:
        return Price(
            plan.epsilon,
            steps=(
                f"The plan and the account both count epsilon for each {unit.value}: {said(plan.epsilon)}.",
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
            "It counts all trips of everybody, so a person with k trips would lose k times its epsilon, without "
            "limit. Choose the privacy unit user with a bound on trips per person, or keep the data set in an account "
            "of trips from the start.",
        )


def _for_each_trip(plan: Plan) -> Price:
    """The price of a plan that protects users, counted for each trip."""
    total = Fraction(0)
    steps = []
    for measure in plan.measures:
        name = measure.name
        epsilon = plan.share(name) * plan.epsilon
        by_trip, by_user = measure.change_of_one_trip(plan.bound), measure.sensitivity(plan.bound)
        cost = epsilon * Fraction(by_trip, by_user)
        total += cost
        steps.append(
            f"{name}: its share of epsilon is {said(epsilon)}; its noise hides a change of {by_user} by one person, "
            f"and one trip more or less changes it by at most {by_trip}: "
            f"{said(epsilon)} x {by_trip}/{by_user} = {said(cost)} for each trip."
        )
    for named, draws in (
        ("five-number summary", draws_of_five_numbers(plan)),
        ("range of bins", draws_of_ranges(plan)),
    ):
        for name in dict.fromkeys(draw.measure for draw in draws):
            cost, step = _of_quantiles(plan, named, [draw for draw in draws if draw.measure == name])
            total += cost
            steps.append(step)
    steps.append(f"Together epsilon {said(total)} for each trip.")
    return Price(total, steps=tuple(steps))


def _of_quantiles(plan: Plan, named: str, draws: Sequence[Draw]) -> tuple[Fraction, str]:
    """What one trip loses by the bought quantiles of one measure, and why."""
    measure = plan.measure(draws[0].measure)
    epsilon = sum((draw.epsilon for draw in draws), Fraction(0))
    cost, parts = Fraction(0), []
    for draw in draws:
        by_trip = bought.change_of_one_trip(measure, plan.bound, draw.level)
        by_user = bought.sensitivity(measure, plan.bound, draw.level)
        cost += draw.epsilon * Fraction(by_trip, by_user)
        parts.append(f"{draw.statistic} {by_trip}/{by_user}")
    return cost, (
        f"{measure.name}, {named}: bought with epsilon {said(epsilon)} in {len(draws)} even parts; one trip more or less "
        f"changes the score of a point by this part of what one person does: {', '.join(parts)}. Together {said(cost)} for "
        "each trip."
    )
