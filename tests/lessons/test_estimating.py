"""Lesson 11, second half: estimates come nearer on average, and lie where their assumption is broken. Released counts never do.

The figures below were simulated with the seeds of the tests. They say how wrong estimates can get.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from dpcore.demo import town
from dpcore.lessons import estimating
from dpcore.lessons.dice import Dice

WORKS = [*town.WORKS]
SEEDS = range(20)
LITTLE = Fraction(1, 10)


@cache
def in_town(unlike):
    return [estimating.seen_in_town(unlike, Dice(seed)) for seed in SEEDS]


@cache
def in_valley(times, epsilon):
    return [estimating.seen_in_valley(times, epsilon, Dice(seed)) for seed in SEEDS]


def works_told(shown):
    """The estimate of the works over their truth."""
    return shown.estimate.values[WORKS].sum() / shown.truth[WORKS].sum()


def test_the_town_is_the_same_for_everybody_and_its_trips_stay_where_they_are():
    one, other = town.town_trips.__wrapped__(60), town.town_trips(60)
    assert (one.start == other.start).all()
    assert (one.end == other.end).all()
    calm = town.town_trips(0)
    assert (calm.person == other.person).all()
    moved = (calm.start != other.start) | (calm.end != other.end)
    made = np.bincount(calm.person)
    assert made.max() == town.OFTEN
    assert (made[calm.person[moved]] == town.OFTEN).all(), "only frequent travellers go elsewhere"
    assert np.isin(np.where(calm.start != other.start, other.start, other.end)[moved], WORKS).all()


def test_the_plaza_alone_is_unlike_its_neighbours():
    calm, lively = town.valley(1), town.valley(10)
    assert lively[town.PLAZA] == 10 * calm[town.PLAZA]
    assert (np.delete(calm, town.PLAZA) == np.delete(lively, town.PLAZA)).all()


def test_where_the_assumption_holds_all_trips_are_estimated_well_from_less_than_half_of_them():
    seen = in_town(0)
    share = np.mean([shown.share.value for shown in seen])
    assert share == pytest.approx(0.446, abs=0.01)
    assert np.mean([shown.ranges_hold for shown in seen]) >= 0.95 * 96
    assert np.mean([works_told(shown) for shown in seen]) == pytest.approx(1, abs=0.05)
    for shown in seen:
        assert shown.off(shown.estimate.values) < 0.1 * shown.off(shown.released)


@pytest.mark.parametrize(
    ("unlike", "told", "held"),
    [(20, 0.54, 91), (40, 0.42, 91), (60, 0.36, 81), (80, 0.34, 42), (100, 0.32, 15)],
)
def test_estimates_lie_as_frequent_travellers_become_unlike_others(unlike, told, held):
    """``told``: the works, as a part of their truth; ``held``: of 96 likely ranges those that hold the truth."""
    seen = in_town(unlike)
    assert np.mean([works_told(shown) for shown in seen]) == pytest.approx(told, abs=0.04)
    assert np.mean([shown.ranges_hold for shown in seen]) == pytest.approx(held, abs=8)
    share = np.mean([shown.share.value for shown in seen])
    assert share == pytest.approx(0.446, abs=0.01), "the share that counts tells nothing of it"


@pytest.mark.parametrize("unlike", estimating.UNLIKE)
def test_released_counts_keep_their_promise_whatever_people_do(unlike):
    assert np.mean([shown.noise_holds for shown in in_town(unlike)]) == pytest.approx(0.95 * 96, abs=2)


@pytest.mark.parametrize("epsilon", [LITTLE, Fraction(1, 5), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("times", estimating.TIMES)
def test_neighbours_bring_the_tiles_nearer_to_the_truth(times, epsilon):
    seen = in_valley(times, epsilon)
    drawn, estimated = (
        np.mean([shown.off(values(shown)) for shown in seen])
        for values in (lambda shown: shown.released, lambda shown: shown.estimate.values)
    )
    assert estimated < drawn
    if epsilon == LITTLE:
        assert estimated < 0.6 * drawn


def test_a_plaza_that_noise_hides_is_drawn_to_its_neighbours_and_its_wide_range_says_so():
    seen = in_valley(3, LITTLE)
    plaza = town.PLAZA
    truth = seen[0].truth[plaza]
    assert truth == 60
    told = np.array([shown.estimate.values[plaza] for shown in seen])
    assert told.mean() < 0.6 * truth
    drawn = seen[0].half_width / np.log(20)  # of Laplace noise: the mean of its absolute value
    assert np.abs(told - truth).mean() > drawn, "here the released count is better"
    assert np.mean([shown.estimate.high[plaza] >= truth for shown in seen]) >= 0.8, (
        "the likely range is wide here"
    )
    held = np.mean([abs(shown.released[plaza] - truth) <= shown.half_width for shown in seen])
    assert held >= 0.85, "the released count with the range of its noise"


def test_with_less_noise_the_plaza_is_believed():
    for shown in in_valley(10, Fraction(1)):
        assert shown.estimate.values[town.PLAZA] == pytest.approx(shown.truth[town.PLAZA], rel=0.1)


def test_a_class_sees_the_same_estimates():
    one, other = (estimating.seen_in_town(40, Dice(7)) for _ in range(2))
    assert (one.estimate.values == other.estimate.values).all()
    assert (one.estimate.high == other.estimate.high).all()


def test_the_picture_tells_ranges_that_hold_from_those_that_miss():
    shown = estimating.seen_in_town(60, Dice(7))
    chart = estimating.against_truth(shown)
    _, holds, misses = chart.figure["data"]
    assert len(holds["x"]) == shown.ranges_hold
    assert len(holds["x"]) + len(misses["x"]) == len(chart.table) == 96
