"""Lesson 6, the game: no attacker leaves the wedge, and the bot reaches the bound where it is tight."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest
from scipy import stats

from dpcore.lessons import attacks
from dpcore.lessons.dice import Dice
from dpcore.lessons.shapes import game, gaussian_deviation


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("counts", [1, 2, 9, 40])
def test_the_best_attackers_never_leave_the_wedge(epsilon, counts):
    wrong, right = attacks.through_geometric(epsilon, counts)
    assert (right <= attacks.wedge(wrong, epsilon, 0) + 1e-12).all()
    deviation = gaussian_deviation(epsilon, 1e-4) * np.sqrt(counts)
    wrong, right = attacks.through_gaussian(deviation, counts)
    assert (right <= attacks.wedge(wrong, epsilon, 1e-4) + 1e-12).all()
    if epsilon < 3:  # with delta 0 normal noise does leave it: the wedge is not merely wide
        assert (right > attacks.wedge(wrong, epsilon, 0)).any()


def test_with_half_the_noise_the_wedge_is_left_at_once():
    wrong, right = attacks.through_geometric(2.0, 1)
    assert (right > attacks.wedge(wrong, 1.0, 0) + 0.05).any()


def test_one_count_with_geometric_noise_touches_the_wedge():
    wrong, right = attacks.through_geometric(1.0, 1)
    assert right == pytest.approx(attacks.wedge(wrong, 1.0, 0))
    top = np.max(right - wrong) / 2 + 0.5
    assert top == pytest.approx(attacks.best_accuracy(1.0, 0)) == pytest.approx(exp(1) / (1 + exp(1)))


def test_the_alarms_of_many_counts_are_those_of_playing_them():
    counts, epsilon = 5, 2.0
    noise = Dice(4).discrete_laplace(Fraction(2, 5), 200_000 * counts).reshape(-1, counts)
    wrong, right = attacks.through_geometric(epsilon, counts)
    votes = [(noise + inside >= 1).sum(axis=1) for inside in (0, 1)]
    for place, line in enumerate(range(counts, -1, -1), 1):
        assert np.mean(votes[0] >= line) == pytest.approx(wrong[place], abs=0.005)
        assert np.mean(votes[1] >= line) == pytest.approx(right[place], abs=0.005)


@pytest.mark.parametrize("shape", ["geometric", "Gaussian"])
def test_the_bot_comes_to_its_rate_and_not_over_the_bound(shape):
    rounds = 100_000
    made = game(shape, Fraction(1), 1e-2, Dice(7), without=500, rounds=rounds)
    rate = made.right(made.bot) / rounds
    bound = attacks.best_accuracy(1.0, 1e-2 if shape == "Gaussian" else 0)
    exact = bound if shape == "geometric" else stats.norm.cdf(0.5 / gaussian_deviation(1.0, 1e-2))
    assert rate == pytest.approx(exact, abs=0.006)
    assert rate < bound + 0.006
    assert made.inside.mean() == pytest.approx(0.5, abs=0.006)


def test_no_other_line_guesses_better_than_the_bots():
    made = game("geometric", Fraction(1), 0, Dice(8), without=0, rounds=100_000)
    rates = {line: np.mean((made.answers > line + 0.5) == made.inside) for line in range(-3, 4)}
    assert max(rates, key=rates.get) == 0


def test_guesses_are_scored_against_their_own_rounds():
    made = game("geometric", Fraction(1), 0, Dice(9), without=10, rounds=30)
    assert made.right(made.inside[:20]) == 20
    assert made.right(made.inside[20:], 20) == 10
    assert made.right(~made.inside[:5]) == 0
