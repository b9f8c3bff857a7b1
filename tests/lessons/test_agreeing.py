"""Tables of lesson 11 that agree: exactly weighted least squares, unbiased, with the saving that is stated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg

from dpcore.lessons.agreeing import TABLES, agreement, equal_sums, window_of_hours
from dpcore.noise.accuracy import standard_deviation
from dpcore.privacy import ContributionBound
from tests.estimates.made_tables import CHOICES, made_plan, made_trips, noisy, true_tables

WEIGHTS = {"trips_over_time": 2, "trips_per_weekday": 1, "trips_per_hour": 4, "visits_per_time_tile": 9}


def plan_of(**more):
    return made_plan(weights=WEIGHTS, **more)


@pytest.fixture(scope="module")
def truth():
    return true_tables(made_trips(5), plan_of())


def line(tables):
    return np.concatenate([tables[name] for name in TABLES])


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize("weights", [WEIGHTS, {name: 10**place for place, name in enumerate(WEIGHTS)}])
@pytest.mark.parametrize(
    "bound", [ContributionBound.per_user(3), ContributionBound.per_user(50), ContributionBound.per_trip()]
)
def test_agreement_is_least_squares_by_projection(truth, bound, weights, epsilon):
    """The same in another way: the nearest point of the null space, and the covariance of that."""
    drawn = noisy(truth, made_plan(bound=bound, epsilon=epsilon, weights=weights), seed=3)
    found = agreement(drawn, CHOICES)
    variances = np.concatenate(
        [np.full(drawn[name].keys.size, standard_deviation(drawn[name].rho(-1)) ** 2) for name in TABLES]
    )
    basis, root = linalg.null_space(equal_sums(drawn, CHOICES)), np.sqrt(variances)
    projector = basis @ np.linalg.pinv(basis / root[:, None]) / root
    covariance = projector @ np.diag(variances) @ projector.T
    wanted = projector @ line({name: one.values[-1] for name, one in drawn.items()})
    assert line(found.values) == pytest.approx(wanted, rel=1e-7, abs=1e-7 * np.abs(wanted).max())
    at = 0
    for name in TABLES:
        part = slice(at, at := at + drawn[name].keys.size)
        saved = 1 - np.diag(covariance)[part].mean() / variances[part][0]
        assert found.saved[name] == pytest.approx(saved, rel=1e-6)
        if name != "trips_per_hour":  # starts are no trips
            deviation = np.sqrt(covariance[part, part].sum())
            assert found.half_width == pytest.approx(np.log(20) / np.sqrt(2) * deviation, rel=1e-6)


@pytest.mark.parametrize(
    "choices", [CHOICES, replace(CHOICES, windows=(0,)), replace(CHOICES, windows=(5, 7, 23))]
)
def test_the_sums_are_equal_for_trips_of_all_kinds_and_none_follows_from_the_others(choices):
    plan = plan_of(choices=choices)
    for trips in (made_trips(0), made_trips(1), []):
        tables = true_tables(trips, plan)
        rows = equal_sums(noisy(tables, plan, seed=0), choices)
        assert not (rows @ line(tables)).any()
    assert np.linalg.matrix_rank(rows) == len(rows) == 2 * len(choices.windows) + 3


def test_equal_totals_are_equal_afterwards_and_nothing_is_cut_at_zero(truth):
    found = agreement(noisy(truth, plan_of(epsilon="0.1"), seed=6), CHOICES).values
    ends = found["trips_per_hour"].reshape(2, -1)[1].sum()
    for name in ("trips_over_time", "trips_per_weekday", "visits_per_time_tile"):
        assert found[name].sum() == pytest.approx(ends, rel=1e-9)
    assert line(found).min() < 0


def test_the_truth_is_left_alone(truth):
    drawn = noisy(truth, plan_of(), seed=0)
    exact = {
        name: replace(one, values=np.stack([truth[name]] * len(one.rungs))) for name, one in drawn.items()
    }
    assert line(agreement(exact, CHOICES).values) == pytest.approx(line(truth), abs=1e-6)


def test_estimates_are_unbiased_and_save_what_is_stated(truth):
    plan, runs = plan_of(), 600
    plan = replace(plan, rungs=plan.rungs[-1:])
    errors, total = [], []
    for seed in range(runs):
        drawn = noisy(truth, plan, seed=1000 + seed)
        found = agreement(drawn, CHOICES)
        errors.append(line(found.values) - line(truth))
        total.append(abs(found.values["trips_per_weekday"].sum() - truth["trips_per_weekday"].sum()))
    seen, at = np.array(errors), 0
    for name in TABLES:
        part = slice(at, at := at + len(truth[name]))
        before = standard_deviation(drawn[name].rho(-1)) ** 2
        # unbiased: the mean error of each cell is within six of its standard deviations as drawn
        assert (np.abs(seen[:, part].mean(axis=0)) < 6 * np.sqrt(before / runs)).all(), name
        assert np.square(seen[:, part]).mean() == pytest.approx(before * (1 - found.saved[name]), rel=0.15), (
            name
        )
        assert 0 < found.saved[name] < 1
    assert 0.94 < np.mean(np.array(total) <= found.half_width) < 0.99


@pytest.mark.parametrize("starts", [(0,), (5,), (2, 6, 10, 14, 18, 22), tuple(range(24)), (23,), (0, 23)])
def test_windows_share_out_the_hours(starts):
    numbers = window_of_hours(starts)
    assert set(numbers.tolist()) == set(range(len(starts)))
    for number, start in enumerate(starts):
        assert numbers[start] == number
