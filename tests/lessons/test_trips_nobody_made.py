"""Lesson 13: what noisy tables held survives, what none of them joined is lost at any epsilon."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from dpcore.lessons import trips_nobody_made as nobody
from dpcore.lessons.dice import Dice

PLACE = {one.name: at for at, one in enumerate(nobody.QUESTIONS)}


@pytest.fixture(scope="module")
def made():
    return {text: nobody.synthesised(Fraction(text), Dice(5)) for text in ("0.1", "1", "10")}


def off(found, name):
    return found.changed[PLACE[name]]


def test_each_question_is_filed_under_what_the_tables_of_the_model_hold():
    held = [set(group.axes) for group in nobody.plan(Fraction(1)).groups]
    for one in nobody.QUESTIONS:
        joined = any(set(one.axes) <= axes for axes in held)
        alone = len(one.axes) == 1
        assert one.group == (nobody.ALONE if alone else nobody.TOGETHER if joined else nobody.APART)


def test_a_trip_adds_one_to_one_cell_of_each_table():
    trips = nobody.true_trips()
    fewer = trips.at(np.arange(1, len(trips)))
    for group in nobody.plan(Fraction(1)).groups:
        change = nobody.true_table(group.axes) - nobody.table(fewer, group.axes)
        assert change.sum() == 1 == change.max()
        assert change.min() == 0


def test_single_things_survive_already_at_a_small_epsilon(made):
    assert all(off(made["0.1"], name) < 0.03 for name in ("start", "hour", "date", "duration"))
    assert all(off(made["1"], name) < 0.012 for name in ("start", "hour", "date", "duration"))


def test_routes_need_more_epsilon_than_single_things(made):
    assert off(made["0.1"], "start and end") > 4 * off(made["0.1"], "start")
    assert off(made["0.1"], "start and end") > 2 * off(made["10"], "start and end")


def test_what_no_table_joins_is_lost_at_any_epsilon(made):
    for name in ("date and hour", "end and date", "end and hour"):
        least = off(nobody.without_noise(), name)
        assert least > 0.04
        assert off(made["10"], name) == pytest.approx(least, abs=0.005)


def test_more_epsilon_never_makes_a_measured_pair_much_worse(made):
    for name in ("start and end", "start and hour"):
        for less, more in pairwise(made.values()):
            assert off(more, name) < off(less, name) + 0.005


def test_the_match_is_in_the_true_trips_and_in_no_synthetic_ones(made):
    truth = nobody.by_date(nobody.true_trips())
    day = int(truth.argmax())
    assert truth[day] > 6 * np.sort(truth)[-2]
    for found in (*made.values(), nobody.without_noise()):
        assert found.event[day] < truth[day] / 4
        assert found.event.sum() == pytest.approx(truth.sum(), rel=0.15)


def test_the_number_of_synthetic_trips_is_a_noisy_one(made):
    true = len(nobody.true_trips())
    assert made["0.1"].trips != true
    assert made["10"].trips == pytest.approx(true, abs=200)


def test_the_measure_is_half_the_sum_of_differences_of_shares():
    assert nobody.apart(np.array([3, 1]), np.array([2, 2])) == pytest.approx(0.25)
    assert nobody.apart(np.array([3, 1]), np.array([6, 2])) == 0
