"""The range of a ratio of two noisy sums: it holds the true ratio in 95 of 100 draws, and is no wider than it must be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore.noise.accuracy import half_width_of_sum
from dpcore.noise.ratio import laplace_tail, ratios


def draws(rate, size, seed):
    """Discrete Laplace noise, for simulation alone."""
    rng = np.random.default_rng(seed)
    chance = -np.expm1(-float(rate))
    return rng.geometric(chance, size) - rng.geometric(chance, size)


def share_held(rate, above, below, size, seed=1):
    a, b = above + draws(rate, size, seed), below + draws(rate, size, seed + 1)
    value, low, high = ratios(a, b, rate)
    known = ~np.isnan(value)
    assert (np.isnan(low) == ~known).all()
    assert (np.isnan(high) == ~known).all()
    assert ((low <= value) & (value <= high))[known].all()
    assert (low[known] >= 0).all()
    assert (high[known] <= 1).all()
    true = above / (above + below)
    return float(((low <= true) & (true <= high))[known].mean()), float(known.mean())


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("scales", [15, 40, 400])
def test_wide_noise_is_held_by_95_of_100_ranges_no_more_and_no_less(share, scales):
    rate = Fraction(1, 5_000)
    total = scales * 5_000
    held, _ = share_held(rate, round(share * total), total - round(share * total), 40_000)
    assert 0.947 <= held <= 0.953


def test_a_ratio_of_zero_can_be_missed_on_one_side_alone():
    held, _ = share_held(Fraction(1, 5_000), 0, 200_000, 40_000)
    assert 0.972 <= held <= 0.978


@pytest.mark.parametrize(("scale", "most"), [(3, 0.975), (20, 0.965)])
@pytest.mark.parametrize("share", [0.1, 0.37])
def test_narrow_noise_is_held_by_95_of_100_or_a_few_more(scale, most, share):
    total = 60 * scale
    held, _ = share_held(Fraction(1, scale), round(share * total), total - round(share * total), 1_500)
    assert 0.935 <= held <= most


def test_between_the_two_laws_the_range_hardly_changes():
    a, b = np.array([900, 3_000]), np.array([2_100, 9_000])
    near = [ratios(a, b, Fraction(10, scale)) for scale in (479, 481)]  # scales 47.9 and 48.1
    for one, other in zip(*near, strict=True):
        assert one == pytest.approx(other, abs=4e-3)


def test_where_the_sum_may_be_zero_there_is_no_range():
    rate = Fraction(1, 100)
    least = half_width_of_sum(rate, 2)
    above, below = np.array([0, least, least + 1, -5, 10**6]), np.array([0, 0, 0, -5, 0])
    value, low, high = ratios(above, below, rate)
    assert np.isnan(value).tolist() == [True, True, False, True, False]
    assert value[4] == high[4] == 1
    assert low[4] == pytest.approx(1 - 300 / 10**6, rel=1e-4)
    nothing = np.zeros(20_000, np.int64)
    known = ~np.isnan(ratios(nothing + draws(rate, 20_000, 1), nothing + draws(rate, 20_000, 2), rate)[0])
    assert 0.02 <= known.mean() <= 0.03  # an empty cell passes on one side alone


def test_less_noise_gives_a_narrower_range():
    a, b = np.array([50_000]), np.array([70_000])
    widths = [
        float((found[2] - found[1])[0])
        for found in (ratios(a, b, Fraction(1, n)) for n in (5_000, 500, 50, 5))
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[1] / widths[2] == pytest.approx(10, rel=0.03)


def test_the_tail_is_that_of_a_weighted_difference():
    rng = np.random.default_rng(3)
    one, other = rng.laplace(0, 7, 400_000), rng.laplace(0, 7, 400_000)
    for share in (0.0, 0.2, 0.499999, 0.5, 0.81, 1.0):
        mixed = np.abs((1 - share) * one - share * other)
        for width in (0.0, 3.0, 9.0, 20.0):
            found = float(laplace_tail(np.array([width]), np.array([share]), 7.0)[0])
            assert found == pytest.approx(float((mixed > width).mean()), abs=3e-3)


def test_shapes_and_rates_are_checked():
    with pytest.raises(ValueError, match="as many"):
        ratios(np.zeros(2, np.int64), np.zeros(3, np.int64), Fraction(1))
    with pytest.raises(ValueError, match="rho"):
        ratios(np.zeros(2, np.int64), np.zeros(2, np.int64), Fraction(0))
    assert all(len(found) == 0 for found in ratios(np.zeros(0, np.int64), np.zeros(0, np.int64), Fraction(1)))
