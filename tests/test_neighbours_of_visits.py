"""Brute force over neighbouring data sets for visits that count the tiles on the way, at most k of one trip.

``test_neighbours.py`` does the same for every other measure; here trips have ways, longer and shorter than the cap.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore import limits
from dpcore.api.owner import BadRecords
from dpcore.kinds.tree.choices import Making, Outside, TreeChoices
from dpcore.kinds.tree.private.sequences import sequences_of
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.measure import Engine
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded, bounding_key
from dpcore.private.exact import ExactAnswers
from tests import test_neighbours_of_files as files
from tests.cities import PLACES, Trip, four_tiles, private
from tests.engines import count

M = 2
USER, ALONE = ContributionBound.per_user(M), ContributionBound.per_trip()
CAPS = (2, 3, 5)
TILES = four_tiles().tile_ids


def visits(cap):
    return measure_named("visits_per_tile", KeyChoices(visits_cap=cap))


def some_trip(rng, user):
    """A trip in one of two halves of the city, so that two trips can be apart in every cell."""
    half = rng.choice([["A", "C", "outside"], ["B", "D"]])
    way = tuple(half[i % 2] for i in range(rng.choice([0, 2, 8, 8, 8])))
    # trips of one user may differ in their ways alone: the choice among them must depend on the ways
    if rng.random() < 0.15:
        return Trip(user, None, half[0])  # as readers have it: of an incomplete trip one record counts
    return Trip(user, rng.choice(half[1:]), half[0], via=way)


def some_city(rng):
    """A few users; some with more than M trips, some whose trips are all the same."""
    city = []
    for user in range(rng.randint(1, 2)):
        first, same = some_trip(rng, f"u{user}"), rng.random() < 0.3
        trips = range(rng.choice([1, M, M + 1, M + 1]))
        city.append([first if same else some_trip(rng, f"u{user}") for _ in trips])
    return city


def a_busy_user(rng):
    """One user, one of whose trips is not kept until another one goes."""
    return [[some_trip(rng, "u") for _ in range(M + 1)]]


def tables(city, bound, rng, engine=Engine.COMPILED):
    rows = [trip for trips in city for trip in trips]
    rng.shuffle(rows)  # the order of a file means nothing
    named = {cap: replace(visits(cap), name=f"visits {cap}") for cap in CAPS}
    answers = ExactAnswers(count(bounded(private(rows), bound), [*named.values()], engine))
    return {cap: answers.dense(measure, measure.keys(TILES)) for cap, measure in named.items()}


def without_a_user(rng, city):
    gone = rng.randrange(len(city))
    return city[:gone] + city[gone + 1 :]


def without_a_trip(rng, city):
    left = [list(trips) for trips in city]
    trips = rng.choice(left)
    trips.pop(rng.randrange(len(trips)))
    return [trips for trips in left if trips]


def largest_change(pairs, bound, neighbour, some_city=some_city, engine=Engine.COMPILED):
    rng = random.Random(20_240_401)
    worst = dict.fromkeys(CAPS, 0)
    for _ in range(pairs):
        city = some_city(rng)
        here, there = (tables(c, bound, rng, engine) for c in (city, neighbour(rng, city)))
        for cap in CAPS:
            worst[cap] = max(worst[cap], int(np.abs(here[cap] - there[cap]).sum()))
    return worst


@pytest.mark.parametrize(
    ("bound", "neighbour"), [(USER, without_a_user), (ALONE, without_a_trip)], ids=["user", "trip"]
)
def test_the_sensitivity_of_capped_visits_is_reached_and_never_passed(bound, neighbour):
    assert largest_change(20, bound, neighbour) == {cap: visits(cap).sensitivity(bound) for cap in CAPS}
    by_sql = largest_change(6, bound, neighbour, engine=Engine.DUCKDB)
    assert by_sql == largest_change(6, bound, neighbour)


def test_one_trip_under_a_bound_on_users_may_displace_another_with_all_its_visits():
    worst = largest_change(40, USER, without_a_trip, a_busy_user)
    assert worst == {cap: visits(cap).change_of_one_trip(USER) for cap in CAPS}


@pytest.mark.parametrize("cap", [2, 3, 7, limits.MAX_POINTS_PER_TRIP])
def test_the_stated_sensitivities_are_those_of_the_proof(cap):
    measure = visits(cap)
    assert measure.sensitivity(ALONE) == measure.change_of_one_trip(ALONE) == cap
    assert measure.sensitivity(ContributionBound.per_user(5)) == 5 * cap
    assert measure.change_of_one_trip(ContributionBound.per_user(5)) == 2 * cap


def test_a_cap_of_two_is_the_usual_rule_in_every_part():
    two, usual = visits(2), MEASURES["visits_per_tile"]
    assert (two.sql, two.tables, two.reads_via) == (usual.sql, usual.tables, False)
    assert two.sensitivity(USER) == usual.sensitivity(USER) == 2 * M
    assert measure_named("visits_per_tile", USUAL) == usual


def as_records(rng, user, number, bad):
    """A trip of three to six records at five places."""
    trip = files.as_records(rng, user, number, bad)
    start, _ = files.times(rng)
    more = [(user, str(number), start, *files.point(rng, rng.choice([*PLACES]))) for _ in range(3)]
    return files.Written((*trip.rows, *more))


@pytest.mark.parametrize("split", [files.a_user, files.a_trip], ids=["user", "trip"])
def test_from_bytes_to_sequences_nobody_elses_trips_change(split, monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 200)
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", 5)
    rng, bound = random.Random(4), USER if split is files.a_user else ALONE
    longest = 0
    for pair in range(4):
        city = files.some_city(rng, as_records, pair % 2 == 1)
        here, there, alone = (kept(part, rng, bound) for part in (city, *split(rng, city)))
        assert here == there + alone
        longest = max(longest, *map(len, here))
    assert longest >= 5


def kept(city, rng, bound):
    """The kept sequences as a multiset."""
    trips = files.loaded("records.csv", city, rng, BadRecords.DROP)
    choices = TreeChoices(bound, Fraction(1), 64, making=Making(outside=Outside.PLACE))
    found = sequences_of(trips, four_tiles(), choices, bounding_key())
    return Counter(tuple(part.tolist()) for part in np.split(found.symbols, found.offsets[1:-1]))


@pytest.fixture(autouse=True)
def one_key():
    """The same trips are kept in every run, so that reaching a bound is no matter of luck."""
    store.write_once(store.folder("keys") / "bounding.key", bytes(range(16)))
