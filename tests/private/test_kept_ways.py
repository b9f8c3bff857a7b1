"""Tiles on the ways of the trips that count under a bound."""

from __future__ import annotations

import random

from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from tests.cities import Trip, private
from tests.engines import kept_ways

TRIP = ContributionBound.per_trip()


def found(trips, bound=TRIP, **options):
    """How often each sequence occurs."""
    return kept_ways(bounded(private(trips, **options), bound))


def test_a_sequence_is_start_way_and_end_and_of_an_incomplete_trip_the_end():
    trips = [
        Trip("u", "A", "D", via=("B", "B", "C")),
        Trip("u", "A", "A"),
        Trip("v", "outside", "B", via=("outside", "A")),
        Trip("w", None, "C"),
        Trip("w", None, "C"),
    ]
    assert found(trips) == {(0, 1, 2, 3): 1, (0, 0): 1, (-1, 0, 1): 1, (2,): 2}
    assert found(trips, batch_rows=1) == found(trips)


def test_of_no_trips_there_are_no_sequences():
    assert found([]) == {}


def some_trips(users):
    rng = random.Random(5)
    return [
        Trip(user, "A", "B", via=tuple(rng.choices("CD", k=rng.randint(0, 6))))
        for user in users
        for _ in range(9)
    ]


def test_a_bound_keeps_so_many_of_each_user_and_the_same_in_any_order():
    trips, bound = some_trips("uvw"), ContributionBound.per_user(4)
    kept = found(trips, bound)
    assert kept.total() == 12
    assert kept <= found(trips)
    for seed in range(5):
        assert found(random.Random(seed).sample(trips, len(trips)), bound) == kept


def test_another_user_changes_nobodys_sequences():
    bound = ContributionBound.per_user(4)
    assert found(some_trips("uv"), bound) + found(some_trips("uvw")[18:], bound) == found(
        some_trips("uvw"), bound
    )


def test_trips_without_users_have_sequences_too():
    assert found([Trip(None, "A", "B", via=("C",))], has_users=False) == {(0, 2, 1): 1}
