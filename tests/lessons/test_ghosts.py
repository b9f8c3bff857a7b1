"""Lesson 7: ghosts, phantom trips and losses agree with the formula, and delta comes as often as it says."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpcore.lessons import ghosts
from dpcore.lessons.city import city, flows_between
from dpcore.lessons.dice import Dice

ONE = Fraction(1)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    return np.where(rng.random(200_000) < 0.3, rng.geometric(0.3, 200_000), 0)


def near(counted, expected, sharpness=8):
    """Within eight deviations of a Poisson count: all counts of a run are, but in 1 of a hundred million runs."""
    return abs(counted - expected) <= sharpness * np.sqrt(max(expected, 1)) + 1


@pytest.mark.parametrize("seed", [None, 5], ids=["honest sampler", "class seed"])
@pytest.mark.parametrize("epsilon", [ONE, Fraction(3, 10)])
def test_counted_ghosts_and_losses_agree_with_the_formula(table, epsilon, seed):
    made = ghosts.noised(table, epsilon, Dice(seed)).reckoned(20)
    flows = np.bincount(table)
    for threshold, counted in enumerate(made, 1):
        formula = ghosts.expected(flows, epsilon, threshold)
        assert near(counted.ghosts, formula.ghosts)
        assert near(counted.lost, formula.lost)
        assert counted.lost + counted.kept == (table > 0).sum()
        spread = 8 * (threshold + 2 / float(epsilon)) * np.sqrt(formula.ghosts) + 60 / float(epsilon)
        assert abs(counted.ghost_trips - formula.ghost_trips) <= spread


def test_cutting_at_zero_makes_q_over_1_minus_q_squared_trips_of_each_empty_flow():
    q = np.exp(-1.0)
    empty = np.array([22_500])
    assert ghosts.expected(empty, ONE, 1).ghost_trips == pytest.approx(22_500 * q / (1 - q**2))
    assert q / (1 - q**2) == pytest.approx(0.43, abs=0.005)
    assert ghosts.expected(np.array([1]), ONE, 1).ghosts == pytest.approx(0.27, abs=0.005)


def test_the_formula_of_losses_is_that_of_the_law_itself():
    q, noise = np.exp(-0.5), np.arange(-200, 201)
    law = (1 - q) / (1 + q) * q ** np.abs(noise)
    for threshold in (1, 3, 8):
        for count in (1, 2, 5, 12):
            flows = np.zeros(count + 1)
            flows[count] = 1
            found = ghosts.expected(flows, Fraction(1, 2), threshold)
            assert found.lost == pytest.approx(law[count + noise < threshold].sum(), abs=1e-12)


def test_a_higher_threshold_only_leaves_out_and_never_draws_again(table):
    made = ghosts.noised(table, ONE, Dice(2))
    shown = [set(made.shown(threshold).tolist()) for threshold in range(1, 10)]
    assert all(lower >= higher for lower, higher in pairwise(shown))
    assert [len(cells) for cells in shown] == [row.ghosts + row.kept for row in made.reckoned(9)]


def test_the_city_has_the_same_trips_however_finely_it_is_cut():
    coarse, fine = flows_between(150), flows_between(500)
    assert (coarse == city().flows.ravel()).all()
    assert len(fine) == 250_000
    assert fine.sum() == pytest.approx(coarse.sum(), rel=0.001)
    assert (fine == 0).sum() > 100_000
    assert (ghosts.by_trips(500) @ np.arange(len(ghosts.by_trips(500)))) == fine.sum()


def test_disasters_come_about_once_in_one_over_delta_releases():
    series = [ghosts.disasters(ONE, 7, Dice(seed)) for seed in range(400)]
    shown = np.array([one.shown for one in series])
    assert series[0].releases == round(1 / ghosts.delta(ONE, 7))
    assert shown.mean() == pytest.approx(1, abs=0.2)
    assert (shown > 0).mean() == pytest.approx(0.63, abs=0.08)


def test_delta_is_the_chance_of_the_law_that_a_lone_trip_reaches_the_threshold():
    noise = np.arange(-200, 201)
    q = np.exp(-1.0)
    law = (1 - q) / (1 + q) * q ** np.abs(noise)
    assert ghosts.delta(ONE, 9) == pytest.approx(law[1 + noise >= 9].sum())
