"""Public formulas of the expected error agree with sums over the law itself."""

from fractions import Fraction
from math import e, exp, sqrt

import numpy as np
import pytest

from dpcore.noise.accuracy import (
    epsilon_for_half_width,
    false_positive_threshold,
    half_width,
    half_width_of_sum,
    standard_deviation,
    stands_out_from,
)
from dpcore.noise.samplers import ladder
from dpcore.privacy import best_guess, posterior

RHOS = [Fraction(text) for text in ("40", "3", "1.766", "1", "0.73", "1/2", "1/10", "1/77")]
CONFIDENCES = [0.01, 0.5, 0.9, 0.95, 0.99, 0.999999]


def law(rho):
    """Values and probabilities of the noise, wide enough that nothing counts beyond."""
    q = exp(-float(rho))
    values = np.arange(-int(45 / rho) - 1, int(45 / rho) + 2)
    return values, (1 - q) / (1 + q) * q ** np.abs(values)


def smallest_width(values, shares, confidence):
    """The definition, by adding up."""
    inside = np.array([shares[np.abs(values) <= h].sum() for h in range(values[-1] + 1)])
    return int(np.argmax(inside >= confidence))


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_a_half_width_is_the_smallest_that_suffices(rho, confidence):
    assert half_width(rho, confidence) == smallest_width(*law(rho), confidence)


@pytest.mark.parametrize(
    ("scale", "width95", "width99"),
    [
        ("1/2", 1, 2),
        ("1", 3, 4),
        ("2", 6, 9),
        ("5", 15, 23),
        ("10", 30, 46),
        ("20", 60, 92),
        ("100", 300, 461),
    ],
)
def test_half_widths_are_those_of_the_table(scale, width95, width99):
    rho = 1 / Fraction(scale)
    assert half_width(rho) == width95
    assert half_width(rho, 0.99) == width99


def test_a_half_width_of_very_much_noise_is_found_at_once():
    # 2 q**(h + 1) / (1 + q) is about exp(-h rho) there
    assert half_width(Fraction(1, 10**12)) == pytest.approx(np.log(20) * 1e12, rel=1e-9)


@pytest.mark.parametrize("rho", RHOS)
def test_a_standard_deviation_is_that_of_the_law(rho):
    values, shares = law(rho)
    assert standard_deviation(rho) == pytest.approx(sqrt((values**2 * shares).sum()), rel=1e-9)
    assert standard_deviation(Fraction(5_000)) == 0


@pytest.mark.parametrize("rho", [Fraction(2), Fraction(1, 2), Fraction(1, 9)])
@pytest.mark.parametrize("cells", [2, 3, 8])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
def test_a_half_width_of_a_sum_is_that_of_the_convolved_law(rho, cells, confidence):
    values, shares = law(rho)
    total = np.ones(1)
    for _ in range(cells):
        total = np.convolve(total, shares)
    reach = len(total) // 2
    assert half_width_of_sum(rho, cells, confidence) == smallest_width(
        np.arange(-reach, reach + 1), total, confidence
    )
    assert half_width_of_sum(rho, 1, confidence) == smallest_width(values, shares, confidence)


def test_half_widths_of_sums_are_those_of_the_table():
    assert [half_width_of_sum(Fraction(1, 2), cells) for cells in (5, 24, 500)] == [13, 27, 123]


@pytest.mark.parametrize("cells", [2, 30, 199, 200, 1_500])
def test_a_half_width_of_a_sum_grows_with_the_scale_without_a_jump(cells):
    # Tabulated, corrected normal and coarser grid meet: in units of the scale they agree to 0.2 %.
    ratios = [half_width_of_sum(Fraction(1, b), cells) / b for b in (400, 1_000, 4_000, 20_000, 10**6)]
    assert max(ratios) / min(ratios) < 1.002


@pytest.mark.parametrize(("rho", "cells"), [(Fraction(1, 10), 300), (Fraction(3), 2_000)])
def test_noise_of_a_sum_lies_within_its_half_width_as_often_as_promised(rho, cells):
    sums = ladder([rho], 2_000 * cells)[0].reshape(2_000, cells).sum(axis=1)
    width = half_width_of_sum(rho, cells)
    share = (np.abs(sums) <= width).mean()
    assert 0.92 < share < 0.985  # 0.95 or a little more, six standard deviations around


