"""From trips to noisy trees: what one person more, or one trip more, can show over all outputs, worked out exactly.

Trips become sequences by the code that counts; the largest log ratio of two trees comes from the brute force of
tests/synthesis/tree/test_promise.py.
"""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.tree.choices import Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.levels import Descriptor
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.kinds.tree.private import sequences as keeping
from dpcore.kinds.tree.private.sequences import sequences_of
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounding_key
from tests.cities import Trip, four_tiles, private
from tests.conftest import DRAWS
from tests.private.trajectories.plain import some_trips
from tests.synthesis.tree.growing import PROMISES
from tests.synthesis.tree.test_promise import loss

SCALE = (
    Descriptor("Low", Fraction(1, 4)),
    Descriptor("High", Fraction(1, 2)),
    Descriptor("Critical", Fraction(1)),
)
LEVELS = (("A", "Low"), ("B", "High"))
MAKINGS = [Making(source, minutes) for source in Source for minutes in (None, 60)]
MAKINGS.append(Making(Source.DAY, None, Outside.PLACE))


def wanted(definition, strategy, making, most, height=2):
    return TreeChoices(
        ContributionBound.per_user(most),
        Fraction(1),
        height,
        LEVELS,
        SCALE,
        making,
        definition,
        strategy,
    )


def database(trips, choices):
    found = sequences_of(trips, four_tiles(), choices, bounding_key())
    return [
        tuple(found.symbols[i:j].tolist()) for i, j in zip(found.offsets, found.offsets[1:], strict=False)
    ]


