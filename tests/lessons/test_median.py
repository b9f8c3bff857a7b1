"""Lesson 8: the law is that of the mechanism, no answer tells more than epsilon, and a median among the data tells all."""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.lessons import attacks, broken, median
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.measures import bought, measure_named
from dpcore.noise import exponential as mechanism
from dpcore.privacy import ContributionBound
from tests.chance import classes, must_be_noticed, must_fit

ONE = Fraction(1)


def counts_on_grid(minutes):
    at = np.searchsorted(median.POINTS, minutes, side="right") - 1
    return np.bincount(at, minlength=len(median.POINTS))


@pytest.mark.parametrize("number", [25, 250, 2_500])
def test_scores_are_those_of_the_mechanism(number):
    minutes = median.some_trips(number).minutes
    assert median.scores(minutes).tolist() == mechanism.scores(counts_on_grid(minutes), median.LEVEL)


def test_one_trip_changes_a_score_by_half_a_rank_as_the_measure_proves():
    proved = bought.sensitivity(measure_named("travel_time"), ContributionBound.per_trip(), median.LEVEL)
    assert median.CHANGE == proved == 10
    trips = median.some_trips(25)
    whole = median.scores(trips.minutes)
    moved = [abs(whole - median.scores(trips.without(place).minutes)).max() for place in range(25)]
    assert max(moved) == proved


def test_the_law_of_three_points_is_that_of_flipping_coins_in_random_order():
    score = np.array([0, -10, -30])
    p = np.exp(score / 20)  # change 10, epsilon 1: noise of mean 20
    first = [
        p[i]
        * (1 - sum(p[j] for j in range(3) if j != i) / 2 + np.prod([p[j] for j in range(3) if j != i]) / 3)
        for i in range(3)
    ]
    assert np.exp(median.log_permute_and_flip(score, ONE)) == pytest.approx(first, abs=1e-12)


@pytest.mark.usefixtures("opendp")
def test_the_law_is_that_of_the_mechanism_which_releases_use():
    number, epsilon, n = 25, Fraction(3), 8_000
    counts = counts_on_grid(median.some_trips(number).minutes)
    change = median.CHANGE
    drawn = [mechanism.winner(counts, median.LEVEL, sensitivity=change, epsilon=epsilon) for _ in range(n)]
    law = median.law(number, epsilon)
    seen = np.bincount(drawn, minlength=len(law.chance))

    right = classes(seen, law.chance)
    must_fit(right)
    must_be_noticed(classes(seen, law.by_exponential), drawn_from=right)  # the plain exponential mechanism


@pytest.mark.parametrize("number", [25, 2_500])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(3)])
def test_all_chances_together_are_1_and_none_is_0(number, epsilon):
    law = median.law(number, epsilon)
    assert np.exp(law.log_chance).sum() == pytest.approx(1, abs=1e-9)
    assert np.isfinite(law.log_chance).all()


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(3)])
def test_no_answer_tells_more_than_epsilon_whichever_trip_goes(epsilon):
    trips = median.some_trips(25)
    whole = median.law(25, epsilon).log_chance
    told = [
        abs(whole - median.log_permute_and_flip(median.scores(trips.without(place).minutes), epsilon)).max()
        for place in range(25)
    ]
    assert max(told) <= float(epsilon) * (1 + 1e-9)
    assert max(told) >= float(epsilon) / 3
    assert median.most_told(25, epsilon) in told


def test_permute_and_flip_misses_by_no_more_than_the_exponential_mechanism():
    for number in (25, 250):
        law = median.law(number, ONE)
        assert law.chance @ -law.score < law.by_exponential @ -law.score


def test_drawn_medians_follow_the_law_and_lie_on_the_grid():
    answers = median.draws(250, ONE, 4_000, Dice(1))
    assert set(answers) <= set(median.POINTS)
    truth = median.some_trips(250).median
    expected = median.law(250, Fraction(1, 10)).within(truth, 1)
    near = (abs(median.draws(250, Fraction(1, 10), 4_000, Dice(2)) - truth) <= 1).mean()
    assert near == pytest.approx(expected, abs=0.04)


def test_every_median_among_the_data_is_the_exact_duration_of_a_trip_of_the_city():
    trips = median.some_trips(250)
    answers = broken.data_medians(trips.minutes, 1.0, 200, Dice(3))
    for answer in answers:
        found = attacks.whose(answer, trips.minutes)
        assert len(found) >= 1
        assert (city().minutes[trips.rows[found]] == answer).all()


@pytest.mark.parametrize("number", [2, 3, 25, 250])
def test_among_the_data_the_scores_are_those_of_the_mechanism(number):
    minutes = median.some_trips(number).minutes
    values, often = np.unique(minutes, return_counts=True)
    scores = np.array(mechanism.scores(often, median.LEVEL)) / 20  # in ranks
    told = np.log(broken.data_chances(minutes, 0.5))
    expected = scores[np.searchsorted(values, minutes)] * 0.5
    assert told - told.max() == pytest.approx(expected - expected.max())


def test_without_its_trip_an_answer_among_the_data_is_impossible():
    trips = median.some_trips(25)
    middle = trips.minutes[12]
    assert len(attacks.whose(middle, trips.without(12).minutes)) == 0
    assert broken.data_chances(trips.minutes, 0.01)[12] > 0.03
