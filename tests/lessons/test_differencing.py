"""Lesson 1: what subtracting two tables tells, exact and with noise."""

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from dpcore.lessons import attacks as attack
from dpcore.lessons import broken, differencing
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.privacy import RUNGS, best_guess

TRIES = 200_000


@pytest.fixture(scope="module")
def tables():
    place = city().tessellation.tile_ids.index("D041")
    return differencing.two_tables(place, 20)


def test_no_table_shows_a_count_below_the_limit():
    shown = broken.small_hidden(np.arange(20), 10)
    assert shown.tolist() == [-1] * 10 + list(range(10, 20))


def test_the_difference_of_two_tables_is_the_count_of_the_day(tables):
    here = city()
    today = (here.day == tables.day) & (here.end == tables.place) & (here.start >= 0)
    counted = np.bincount(here.start[today], minlength=here.tiles)
    first, second = tables.printed
    told = attack.readable(first, second)
    assert np.array_equal(attack.extra(first, second)[told], counted[told])
    assert tables.small_but_told.sum() >= 10


def test_what_is_singled_out_is_the_trip_of_one_person(tables):
    here = city()
    for tile in tables.singled_out.tolist():
        one = differencing.only_visitor(tables, tile)
        rows = here.of(here.people.index(one.person))
        mine = (here.start[rows] == tile) & (here.end[rows] == tables.place) & (here.day[rows] == tables.day)
        assert mine.sum() == 1
        assert one.trips == rows.stop - rows.start


def test_nobody_is_named_where_several_went(tables):
    several = int(np.argmax(tables.second - tables.first))
    with pytest.raises(ValueError, match="not exactly one"):
        differencing.only_visitor(tables, several)


def test_one_trip_changes_one_count_of_one_table_by_one(tables):
    arrivals = city().arrivals(tables.place)
    assert arrivals.sum() == ((city().end == tables.place) & (city().start >= 0)).sum()
    assert np.array_equal(arrivals[: tables.day + 1].sum(axis=0), tables.second)


def test_attackers_stay_below_the_bound_of_both_tables():
    rungs = RUNGS[2:]
    game = differencing.game(rungs, TRIES, Dice(5))
    spread = 4 * (0.25 / TRIES) ** 0.5
    for place, epsilon in enumerate(rungs):
        assert game.subtracting[place] < best_guess(epsilon) - spread
        assert game.informed[place] < best_guess(epsilon) - spread


def test_attackers_are_as_often_right_as_the_law_says():
    epsilon = Fraction(2)
    game = differencing.game([epsilon], TRIES, Dice(6))
    q = exp(-float(epsilon) / 2)
    law = ((1 - q) / (1 + q)) * q ** np.abs(np.arange(-200, 201))
    same = float((law**2).sum())  # both noises equal
    assert game.informed[0] == pytest.approx(1 / (1 + q), abs=0.005)
    assert game.subtracting[0] == pytest.approx((1 + same) / 2, abs=0.005)


def test_noise_that_fits_one_table_only_would_break_the_bound():
    """The attack can tell: at twice the epsilon it is right more often than the bound of one allows."""
    game = differencing.game([Fraction(4)], TRIES, Dice(7))
    assert game.informed[0] > best_guess(Fraction(3, 2)) + 0.02


def test_the_noise_of_each_table_is_that_of_half_of_epsilon(tables):
    both = differencing.noisy(tables, RUNGS, Dice(8))
    assert both.shape == (len(RUNGS), 2, city().tiles)
    off = np.abs(both - np.stack([tables.first, tables.second])).mean(axis=(1, 2))
    q = np.exp([-float(epsilon) / 2 for epsilon in RUNGS])
    assert off[:8] == pytest.approx((2 * q / (1 - q * q))[:8], rel=0.3)
