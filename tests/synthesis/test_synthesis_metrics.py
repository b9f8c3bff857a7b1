"""The metrics do what their sentence says, on tables where the answer is known."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from dpcore.kinds.roy.closeness import (
    average_relative_error,
    shift_along_line,
    shift_between_places,
    top_kept,
    utility_loss,
)

TRUE = np.array([50, 30, 20, 0])


def test_equal_shares_are_no_error_whatever_the_size():
    for synthetic in (TRUE, 7 * TRUE):
        assert average_relative_error(TRUE, synthetic) == 0
        assert shift_along_line(TRUE, synthetic) == 0
        assert shift_between_places(TRUE, synthetic, np.ones((4, 4)) - np.eye(4)) == 0
        assert top_kept(TRUE, synthetic, 2) == 100
        assert utility_loss(TRUE, synthetic, 2) == 0


def test_relative_error_is_that_of_the_count_or_of_the_floor():
    synthetic = np.array([40, 30, 20, 10])
    assert average_relative_error(TRUE, synthetic, 1) == pytest.approx((0.2 + 0 + 0 + 10) / 4)
    assert average_relative_error(TRUE, synthetic, 100) == pytest.approx(20 / 100 / 4)
    assert average_relative_error(1000 * TRUE, 1000 * synthetic) == pytest.approx((0.2 + 10_000 / 100) / 4)


def test_the_way_along_a_line_is_that_of_the_earth_mover():
    rng = np.random.default_rng(1)
    where = np.cumsum(rng.uniform(0.1, 2, 30))
    for _ in range(5):
        here, there = rng.integers(0, 50, 30), rng.integers(0, 50, 30)
        assert shift_along_line(here, there, where) == pytest.approx(
            wasserstein_distance(where, where, here, there)
        )
    assert shift_along_line(np.array([1, 0, 0]), np.array([0, 0, 5])) == 2


def test_the_way_between_places_is_the_cheapest_transport():
    rng = np.random.default_rng(2)
    points = rng.uniform(0, 10, (12, 2))
    apart = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    here, there = rng.integers(0, 30, 12), rng.integers(0, 90, 12)
    sums = np.vstack([np.kron(np.eye(12), np.ones(12)), np.kron(np.ones(12), np.eye(12))])
    whole = linprog(
        apart.ravel(), A_eq=sums[:-1], b_eq=np.concatenate([here / here.sum(), there / there.sum()])[:-1]
    )
    assert shift_between_places(here, there, apart) == pytest.approx(whole.fun, rel=1e-6)
    one, other = np.eye(12)[0], np.eye(12)[5]
    assert shift_between_places(one, other, apart) == pytest.approx(apart[0, 5])


def test_the_top_is_compared_with_the_top():
    synthetic = np.array([50, 0, 30, 20])
    assert top_kept(TRUE, synthetic, 1) == 100
    assert top_kept(TRUE, synthetic, 2) == 50
    assert top_kept(TRUE, synthetic, 99) == 100
    assert utility_loss(TRUE, synthetic, 2) == pytest.approx(100 * 30 / 80)


def test_empty_tables_have_no_error_and_no_crash():
    nothing = np.zeros(4)
    assert average_relative_error(nothing, TRUE) == 0
    assert average_relative_error(TRUE, nothing) == pytest.approx(0.75)
    assert utility_loss(nothing, TRUE, 2) == 0
    assert shift_along_line(nothing, TRUE) == shift_along_line(TRUE, nothing) == 0
    assert shift_between_places(TRUE, nothing, np.ones((4, 4))) == 0
