"""The curve of error against epsilon: what is expected follows from public facts, what is known from the truth, and both say which."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

from dpcore import demo
from dpcore.api import owner, studies
from dpcore.estimates import Estimated, Estimates, Ranged, estimate
from dpcore.measures.choices import KeyChoices
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import expected_share, typical_errors
from dpcore.noise.forecast import Facts
from dpcore.planning.default_plan import default_plan
from dpcore.privacy import RUNGS as PUBLIC
from dpcore.privacy import ContributionBound, PrivacyUnit, Promise
from dpcore.views.numbers.guarantee import you_in_this_data
from dpcore.views.planning import tradeoff
from tests.views.made import CHOICES, RUNGS, TILE_IDS, measurement

BOUND = ContributionBound.per_user(5)
PLAN = Plan(BOUND, {"visits_per_tile": 3, "od_districts": 2, "trips_per_hour": 1}, RUNGS, CHOICES)
FACTS = Facts(demo.DEMO_TRIPS, 33_000, demo.DEMO_TILES)


def test_more_epsilon_is_never_expected_to_be_worse_and_one_trip_is_hidden_with_less_error():
    by_trip = Plan(ContributionBound.per_trip(), PLAN.weights, RUNGS, CHOICES)
    for name in PLAN.weights:
        person, trip = (
            typical_errors(plan, name, 50_000, share, 200) for plan, share in ((PLAN, 0.6), (by_trip, 1.0))
        )
        assert list(person) == sorted(person, reverse=True)
        assert all(one > other for one, other in zip(person, trip, strict=True))
        assert 0 < trip[-1] < person[-1] < 1
    assert np.isnan(typical_errors(PLAN, "trips_per_hour", 0, 1.0, 200)).all()


def test_what_is_expected_of_the_built_in_city_is_near_its_truth():
    trips, tiles = owner.demo_city()
    for bound in (ContributionBound.per_user(8), ContributionBound.per_trip()):
        plan = default_plan(bound, Fraction(1), tiles, FACTS, KeyChoices(demo.DEMO_PERIOD))
        names = [*tradeoff.tables_of(plan).values(), "total_trips"]
        seen = studies.preview(trips, plan, [name for name in names if name in plan.weights])
        found = estimate(plan, seen.measurements, tiles, of=[*tradeoff.tables_of(plan).values()])
        true = tradeoff.true_errors(seen.measurements, seen.truth, found, plan)
        share = expected_share(bound, FACTS)
        line = tradeoff.expected_line(plan, demo.DEMO_TRIPS, share, len(tiles.tile_ids), name="a")
        assert {*true} == {*line.expected} == {"tiles", "flows", "hours"}
        for table, (*_, error) in line.expected.items():
            assert error / 4 < true[table] < 4 * error, (bound, table)


def test_errors_are_those_of_the_cells_that_are_not_empty():
    visits = measurement("visits_per_tile", [5000, 700, 2, 10])
    plan = Plan(BOUND, {"visits_per_tile": 1}, RUNGS, CHOICES)
    values = np.array([7800.0, 1050, 1, 15])
    guess = Estimated("visits_per_tile", "visits", visits.keys, None, Ranged(values, values, values), None)
    found = Estimates(2, None, "", MappingProxyType({"visits_per_tile": guess}))
    truth = np.array([8000, 1000, 0, 20])
    errors = tradeoff.true_errors({"visits_per_tile": visits}, {"visits_per_tile": truth}, found, plan)
    assert errors == {"tiles": pytest.approx(0.05)}


def test_each_curve_of_a_release_follows_from_the_total_of_its_own_table():
    """Of a trip that passes many tiles visits tell less than its start and end."""
    choices = replace(CHOICES, visits_cap=10)
    plan = Plan(BOUND, {"visits_per_tile": 1, "trips_per_hour": 1}, RUNGS, choices)
    cells = {name: plan.measure(name).keys(TILE_IDS).size for name in plan.weights}
    tables = {name: measurement(name, np.full(size, 500)) for name, size in cells.items()}
    _, (released, by_trip) = tradeoff.released_lines(plan, tables, 0.5, len(TILE_IDS))
    trips = cells["trips_per_hour"] * 500 / 2 / 0.5
    expected = typical_errors(plan, "trips_per_hour", trips, 0.5, len(TILE_IDS))
    assert released.expected["hours"][: len(RUNGS)] == expected
    assert {*released.expected} == {*by_trip.expected} == {"tiles", "hours"}


def test_the_messages_say_which_unit_which_table_and_which_source_and_never_the_present_stop():
    line = tradeoff.expected_line(PLAN, 50_000, 0.6, 200, name="draw 1")
    nothing = tradeoff.expected_line(PLAN, 50_000, None, 200, name="draw 2", released=2)
    assert nothing.expected == {}
    shown = tradeoff.CurveShown("link", RUNGS, 2, 1, [line, nothing], tradeoff.FOR_OWNERS, "Demo data")
    told = json.loads(json.dumps(tradeoff.message(shown)))
    assert told["epsilons"] == ["0.1", "1", "10"]
    assert [one["label"] for one in told["lines"]] == [tradeoff.UNITS[PrivacyUnit.USER]] * 2
    assert [one["released"] for one in told["lines"]] == [None, 2]
    assert {*told["tables"]} == {*told["lines"][0]["expected"]} == {"tiles", "flows", "hours"}
    assert {*told["sources"].values()} == {"from the truth", "expected"}
    assert "only you see" in told["told"]["truth"]
    assert "Dashed" in told["told"]["expected"]
    points = tradeoff.known_points({"draw 1": {1: {"tiles": 0.123456789, "hours": float("nan")}}}, 3)
    assert json.loads(json.dumps(points, allow_nan=False))["draw 1"] == {
        "tiles": [None, 0.12346, None],
        "flows": [None] * 3,
        "hours": [None] * 3,
    }


@pytest.mark.parametrize("bound", [ContributionBound.per_user(8), ContributionBound.per_trip()])
def test_what_a_stranger_learns_is_what_the_promise_says(bound):
    rows = tradeoff.learnt(bound, PUBLIC)
    for at, epsilon in enumerate(PUBLIC):
        promise = Promise.of(bound, epsilon)
        assert [row.right[at] for row in rows[:2]] == [
            promise.presence.right_of_100,
            promise.doings.right_of_100,
        ]
        assert rows[0].said[at] == promise.presence.right_of
    for row in rows:
        assert [*row.right] == sorted(row.right)
        assert 50 <= row.right[0] <= row.right[-1] <= 100


def test_where_one_trip_is_hidden_a_person_with_many_stands_beside_it():
    assert len(tradeoff.learnt(ContributionBound.per_user(8), PUBLIC)) == 2
    many = tradeoff.learnt(ContributionBound.per_trip(), PUBLIC)[2]
    assert many.question == "Whether a person with 20 trips is in the data"
    assert many.right[PUBLIC.index(Fraction(1))] == 100
    assert many.said[PUBLIC.index(Fraction(1))] == "practically every time"


def test_luck_is_told_of_as_many_guesses_as_what_stands_beside_it():
    for epsilon, luck in (
        ("1", "at most 74 of 100 times instead of 50,"),
        ("8", "of 10,000 times instead of 50 of 100 times,"),
    ):
        for bound in (ContributionBound.per_user(8), ContributionBound.per_trip()):
            said = " ".join(you_in_this_data(Promise.of(bound, Fraction(epsilon))))
            assert luck in said, said
