"""Lesson 12: levels of places keep their promise, and sharp counts around a delicate place tell it nevertheless."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from dpcore.kinds.tree.levels import DESCRIPTORS
from dpcore.lessons import attacks, places
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.privacy import best_guess

HALF = Fraction(1, 2)
TRIES = 40_000


def judged(clinic="Critical", others="Public-ish", times=5, epsilon=HALF):
    return places.judged(clinic, others, times, epsilon)


def test_five_times_is_the_scale_of_the_app():
    assert places.scale(5) == DESCRIPTORS
    assert places.scale(20)[0].weight == Fraction(1, 20)


def test_the_counts_are_trips_of_one_day_from_the_station_to_elsewhere():
    here, station = city(), places.numbers()[places.STATION]
    counts = places.departures()
    assert counts[station] == 0
    leaving = (here.start == station) & (here.day == places.DAY) & (here.end != station)
    assert counts.sum() == (leaving & (here.end >= 0)).sum()
    assert (
        counts[places.numbers()[places.SQUARE]] == counts.max() > 4 * counts[places.numbers()[places.CLINIC]]
    )


def test_the_rates_are_those_of_the_notes():
    mine = judged()
    square = mine.rate(places.numbers()[places.SQUARE])
    assert float(mine.rate(mine.clinic)) == pytest.approx(0.5 / 3, abs=2**-15)
    assert float(square) == pytest.approx((2.5 - 0.5 / 3) / 2, abs=2**-15)
    assert square == mine.station_rate
    assert mine.right == pytest.approx(1 / (1 + exp(-1.1667)), abs=1e-4)


@pytest.mark.parametrize("clinic", places.NAMES)
@pytest.mark.parametrize("others", places.NAMES)
def test_going_on_to_a_place_costs_no_more_than_its_epsilon(clinic, others):
    for times in (2, 100):
        mine = judged(clinic, others, times)
        marker = HALF / 3  # one end moves from the clinic up to the station
        assert mine.rate(mine.clinic) + 2 * marker <= mine.loss(mine.clinic)
        square = places.numbers()[places.SQUARE]
        assert mine.rate(mine.clinic) + mine.rate(square) <= mine.loss(mine.clinic) + mine.loss(square)
        assert mine.rate(square) <= mine.station_rate
        assert mine.station_rate - mine.rate(square) < Fraction(1, 2**15)


def test_the_attack_is_right_as_often_as_the_formula_says_and_no_more():
    for times, others in ((5, "Public-ish"), (20, "Public-ish"), (5, "Critical")):
        mine = judged(others=others, times=times)
        share = places.attacked(mine, TRIES, Dice(times))
        assert share == pytest.approx(mine.right, abs=4 * (0.25 / TRIES) ** 0.5)


def test_exclusion_passes_what_the_epsilon_of_the_clinic_alone_would_allow():
    mine = judged(times=20)
    assert mine.loss(mine.clinic) == HALF
    assert mine.right > 0.99 > best_guess(HALF)
    assert [judged(times=times).right for times in places.TIMES] == sorted(
        judged(times=times).right for times in places.TIMES
    )
    assert mine.right <= best_guess(mine.loss(mine.clinic) + mine.loss(places.numbers()[places.SQUARE]))


def test_where_all_places_are_critical_the_attack_ends_and_both_epsilons_agree():
    mine = judged(others="Critical", times=100)
    assert mine.price.record == HALF == mine.loss(mine.clinic)
    assert mine.surest <= best_guess(HALF)


def test_the_odds_are_those_of_the_law_of_the_noise():
    at_clinic, at_square = 0.3, 1.1
    clinic, square = (grid.ravel() for grid in np.meshgrid(np.arange(-4, 6), np.arange(-4, 6)))
    to_clinic = at_clinic * abs(clinic - 1) + at_square * abs(square)
    to_square = at_clinic * abs(clinic) + at_square * abs(square - 1)
    odds = attacks.log_odds_of_place(clinic, square, at_clinic, at_square)
    assert odds == pytest.approx(to_square - to_clinic)


def test_the_number_left_over_becomes_exact_while_the_own_count_stays_noisy():
    found = [places.clinic_twice(judged(times=100), Dice(seed)) for seed in range(40)]
    assert {one.left - one.truth for one in found} == {0}
    assert found[0].left_within == 0
    assert len({one.own for one in found}) > 10
    assert found[0].own_within > 15


def test_intervals_of_both_ways_hold_the_truth_95_percent_of_the_time():
    found = [places.clinic_twice(judged(times=5), Dice(seed)) for seed in range(600)]
    for held in (
        np.mean([abs(one.left - one.truth) <= one.left_within for one in found]),
        np.mean([abs(one.own - one.truth) <= one.own_within for one in found]),
    ):
        assert 0.92 < held < 0.985
