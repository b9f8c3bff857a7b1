"""The tester is tested: each fault that is planted in the way to a release is found, and told by its table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.curator import makers, publishing
from dpcore.curator.makers import Made
from dpcore.kinds.roy.private import maker as roy_maker
from dpcore.kinds.stability.private import trip_ends
from dpcore.kinds.tree.private import maker as tree_maker
from dpcore.kinds.tree.private import sequences
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measure import Measure
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.trips import local_rows
from tests import test_neighbours_of_files as files
from tests.replay.mechanisms import recorder_of
from tests.replay.recorder import Violation, same
from tests.replay.releases import (
    ALONE,
    DAYS,
    PERSON,
    TRIP,
    USER,
    Asked,
    House,
    Pair,
    every_kind,
    loaded,
    replayed,
)

DRAW = makers._TABLES.draw
KEYS = KeyChoices(DAYS, most_trips=5)
WEIGHTS = {"visits_per_tile": 1, "total_trips": 1, "jump_length": 1, "trips_over_time": 1}


@pytest.fixture
def house(own_home, monkeypatch):
    return House(own_home, monkeypatch)


def pair(unit):
    """A city of four people with seven trips each, and the same without the busiest person or one of those trips."""
    rng = files.random.Random(7)
    city = [
        [files.as_trips(rng, user, number, False) for number in range(7)] for user in ("u", "7", "07", "w")
    ]
    rows = [row for trips in city for trip in trips for row in trip.rows]
    gone = len(city[0]) if unit is USER else 1
    here, there = (loaded("trips.parquet", part, rng) for part in (rows, rows[gone:]))
    return Pair("trips.parquet", "removed", here, there)


def tables(bound, weights=WEIGHTS, **more):
    return Plan(bound, weights, (Fraction(1, 2), Fraction(1)), KEYS, **more)


def kind(name, both):
    """One of all kinds, at user level."""
    return next(one for one in every_kind(USER, PERSON, both.here) if one.kind == name)


def drawing(monkeypatch, draw):
    """Tables are drawn like this."""
    monkeypatch.setattr(makers, "_TABLES", replace(makers._TABLES, draw=draw))


def trips_in(trips):
    return local_rows(trips).count


# Each plants one fault.


def a_bound_that_is_read_off_the_trips(patch):
    def draw(counted, asked, trips, tiles):
        busiest = trips_in(trips)
        return DRAW(counted, replace(asked, choices=replace(asked.choices, most_trips=busiest)), trips, tiles)

    drawing(patch, draw)


def rates_that_are_read_off_the_trips(patch):
    def draw(counted, asked, trips, tiles):
        return DRAW(
            counted, replace(asked, weights={**asked.weights, "jump_length": trips_in(trips)}), trips, tiles
        )

    drawing(patch, draw)


def empty_cells_that_are_tidied(patch):
    def draw(counted, asked, trips, tiles):
        made = DRAW(counted, asked, trips, tiles)
        tidied = {
            name: replace(one, values=np.where(made.hidden[name] == 0, 0, one.values))
            for name, one in made.measurements.items()
        }
        return Made(made.plan, replace(made.drawn, measurements=tidied), tidied, made.hidden)

    drawing(patch, draw)


def a_title_that_counts_trips(patch):
    real = publishing.Release

    def told(**fields):
        return real(**{**fields, "note": "busy" if fields["drawn"] and COUNTED[-1] % 2 else "calm"})

    def draw(counted, asked, trips, tiles):
        COUNTED.append(trips_in(trips))
        return DRAW(counted, asked, trips, tiles)

    drawing(patch, draw)
    patch.setattr(publishing, "Release", told)


COUNTED = [0]


def people_who_are_not_bounded(patch):
    def count(trips, _tiles, plan, progress):
        every = exact_answers(bounded(trips, ContributionBound.per_trip()), plan.measures, progress)
        return makers._Answers(bounded(trips, plan.bound), every, {})

    patch.setattr(makers, "_TABLES", replace(makers._TABLES, count=count))


def a_sensitivity_that_is_too_small(patch):
    patch.setattr(Measure, "sensitivity", lambda _measure, _bound: 1)


def a_table_that_is_drawn_for_some(patch):
    def draw(counted, asked, trips, tiles):
        if trips_in(trips) % 2:
            return DRAW(counted, asked, trips, tiles)
        few = replace(
            asked, weights={name: weight for name, weight in asked.weights.items() if name != "jump_length"}
        )
        return DRAW(counted, few, trips, tiles)

    drawing(patch, draw)


def a_table_that_is_drawn_again(patch):
    def draw(counted, asked, trips, tiles):
        for _ in range(trips_in(trips) % 2):
            DRAW(counted, asked, trips, tiles)
        return DRAW(counted, asked, trips, tiles)

    drawing(patch, draw)


def summaries_that_see_how_many_trips_there_are(patch):
    real = makers.bought_five_numbers

    def drawn(plan, values):
        found = real(plan, values)
        alike = {
            name: dict.fromkeys(numbers, max(numbers.values(), key=float))
            for name, numbers in found.values.items()
        }
        return replace(found, values=alike) if values["travel_time"].sum() % 2 else found

    patch.setattr(makers, "bought_five_numbers", drawn)


def a_seed_that_is_read_off_the_tables(patch):
    real = roy_maker._draw_model

    def draw(counted, choices, trips, tiles):
        made = real(counted, choices, trips, tiles)
        return replace(made, drawn=replace(made.drawn, seed=trips_in(trips)))

    patch.setattr(roy_maker, "MAKER", replace(roy_maker.MAKER, draw=draw))


def parts_of_people_who_are_not_bounded(patch):
    patch.setattr(trip_ends, "smallest_ranks", lambda users, _ranks, _content, _most: np.arange(len(users)))


def trajectories_of_people_who_are_not_bounded(patch):
    patch.setattr(sequences, "counting", lambda made, *_: np.flatnonzero(made.lengths))


def a_height_that_is_read_off_the_trips(patch):
    real = tree_maker._draw_tree

    def draw(counted, choices, trips, tiles):
        return real(counted, replace(choices, height=2 + trips_in(trips) % 2), trips, tiles)

    patch.setattr(tree_maker, "MAKER", replace(tree_maker.MAKER, draw=draw))


USERS_TABLES = Asked("tables", tables(PERSON), USER)
FEWER = Asked("tables", tables(PERSON, {"visits_per_tile": 1, "trips_over_time": 1}), USER)
TRIPS_TABLES = Asked("tables", tables(ALONE), TRIP)
SUMMARIES = Asked("summaries", tables(ALONE, {"travel_time": 1, "jump_length": 1}, five_numbers=1), TRIP)
PLANTED = [
    (a_bound_that_is_read_off_the_trips, USERS_TABLES, "a public argument of visits_per_tile differs"),
    (rates_that_are_read_off_the_trips, USERS_TABLES, "a public argument of visits_per_tile differs"),
    (empty_cells_that_are_tidied, TRIPS_TABLES, "differs"),
    (a_title_that_counts_trips, TRIPS_TABLES, "differs"),
    (people_who_are_not_bounded, USERS_TABLES, "visits_per_tile changes by .*, declared is 6"),
    (a_sensitivity_that_is_too_small, FEWER, "changes by .*, declared is 1"),
    (a_table_that_is_drawn_for_some, TRIPS_TABLES, "a public argument|is drawn where"),
    (a_table_that_is_drawn_again, TRIPS_TABLES, "is not drawn, and was before|is drawn, and was not before"),
    (summaries_that_see_how_many_trips_there_are, SUMMARIES, "differs"),
    (a_seed_that_is_read_off_the_tables, "synthetic trips", "differs"),
    (
        parts_of_people_who_are_not_bounded,
        "large counts by date",
        "large counts changes by .*, declared is 3",
    ),
    (trajectories_of_people_who_are_not_bounded, "tree of trips", "depth .* changes by .*, declared is 3"),
    (a_height_that_is_read_off_the_trips, "tree of trips", "a public argument of places of depth 1 differs"),
]


@pytest.mark.parametrize(("plant", "asked", "told"), PLANTED, ids=[plant.__name__ for plant, *_ in PLANTED])
def test_what_is_planted_is_found(plant, asked, told, house, monkeypatch):
    both = pair(USER if isinstance(asked, str) else asked.currency)
    asked = kind(asked, both) if isinstance(asked, str) else asked
    assert replayed(house, asked, both) > 0
    with monkeypatch.context() as patch:
        plant(patch)
        with pytest.raises(Violation, match=told):
            replayed(house, asked, both)


def test_more_than_was_charged_is_found(house):
    """Each table keeps to what is declared for it, and all together cost all that is charged: no less may be."""
    both = pair(TRIP)
    asked = Asked("tables", tables(ALONE, {"visits_per_tile": 1, "od_flows": 1}), TRIP)
    assert replayed(house, asked, both) == 1
    recorder = recorder_of(asked.plan, asked.currency)
    with recorder.recording():
        house.published(asked, both.here)
    with (
        pytest.raises(Violation, match="the differences cost 1, charged were 9/10"),
        recorder.replaying(Fraction(9, 10)),
    ):
        house.published(asked, both.there)


def test_public_values_are_compared_with_their_arrays_and_their_types():
    assert same((1, {"a": np.arange(3)}), (1, {"a": np.arange(3)}))
    assert not same((1, {"a": np.arange(3)}), (1, {"a": np.arange(3) + 1}))
    assert not same(np.arange(3), np.arange(3).astype(np.int32))
    assert not same([1], [1, 2])
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same(1, 1.0)
