"""Lesson 14: liars are caught, the honest machine is not accused, and the interval is that of Clopper and Pearson."""

import numpy as np
import pytest
from scipy import stats

from dpcore.lessons import broken
from dpcore.lessons.attacks import audit, clopper_pearson
from dpcore.lessons.dice import Dice
from dpcore.lessons.machines import CLAIMED, HONEST, MACHINES, audited, everybody, shuffled
from tests.chance import state

LIARS = [machine for machine in MACHINES if machine.lies]


@pytest.mark.parametrize("trials", [100, 1_000])
def test_the_honest_machine_stays_below_its_claim_in_95_of_100_audits(trials):
    runs = 200
    above = sum(audited(HONEST, trials, Dice(seed)).epsilon > CLAIMED for seed in range(runs))
    assert above <= 0.05 * runs


def test_many_trials_come_close_to_the_claim():
    bounds = [audited(HONEST, 10_000, Dice(seed)).epsilon for seed in range(3)]
    assert 0.8 < np.median(bounds) < 1.0


def test_on_honest_dice_it_is_not_accused_either():
    # whichever event is chosen, a bound exceeds 1.7 with a chance below 2e-5: the largest over all chances of an event, by
    # the binomial laws of the 7,000 trials that are counted. That three of five do so:
    state(10 * 2e-5**3)
    bounds = [audited(HONEST, 10_000, Dice()).epsilon for _ in range(5)]
    assert np.median(bounds) < 1.7


@pytest.mark.parametrize("machine", LIARS, ids=lambda machine: machine.name)
def test_every_liar_is_caught_with_3000_trials(machine):
    bounds = [audited(machine, 3_000, Dice(seed)).epsilon for seed in range(4)]
    assert min(bounds) > 1.5


def test_liars_differ_in_how_many_trials_they_need():
    caught = {
        machine.name: np.mean([audited(machine, 100, Dice(seed)).epsilon > CLAIMED for seed in range(20)])
        for machine in LIARS
    }
    assert caught["one noise, rescaled"] == 1
    assert caught["floating-point noise"] < 0.5


def test_the_bound_of_a_known_ratio_covers_it_in_95_of_100_audits():
    rng = np.random.default_rng(1)
    bounds = []
    for _ in range(200):
        present, absent = ((rng.random(400) < p).astype(float) for p in (0.6, 0.2))
        bounds.append(audit({"answer": present}, {"answer": absent}).epsilon)
    assert np.mean(np.array(bounds) > np.log(3)) <= 0.05
    assert np.median(bounds) > 0.6


def test_the_interval_is_that_of_the_beta_law():
    hits, trials = np.arange(0, 51), 50
    low, high = clopper_pearson(hits, trials)
    for k in hits:
        exact = stats.binomtest(int(k), trials).proportion_ci(0.95, "exact")
        assert (low[k], high[k]) == pytest.approx((exact.low, exact.high))


def test_the_machines_are_asked_about_few_people_of_whom_one_travels_often_and_one_for_long():
    people = everybody()
    assert len(people.trips) == 10
    assert people.trips.max() == 4
    longest = np.sort(people.minutes)
    assert longest[-1] > 2 * longest[-2]


def test_each_liar_points_to_the_lesson_of_its_flaw_and_letters_are_shuffled():
    assert len(LIARS) == 5
    assert all(machine.lesson for machine in LIARS)
    orders = {tuple(machine.name for machine in shuffled(Dice(seed))) for seed in range(30)}
    assert len(orders) > 20
    assert all(len(set(order)) == 6 for order in orders)
    assert shuffled(Dice(3)) == shuffled(Dice(3))


def test_the_median_of_data_falls_by_epsilon_for_each_rank_as_the_mechanism_on_a_public_grid_does():
    chances = broken.data_chances(np.arange(10.0), 1.0)
    ranks = np.abs(np.arange(10) + 0.5 - 5)
    assert chances.sum() == pytest.approx(1)
    assert np.log(chances[0] / chances[4]) == pytest.approx(-(ranks[0] - ranks[4]))
