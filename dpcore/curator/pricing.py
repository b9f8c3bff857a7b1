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

Synthetic releases cost by the same rules. An account counts units added or removed. A promise about replacing one is two
such steps at once with noise for both, so what one unit loses is half of it. Under a bound of M trips of a person one
added trip may displace a kept one: two counts of a table change by one each, where a person changes them by M, so a
trip loses 2/M of epsilon. The delta of a person covers that of such a trip: of its two keys only the new one can be
shown where nothing was, and a person may have M of them.

A tree of trajectories: what its choices call epsilon is the budget of Critical for one trajectory. A trajectory is added or
removed at the budget B of the lowest level of any place, at most (theorems A and B of ``dpcore.synthesis.tree``: by its
first place, or by the highest one of a harmless trajectory), and a person has M of them: M B. Under that bound one trip
more takes at most one trajectory away and brings at most one: where a trajectory is a trip, it comes and a kept one may
leave; where it is a day, the one day to which the trip belongs changes or moves in the order, which replaces one kept day at
most (proved in ``dpcore.private.trajectories``, and reached by brute force there). By way of the data with that trajectory left
out, the trip loses B when one leaves and B when one comes: 2 B, which is 2/M of M B.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpcore.errors import PrivacyError
from dpcore.ledger.account import Price, said
from dpcore.measures import bought
from dpcore.measures.bought import Draw, draws_of_five_numbers, draws_of_ranges
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthesis.tree.choices import Source, TreeChoices
from dpcore.synthesis.tree.plan import Strategy

_TRIP_CHANGES = 2


def price_of_plan(plan: Plan, currency: PrivacyUnit) -> Price:
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


def price_of_synthetic(choices: RoyChoices | StabilityChoices, currency: PrivacyUnit) -> Price:
    """The price of noisy tables and the trips made of them; raises PrivacyError for trips in an account of users."""
    unit = choices.bound.unit
    epsilon, delta = choices.loss
    steps = [
        f"Synthetic release ({choices.kind}), all its tables together: epsilon {said(epsilon)} for each {unit.value}."
    ]
    if epsilon != choices.epsilon:
        steps.append(
            f"Its epsilon of {said(choices.epsilon)} is about replacing one {unit.value} by another; added or removed, one "
            "loses half of it."
        )
    hides = (
        f"Its noise hides {choices.bound.trips} trips of a person; one trip more or less changes a table by at most "
        f"{_TRIP_CHANGES}"
    )
    price = _in_currency(choices.bound, currency, epsilon, steps, hides)
    if not delta:
        return price
    risk = f"Delta {said(delta)}: with this probability a key that one {unit.value} alone has may be shown."
    return Price(price.epsilon, delta, (*price.steps, risk))


def price_of_tree(choices: TreeChoices, currency: PrivacyUnit) -> Price:
    """The price of a tree; raises PrivacyError for trips in an account of users."""
    hides = (
        f"Its noise hides {choices.bound.trips} trajectories of a person; one trip more or less takes at most one "
        "trajectory away and brings at most one"
    )
    return _in_currency(choices.bound, currency, choices.loss[0], _steps_of_tree(choices), hides)


def _in_currency(
    bound: ContributionBound, currency: PrivacyUnit, epsilon: Fraction, steps: list[str], hides: str
) -> Price:
    """What one unit of the account loses of the epsilon of one unit of the bound."""
    must_be_payable(bound.unit, currency)
    if bound.unit is currency:
        return Price(epsilon, steps=tuple(steps))
    factor = Fraction(_TRIP_CHANGES, bound.trips)
    step = (
        f"{hides}: {said(epsilon)} x {_TRIP_CHANGES}/{bound.trips} = {said(epsilon * factor)} for each trip."
    )
    return Price(epsilon * factor, steps=(*steps, step))


def _steps_of_tree(choices: TreeChoices) -> list[str]:
    """How the loss of a whole record comes about from the budget of Critical."""
    bound, record = choices.bound, choices.loss[0]
    one = record / bound.trips
    last = choices.descriptors[-1].name
    steps = [f"Tree of trajectories: {last} places have epsilon {said(choices.epsilon)} for one trajectory."]
    if choices.strategy is Strategy.UNIFORM:
        steps.append(
            f"The uniform allocation spends the same on every level: {said(one)} for a whole trajectory."
        )
    elif one == choices.epsilon:
        steps.append(f"No place has a lower level, so a whole trajectory loses no more: {said(one)}.")
    else:
        named = {name for _, name in choices.named}
        lowest = next(descriptor for descriptor in choices.descriptors if descriptor.name in named)
        steps.append(
            f"A whole trajectory can lose the budget of the lowest level that a place has, {lowest.name} of weight "
            f"{lowest.weight}: {said(choices.epsilon)} / ({lowest.weight}) = {said(one)}."
        )
    if bound.max_trips is not None:
        what = "days" if choices.making.source is Source.DAY else "trips"
        steps.append(
            f"At most {bound.trips} {what} of a person count, each of them a trajectory: {said(one)} x {bound.trips} = "
            f"{said(record)} for each person."
        )
    return steps
