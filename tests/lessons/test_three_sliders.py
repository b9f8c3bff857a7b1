"""Lesson 2: averaging converges as foretold, rescaled noise is solved for, the ladder tells what its finest stop tells."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpcore.lessons import asking, attacks
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.privacy import RUNGS
from tests.chance import independence, must_be_noticed, must_fit, one_count

HALF = Fraction(1, 2)


def test_one_trip_changes_one_start_by_one():
    here = city()
    assert here.starts.sum() == (here.start >= 0).sum()
    assert len(here.starts) == here.tiles


def test_after_20_questions_58_percent_are_known_and_after_200_all_but_one_in_a_hundred():
    assert asking.chance_of_exact(HALF, 20) == pytest.approx(0.58, abs=0.005)
    assert asking.chance_of_exact(HALF, 200) == pytest.approx(0.99, abs=0.005)


@pytest.mark.parametrize("asked", [1, 2, 7, 20])
def test_the_exact_law_is_that_of_the_sum(asked):
    q = np.exp(-0.5)
    one = (1 - q) / (1 + q) * q ** np.abs(np.arange(-150, 151))
    law = np.ones(1)
    for _ in range(asked):
        law = np.convolve(law, one)
    means = np.arange(-(len(law) // 2), len(law) // 2 + 1) / asked
    # over even and odd counts alike, as numpy rounds
    right = [np.rint(means + count) == count for count in (0, 1)]
    assert asking.chance_of_exact(HALF, asked) == pytest.approx(
        (law * np.mean(right, axis=0)).sum(), abs=1e-9
    )


@pytest.mark.parametrize("honest", [True, False])
def test_the_averaging_attack_converges_as_the_law_says(honest):
    dice = Dice() if honest else Dice(3)
    truth = np.arange(2_000)
    made = asking.slider(truth, HALF, 200, dice)
    shares = attacks.hits_so_far(made.fresh, truth)
    for asked in (20, 200):
        expected = asking.chance_of_exact(HALF, asked)
        must_fit(one_count(shares[asked - 1] * len(truth), len(truth), expected))
    assert asking.expected_hits(HALF, 20)[-1] == asking.chance_of_exact(HALF, 20)


def test_two_stops_of_rescaled_noise_give_every_count_away():
    truth = city().starts
    made = asking.slider(truth, HALF, 1, Dice(4))
    for one, other in pairwise(RUNGS):
        solved = attacks.truth_from(made.rescaled(one), one, made.rescaled(other), other)
        assert np.array_equal(solved, truth)


def test_two_stops_of_the_ladder_do_not():
    truth = np.full(20_000, 100)
    shown = truth + Dice(5).ladder(RUNGS, len(truth))
    low, high = RUNGS.index(HALF), RUNGS.index(Fraction(1))
    solved = attacks.truth_from(shown[low], HALF, shown[high], Fraction(1))
    finer = shown[high] == truth
    assert (solved == truth).mean() < finer.mean()


def independent(coarse, fine):
    """Looks at whether what the coarser stop adds knows nothing of the finer one."""
    added = np.clip(coarse - fine, -3, 3)
    table = np.zeros((7, 5))
    np.add.at(table, (added + 3, np.clip(fine, -2, 2) + 2), 1)
    return independence(table)


@pytest.mark.parametrize("honest", [True, False])
def test_coarser_stops_are_the_finest_with_something_added_that_knows_nothing_of_it(honest):
    dice = Dice() if honest else Dice(6)
    shown = dice.ladder(RUNGS[3:8], 60_000)
    for coarse in shown[:-1]:
        must_fit(independent(coarse, shown[-1]))
    fresh = [dice.discrete_laplace(epsilon, 60_000) for epsilon in (RUNGS[3], RUNGS[7])]
    must_be_noticed(independent(*fresh))  # two fresh draws tell more than one: the test sees it


def test_the_law_of_all_stops_together_is_that_of_the_finest_and_of_what_was_added():
    """Joint chances of two stops for a count and for its neighbour differ by the finer epsilon at most, and reach it."""
    low, high = 0.5, 1.0
    q, fine = np.exp(-low), np.exp(-high)
    span = np.arange(60)
    shared = (1 - q) * q**span  # a half at the coarser stop
    other = (1 - fine / q) * (fine / q) ** span  # the fresh draw beside it
    other[-1] += 1 - other.sum()
    halves = np.zeros((60, 60))
    for g, chance in enumerate(shared):
        np.add.at(halves, (g, np.minimum(g, span)), chance * other)
    both = np.zeros((119, 119))
    grid = np.argwhere(halves > 1e-16)
    for (g, finer), (h, least) in ((one, other) for one in grid[:250] for other in grid[:250]):
        both[g - h + 59, finer - least + 59] += halves[g, finer] * halves[h, least]
    inner = both[49:70, 49:70]
    shifted = both[50:71, 50:71]
    seen = (inner > 1e-9) & (shifted > 1e-9)
    loss = np.abs(np.log(inner[seen] / shifted[seen])).max()
    assert loss == pytest.approx(high, abs=0.02)


def test_no_mean_of_all_stops_beats_the_finest():
    shown = Dice(8).ladder(RUNGS[:7], 50_000)
    combined = attacks.weighted_mean(shown, RUNGS[:7])
    assert np.abs(combined).mean() >= np.abs(attacks.finest_alone(shown)).mean() * 0.98
