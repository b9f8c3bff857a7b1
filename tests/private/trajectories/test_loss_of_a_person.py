"""From trips to noisy trees: what one person more, or one trip more, can show over all outputs, worked out exactly.

Trips become sequences by the code that counts; the largest log ratio of two trees comes from the brute force of
tests/trajectory_tree/test_promise.py.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounding_key
from dpcore.private.trajectories.sequences import sequences_of
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.levels import Descriptor
from dpcore.trajectory_tree.making import Making, Outside, Source
from dpcore.trajectory_tree.plan import Definition, Strategy
from tests.cities import Trip, four_tiles, private
from tests.private.trajectories.plain import some_trips
from tests.trajectory_tree.growing import PROMISES
from tests.trajectory_tree.test_promise import loss

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
    found = sequences_of(private(trips), four_tiles(), choices, bounding_key())
    return [
        tuple(found.symbols[i:j].tolist()) for i, j in zip(found.offsets, found.offsets[1:], strict=False)
    ]


def both_ways(one, other, choices):
    """The largest loss, from one set of trips to the other and back."""
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
        "dpcore.private.trajectories.sequences.kept",
        lambda made, *_: np.flatnonzero(made.lengths),
    )
    with pytest.raises(AssertionError):
        test_a_person_more_loses_at_most_the_price(Definition.LOCATION, Strategy.UNIFORM, Making())
