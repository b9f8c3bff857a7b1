"""Lesson 13: noise on the whole table cannot have made the printed days."""

from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.roy import hubway
from dpcore.lessons import broken, trips_nobody_made
from dpcore.lessons.dice import Dice

FEW = 30_000


@pytest.fixture(scope="module")
def found():
    return trips_nobody_made.emptiness(FEW)


def test_the_cells_are_all_of_the_table_and_hold_all_trips(found):
    assert found.size == 142 * 857 * 24
    assert (found.cells.sum(axis=(0, 1)) @ np.arange(found.cells.shape[2])) == FEW == found.trips
    on_top = found.cells[0].sum(axis=0) @ np.arange(found.cells.shape[2])
    assert on_top == found.days[found.busiest].sum()


@pytest.mark.parametrize("rate", [Fraction(45, 100), Fraction(9, 10)])
def test_a_cell_shows_on_average_what_the_formula_says(rate):
    noise = Dice(3).discrete_laplace(rate, 400_000)
    expected = trips_nobody_made.expected_shown(6, rate)
    for count in range(6):
        drawn = np.maximum(count + noise, 0)
        assert drawn.mean() == pytest.approx(expected[count], abs=5 * drawn.std() / len(noise) ** 0.5)


def test_the_expected_share_is_the_drawn_one(found):
    """The whole table of a smaller system, noised cell by cell."""
    made = hubway.hubway(FEW).trips
    cell = (made.start.astype(np.int64) * 857 + made.date) * 24 + made.second // 3_600
    counts = np.bincount(cell, minlength=found.size)
    rate = Fraction(2)
    shown = np.maximum(counts + Dice(4).discrete_laplace(rate, found.size), 0).reshape(142, 857, 24)
    stations = counts.reshape(142, -1).sum(axis=1)
    by_day = shown.sum(axis=2)
    top = by_day[:, found.busiest].sum(axis=1) / by_day.sum(axis=1)
    drawn = 100 / 5 * float(stations @ top) / FEW
    one = trips_nobody_made.variants(found, rate)[1]
    assert not one.occupied_only
    assert one.rate == rate
    assert drawn == pytest.approx(one.share, rel=0.02)
    assert shown.sum() - FEW == pytest.approx(one.phantoms, rel=0.02)


def test_noise_on_all_cells_flattens_the_busiest_days_and_noise_on_occupied_ones_does_not(found):
    literal, half, occupied, occupied_half = trips_nobody_made.variants(found, trips_nobody_made.EPSILON)
    assert literal.share < half.share < occupied.share <= occupied_half.share + 0.01
    assert literal.phantoms > found.trips
    assert occupied.share > 3 * literal.share


def test_empty_cells_that_stay_empty_are_what_is_broken():
    kept = broken.occupied_kept(trips_nobody_made.expected_shown(4, Fraction(1)))
    assert kept[0] == 0
    assert (kept[1:] == trips_nobody_made.expected_shown(4, Fraction(1))[1:]).all()


def test_a_table_of_dates_alone_keeps_the_busiest_days(found):
    assert trips_nobody_made.by_dates_alone(found, trips_nobody_made.EPSILON, Dice(6)) == pytest.approx(
        found.true_share, rel=0.2
    )


@pytest.mark.audit
def test_at_the_size_of_the_article_only_occupied_cells_come_near_what_it_prints():
    whole = trips_nobody_made.emptiness()
    shares = [one.share for one in trips_nobody_made.variants(whole, trips_nobody_made.EPSILON)]
    assert shares == pytest.approx([0.236, 0.318, 0.462, 0.515], abs=0.002)
    assert whole.empty == pytest.approx(2_262_463, abs=1)
    low, high = trips_nobody_made.PRINTED
    assert low - 0.006 < shares[3] < high
    assert trips_nobody_made.by_dates_alone(whole, trips_nobody_made.EPSILON, Dice(6)) == pytest.approx(
        whole.true_share, abs=0.01
    )
