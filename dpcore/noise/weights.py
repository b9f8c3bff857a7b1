"""Weights that make the tables of a plan about equally sharp, from public facts alone.

The width of the noise of a count is proportional to its sensitivity over its share of epsilon. What it does to a picture
depends on the size of the counts: a noise of 100 is nothing for the trips of a day, but it hides a flow. So the *error* of
a measure is the 95 % half width of its noise over its typical count. The rule aims at the same error everywhere:

    share of a measure  is proportional to  sensitivity / typical count

That alone would give nearly everything to the finest table. The flows of a fine grid have a typical count of one or two,
which no share makes readable, and all other tables would suffer for it. So **no measure gets less than half of an equal
share, and none more than twice an equal share**. Between these limits all errors are the same. A measure at its most is
less sharp than the others, and one at its least is sharper. The rule does not depend on epsilon; only the errors do.

The *typical count* is the median count of the cells that are not empty. It is expected from the declared numbers of trips
and people, the tiles, the bound and the keys. Counts are assumed to be spread as in ``forecast``: log-normal with one
public number for each measure, chosen on the synthetic city. For ``ds_statistics`` it is the number of people, the
smallest of its counts that matters. Nobody knows beforehand how many fields are empty, so ``missing_values`` gets the
least.

Numbers that were not declared are taken from the typical city: 2,000 trips for each tile, nine for each person, four weeks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from statistics import NormalDist
from types import MappingProxyType
from typing import Final, Literal

from dpcore.errors import PrivacyError
from dpcore.measures import Measure, measure_named
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.measure import Typical
from dpcore.noise.accuracy import half_width
from dpcore.noise.forecast import Facts, expected_total, number_of_cells, trips_counted
from dpcore.privacy import ContributionBound, noise_rate

Limit = Literal["even", "least", "most"]
"""Whether a share is the one that makes errors equal, or half of an equal share, or twice an equal share."""

WEIGHTS_RULE: Final = (
    "From the numbers declared here, the tiles and M, and from no trips. Every table gets about the same error: the noise of "
    "a typical count divided by that count. None gets less than half of an equal share of ε, and none more than twice an "
    "equal share. So a table that no share could make readable does not take epsilon from the others."
)
"""The rule in words."""
LARGEST: Final = 100
"""The largest weight. The smallest is then 25, and rounding moves no share by more than 2 %."""

_DAYS: Final = 28
_TRIPS_PER_TILE: Final = 2_000
_TRIPS_PER_PERSON: Final = 9
_TILES_PER_DISTRICT: Final = 20
_HALVINGS: Final = 200


@dataclass(frozen=True)
class Proposal:
    """Proposed weights, and how sharp each measure will be with them."""

    weights: Mapping[str, int]
    """Whole numbers from 25 to 100, in the order in which the measures were given."""
    errors: Mapping[str, float | None]
    """Expected error: 95 % half width over the typical count, 0.1 for 10 %; None if no count is typical."""
    limits: Mapping[str, Limit]
    """Which measures have an even share, and which have the least or the most that a measure gets."""


def proposal(
    measures: Sequence[str],
    bound: ContributionBound,
    epsilon: Fraction,
    facts: Facts,
    choices: KeyChoices = USUAL,
) -> Proposal:
    """Weights that make the measures about equally sharp, and the errors to expect with them.

    Args:
        measures: names of the chosen measures, each once.
        bound: privacy unit and contribution bound.
        epsilon: total epsilon of the plan, for the errors.
        facts: the declared numbers, with the public number of tiles.
        choices: public keys of the plan.

    Raises:
        InputError: there is no measure of a name.
        PrivacyError: no measure is named.

    """
    if not measures:
        raise PrivacyError("there is nothing to weigh", "measures", "Choose at least one.")
    asked = {name: measure_named(name, choices) for name in measures}
    typical = {name: typical_count(one, bound, facts, choices) for name, one in asked.items()}
    need = {name: one.sensitivity(bound) / (typical[name] or float("inf")) for name, one in asked.items()}
    least, most = Fraction(1, 2 * len(asked)), min(Fraction(2, len(asked)), Fraction(1))
    shares = _even(need, float(least), float(most))
    largest = max(shares.values())
    weights = {name: max(1, round(LARGEST * share / largest)) for name, share in shares.items()}
    total = sum(weights.values())
    errors = {}
    for name, one in asked.items():
        count = typical[name]
        rho = noise_rate(Fraction(weights[name], total), epsilon, one.sensitivity(bound))
        errors[name] = None if count is None else half_width(rho) / count
    limits = {name: _limit(share, float(least), float(most)) for name, share in shares.items()}
    return Proposal(MappingProxyType(weights), MappingProxyType(errors), MappingProxyType(limits))


def typical_count(
    measure: Measure, bound: ContributionBound, facts: Facts, choices: KeyChoices = USUAL
) -> float | None:
    """The expected median of the counts that are not 0, at least 1; None if none can be expected."""
    known = _completed(facts)
    if measure.typical is Typical.PEOPLE:
        told = facts.users is not None or bound.max_trips is not None
        return max(1.0, float((known.users if told else trips_counted(bound, known)) or 0))
    if measure.typical is Typical.UNKNOWN:
        return None
    total = expected_total(measure, bound, known) or 0.0
    return _median_of_some(total / _cells(measure, known, choices), measure.spread)


def _completed(facts: Facts) -> Facts:
    """The facts, completed with the numbers of the typical city."""
    trips = facts.trips
    if trips is None:
        trips = max(_TRIPS_PER_TILE * facts.tiles, facts.users or 0)
    users = facts.users or max(1, trips // _TRIPS_PER_PERSON)
    return Facts(max(trips, users), users, facts.tiles)


def _cells(measure: Measure, facts: Facts, choices: KeyChoices) -> int:
    """Number of cells that can be expected to hold something. Of dates these are the dates within the period.

    Without districts they are the usual ones: 20 tiles each, and ``outside``.
    """
    if measure.needs_districts and choices.districts is None:
        return (facts.tiles // _TILES_PER_DISTRICT + 1) ** 2
    if not measure.needs_period:
        return number_of_cells(measure, facts.tiles, choices)
    if choices.period is None:
        return _DAYS
    (dates,) = measure.keys(()).axes
    return len(dates.inside)


def _median_of_some(mean: float, spread: float) -> float:
    """The median of those counts that are one half or more under the law of places; at least 1.

    >>> _median_of_some(100.0, 0.0), round(_median_of_some(13.2, 2.1), 1), _median_of_some(0.0, 1.3)
    (100.0, 3.3, 1.0)
    """
    if mean <= 0 or not spread:
        return max(1.0, mean)
    law = NormalDist()
    empty = law.cdf((log(0.5 / mean) + spread**2 / 2) / spread)
    middle = (1 + empty) / 2
    return max(1.0, mean * exp(spread * law.inv_cdf(middle) - spread**2 / 2)) if middle < 1 else 1.0


def _even(need: Mapping[str, float], least: float, most: float) -> dict[str, float]:
    """Shares in proportion to need that add up to 1, none below ``least`` or above ``most``."""

    def shares(factor: float) -> dict[str, float]:
        return {name: min(most, max(least, factor * one)) for name, one in need.items()}

    positive = [one for one in need.values() if one > 0]
    if not positive:
        return dict.fromkeys(need, 1 / len(need))
    low, high = log(least / max(positive)), log(most / min(positive))  # all at their least, at their most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if sum(shares(exp(middle)).values()) > 1 else (middle, high)
    return shares(exp(low))


def _limit(share: float, least: float, most: float) -> Limit:
    if share <= least:
        return "least"
    return "most" if share >= most else "even"
