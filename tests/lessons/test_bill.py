"""Lesson 9: sums agree with the published figures, days are not disjoint for people, and cube roots are best."""

from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest

from dpcore.lessons import bill, hiding
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.lessons.shapes import gaussian_deviation
from dpcore.privacy import best_guess

ONE = Fraction(1)


def test_epsilon_1_and_delta_in_a_million_are_worth_a_rho_of_0_0244():
    assert bill.concentrated(1.0, 1e-6) == pytest.approx(0.0244, abs=5e-5)
    assert bill.delta(bill.concentrated(1.0, 1e-6), 1.0) <= 1e-6


@pytest.mark.parametrize(("answers", "geometric", "gaussian"), [(10, 14.1, 14.3), (20, 28.3, 20.3)])
def test_many_gaussian_answers_are_cheaper(answers, geometric, gaussian):
    assert bill.spreads(ONE, 1e-6, answers) == pytest.approx((geometric, gaussian), abs=0.05)


def test_the_crossover_is_the_first_number_of_answers_at_which_gaussian_noise_is_narrower():
    cross = bill.crossover(ONE, 1e-6)
    assert cross == 11
    before, there = (bill.spreads(ONE, 1e-6, answers) for answers in (cross - 1, cross))
    assert before[0] < before[1]
    assert there[0] > there[1]


def test_concentrated_privacy_never_promises_more_than_a_gaussian_answer_keeps():
    for epsilon in (0.3, 1.0, 3.0):
        deviation = 1 / sqrt(2 * bill.concentrated(epsilon, 1e-6))
        assert deviation >= gaussian_deviation(epsilon, 1e-6)
        assert deviation <= 1.25 * gaussian_deviation(epsilon, 1e-6)


def test_days_on_which_people_travel_are_counted_once_each():
    here = city()
    person = int(np.argmax(bill.active_days()))
    assert bill.active_days()[person] == len(set(here.day[here.of(person)].tolist()))
    assert bill.people_by_days().sum() == len(here.people)
    assert (bill.active_days() <= here.trips_per_person).all()


def test_who_travels_on_one_day_is_hidden_as_claimed_and_who_travels_on_twenty_is_not():
    epsilon, tries = Fraction(1, 2), 20_000
    claimed = best_guess(epsilon)
    assert hiding.recognised((1,), epsilon, tries, Dice(1)) <= claimed + 5 * sqrt(0.25 / tries)
    twenty = hiding.recognised((1,) * 20, epsilon, tries, Dice(2))
    assert twenty > claimed + 0.2
    assert twenty <= best_guess(bill.group_loss(epsilon, 20))


def test_what_a_person_pays_grows_with_their_days():
    assert bill.group_loss(Fraction(1, 2), 20) == 10
    days = bill.days_until(Fraction(1, 2))
    assert 1 / (1 + exp(-days / 2)) == pytest.approx(0.99)


def test_no_split_has_a_smaller_total_error_than_the_cube_roots():
    least = bill.least_total(ONE).total
    rng = np.random.default_rng(1)
    for weights in rng.integers(1, 101, size=(300, 3)).tolist():
        assert bill.split(ONE, weights).total > least * (1 - 1e-5)
    assert bill.split(ONE, [9, 28, 6]).total < 1.01 * least
    assert bill.split(ONE, [1, 1, 1]).total > 2 * least


def test_no_split_has_a_smaller_worst_error_than_the_even_one():
    even = bill.least_worst(ONE)
    assert max(even.relative) == pytest.approx(min(even.relative), rel=0.05)
    rng = np.random.default_rng(2)
    for weights in rng.integers(1, 1_000, size=(300, 3)).tolist():
        assert bill.split(ONE, weights).worst > even.worst * 0.99


def test_a_split_spends_the_whole_budget_and_no_more():
    for one in (bill.split(ONE, [1, 2, 3]), bill.least_total(ONE), bill.least_worst(ONE)):
        assert sum(one.parts) == 1


def test_views_say_how_far_one_trip_moves_them():
    assert [view.sensitivity for view in bill.VIEWS] == [2, 1, 2]
    assert [view.cells for view in bill.VIEWS] == [151, 151**2, 48]
