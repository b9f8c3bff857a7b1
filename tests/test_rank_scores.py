"""Brute force over neighbouring data sets: no score changes by more than is stated, and each gets there."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from dpcore.measures import GRIDS, measure_named
from dpcore.measures.bins import LEVELS
from dpcore.measures.bought import change_of_one_trip, score_change, sensitivity
from dpcore.noise.exponential import scores
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.values import on_grids
from tests.cities import Trip, private
from tests.test_neighbours import M, some_city, without_a_trip, without_a_user
from tests.test_pricing import displacing

TRIP, USERS = ContributionBound.per_trip(), ContributionBound.per_user(M)


@pytest.mark.parametrize("level", [1, 5, 10, 15, 19])
def test_values_that_go_and_come_change_scores_as_stated_and_no_more(level):
    rng = random.Random(level)
    for go, come in ((1, 0), (3, 0), (1, 1), (2, 2), (2, 1)):
        worst = 0
        for _ in range(300):
            rest = rng.choices(range(4), k=rng.choice((0, 40, 400)), weights=[rng.random() for _ in range(4)])
            here, there = ([*rest, *rng.choices(range(4), k=k)] for k in (go, come))
            worst = max(worst, change_between(histogram(here), histogram(there), level))
        assert worst == score_change(go, come, level)


def histogram(values: list[int]) -> np.ndarray:
    return np.bincount(np.array(values, np.int64), minlength=4)


def change_between(here: np.ndarray, there: np.ndarray, level: int) -> int:
    return int(np.abs(np.array(scores(here, level)) - np.array(scores(there, level))).max())


def gap_cities() -> list[tuple[list, list]]:
    """A trip between two others with short gaps, beside people with gaps of all kinds; and without that trip.

    Many values keep the rank of a level on one side of the gaps that change, whatever the level.
    """
    found = []
    middle = [
        Trip("x", "A", "B", "2024-04-01 06:10", "2024-04-01 07:05"),
        Trip("x", "B", "C", "2024-04-01 08:10", "2024-04-01 20:05"),
        Trip("x", "C", "D", "2024-04-01 21:10", "2024-04-01 22:05"),
    ]
    for minutes in (30, 59):
        crowd = [
            [
                Trip(f"c{n}", "A", "B", "2024-04-02 06:10", "2024-04-02 06:20"),
                Trip(f"c{n}", "B", "A", f"2024-04-02 06:{minutes}", "2024-04-02 07:20"),
            ]
            for n in range(45)
        ]
        found.append(([middle, *crowd], [[middle[0], middle[2]], *crowd]))
    return found


def largest_changes(pairs, bound: ContributionBound, names) -> dict[str, list[int]]:
    worst = {name: [0] * len(LEVELS) for name in names}
    for pair in pairs:
        here, there = (
            on_grids(bounded(private([t for u in users for t in u]), bound), names) for users in pair
        )
        for name, (number, level) in itertools.product(names, enumerate(LEVELS.values())):
            assert (
                len(here[name]) == len(there[name]) == GRIDS[name].size
            )  # the same points, whatever the data
            worst[name][number] = max(worst[name][number], change_between(here[name], there[name], level))
    return worst


def stated(change, bound, names) -> dict[str, list[int]]:
    return {name: [change(measure_named(name), bound, k) for k in LEVELS.values()] for name in names}


def crowded(users: list[list[Trip]], rng: random.Random) -> list[list[Trip]]:
    """A city with a few people more, so that ranks of low and high levels are not all at its ends."""
    more = [
        [replace(trip, user=f"{trip.user} {n}") for trip in trips]
        for n in range(3)
        for trips in some_city(rng)
    ]
    return [*users, *more]


@pytest.mark.parametrize(
    ("bound", "neighbour"), [(USERS, without_a_user), (TRIP, without_a_trip)], ids=["user", "trip"]
)
def test_no_unit_changes_a_score_by_more_than_is_stated_and_some_reach_it(bound, neighbour):
    rng = random.Random(20_240_403)
    cities = [some_city(rng) if n % 2 else crowded(some_city(rng), rng) for n in range(8)]
    pairs = [(users, neighbour(rng, users)) for users in cities]
    if bound is TRIP:
        pairs += gap_cities()
    found, most = largest_changes(pairs, bound, list(GRIDS)), stated(sensitivity, bound, list(GRIDS))
    for name, worst in found.items():
        assert all(one <= limit for one, limit in zip(worst, most[name], strict=True)), name
    assert found["travel_time"] == most["travel_time"]
    assert found["user_time_delta"][:3] == most["user_time_delta"][:3]
    assert max(found["trips_per_user"]) == max(most["trips_per_user"])


@pytest.mark.parametrize("max_trips", [1, M])
def test_under_a_bound_on_users_one_trip_changes_no_score_by_more_than_is_stated(max_trips):
    rng, bound = random.Random(20_240_404), ContributionBound.per_user(max_trips)
    cities = [crowded(some_city(rng), rng) for _ in range(2)]
    pairs = [*displacing()[:5], *((users, without_a_trip(rng, users)) for users in cities)]
    found, most = largest_changes(pairs, bound, list(GRIDS)), stated(change_of_one_trip, bound, list(GRIDS))
    for name, worst in found.items():
        assert all(one <= limit for one, limit in zip(worst, most[name], strict=True)), name
    if max_trips == M:  # one trip goes and another comes: more than a trip alone
        assert (
            max(found["travel_time"]) == 20 > max(stated(sensitivity, TRIP, ["travel_time"])["travel_time"])
        )


def test_the_stated_changes_are_those_of_the_proofs():
    per_five = ContributionBound.per_user(5)
    assert stated(sensitivity, per_five, ["travel_time", "trips_per_user"]) == {
        "travel_time": [95, 75, 50, 75, 95],
        "trips_per_user": [19, 15, 10, 15, 19],
    }
    assert stated(sensitivity, TRIP, ["travel_time", "user_time_delta", "mobility_entropy"]) == {
        "travel_time": [19, 15, 10, 15, 19],
        "user_time_delta": [39, 35, 30, 25, 21],
        "mobility_entropy": [20, 20, 20, 20, 20],
    }
    assert stated(change_of_one_trip, per_five, ["travel_time", "user_time_delta"]) == {
        "travel_time": [20] * 5,
        "user_time_delta": [40] * 5,
    }


@pytest.fixture(autouse=True)
def one_key(own_home):
    """The same trips are kept in every run, so that reaching a change is no matter of luck."""
    place = store.folder("keys") / "bounding.key"
    store.write_once(place, bytes(range(16)))
    assert place.is_relative_to(own_home)
