"""How large the tiles of a grid should be: the size from which on most tiles are expected to be readable.

Public facts alone decide: the box, epsilon, and the numbers that the owner declares. Nothing is counted. What a tile is
expected to be told is ``expected_estimates``, under the default shares of epsilon of ``default_plan``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Generic, TypeVar

from dpcore.measures import measure_named
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.data_form import DataForm
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import TOTAL, visits_forecast
from dpcore.noise.forecast import Facts
from dpcore.planning.default_plan import cap_of_total, default_bound, usual_measures, with_flows
from dpcore.privacy import ContributionBound

Size = TypeVar("Size")

MOST: Final = 0.5
"""The share of the tiles that is to be readable."""


@dataclass(frozen=True)
class Readable:
    """What a release on so many tiles is expected to tell of them."""

    tiles: int
    bound: ContributionBound
    """Whom the release hides: a person with the usual M, or a trip where no number of people was declared."""
    share: float
    """Expected share of the tiles that are known in a typical city, 0 to 1."""
    tiles_known: tuple[float, float]
    """Known tiles, the least and the most that are expected of cities in which trips are spread in other ways."""


@dataclass(frozen=True)
class Proposal(Generic[Size]):
    """A size of tiles, with what is expected of it."""

    size: Size
    expected: Readable


def expected_readable(facts: Facts, epsilon: Fraction, choices: KeyChoices = USUAL) -> Readable | None:
    """How many of the tiles are expected to be known by a release with the default shares of epsilon.

    A tile is known by the rule of ``noise.expected_estimates``. None without a declared number of trips. Raises PrivacyError for an epsilon that cannot be.
    """
    by_user = facts.users is not None
    bound = (
        ContributionBound.per_user(default_bound(epsilon, facts, choices))
        if by_user
        else ContributionBound.per_trip()
    )
    names = usual_measures(bound.unit, choices, DataForm(users=by_user))
    weights = {name: measure_named(name).weight_at(bound.unit) for name in names}
    plan = with_flows(Plan(bound, weights, (epsilon,), choices), facts)
    if TOTAL in weights:
        plan = replace(plan, choices=replace(plan.choices, most_trips=cap_of_total(plan, facts)))
    found = visits_forecast(plan, facts)
    return None if found is None else Readable(facts.tiles, bound, found.readable / facts.tiles, found.tiles)


def finest_readable(
    sizes: Iterable[Size],
    tiles_of: Callable[[Size], int],
    facts: Facts,
    epsilon: Fraction,
    *,
    choices: KeyChoices = USUAL,
) -> Proposal[Size] | None:
    """The first size at which most tiles are expected to be readable.

    Args:
        sizes: of tiles, the smallest first.
        tiles_of: how many tiles of a size there would be.
        facts: the declared numbers; its number of tiles plays no part.
        epsilon: of the whole release.
        choices: public keys of the release.

    Returns None where no size is large enough, or no number of trips was declared. Raises PrivacyError for an epsilon that
    cannot be.

    """
    for size in sizes:
        expected = expected_readable(replace(facts, tiles=tiles_of(size)), epsilon, choices)
        if expected is None:
            return None
        if expected.share >= MOST:
            return Proposal(size, expected)
    return None
