"""Thresholds and deltas: the published numbers, certified bounds, and the worst person."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from dpcore.kinds.stability.thresholds import (
    any_of,
    delta_of_trip,
    delta_of_user,
    exp_above,
    exp_below,
    lowest,
    published_delta,
    published_threshold,
    reaches,
    reported,
)
from dpcore.noise.samplers import discrete_laplace, exp_bounds

DELTA = Fraction(1, 8_000_000)


@pytest.mark.parametrize("x", ["0", "1/3", "0.5", "1", "17", "33/7", "1234.5", "1/100000007"])
def test_exponentials_are_bounded_from_both_sides_and_closely(x):
    rate = Fraction(x)
    low, high = exp_below(rate), exp_above(rate)
    sure_low, sure_high = exp_bounds(rate, 400)  # integers only, by another series
    assert Fraction(low) <= Fraction(sure_high, 2**400)
    assert Fraction(high) >= Fraction(sure_low, 2**400)
    assert Fraction(low) < Fraction(high)
    assert float((high - low) / high) < 1e-50


def test_published_thresholds_are_34_18_and_17_59():
    assert published_threshold(Fraction(1), DELTA) == pytest.approx(34.18, abs=0.005)
    assert published_threshold(Fraction(2), DELTA) == pytest.approx(17.59, abs=0.005)
    assert published_delta(DELTA) == Fraction(1, 32_000_000)


@pytest.mark.parametrize(
    ("rho", "threshold"), [("1/2", 32), ("1", 17), ("2", 9)], ids=["replace 1", "replace 2 or add 1", "add 2"]
)
def test_the_lowest_threshold_keeps_delta_and_one_lower_does_not(rho, threshold):
    rate = Fraction(rho)
    assert lowest(lambda t: delta_of_trip(rate, t), DELTA) == threshold
    assert Fraction(delta_of_trip(rate, threshold)) <= DELTA < Fraction(delta_of_trip(rate, threshold - 1))


@pytest.mark.parametrize("rho", ["0.1", "1/2", "2"])
@pytest.mark.parametrize("distance", [-30, -2, -1, 0, 1, 2, 40])
def test_the_tail_is_that_of_the_noise_and_never_too_small(rho, distance):
    rate = Fraction(rho)
    certified = reaches(rate, distance)
    with localcontext() as context:
        context.prec = 90
        q = (-Decimal(rate.numerator) / Decimal(rate.denominator)).exp()
        exact = q**distance / (1 + q) if distance >= 0 else 1 - q ** (1 - distance) / (1 + q)
        assert exact <= certified <= exact * (1 + Decimal(10) ** -50)
    noise = discrete_laplace(rate, 200_000)
    assert (noise >= distance).mean() == pytest.approx(float(certified), abs=0.008)


def test_what_is_shown_of_a_delta_is_rounded_up():
    assert reported(Decimal("0.12345612")) == Fraction("0.123457")
    assert reported(Decimal("4.2486700000001e-8")) == Fraction("4.24868e-8")
    assert any_of(Decimal("0.5"), 2) == Decimal("0.75")
    assert any_of(Decimal("1e-9"), 1_000) >= Decimal("9.99e-7")
    assert any_of(Decimal(0), 9) == 0


@pytest.mark.parametrize(("most", "epsilon"), [(1, "1"), (2, "1/2"), (4, "1"), (6, "3"), (7, "8")])
def test_no_person_is_worse_than_the_two_extremes(most, epsilon):
    """All ways to spread at most M trips over keys of one's own, by brute force."""
    rho = Fraction(epsilon) / most
    q = np.exp(-float(rho))
    for threshold in range(most + 1, most + 30, 3):
        worst = 0.0
        for keys in range(1, most + 1):
            for spread in combinations_with_replacement(range(1, most + 1), keys):
                if sum(spread) <= most:
                    hidden = np.prod([1 - q ** (threshold - c) / (1 + q) for c in spread])
                    worst = max(worst, 1 - hidden)
        assert float(delta_of_user(rho, threshold, most)) == pytest.approx(worst, rel=1e-9)


def test_a_person_with_one_trip_is_a_trip():
    rho = Fraction(1, 3)
    alone = delta_of_trip(rho, 40)
    assert alone <= delta_of_user(rho, 40, 1) < alone * (1 + Decimal(10) ** -20)
    assert delta_of_user(rho, 5, 5) == 1
    assert lowest(lambda t: delta_of_user(Fraction(1, 20), t, 20), DELTA) > 300
