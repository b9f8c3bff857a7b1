"""What a release costs an account, exactly and step by step: a plan of tables as ``dpcore.pricing`` says, choices as here.

The rules are those of ``dpcore.curator.pricing``. An account counts units added or removed. A promise about replacing one is two
such steps at once with noise for both, so what one unit loses is half of it. Under a bound of M trips of a person one
added trip may displace a kept one: two counts of a table change by one each, where a person changes them by M, so a
trip loses 2/M of epsilon. The delta of a person covers that of such a trip: of its two keys only the new one can be
shown where nothing was, and a person may have M of them.

A tree of trajectories: what its choices call epsilon is the budget of Critical for one trajectory. A trajectory is added or
removed at the budget B of the lowest level of any place, at most (theorems A and B of ``dpcore.trajectory_tree``: by its
first place, or by the highest one of a harmless trajectory), and a person has M of them: M B. Under that bound one trip
more takes at most one trajectory away and brings at most one: where a trajectory is a trip, it comes and a kept one may
leave; where it is a day, the one day to which the trip belongs changes or moves in the order, which replaces one kept day at
most (proved in ``dpcore.private.trajectories``, and reached by brute force there). By way of the data with that trajectory left
out, the trip loses B when one leaves and B when one comes: 2 B, which is 2/M of M B.
"""

from __future__ import annotations

from fractions import Fraction

from dpcore.curator.pricing import must_be_payable
from dpcore.ledger import Price
from dpcore.ledger.account import said
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.trajectory_tree.choices import Source, TreeChoices
from dpcore.trajectory_tree.plan import Strategy

_TRIP_CHANGES = 2


def price_of_tables(choices: RoyChoices | StabilityChoices, currency: PrivacyUnit) -> Price:
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
