"""Brute force over neighbours for tables that are split: no part tells more of a person or a trip than the table as a whole."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from dpcore.measures import MEASURES, measure_named
from dpcore.measures.attribute import Categories
from dpcore.measures.measure import Engine
from dpcore.measures.split import parts_of
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers, exact_answers
from tests.cities import Trip, private
from tests.engines import count
from tests.test_neighbours import CHOICES, TILE_IDS, M, some_trip, without_a_trip, without_a_user

MODE = Categories("mode", ("bus", 'rail, "fast"'))
PURPOSE = Categories("purpose", ("work",))
BY_ONE, BY_TWO = (MODE,), (MODE, PURPOSE)
SPLIT = {
    by: {
        name: measure
        for name in MEASURES
        if (measure := measure_named(name, replace(CHOICES, splits=by, visits_cap=cap))).splits
    }
    for by, cap in ((BY_ONE, None), (BY_TWO, None))
}
WAYS = {"visits_per_tile": measure_named("visits_per_tile", replace(CHOICES, splits=BY_TWO, visits_cap=3))}


def with_values(rng: random.Random, trip: Trip) -> Trip:
    return replace(trip, values=(rng.randrange(4), rng.randrange(3)))


def some_city(rng: random.Random, *, complete: bool = True) -> list[list[Trip]]:
    """As for unsplit tables; trips of a person that are else the same may have other categories. ``complete``: whether starts are known."""
    users = []
    for user in range(rng.randint(1, 3)):
        number = rng.choice([1, M, M + 1, 2 * M + 1])
        first, same = some_trip(rng, f"u{user}"), rng.random() < 0.4
        trips = [first if same else some_trip(rng, f"u{user}") for _ in range(number)]
        known = [trip if complete else replace(trip, origin=None) for trip in trips]
        users.append([with_values(rng, trip) for trip in known])
    return users


def tables(users, bound, shuffle, engine, measures):
    rows = [trip for trips in users for trip in trips]
    shuffle.shuffle(rows)
    trips = private(rows, attributes=BY_TWO)
    answers = ExactAnswers(count(bounded(trips, bound), [*measures.values()], engine))
    return {name: answers.dense(measure, measure.keys(TILE_IDS)) for name, measure in measures.items()}


def largest_change(pairs, bound, neighbour, measures, engine=Engine.COMPILED, *, complete=True):
    rng, worst = random.Random(20_240_402), dict.fromkeys(measures, 0)
    for _ in range(pairs):
        users = some_city(rng, complete=complete)
        here = tables(users, bound, rng, engine, measures)
        there = tables(neighbour(rng, users), bound, rng, engine, measures)
        for name in measures:
            worst[name] = max(worst[name], int(np.abs(here[name] - there[name]).sum()))
    return worst


UNITS = [(ContributionBound.per_user(M), without_a_user), (ContributionBound.per_trip(), without_a_trip)]


def test_every_measure_of_trips_is_split_and_none_of_people():
    people = {"ds_statistics", "total_trips", *(name for name, one in MEASURES.items() if one.counts_users)}
    for by in (BY_ONE, BY_TWO):
        assert {*SPLIT[by]} == {*MEASURES} - people
        for name, measure in SPLIT[by].items():
            keys, plain = measure.keys(TILE_IDS), measure_named(name, CHOICES).keys(TILE_IDS)
            assert keys.axes == (*keys.axes[: len(by)], *plain.axes)
            assert [axis.labels for axis in keys.axes[: len(by)]] == [one.labels for one in by]
            assert measure.layout.columns == keys.columns
            assert keys.size == len(parts_of(by)) * plain.size
    assert SPLIT[BY_ONE]["od_flows"].keys(TILE_IDS).axes[0].labels == (
        "bus",
        'rail, "fast"',
        "other",
        "missing",
    )


def test_a_split_does_not_change_what_is_stated_but_where_a_trip_may_displace_one_of_another_part():
    for by in (BY_ONE, BY_TWO):
        for name, measure in SPLIT[by].items():
            plain = measure_named(name, CHOICES)
            for bound, _ in UNITS:
                assert measure.sensitivity(bound) == plain.sensitivity(bound)
        changed = {
            name: (plain, split)
            for name in SPLIT[by]
            if (plain := measure_named(name, CHOICES).change_of_one_trip(UNITS[0][0]))
            != (split := SPLIT[by][name].change_of_one_trip(UNITS[0][0]))
        }
        assert changed == {"incomplete_trips": (1, 2), "missing_values": (6, 12)}


@pytest.mark.parametrize("by", [BY_ONE, BY_TWO], ids=["one", "two"])
@pytest.mark.parametrize(("bound", "neighbour"), UNITS, ids=["user", "trip"])
def test_every_sensitivity_of_a_split_is_reached_and_never_passed(bound, neighbour, by):
    measures = SPLIT[by]
    worst = largest_change(60, bound, neighbour, measures)
    assert worst == {name: measure.sensitivity(bound) for name, measure in measures.items()}
    by_sql = largest_change(8, bound, neighbour, measures, Engine.DUCKDB)
    assert by_sql == largest_change(8, bound, neighbour, measures)


@pytest.mark.parametrize("by", [BY_ONE, BY_TWO], ids=["one", "two"])
def test_one_trip_under_a_bound_on_users_changes_what_is_stated_and_reaches_it(by):
    bound, measures = ContributionBound.per_user(M), SPLIT[by]
    worst = largest_change(120, bound, without_a_trip, measures)
    unknown = largest_change(20, bound, without_a_trip, measures, complete=False)
    worst = {name: max(most, unknown[name]) for name, most in worst.items()}
    assert worst == {name: measure.change_of_one_trip(bound) for name, measure in measures.items()}


@pytest.mark.parametrize("bound", [bound for bound, _ in UNITS], ids=["user", "trip"])
def test_the_parts_of_a_table_add_up_to_the_table(bound):
    """But for gaps under a bound: of trips that differ in their category alone, a split may keep one with another gap."""
    rng = random.Random(7)
    for _ in range(6):
        rows = [trip for trips in some_city(rng) for trip in trips]
        trips = bounded(private(rows, attributes=BY_TWO), bound)
        for name, measure in SPLIT[BY_TWO].items():
            plain = measure_named(name, CHOICES)
            answers = exact_answers(trips, [measure, replace(plain, name="plain")])
            whole = answers.dense(replace(plain, name="plain"), plain.keys(TILE_IDS))
            parts = answers.dense(measure, measure.keys(TILE_IDS)).reshape(len(parts_of(BY_TWO)), -1)
            if name == "user_time_delta" and bound.max_trips:
                assert abs(int(parts.sum()) - int(whole.sum())) <= len({trip.user for trip in rows})
            else:
                assert (parts.sum(axis=0) == whole).all(), name


@pytest.mark.parametrize("engine", [Engine.COMPILED, Engine.DUCKDB])
def test_places_on_the_way_lie_in_the_part_of_their_trip(engine):
    trips = [replace(Trip(f"u{n}", "A", "D", via=("B", "C")), values=(n % 4, n % 3)) for n in range(12)]
    found = tables([trips], ContributionBound.per_trip(), random.Random(1), engine, WAYS)["visits_per_tile"]
    by_part = found.reshape(len(parts_of(BY_TWO)), 5)
    assert (by_part == [1, 1, 0, 1, 0]).all()


@pytest.fixture(autouse=True)
def one_key(own_home):
    """The same trips are kept in every run, so that reaching a bound is no matter of luck."""
    place = store.folder("keys") / "bounding.key"
    store.write_once(place, bytes(range(16)))
    assert place.is_relative_to(own_home)