@pytest.mark.parametrize("rho", [Fraction(3), Fraction(1), Fraction(1, 10), Fraction(1, 333)])
@pytest.mark.parametrize("cells", [1, 2, 10, 500, 10_000, 10**7])
def test_a_false_positive_threshold_leaves_one_and_one_less_leaves_more(rho, cells):
    q, t = exp(-float(rho)), false_positive_threshold(rho, cells)
    assert cells * q**t / (1 + q) <= 1
    assert t == 1 or cells * q ** (t - 1) / (1 + q) > 1


@pytest.mark.parametrize("cells", [1, 2, 5, 7, 19, 40, 10_000])
@pytest.mark.parametrize("rho", [Fraction(1, 100), Fraction(1, 3), Fraction(1), Fraction(5)])
def test_a_count_stands_out_only_above_its_own_interval_and_the_false_positives(rho, cells):
    least = stands_out_from(rho, cells)
    assert least > half_width(rho)
    assert least >= false_positive_threshold(rho, cells)
    assert least == max(half_width(rho) + 1, false_positive_threshold(rho, cells))
    assert stands_out_from(rho, cells, 10_000_000) == 10_000_000


def test_a_false_positive_threshold_keeps_a_map_of_noise_almost_empty():
    rho, cells = Fraction(1, 5), 10_000
    noise = ladder([rho], 100 * cells)[0]
    false_positives = int((noise >= false_positive_threshold(rho, cells)).sum())
    assert 40 < false_positives < 170  # 80 to 100 expected, six standard deviations around
    assert int((noise > half_width(rho)).sum()) > 20_000


@pytest.mark.parametrize(
    ("width", "text"),
    [(0, "3.664"), (1, "1.766"), (2, "1.137"), (3, "0.832"), (10, "0.285"), (100, "0.03"), (10**7, "0.001")],
)
def test_an_epsilon_for_a_half_width_is_the_least_of_its_grid(width, text):
    rho = epsilon_for_half_width(width)
    assert rho == Fraction(text)
    assert half_width(rho) <= width
    less = rho - Fraction(1, 1000)
    assert less == 0 or half_width(less) > width


@pytest.mark.parametrize("confidence", [0.5, 0.99])
def test_an_epsilon_for_a_half_width_follows_the_confidence(confidence):
    rho = epsilon_for_half_width(7, confidence)
    assert half_width(rho, confidence) <= 7 < half_width(rho - Fraction(1, 1000), confidence)


@pytest.mark.parametrize(
    ("epsilon", "prior", "belief"),
    [
        ("0.1", 0.5, 0.525),
        ("1", 0.5, 0.731),
        ("1", 0.1, 0.232),
        ("2", 0.01, 0.0695),
        ("5", 0.01, 0.6),
        ("0", 0.3, 0.3),
    ],
)
def test_the_most_that_can_be_believed_is_that_of_the_table(epsilon, prior, belief):
    assert posterior(Fraction(epsilon), prior) == pytest.approx(belief, abs=6e-4)


def test_beliefs_stay_within_their_limits():
    assert posterior(Fraction(1), 0.0) == 0
    assert posterior(Fraction(1), 1.0) == 1
    assert posterior(10_000.0, 0.2) == 1
    assert best_guess(Fraction(0)) == 0.5
    assert best_guess(Fraction(1)) == pytest.approx(e / (1 + e))


@pytest.mark.parametrize(
    "call",
    [
        lambda: half_width(Fraction(0)),
        lambda: half_width(Fraction(1), 0),
        lambda: half_width(Fraction(1), 1),
        lambda: standard_deviation(Fraction(-1)),
        lambda: half_width_of_sum(Fraction(1), 0),
        lambda: half_width_of_sum(Fraction(1), 3, 0.9999999),
        lambda: false_positive_threshold(Fraction(1), 0),
        lambda: epsilon_for_half_width(-1),
        lambda: posterior(Fraction(-1), 0.5),
        lambda: posterior(Fraction(1), 1.5),
    ],
)
def test_arguments_without_meaning_are_refused(call):
    with pytest.raises(ValueError):
        call()
