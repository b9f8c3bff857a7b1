"""Shares of a noisy total and curves of the busiest cells: intervals that hold, and a bias that is told."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore.noise.accuracy import standard_deviation
from dpcore.views.numbers.shares import Share, curve, curve_chart, share, steps, true_curve, with_total_kept
from tests.views.made import measurement


def test_a_share_has_the_interval_of_the_formula():
    found = share(250, 1000, 4, 10.0)
    assert found.value == 0.25
    assert found.half_width == pytest.approx(1.96 * 10 * np.sqrt(1 - 0.5 + 4 * 0.0625) / 1000)
    assert str(found) == "25 % (23 to 27)"


def test_the_interval_of_a_share_covers_about_95_of_100():
    rng = np.random.default_rng(5)
    q = np.exp(-0.05)
    truth = np.array([900, 400, 300, 100, 50, 20, 5])
    noise = rng.geometric(1 - q, (4000, 7)) - rng.geometric(1 - q, (4000, 7))
    deviation = standard_deviation(Fraction(1, 20))
    held = 0
    for row in truth + noise:
        found = share(int(row[1]), int(row.sum()), 7, deviation)
        held += abs(found.value - 400 / truth.sum()) <= found.half_width
    assert 0.92 < held / 4000 < 0.97


def test_no_share_is_told_of_a_total_that_is_noise():
    assert share(10, 30, 100, 10.0) is None
    assert share(10, -30, 1, 1.0) is None


def test_shares_are_cut_to_what_is_possible():
    assert str(Share(-0.02, 0.05)) == "0 % (0 to 3)"
    assert str(Share(0.981, 0.002)) == "98.1 % (97.9 to 98.3)"


def test_post_processing_keeps_the_total_and_leaves_no_negative_count():
    values = np.array([50.0, -20.0, 3.0, -1.0, 10.0])
    found = with_total_kept(values)
    assert found.sum() == pytest.approx(values.sum())
    assert found.min() >= 0
    assert (np.argsort(-found[:1]) == np.argsort(-values[:1])).all()
    assert with_total_kept(np.array([5.0, 3.0])).tolist() == [5.0, 3.0]


def test_a_curve_rises_to_all_and_lies_above_noise_alone_where_places_differ():
    visits = measurement("visits_per_tile", [9000, 700, 200, 100])
    found = curve(visits, 2)
    assert found.places == (1, 2, 4)
    assert found.shares[0] == pytest.approx(0.9, abs=0.01)
    assert found.shares[-1] == pytest.approx(1)
    assert all(a > b for a, b in zip(found.shares[:-1], found.noise_alone[:-1], strict=True))
    assert found.rows()[-1] == ("4", "all", "all")


def test_equal_places_with_noise_draw_the_line_of_noise_alone():
    rng = np.random.default_rng(1)
    visits = measurement("visits_per_tile", [0, 0, 0, 0])
    many = 4000
    q = np.exp(-float(visits.rho(2)))
    noise = rng.geometric(1 - q, many) - rng.geometric(1 - q, many)

    class Wide:
        values = np.stack([20 + noise] * 3)
        cell_numbers = np.arange(many)
        rho = staticmethod(visits.rho)

    found = curve(Wide, 2)
    assert np.allclose(found.shares, found.noise_alone, atol=0.01)


def test_a_total_of_noise_has_no_curve():
    assert curve(measurement("visits_per_tile", [1, -3, 2, -1]), 0) is None


def test_the_true_curve_is_that_of_the_counts():
    found = true_curve(np.array([1, 1, 2, 4]))
    assert found.shares == (0.5, 0.75, 1.0)
    assert true_curve(np.zeros(3, np.int64)) is None


def test_steps_end_with_all():
    assert steps(1) == (1,)
    assert steps(100) == (1, 2, 5, 10, 20, 50, 100)


def test_both_axes_of_a_curve_have_titles():
    found = curve(measurement("visits_per_tile", [9000, 700, 200, 100]), 2)
    layout = curve_chart(found, "Share of visits").figure["layout"]
    assert [layout[axis]["title"]["text"] for axis in ("xaxis", "yaxis")] == [
        "how many of the busiest",
        "share",
    ]
