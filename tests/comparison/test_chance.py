"""The law of a difference against draws and numeric integration; what is announced of many differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from dpcore.comparison.chance import FALSE, Law, level_of


def law(weights, rates, sigma) -> Law:
    columns = (np.array(part, float)[:, None] for part in (weights, rates))
    return Law(*columns, np.array([sigma], float))


def drawn(weights, rates, sigma, many: int) -> np.ndarray:
    """Differences whose noise is drawn: two geometric numbers make a discrete Laplace one."""
    random = np.random.default_rng(3)
    found = sigma * random.standard_normal(many)
    for weight, rate in zip(weights, rates, strict=True):
        both = random.geometric(-np.expm1(-rate), (2, many))
        found += weight * (both[0] - both[1])
    return np.abs(found)


CASES = (
    ((1.0, 1.0), (0.05, 0.05), 0.0),
    ((1.0, 1.3), (0.02, 0.02), 40.0),
    ((1.0, 1.0), (2.0, 0.5), 0.0),
    ((2.0, 2.0, 0.1, 0.1), (0.01, 0.01, 0.001, 0.001), 90.0),
    ((0.0, 0.0), (1.0, 1.0), 5.0),
    ((1.0, 0.0), (0.1, 1.0), 300.0),
)


@pytest.mark.parametrize(("weights", "rates", "sigma"), CASES)
def test_the_tail_is_that_of_drawn_noise_and_never_smaller(weights, rates, sigma):
    many = 200_000
    sizes, found = drawn(weights, rates, sigma, many), law(weights, rates, sigma)
    for chance in (0.3, 0.05, 0.005):
        at = np.quantile(sizes, 1 - chance, method="higher")
        seen, told = float((sizes >= at).mean()), float(found.tail(np.array([at]))[0])
        error = 4 * np.sqrt(seen / many)
        assert told >= seen - error
        coarse = max(rates) >= 0.5 and sigma == 0  # a half is much where the noise is a few counts
        assert told <= (2.5 if coarse else 1.12) * seen + error


def test_the_tail_of_two_continuous_parts_is_the_integral_of_their_density():
    sigma, rate, size = 3.0, 0.4, 11.0
    density = lambda x: rate / 2 * np.exp(-rate * abs(x)) * 2 * stats.norm.sf((size - x) / sigma)  # noqa: E731
    wanted = sum(integrate.quad(density, *ends)[0] for ends in ((-200, 0), (0, size), (size, 200)))
    found = law((1e-9,), (rate * 1e-9,), sigma).tail(np.array([size]))[0]
    assert found == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(("weights", "rates", "sigma"), CASES)
@pytest.mark.parametrize("chance", [0.05, 1e-4, 1e-9])
def test_a_half_width_is_where_the_tail_reaches_its_chance(weights, rates, sigma, chance):
    found = law(weights, rates, sigma)
    wide = found.half_width(chance)
    assert found.tail(wide)[0] <= chance <= found.tail(wide * (1 - 1e-6))[0] * (1 + 1e-6)


def test_no_difference_is_certainly_chance_and_nothing_warns_far_out():
    found = law((1.0, 1.0), (1.0, 1.0), 0.5)
    assert found.tail(np.array([0.0]))[0] == 1
    with np.errstate(all="raise", under="ignore"):
        assert found.tail(np.array([1e6]))[0] < 1e-300


def test_the_level_counts_cells_that_are_not_listed():
    chances = np.array([0.001, 0.012, 0.2])
    assert level_of(chances, 3) == pytest.approx(2 * FALSE / 3)
    assert level_of(chances, 40) == pytest.approx(FALSE / 40)
    assert level_of(chances, 4_000) == pytest.approx(FALSE / 4_000), "none is announced"
    assert level_of(np.zeros(0), 10) == pytest.approx(FALSE / 10)
