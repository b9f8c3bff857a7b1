"""Formulas against answers worked out by hand, published figures, and second implementations."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import distance

from dpcore.comparison import formulas
from dpcore.comparison.formulas import jensen_shannon, kl_divergence, shares, smape

COUNTS = st.lists(st.integers(-20, 200), min_size=2, max_size=40)
PAIRS = st.integers(2, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-20, 200), min_size=n, max_size=n)] * 2)
)


def array(*numbers):
    return np.array(numbers, float)


def test_smape_is_the_mean_of_differences_over_averages():
    assert smape(array(10, 0, 0, 4), array(5, 0, 3, 4)) == pytest.approx((5 / 7.5 + 0 + 2 + 0) / 4)
    assert smape(array(1, 1), array(0, 0)) == 2
    assert smape(array(5), array(-5)) == 2
    assert smape(array(), array()) == 0


def test_shares_take_what_lies_below_zero_for_zero():
    assert shares(array(3, -7, 1)).tolist() == [0.75, 0, 0.25]
    assert shares(array(0, -2)) is None


def test_jensen_shannon_is_that_of_base_2_and_not_rooted():
    p, q = array(0.5, 0.5, 0), array(0, 0.5, 0.5)
    assert jensen_shannon(p, q) == pytest.approx(0.5)
    assert jensen_shannon(array(1, 0), array(0, 1)) == 1
    rooted = distance.jensenshannon(p, q)
    assert jensen_shannon(p, q) == pytest.approx(rooted**2 / log(2))
    # a pair whose rooted divergence in natural logarithms is 0.041, as other tools print it
    low, high = 0.0, 0.5
    for _ in range(60):
        middle = (low + high) / 2
        near = distance.jensenshannon(array(0.5, 0.5), array(0.5 + middle, 0.5 - middle)) < 0.041
        low, high = (middle, high) if near else (low, middle)
    assert jensen_shannon(array(0.5, 0.5), array(0.5 + low, 0.5 - low)) == pytest.approx(0.0024, abs=5e-5)


def test_kl_divergence_adds_half_a_count_and_is_in_bits():
    p, q = array(3.5, 0.5) / 4, array(0.5, 1.5) / 2
    by_hand = p[0] * np.log2(p[0] / q[0]) + p[1] * np.log2(p[1] / q[1])
    assert kl_divergence(array(3, 0), array(-4, 1)) == pytest.approx(by_hand)


def test_emd_on_a_line_is_the_distance_times_the_share_that_moves():
    assert formulas.emd(array(1, 0, 0), array(0, 0, 1), array(0, 2, 10)) == 10
    assert formulas.emd(array(0.5, 0.5, 0), array(0.5, 0, 0.5), array(0, 2, 10)) == 4
    assert formulas.emd(array(0, 1, 0), array(1, 0, 0), array(10, 0, 2)) == 10


def test_groups_count_by_their_mass_and_empty_ones_are_left_out():
    at, groups = array(0, 1, 0, 1, 0, 1), [np.array([0, 1]), np.array([2, 3]), np.array([4, 5])]
    one, other = array(6, 0, 0, 2, 0, 0), array(0, 6, 0, 2, 9, 0)
    masses = (6 / 8 + 6 / 17, 2 / 8 + 2 / 17)
    assert formulas.grouped_emd(one, other, at, groups) == pytest.approx(masses[0] / sum(masses))
    assert formulas.grouped_emd(array(1, 0), array(0, 0), at[:2], groups[:1]) is None


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_second_implementations_agree(pair):
    one, other = (np.array(side, float) for side in pair)
    tau = formulas.kendall_tau(one, other)
    expected = stats.kendalltau(one, other).statistic if np.ptp(one) and np.ptp(other) else None
    assert tau == (None if expected is None else pytest.approx(expected))
    p, q = shares(one), shares(other)
    if p is not None and q is not None:
        at = np.cumsum(1 + np.arange(len(p)) % 3).astype(float)
        assert formulas.emd(p, q, at) == pytest.approx(stats.wasserstein_distance(at, at, p, q), abs=1e-12)
        assert jensen_shannon(p, q) == pytest.approx(distance.jensenshannon(p, q, 2) ** 2, abs=1e-12)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_every_distance_is_symmetric_and_none_between_equals(pair):
    one, other = (np.array(side, float) for side in pair)
    assert smape(one, one) == kl_divergence(one, one) == 0
    assert smape(one, other) == smape(other, one)
    assert 0 <= smape(one, other) <= 2
    assert kl_divergence(one, other) >= 0
    assert formulas.kendall_tau(one, one) in (1, None)
    assert formulas.kendall_tau(one, other) == formulas.kendall_tau(other, one)
    assert formulas.top_overlap(one, other, 10) == formulas.top_overlap(other, one, 10)
    assert formulas.top_overlap(one, one, 10) == 1
    p, q = shares(one), shares(other)
    if p is not None and q is not None:
        assert jensen_shannon(p, q) == pytest.approx(jensen_shannon(q, p), abs=1e-15)
        assert 0 <= jensen_shannon(p, q) <= 1
        assert jensen_shannon(p, p) == 0


@pytest.mark.parametrize("n", [2, 3, 10, 100, 1000])
def test_tau_of_a_reversal_and_of_a_swap_of_neighbours(n):
    counts = np.arange(n, 0, -1).astype(float)
    assert formulas.kendall_tau(counts, -counts) == pytest.approx(-1)
    swapped = counts.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    assert formulas.kendall_tau(counts, swapped) == pytest.approx(1 - 4 / (n * (n - 1)))
    if n == 100:
        assert formulas.kendall_tau(counts, swapped) == pytest.approx(0.9996, abs=5e-5)


def test_what_a_perfect_order_can_reach_is_known_and_clamping_gains_nothing():
    truth = np.concatenate([np.zeros(300), np.arange(1, 201)])
    noisy = np.concatenate([np.linspace(-5, 0.5, 300), np.arange(1, 201)])
    of_noise = (False, True)
    assert formulas.kendall_tau(truth, noisy, of_noise) == pytest.approx(0.80, abs=0.005)
    assert formulas.largest_tau(truth, np.roll(noisy, 77), of_noise) == formulas.kendall_tau(
        truth, noisy, of_noise
    )
    clamped = np.maximum(noisy, 0)
    assert formulas.kendall_tau(truth, clamped) > 0.9, (
        "ties on both sides count as agreement where no side has noise"
    )
    assert formulas.kendall_tau(truth, clamped, of_noise) <= formulas.kendall_tau(truth, noisy, of_noise)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_no_order_of_the_same_counts_agrees_more_than_the_largest_tau(pair):
    one, other = (np.array(side, float) for side in pair)
    tau, most = formulas.kendall_tau(one, other), formulas.largest_tau(one, other)
    assert (tau is None) == (most is None)
    assert tau is None or tau <= most + 1e-12


def test_tau_of_sixty_thousand_tiles_is_quick_and_right():
    one = np.arange(60_000) * 7919 % 60_013 // 5
    other = one + np.arange(60_000) * 104_729 % 9_000
    expected = stats.kendalltau(one, other).statistic
    assert formulas.kendall_tau(one.astype(float), other.astype(float)) == pytest.approx(expected)


def test_a_top_holds_exactly_n_and_ids_break_ties():
    counts = array(5, 9, 5, 9, 5)
    assert formulas.top(counts, 3).tolist() == [1, 3, 0]
    assert formulas.top(counts, 10).tolist() == [1, 3, 0, 2, 4]
    assert formulas.top_overlap(counts, array(0, 9, 9, 9, 0), 3) == pytest.approx(2 / 3)
    assert formulas.top_overlap(counts, -counts, 10) == 1  # cut to the number of tiles
    assert formulas.top_overlap(array(), array(), 10) is None
    assert formulas.top_union(counts, array(0, 0, 9, 0, 8), 2).tolist() == [1, 2, 3, 4]


def test_an_order_needs_two_different_counts():
    assert formulas.kendall_tau(array(3), array(4)) is None
    assert formulas.kendall_tau(array(3, 3), array(4, 5)) is None
    assert formulas.kendall_tau(array(3, 3), array(3, 3)) is None
