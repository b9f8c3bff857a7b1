"""Lesson 11: cutting at zero lifts sums as the formula says, agreement keeps them, and both look at noisy numbers alone."""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.lessons import tidying
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice

ONE = Fraction(1)


def law(epsilon):
    noise = np.arange(-600, 601)
    q = np.exp(-float(epsilon))
    return noise, (1 - q) / (1 + q) * q ** np.abs(noise)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(3)])
def test_the_formula_of_the_lift_is_that_of_the_law(epsilon):
    noise, chance = law(epsilon)
    for count in (0, 1, 4, 20):
        expected = chance @ np.maximum(count + noise, 0) - count
        assert tidying.lift(np.array([count]), epsilon)[0] == pytest.approx(expected, abs=1e-9)
    assert tidying.lift_of_empty(epsilon) == tidying.lift(np.array([0]), epsilon)[0]


@pytest.mark.parametrize(("epsilon", "trips"), [(ONE, 0.43), (Fraction(1, 10), 4.99)])
def test_an_empty_flow_gains_what_the_lesson_says(epsilon, trips):
    assert tidying.lift_of_empty(epsilon) == pytest.approx(trips, abs=0.005)


@pytest.mark.parametrize("seed", [None, 7], ids=["honest noise", "class seed"])
def test_phantom_trips_are_as_many_as_empty_flows_times_the_lift(seed):
    epsilon = Fraction(1, 2)
    cut = tidying.effect(tidying.tidied(tidying.noised(epsilon, Dice(seed)), 1, cut=True))
    empty = int((city().flows == 0).sum())
    expected = empty * tidying.lift_of_empty(epsilon)
    assert abs(cut.empty - expected) < 6 * 2 / float(epsilon) * np.sqrt(empty)


def test_cutting_brings_single_flows_nearer_and_takes_every_sum_away():
    noisy = tidying.noised(ONE, Dice(1))
    drawn, cut = (tidying.effect(tidying.tidied(noisy, 1, cut=cut)) for cut in (False, True))
    assert cut.single < drawn.single
    assert cut.total > 5 * abs(drawn.total)
    wide = 6 * np.sqrt(2 * city().flows.size)
    assert abs(cut.total - tidying.lifts(ONE).sum()) < wide
    assert abs(drawn.total) < wide
    assert drawn.running[-1] == drawn.total


def test_tidying_knows_nothing_but_noisy_numbers():
    noisy = np.array([[-3, 4], [5, 16]])
    assert tidying.tidied(noisy, 1, cut=False).tolist() == noisy.tolist()
    assert tidying.tidied(noisy, 1, cut=True).tolist() == [[0, 4], [5, 16]]
    assert tidying.tidied(noisy, 5, cut=False).tolist() == [[-5, 5], [5, 15]]
    assert tidying.tidied(np.array([5, 15, 25]), 10, cut=True).tolist() == [0, 20, 20]


@pytest.fixture(scope="module")
def agreements():
    found = []
    for seed in range(40):
        tables = tidying.noisy_tables(ONE, Dice(seed))
        found.append(tidying.totals(tables))
    return found


def test_tables_tell_different_totals_and_then_one(agreements):
    for told in agreements:
        assert len({row.drawn for row in told}) > 1
        assert [row.agreed for row in told] == pytest.approx([told[0].agreed] * len(told), abs=1e-4)


def test_the_agreed_total_is_nearer_to_the_truth_than_the_best_single_table(agreements):
    truth = len(city().person)
    agreed = np.array([told[0].agreed for told in agreements]) - truth
    assert np.sqrt((agreed**2).mean()) < min(
        np.sqrt(((np.array([told[place].drawn for told in agreements]) - truth) ** 2).mean())
        for place in range(len(tidying.TABLES))
    )
    assert abs(agreed.mean()) < 5 * agreed.std() / np.sqrt(len(agreed))


def test_intervals_of_totals_hold_as_often_as_they_say(agreements):
    truth = len(city().person)
    held = np.mean(
        [
            [abs(row.drawn - truth) <= row.half_width, abs(row.agreed - truth) <= row.half_width_agreed]
            for told in agreements
            for row in told
        ]
    )
    assert 0.88 <= held <= 1


def test_agreement_saves_error_in_every_table(agreements):
    assert all(0 < row.saved < 1 for told in agreements for row in told)
