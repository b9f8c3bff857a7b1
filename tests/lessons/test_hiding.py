"""Lesson 3: hiding trips leaves people with many of them alone; hiding people does not."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from dpcore.lessons import attacks, hiding
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.privacy import PrivacyUnit

RATE = Fraction(66, 100)
TRIES = 40_000


def promise(unit=PrivacyUnit.TRIP, epsilon=RATE, most=8):
    return hiding.Promise(unit, epsilon, most)


def test_32_trips_at_two_thirds_each_are_21_and_certain():
    assert promise().loss(32) == Fraction(2112, 100)
    assert promise().certainty(32) > 0.9999
    assert promise().certainty(1) == pytest.approx(0.66, abs=0.005)


def test_99_percent_is_reached_from_7_trips_and_not_from_6():
    assert promise().crosses_from(0.99) == 7
    assert promise().certainty(7) > 0.99 > promise().certainty(6)


def test_where_people_are_hidden_nobody_gets_beyond_epsilon_and_few_trips_have_less():
    mine = promise(PrivacyUnit.USER, Fraction(1))
    assert {mine.certainty(trips) for trips in (8, 32, 490)} == {exp(1) / (1 + exp(1))}
    assert mine.crosses_from(0.99) is None
    assert all(mine.loss(trips) <= mine.epsilon for trips in range(1, 100))


def test_the_presence_of_somebody_with_one_trip_has_epsilon_over_m():
    mine = promise(PrivacyUnit.USER, Fraction(5))
    assert mine.loss(1) == Fraction(5, 8)
    assert mine.certainty(1) == pytest.approx(exp(5 / 8) / (1 + exp(5 / 8)))
    assert mine.crosses_from(0.99) == 8
    assert mine.certainty(8) > 0.99 > mine.certainty(7)
    right = hiding.recognised((1,), mine.rate, TRIES, Dice(5))
    assert right == pytest.approx(mine.certainty(1), abs=0.015), "and the attack reaches it"


@pytest.mark.parametrize("unit", list(PrivacyUnit))
def test_no_attack_is_right_more_often_than_the_certainty(unit):
    mine = promise(unit, Fraction(1, 2), 8)
    for trips in (1, 4, 16):
        person = int(hiding.people_with(trips)[0])
        own = hiding.journeys(person, 8 if unit is PrivacyUnit.USER else None)
        assert sum(own) == mine.counted(trips)
        right = hiding.recognised(own, mine.rate, TRIES, Dice(trips))
        assert right < mine.certainty(trips) + 4 * (0.25 / TRIES) ** 0.5


def test_the_attack_reaches_the_bound_where_all_trips_are_one_journey():
    right = hiding.recognised((4,), Fraction(1, 4), TRIES, Dice(1))
    assert right == pytest.approx(best(4, 0.25), abs=0.01)


def best(trips, rate):
    """Share of right answers by enumeration: the larger of both chances at every noisy count."""
    counts = np.arange(-300, 301)
    q = exp(-rate)
    law = (1 - q) / (1 + q) * q ** np.abs(counts)
    return np.maximum(law, np.roll(law, trips)).sum() / 2


def test_one_journey_at_one_epsilon_is_recognised_as_often_as_the_bound_says():
    right = hiding.recognised((1,), Fraction(1), TRIES, Dice(2))
    assert right == pytest.approx(exp(1) / (1 + exp(1)), abs=0.01)


def test_the_published_attack_on_32_journeys_is_right_in_95_percent_with_noise_that_is_not_whole():
    dice = Dice(3)
    own = np.ones(32)
    there = dice.floats.random(TRIES) < 1 / 2
    noise = dice.floats.laplace(scale=1 / 0.66, size=(TRIES, 32))
    odds = attacks.log_odds(noise + there[:, None] * own, own, 0.66)
    assert np.mean((odds > 0) == there) == pytest.approx(0.954, abs=0.005)


def test_with_whole_noise_it_is_right_a_little_more_often():
    assert hiding.recognised((1,) * 32, RATE, TRIES, Dice(4)) == pytest.approx(0.967, abs=0.006)


def test_journeys_of_a_person_are_their_trips():
    for person in (0, 100, 996):
        assert sum(hiding.journeys(person)) == city().trips_per_person[person]
        assert sum(hiding.journeys(person, 3)) == min(3, city().trips_per_person[person])