@pytest.fixture(scope="module", autouse=True)
def worlds(home):
    """Sets of trips that were prepared in this file: the same ones come back with every promise and bound."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(home))
        DRAWS.begin(__name__, free=False)  # one key for all, whichever test comes first
        bounding_key()
        yield
    prepared.cache_clear()


@pytest.fixture(autouse=True)
def in_one_home(home, monkeypatch, own_home):  # noqa: ARG001 - after the home of a test, which it replaces
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(home))


@functools.cache
def prepared(trips):
    return private([*trips])


def both_ways(one, other, choices):
    """The largest loss, from one set of trips to the other and back."""
    return of_private(prepared(tuple(one)), prepared(tuple(other)), choices)


def of_private(one, other, choices):
    plan = choices.plan(four_tiles())
    here, there = database(one, choices), database(other, choices)
    return max(loss(plan, here, there), loss(plan, there, here))


@pytest.mark.parametrize("making", MAKINGS, ids=str)
@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
def test_a_person_more_loses_at_most_the_price(definition, strategy, making):
    trips = some_trips(5, "uvw", each=7)
    for most, person in ((1, "u"), (2, "v"), (3, "w")):
        choices = wanted(definition, strategy, making, most)
        others = [trip for trip in trips if trip.user != person]
        assert 0 < both_ways(trips, others, choices) <= float(choices.price().record)


@pytest.mark.parametrize("making", MAKINGS, ids=str)
def test_a_trip_more_loses_at_most_two_of_m_parts_of_the_price(making):
    trips = some_trips(6, "u", each=9)
    choices = wanted(Definition.LOCATION, Strategy.ADAPTIVE, making, 2)
    allowed = float(choices.price().record) * 2 / 2
    largest = max(
        both_ways(trips, trips[:left_out] + trips[left_out + 1 :], choices) for left_out in range(len(trips))
    )
    assert 0 < largest <= allowed


def commuter(days):
    """Somebody who is at A, the least delicate place, again and again."""
    return [
        Trip("u", "A", "A", f"2024-04-{day:02d} 08:00", f"2024-04-{day:02d} 10:00")
        for day in range(1, days + 1)
    ]


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("source", Source)
def test_the_price_is_not_too_high_either(source, most):
    choices = wanted(Definition.LOCATION, Strategy.ADAPTIVE, Making(source, 60), most)
    there = [Trip("v", "A", "B")] * 3
    assert both_ways(there + commuter(5), there, choices) > 0.95 * float(choices.price().record)


def test_people_who_are_not_bounded_are_caught(monkeypatch):
    monkeypatch.setattr(
        "dpcore.kinds.tree.private.sequences.counting",
        lambda made, *_: np.flatnonzero(made.lengths),
    )
    with pytest.raises(AssertionError):
        test_a_person_more_loses_at_most_the_price(Definition.LOCATION, Strategy.UNIFORM, Making())


# Promises of a level for somebody with more trajectories than count. Over the secret key the kept slots of both worlds
# have one law; what couples them is that a day has one rank in both. Every order of the days is tried.

RECORD = (Definition.RECORD, Strategy.RECORD)


def days_of_somebody(*ways):
    """A trip a day along each way; one that goes nowhere lies outside every tile; None is missing."""
    found = []
    for day, way in enumerate(ways, 1):
        if way is not None:
            first, *via, last = way if len(way) > 1 else (way or ["outside"]) * 2
            times = (f"2024-04-{day:02d} 08:00", f"2024-04-{day:02d} 10:00")
            found.append(Trip("u", first, last, *times, via=tuple(via)))
    return found


@pytest.fixture
def every_order(monkeypatch):
    """Runs a comparison of two worlds with each order of three days; the largest loss."""

    def largest(one, other, choices):
        # a stranger on the first day, so that days are counted from the same one in both worlds
        stranger = Trip("v", "D", "D", "2024-04-01 08:00", "2024-04-01 09:00")
        here, there = prepared((stranger, *one)), prepared((stranger, *other))
        losses = []
        for order in itertools.permutations(range(3)):
            ranks = np.array(order)
            monkeypatch.setattr(
                "dpcore.kinds.tree.private.sequences.day_ranks",
                lambda positions, _key, ranks=ranks: ranks[positions.day - positions.day.min()],
            )
            losses.append(of_private(here, there, choices))
        return max(losses)

    return largest


LEVEL = {"A": 1, "B": 2, "C": 3, "D": 3}
OTHERS = ("A", "AB")
WAYS = ("A", "B", "C", "AB", "AC", "CA", "BC", "ABC")


def allowed(choices, level):
    plan = choices.plan(four_tiles())
    return float(plan.epsilon if plan.strategy is Strategy.UNIFORM else plan.budget(level))


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("strategy", [Strategy.ADAPTIVE, Strategy.NON_ADAPTIVE, Strategy.UNIFORM])
def test_a_trajectory_that_ends_earlier_shows_its_level_also_of_a_person_with_more_than_m(
    strategy, most, every_order
):
    choices = wanted(Definition.LOCATION, strategy, Making(Source.DAY), most)
    for way in WAYS:
        for place in set(way):
            cut = way[: way.index(place)]
            loss_of_cut = every_order(days_of_somebody(way, *OTHERS), days_of_somebody(cut, *OTHERS), choices)
            assert 0 < loss_of_cut <= allowed(choices, LEVEL[place]), (way, place)


@pytest.mark.parametrize("most", [1, 2])
def test_an_emptied_record_shows_its_level_also_of_a_person_with_more_than_m(most, every_order):
    choices = wanted(*RECORD, Making(Source.DAY), most)
    for way in WAYS:
        emptied = every_order(days_of_somebody(way, *OTHERS), days_of_somebody("", *OTHERS), choices)
        assert 0 < emptied <= allowed(choices, max(LEVEL[place] for place in way)), way


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_a_trajectory_that_is_missing_shows_its_level_and_the_lowest_as_another_one_comes(
    promise, most, every_order
):
    definition, strategy = promise
    choices = wanted(definition, strategy, Making(Source.DAY), most)
    lowest, beyond = allowed(choices, 1), 0.0
    for way in WAYS:
        level = LEVEL[way[0]] if definition is Definition.LOCATION else max(LEVEL[place] for place in way)
        missing = every_order(days_of_somebody(way, *OTHERS), days_of_somebody(None, *OTHERS), choices)
        assert missing <= allowed(choices, level) + lowest, way
        beyond = max(beyond, missing / allowed(choices, level))
    assert beyond > 1  # the epsilon of the level alone does not hold


@pytest.mark.parametrize("definition", Definition)
def test_a_missing_trajectory_of_a_person_with_at_most_m_shows_its_level(definition, every_order):
    strategy = Strategy.ADAPTIVE if definition is Definition.LOCATION else Strategy.RECORD
    choices = wanted(definition, strategy, Making(Source.DAY), 3)
    for way in WAYS:
        level = LEVEL[way[0]] if definition is Definition.LOCATION else max(LEVEL[place] for place in way)
        missing = every_order(days_of_somebody(way, *OTHERS), days_of_somebody(None, *OTHERS), choices)
        assert 0 < missing <= allowed(choices, level), way


def test_empty_trajectories_that_give_their_slot_away_are_caught(monkeypatch, every_order):

    def planted(made, user, rank, bound, key):  # noqa: ARG001
        rows = np.flatnonzero(made.lengths)
        return rows[keeping.smallest_ranks(user[rows], rank[rows], [], bound.max_trips)]

    monkeypatch.setattr("dpcore.kinds.tree.private.sequences.counting", planted)
    with pytest.raises(AssertionError):
        test_a_trajectory_that_ends_earlier_shows_its_level_also_of_a_person_with_more_than_m(
            Strategy.ADAPTIVE, 1, every_order
        )
