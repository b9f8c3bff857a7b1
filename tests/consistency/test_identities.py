"""Which sums are equal: true of every list of trips, all that are true, and none twice."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpcore.comparison.agreement import agreed
from dpcore.comparison.identities import LINKED, Stack, identities, window_of_hours
from dpcore.measures import MEASURES
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts, Step
from dpcore.privacy import ContributionBound
from tests.cities import Trip
from tests.consistency.made_tables import (
    CHOICES,
    TILES,
    WEIGHTS,
    made_plan,
    made_trips,
    noisy,
    true_tables,
)

THREE = replace(CHOICES, districts=Districts(("a", "b"), (0, 1, 0)))
"""Districts of three tiles."""


def matrix(stack, choices=CHOICES):
    rows = [identity.rows.toarray() for identity in identities(stack, choices).known]
    return np.vstack(rows) if rows else np.zeros((0, stack.size))


def linked(weights=WEIGHTS):
    return {name: weight for name, weight in weights.items() if name in LINKED}


def stack_of(plan, tiles=TILES):
    empty = {measure.name: np.zeros(measure.keys(tiles).size, np.int64) for measure in plan.measures}
    return Stack(noisy(empty, plan, seed=0, tiles=tiles), -1)


@pytest.mark.parametrize("bound", [ContributionBound.per_user(3), ContributionBound.per_trip()])
@pytest.mark.parametrize(
    "choices",
    [
        CHOICES,
        replace(CHOICES, step=Step.WEEK, windows=(0,)),
        replace(CHOICES, step=Step.MONTH, windows=(5, 7, 23), edges={"travel_time": ("7", "30")}),
    ],
    ids=["usual", "weeks and whole days", "months and own windows"],
)
def test_every_identity_holds_for_trips_of_all_kinds(bound, choices):
    plan = made_plan(bound=bound, choices=choices, weights=linked())
    a = matrix(stack_of(plan), choices)
    for seed in range(3):
        truth = true_tables(made_trips(seed), plan)
        assert truth["ds_statistics"][-1] > 0  # incomplete trips are among them
        assert truth["od_flows"].reshape(5, 5)[-1].sum() > 0  # and such as begin outside
        assert not (a @ np.concatenate([truth[name] for name in plan.weights])).any()


def test_identities_hold_without_trips_and_with_people_whom_no_bound_keeps_whole():
    plan = made_plan(bound=ContributionBound.per_user(1), weights=linked())
    a = matrix(stack_of(plan))
    for trips in ([], [Trip("u", "A", "B")] * 5 + [Trip("v", None, "outside")]):
        truth = true_tables(trips, plan)
        assert not (a @ np.concatenate([truth[name] for name in plan.weights])).any()


def test_columns_of_flows_are_not_arrivals_and_weekdays_are_not_dates():
    """The two tempting identities that are none."""
    plan = made_plan(bound=ContributionBound.per_trip(), weights=linked())
    truth = true_tables([Trip("u", None, "A"), Trip("u", "B", "C")], plan)
    arrivals = truth["visits_per_time_tile"].reshape(2, 6, 5).sum(axis=(0, 1))
    assert (truth["od_flows"].reshape(5, 5).sum(axis=0) != arrivals).any()
    two_mondays = [
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-01 09:00"),  # before the period
        Trip("u", "A", "B", "2024-04-08 08:00", "2024-04-08 09:00"),
    ]
    truth = true_tables(two_mondays, plan)
    mondays = [i for i, label in enumerate(CHOICES.period.days) if label.weekday() == 0]
    assert truth["trips_per_weekday"][0] != sum(truth["trips_over_time"][1 + i] for i in mondays)


@pytest.mark.parametrize("of_people", [False, True])
def test_no_identity_follows_from_the_others_whatever_is_measured(of_people):
    """Every set of measures: the matrix that is factored always has full rank."""
    every = stack_of(made_plan(weights=linked(), choices=THREE), tiles=("A", "B", "C"))
    counted = [
        name
        for name in LINKED
        if name != "jump_length" and (of_people == MEASURES[name].counts_users or name == "ds_statistics")
    ]
    for size in range(len(counted) + 1):
        for names in itertools.combinations(counted, size):
            a = matrix(Stack({name: every.measurements[name] for name in names}, -1))
            assert np.linalg.matrix_rank(a) == len(a), names


def test_nothing_that_is_equal_was_forgotten():
    """Tables of single trips of every kind span all tables that identities allow."""
    names = tuple(name for name in LINKED if not MEASURES[name].counts_users)
    weights = {name: 1 for name in names if name not in {"travel_time", "jump_length"}}
    plan = made_plan(weights=weights, choices=THREE)
    tiles = ("A", "B", "C")
    district = (*THREE.districts.of_tiles, len(THREE.districts.names))
    stack = stack_of(plan, tiles)
    vectors = [_users_alone(stack)]
    hours, places = (1, 8, 15, 23), (0, 1, 2, 3)
    for weekday, hour, start_hour, day, origin, end in itertools.product(
        range(7), hours, (3, 20), (0, 3, 8), (None, *places), places
    ):
        tables = {
            name: np.zeros(stack.measurements[name].keys.shape, np.int64) for name in stack.measurements
        }
        day_type = int(weekday >= 5)
        tables["trips_over_time"][day] += 1
        tables["trips_per_weekday"][weekday] += 1
        tables["trips_per_hour"][1, day_type, hour] += 1
        tables["visits_per_time_tile"][day_type, window_of_hours(CHOICES.windows)[hour], end] += 1
        tables["visits_per_tile"][end] += 1
        tables["ds_statistics"][[1, 2]] += 1
        if origin is None:
            tables["ds_statistics"][4] += 1
            tables["incomplete_trips"][0] += 1
        else:
            tables["ds_statistics"][[2, 3]] += 1
            tables["trips_per_hour"][0, day_type, start_hour] += 1
            tables["visits_per_tile"][origin] += 1
            tables["od_flows"][origin, end] += 1
            tables["od_districts"][district[origin], district[end]] += 1
        vectors.append(np.concatenate([tables[name].ravel() for name in stack.measurements]))
    spanned = np.array(vectors, float)
    a = matrix(stack)
    assert not (a @ spanned.T).any()
    occurring = (spanned != 0).any(axis=0)  # hours and days that no trip above has are free as well
    assert np.linalg.matrix_rank(spanned) == occurring.sum() - np.linalg.matrix_rank(a[:, occurring])


def _users_alone(stack):
    vector = np.zeros(stack.size)
    vector[stack.starts["ds_statistics"]] = 1
    return vector


@pytest.mark.parametrize("starts", [(0,), (5,), (2, 6, 10, 14, 18, 22), tuple(range(24)), (23,), (0, 23)])
def test_windows_share_out_the_hours(starts):
    numbers = window_of_hours(starts)
    assert set(numbers.tolist()) == set(range(len(starts)))
    for number, start in enumerate(starts):
        assert numbers[start] == number


def test_what_shares_no_total_stays_as_drawn_and_says_why():
    plan = made_plan(bound=ContributionBound.per_trip(), choices=replace(CHOICES, visits_cap=4))
    truth = {measure.name: np.zeros(measure.keys(TILES).size, np.int64) for measure in plan.measures}
    drawn = noisy(truth, plan, seed=1)
    cells = np.arange(3, dtype=np.int64)
    flows = drawn["od_flows"]
    drawn["od_flows"] = replace(flows, values=flows.values[:, :3], cells=cells, threshold=1)
    found = agreed(drawn, plan.choices)
    reasons = {name: table.reason for name, table in found.tables.items() if table.reason}
    assert set(reasons) == {
        "user_time_delta",
        "radius_of_gyration",
        "od_flows",
        "visits_per_tile",
        "total_trips",
    }
    assert "listed" in reasons["od_flows"]
    assert "points" in reasons["visits_per_tile"]
    for name in reasons:
        assert found.tables[name].values.tolist() == drawn[name].values[-1].tolist()
        assert set(found.tables[name].half_widths.tolist()) == {float(drawn[name].half_widths[-1])}
    alone = agreed({"travel_time": drawn["travel_time"]}, KeyChoices())
    assert "no other table" in alone.tables["travel_time"].reason
    assert alone.names == ()
    nothing = agreed({"user_time_delta": drawn["user_time_delta"]}, KeyChoices())
    assert nothing.totals == {}
    assert nothing.deviation_of_sum("user_time_delta") > 0
