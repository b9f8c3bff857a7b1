"""What a synthetic release costs an account, exactly and step by step.

The rules are those of ``dpcore.pricing``. An account counts units added or removed. A promise about replacing one is two
such steps at once with noise for both, so what one unit loses is half of it. Under a bound of M trips of a person one
added trip may displace a kept one: two counts of a table change by one each, where a person changes them by M, so a
trip loses 2/M of epsilon. The delta of a person covers that of such a trip: of its two keys only the new one can be
shown where nothing was, and a person may have M of them.
"""

from __future__ import annotations

from fractions import Fraction

from dpcore.ledger import Price
from dpcore.ledger.amounts import said
from dpcore.pricing import must_be_payable
from dpcore.privacy import PrivacyUnit
from dpcore.synthesis.choices import SynthesisChoices

_TRIP_CHANGES = 2


def synthesis_price(choices: SynthesisChoices, currency: PrivacyUnit) -> Price:
    """The price in an account of that currency; raises PrivacyError for trips in an account of users."""
    unit = choices.bound.unit
    epsilon, delta = choices.loss
    must_be_payable(unit, currency)
    steps = [
        f"Synthetic release ({choices.kind}), all its tables together: epsilon {said(epsilon)} for each {unit.value}."
    ]
    if epsilon != choices.epsilon:
        steps.append(
            f"Its epsilon of {said(choices.epsilon)} is about replacing one {unit.value} by another; added or removed, one "
            "loses half of it."
        )
    if unit is not currency:
        factor = Fraction(_TRIP_CHANGES, choices.bound.trips)
        steps.append(
            f"Its noise hides {choices.bound.trips} trips of a person; one trip more or less changes a table by at most "
            f"{_TRIP_CHANGES}: {said(epsilon)} x {_TRIP_CHANGES}/{choices.bound.trips} = {said(epsilon * factor)} for each "
            "trip."
        )
        epsilon *= factor
    if delta:
        steps.append(
            f"Delta {said(delta)}: with this probability a key that one {unit.value} alone has may be shown."
        )
    return Price(epsilon, delta, tuple(steps))
