"""Brute force over neighbouring data sets: no measure changes by more than its sensitivity, and each gets there.

A bound that is never reached would waste noise; one that is passed would break the promise.
"""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from dpcore.measures import MEASURES as ALL_MEASURES
from dpcore.measures import Measure, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts, Period
from dpcore.measures.measure import Engine
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from tests.cities import DISTRICTS, PLACES, Trip, four_tiles, private
from tests.engines import count

TILE_IDS = four_tiles().tile_ids
CHOICES = KeyChoices(
    Period(date(2024, 4, 1), date(2024, 4, 9)),
    districts=DISTRICTS,
    most_trips=5,  # fewer than a user here may have
)
MEASURES = {name: measure_named(name, CHOICES) for name in ALL_MEASURES}
M = 3


def some_trip(rng: random.Random, user: str) -> Trip:
    day, hour = rng.randint(1, 9), rng.randint(0, 22)
    origin = rng.choice([*PLACES, None]) if rng.random() < 0.8 else "A"
    destination = rng.choice(list(PLACES))
    later = rng.random() < 0.2
    return Trip(
        user,
        origin,
        destination,
        f"2024-04-{day:02} {hour:02}:10",
        f"2024-04-{day + later:02} {hour if later else hour + 1:02}:05",
        rng.choice([(0, 0, 0), (0, 0, 0), (1, 1, 0), (2, 2, 2)]),
    )


def some_city(rng: random.Random) -> list[list[Trip]]:
    """A few users; some with more than M trips, some whose trips are all the same."""
    users = []
    for user in range(rng.randint(1, 4)):
        count = rng.choice([1, M, M + 1, 2 * M + 1])
        first = some_trip(rng, f"u{user}")
        same = rng.random() < 0.3
        users.append([first if same else some_trip(rng, f"u{user}") for _ in range(count)])
    return users


def tables(
    users: list[list[Trip]],
    bound: ContributionBound,
    shuffle: random.Random,
    engine: Engine = Engine.COMPILED,
    measures: dict[str, Measure] = MEASURES,
) -> dict[str, np.ndarray]:
    rows = [trip for trips in users for trip in trips]
    shuffle.shuffle(rows)  # the order of a file means nothing
    answers = ExactAnswers(count(bounded(private(rows), bound), [*measures.values()], engine))
    return {name: answers.dense(m, m.keys(TILE_IDS)) for name, m in measures.items()}


def largest_change(
    pairs: int,
    bound: ContributionBound,
    neighbour,
    engine: Engine = Engine.COMPILED,
    measures: dict[str, Measure] = MEASURES,
) -> dict[str, int]:
    rng = random.Random(20_240_401)
    worst = dict.fromkeys(measures, 0)
    for _ in range(pairs):
        users = some_city(rng)
        here = tables(users, bound, rng, engine, measures)
        there = tables(neighbour(rng, users), bound, rng, engine, measures)
        for name in measures:
            assert here[name].shape == there[name].shape  # the keys are public: the same for all data
            worst[name] = max(worst[name], int(np.abs(here[name] - there[name]).sum()))
    return worst


def without_a_user(rng: random.Random, users: list[list[Trip]]) -> list[list[Trip]]:
    gone = rng.randrange(len(users))
    return users[:gone] + users[gone + 1 :]


def without_a_trip(rng: random.Random, users: list[list[Trip]]) -> list[list[Trip]]:
    left = [list(trips) for trips in users]
    trips = rng.choice(left)
    trips.pop(rng.randrange(len(trips)))
    return [trips for trips in left if trips]


@pytest.mark.parametrize(
    ("bound", "neighbour"),
    [(ContributionBound.per_user(M), without_a_user), (ContributionBound.per_trip(), without_a_trip)],
    ids=["user", "trip"],
)
def test_every_sensitivity_is_reached_and_never_passed(bound, neighbour):
    worst = largest_change(60, bound, neighbour)
    assert worst == {name: measure.sensitivity(bound) for name, measure in MEASURES.items()}
    by_sql = largest_change(12, bound, neighbour, Engine.DUCKDB)  # fewer: it is slow for so few rows
    assert by_sql == largest_change(12, bound, neighbour)
    assert all(by_sql[name] <= worst[name] for name in MEASURES)


def test_the_stated_sensitivities_are_those_of_the_proofs():
    stated = {name: measure.sensitivity(ContributionBound.per_user(5)) for name, measure in MEASURES.items()}
    assert stated == {
        "ds_statistics": 21,
        "total_trips": 5,
        "incomplete_trips": 5,
        "missing_values": 30,
        "trips_over_time": 5,
        "trips_per_weekday": 5,
        "trips_per_hour": 10,
        "visits_per_tile": 10,
        "visits_per_time_tile": 5,
        "od_flows": 5,
        "od_flows_per_window": 5,
        "od_districts": 5,
        "travel_time": 5,
        "jump_length": 5,
        "trips_per_user": 1,
        "user_time_delta": 5,
        "radius_of_gyration": 1,
        "user_tile_count": 1,
        "mobility_entropy": 1,
    }
    trip = {name: measure.sensitivity(ContributionBound.per_trip()) for name, measure in MEASURES.items()}
    assert trip == {
        "ds_statistics": 5,
        "total_trips": 1,
        "incomplete_trips": 1,
        "missing_values": 6,
        "trips_over_time": 1,
        "trips_per_weekday": 1,
        "trips_per_hour": 2,
        "visits_per_tile": 2,
        "visits_per_time_tile": 1,
        "od_flows": 1,
        "od_flows_per_window": 1,
        "od_districts": 1,
        "travel_time": 1,
        "jump_length": 1,
        "trips_per_user": 2,
        "user_time_delta": 3,
        "radius_of_gyration": 2,
        "user_tile_count": 2,
        "mobility_entropy": 2,
    }


