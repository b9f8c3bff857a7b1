"""Brute force over neighbours for sums and means: no unit changes more than what is declared, and each bound is reached."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from dpcore.measures import measure_named
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import names_of_sums
from dpcore.measures.measure import Engine
from dpcore.measures.sums import BY, COMPONENTS, components_of, sum_of
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from tests.cities import Trip, private
from tests.engines import count
from tests.test_neighbours import CHOICES, TILE_IDS, M, some_trip, without_a_trip, without_a_user

MODE = Categories("mode", ("bus",))
SUMS = (sum_of("fare=-2:1:0.5"), sum_of("duration=0:30:0.5"), sum_of("distance=-10:20:2"))
CELLS = {None: 1, "visits_per_tile": 2, "od_flows": 1, "trips_per_hour": 2, "trips_over_time": 1}
UNITS = [(ContributionBound.per_user(M), without_a_user), (ContributionBound.per_trip(), without_a_trip)]
FARE = SUMS[0].attribute


def measures(by, splits=()):
    choices = replace(CHOICES, sums=SUMS, by=by, splits=splits)
    return {name: measure_named(name, choices) for name in names_of_sums(choices)}


def some_city(rng):
    """Trips of a person may differ in their fare alone; some fares are missing."""
    users = []
    for user in range(rng.randint(1, 3)):
        first, same = some_trip(rng, f"u{user}"), rng.random() < 0.6
        whole, most = rng.random() < 0.5, rng.random() < 0.3
        trips = [
            first if same else some_trip(rng, f"u{user}") for _ in range(rng.choice([1, M, M + 1, 2 * M + 1]))
        ]
        fares = [-4 if most else rng.choice([-4, 2, 0, None]) for _ in trips]
        users.append(
            [
                replace(trip, origin=trip.origin or ("A" if whole else None), values=(fare, rng.randrange(3)))
                for trip, fare in zip(trips, fares, strict=True)
            ]
        )
    return users


def tables(users, bound, shuffle, engine, asked):
    rows = [trip for trips in users for trip in trips]
    shuffle.shuffle(rows)
    trips, found = private(rows, attributes=(FARE, MODE)), {}
    for columns in {measure.attributes for measure in asked.values()}:
        some = [measure for measure in asked.values() if measure.attributes == columns]
        answers = ExactAnswers(count(bounded(trips, bound), some, engine))
        found |= {measure.name: answers.dense(measure, measure.keys(TILE_IDS)) for measure in some}
    return found


def largest_change(pairs, bound, neighbour, asked, engine=Engine.COMPILED):
    rng, worst = random.Random(20_240_403), dict.fromkeys(asked, 0)
    for _ in range(pairs):
        users = some_city(rng)
        here = tables(users, bound, rng, engine, asked)
        there = tables(neighbour(rng, users), bound, rng, engine, asked)
        for name in asked:
            worst[name] = max(worst[name], int(np.abs(here[name] - there[name]).sum()))
    return worst


@pytest.mark.parametrize("by", [None, *BY])
def test_a_bound_times_the_cells_of_a_trip_times_the_trips_that_count(by):
    for bound, _ in UNITS:
        cells, trips = CELLS[by], bound.trips
        stated = {name: measure.sensitivity(bound) for name, measure in measures(by).items()}
        assert stated == {
            "sum_fare": cells * trips * 4,
            "mean_fare": cells * trips * 6,
            "sum_duration": cells * trips * 60,
            "mean_duration": cells * trips * 60,
            "sum_distance": cells * trips * 10,
            "mean_distance": cells * trips * 15,
        }


@pytest.mark.parametrize("by", [None, *BY])
@pytest.mark.parametrize(("bound", "neighbour"), UNITS, ids=["user", "trip"])
def test_every_sensitivity_is_reached_and_never_passed(bound, neighbour, by):
    asked = measures(by)
    worst = largest_change(24, bound, neighbour, asked)
    assert worst == {name: measure.sensitivity(bound) for name, measure in asked.items()}
    assert largest_change(2, bound, neighbour, asked, Engine.DUCKDB) == largest_change(
        3, bound, neighbour, asked
    )


@pytest.mark.parametrize("by", [None, "visits_per_tile"])
@pytest.mark.parametrize(("bound", "neighbour"), UNITS, ids=["user", "trip"])
def test_a_split_changes_nothing_of_it(bound, neighbour, by):
    asked = measures(by, (MODE,))
    worst = largest_change(24, bound, neighbour, asked)
    assert worst == {name: measure.sensitivity(bound) for name, measure in measures(by).items()}
    assert largest_change(2, bound, neighbour, asked, Engine.DUCKDB) == largest_change(
        3, bound, neighbour, asked
    )


@pytest.mark.parametrize("by", [None, "od_flows"])
def test_one_trip_under_a_bound_on_users_changes_no_more_than_what_is_stated(by):
    bound, asked = ContributionBound.per_user(M), measures(by)
    worst = largest_change(30, bound, without_a_trip, asked)
    for name, measure in asked.items():
        assert worst[name] <= measure.change_of_one_trip(bound)


def test_places_on_the_way_add_the_value_of_their_trip():
    trips = [
        replace(Trip("u", "A", "D", via=("B", "C")), values=(2, 0)),
        replace(Trip("u", None, "D"), values=(-4, 0)),
    ]
    asked = {
        name: measure_named(name, replace(CHOICES, sums=SUMS, by="visits_per_tile", visits_cap=3))
        for name in ("sum_fare", "sum_duration", "mean_duration")
    }
    for engine in (Engine.COMPILED, Engine.DUCKDB):
        found = tables([trips], ContributionBound.per_trip(), random.Random(1), engine, asked)
        assert found["sum_fare"].tolist() == [2, 2, 0, 2 - 4, 0]
        assert found["sum_duration"].tolist() == [60, 60, 0, 60, 0]
        assert found["mean_duration"].reshape(3, 5)[2].tolist() == [0, 0, 0, 60, 0]


@pytest.mark.parametrize("bound", [bound for bound, _ in UNITS], ids=["user", "trip"])
def test_the_parts_of_a_mean_tell_the_sum_and_the_number_of_values(bound):
    rng = random.Random(5)
    for _ in range(10):
        users, asked = some_city(rng), measures("od_flows")
        plain = {**asked, "od_flows": replace(measure_named("od_flows", CHOICES), attributes=(FARE,))}
        found = tables(
            users,
            bound,
            rng,
            Engine.DUCKDB,
            {
                **plain,
                "sum_duration": replace(plain["sum_duration"], attributes=(FARE,)),
                "mean_duration": replace(plain["mean_duration"], attributes=(FARE,)),
            },
        )
        for one in SUMS[:2]:
            keys = asked[one.names[1]].keys(TILE_IDS)
            parts = components_of(keys, keys.all_cells, found[one.names[1]])
            values = (parts.above + parts.below) // one.width
            assert ((parts.above + parts.below) % one.width == 0).all()
            assert (values + parts.missing // one.width == found["od_flows"]).all()
            assert (parts.above + one.lowest * values == found[one.names[0]]).all()
    assert COMPONENTS == ("above", "below", "missing")


@pytest.fixture(autouse=True)
def one_key(own_home):
    """The same trips are kept in every run, so that reaching a bound is no matter of luck."""
    place = store.folder("keys") / "bounding.key"
    store.write_once(place, bytes(range(16)))
    assert place.is_relative_to(own_home)
