"""Prices of plans, and by brute force why they are right: what one trip can change under a bound on users."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from dpcore.curator import price
from dpcore.errors import PrivacyError
from dpcore.measures import MEASURES
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit, exact_epsilon
from dpcore.private import store
from tests.cities import Trip
from tests.test_neighbours import some_city, tables, without_a_trip

City = list[list[Trip]]
USERS = ("d", "r")  # under the key of these tests, these two keep what it takes

USER, TRIP = PrivacyUnit.USER, PrivacyUnit.TRIP
WEIGHTS = {"visits_per_tile": 3, "od_flows": 2, "trips_per_hour": 1}


def plan(bound: ContributionBound, epsilon: str = "1") -> Plan:
    return Plan.up_to(bound, WEIGHTS, exact_epsilon(epsilon))


@pytest.mark.parametrize(
    ("bound", "currency"), [(ContributionBound.per_user(5), USER), (ContributionBound.per_trip(), TRIP)]
)
def test_in_its_own_currency_a_plan_costs_its_epsilon(bound, currency):
    cost = price(plan(bound, "0.3"), currency)
    assert (cost.epsilon, cost.delta) == (Fraction(3, 10), 0)
    assert "0.3" in cost.steps[0]


def test_an_account_of_users_pays_no_plan_over_trips():
    with pytest.raises(PrivacyError, match="k times its epsilon, without limit"):
        price(plan(ContributionBound.per_trip()), USER)


@pytest.mark.parametrize("max_trips", [1, 2, 3, 7, 10_000])
def test_for_counts_of_trips_a_trip_loses_two_parts_of_m(max_trips):
    assert price(plan(ContributionBound.per_user(max_trips)), TRIP).epsilon == Fraction(2, max_trips)


def test_every_step_of_a_price_is_said_and_exact():
    bound = ContributionBound.per_user(7)
    cost = price(plan(bound), TRIP)
    assert len(cost.steps) == len(WEIGHTS) + 1
    assert cost.steps[1] == (
        "od_flows: its share of epsilon is 1/3 (about 0.333333). Its noise hides a change of 7 by one person, and one "
        "trip more or less changes it by at most 2: 1/3 (about 0.333333) x 2/7 = 2/21 (about 0.095238) for each trip."
    )
    assert cost.steps[-1] == "Together epsilon 2/7 (about 0.285714) for each trip."


def test_the_price_is_the_sum_over_all_measures_of_what_a_trip_loses_by_each():
    bound = ContributionBound.per_user(4)
    every = dict.fromkeys(MEASURES, 1)
    cost = price(Plan.up_to(bound, every, exact_epsilon("2")), TRIP)
    share = Fraction(2, len(MEASURES))
    assert cost.epsilon == sum(
        share * measure.change_of_one_trip(bound) / measure.sensitivity(bound)
        for measure in MEASURES.values()
    )
    assert all(any(step.startswith(f"{name}:") for step in cost.steps) for name in MEASURES)


@pytest.mark.parametrize("max_trips", [1, 2])
def test_under_a_bound_on_users_one_trip_changes_each_measure_as_stated_and_never_more(max_trips):
    """For M = 3 see ``tests/test_neighbours.py``; M = 1 is where one trip costs more than the whole user."""
    bound = ContributionBound.per_user(max_trips)
    rng = random.Random(20_240_402)
    worst = dict.fromkeys(MEASURES, 0)
    cities = [some_city(rng) for _ in range(8)]
    pairs = [*displacing(), *((users, without_a_trip(rng, users)) for users in cities)]
    for users, left in pairs:
        here, there = tables(users, bound, rng), tables(left, bound, rng)
        for name in MEASURES:
            worst[name] = max(worst[name], int(np.abs(here[name] - there[name]).sum()))
    assert worst == {name: measure.change_of_one_trip(bound) for name, measure in MEASURES.items()}


def displacing() -> list[tuple[City, City]]:
    """Cities of one user with trips too many, and the same without each trip in turn.

    No two trips are alike, so that what goes and what comes meet in no cell, and no two gaps.
    """
    pairs: list[tuple[City, City]] = [
        ([[Trip("z", None, "A")]], [])
    ]  # an incomplete trip that displaces none
    for user in USERS:
        trips = [
            Trip(user, "A", "B", "2024-04-06 11:10", "2024-04-06 12:05"),
            Trip(user, "C", "D", "2024-04-06 18:10", "2024-04-06 20:05"),
            Trip(user, "outside", "outside", "2024-04-07 11:10", "2024-04-07 11:12"),
            Trip(user, "B", "A", "2024-04-07 11:22", "2024-04-07 11:28"),
            Trip(user, "C", "C", "2024-04-07 14:50", "2024-04-07 15:30"),
        ]
        pairs += [([trips], [[*trips[:gone], *trips[gone + 1 :]]]) for gone in range(len(trips))]
    return pairs


@pytest.fixture(autouse=True)
def one_key(own_home):
    """The same trips are kept in every run, so that reaching a change is no matter of luck."""
    place = store.folder("keys") / "bounding.key"
    store.write_once(place, bytes(range(16)))
    assert place.is_relative_to(own_home)