@pytest.mark.parametrize(
    ("engine", "most"), [*((Engine.COMPILED, most) for most in (1, 2, M, 6)), (Engine.DUCKDB, 6)]
)
def test_the_total_changes_by_its_cap_whatever_the_bound(engine, most):
    """C is its sensitivity at user level, also where C differs from M. One trip changes it by one."""
    choices = replace(CHOICES, most_trips=most)
    measures = {"total_trips": measure_named("total_trips", choices)}
    pairs = 20 if engine is Engine.COMPILED else 8
    for max_trips in (1, 7):
        bound = ContributionBound.per_user(max_trips)
        worst = largest_change(pairs, bound, without_a_user, engine, measures)
        assert worst["total_trips"] == measures["total_trips"].sensitivity(bound) == most
        moved = largest_change(pairs, bound, without_a_trip, engine, measures)
        assert moved["total_trips"] == measures["total_trips"].change_of_one_trip(bound) == 1


def test_flows_between_districts_are_sums_of_flows_between_tiles():
    """Whatever the districts: each cell is the sum of the flows between their tiles, outside included."""
    rng = random.Random(5)
    flows = {"od_flows": MEASURES["od_flows"]}
    for of_tiles in ((0, 1, 0, 1), (0, 0, 1, 2), (2, 1, 3, 0)):
        names = tuple(f"d{number}" for number in range(max(of_tiles) + 1))
        choices = replace(CHOICES, districts=Districts(names, of_tiles))
        merged = measure_named("od_districts", choices)
        users = some_city(rng)
        bound = ContributionBound.per_user(M)
        found = tables(users, bound, rng, measures=flows | {"od_districts": merged})
        group = np.array([*of_tiles, len(names)])
        expected = np.zeros((len(names) + 1, len(names) + 1), np.int64)
        np.add.at(expected, (group[:, None], group[None, :]), found["od_flows"].reshape(5, 5))
        assert (found["od_districts"].reshape(expected.shape) == expected).all()


@pytest.mark.parametrize("engine", [Engine.COMPILED, Engine.DUCKDB])
def test_without_a_row_for_people_the_overall_numbers_change_by_less_and_reach_it(engine):
    """A form without a user column has no row ``users``: what a person adds there once is not paid for."""
    choices = CHOICES.for_form(has_users=False)
    measures = {"ds_statistics": measure_named("ds_statistics", choices)}
    keys = measures["ds_statistics"].keys(TILE_IDS)
    assert keys.axes[0].labels == ("trips", "records", "complete_trips", "incomplete_trips")
    pairs = 40 if engine is Engine.COMPILED else 12
    for bound, neighbour, most in (
        (ContributionBound.per_trip(), without_a_trip, 4),
        (ContributionBound.per_user(M), without_a_user, 4 * M),
    ):
        worst = largest_change(pairs, bound, neighbour, engine, measures)
        assert worst == {"ds_statistics": most}
        assert measures["ds_statistics"].sensitivity(bound) == most
    bound = ContributionBound.per_user(M)
    moved = largest_change(pairs, bound, without_a_trip, engine, measures)
    assert moved["ds_statistics"] == measures["ds_statistics"].change_of_one_trip(bound) == 4


def test_one_trip_under_a_bound_on_users_changes_what_is_stated_and_no_more():
    """Why trip level counts all trips: a trip more may displace another one, a change of two trips.

    Where users are counted nothing is displaced, but the user may change its bin.
    """
    bound = ContributionBound.per_user(M)
    worst = largest_change(60, bound, without_a_trip)
    assert worst == {name: measure.change_of_one_trip(bound) for name, measure in MEASURES.items()}
    assert (worst["od_flows"], worst["visits_per_tile"], worst["trips_per_user"]) == (2, 4, 2)
    assert (worst["od_districts"], worst["total_trips"], worst["incomplete_trips"]) == (2, 1, 1)
    assert (worst["user_time_delta"], worst["ds_statistics"], worst["missing_values"]) == (4, 5, 6)


@pytest.fixture(autouse=True)
def one_key(own_home):
    """The same trips are kept in every run, so that reaching a bound is no matter of luck."""
    place = store.folder("keys") / "bounding.key"
    store.write_once(place, bytes(range(16)))
    assert place.is_relative_to(own_home)
