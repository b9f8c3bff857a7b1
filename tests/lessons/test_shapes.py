"""Lesson 6: the shapes keep what they promise, and the lines cross where the formula says."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpcore.lessons import shapes
from dpcore.privacy import RUNGS


@pytest.mark.parametrize("epsilon", [float(rung) for rung in RUNGS])
def test_laplace_and_geometric_never_tell_more_than_epsilon_and_gaussian_does(epsilon):
    _, wide = shapes.reaches(epsilon, 1e-6)
    laplace, geometric, gaussian = shapes.shapes(epsilon, 1e-6, wide)
    for bounded in (laplace, geometric):
        assert np.abs(bounded.log_ratio).max() == pytest.approx(epsilon)
    assert gaussian.log_ratio.max() > epsilon


@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_each_shape_is_a_law_and_its_log_ratio_is_that_of_the_law_moved_by_one(delta):
    laplace, geometric, gaussian = shapes.shapes(1.0, delta, 20)
    step = laplace.answer[1] - laplace.answer[0]
    assert geometric.density.sum() == pytest.approx(1)
    assert (laplace.density * step).sum() == pytest.approx(1, abs=2e-2)
    assert (gaussian.density * step).sum() == pytest.approx(1, abs=1e-3)
    assert np.log(geometric.density[:-1] / geometric.density[1:]) == pytest.approx(geometric.log_ratio[1:])
    per_unit = round(1 / step)
    for one in (laplace, gaussian):
        moved = np.log(one.density[:-per_unit] / one.density[per_unit:])
        assert moved == pytest.approx(one.log_ratio[per_unit:], abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-2])
def test_the_gaussian_deviation_is_the_smallest_that_delta_allows(epsilon, delta):
    def lost(deviation):
        far = 0.5 / deviation
        return stats.norm.cdf(far - epsilon * deviation) - np.exp(
            epsilon + stats.norm.logcdf(-far - epsilon * deviation)
        )

    deviation = shapes.gaussian_deviation(epsilon, delta)
    assert lost(deviation) == pytest.approx(delta, rel=1e-6)
    assert lost(0.99 * deviation) > delta


@pytest.mark.parametrize(
    ("counts", "laplace", "gaussian"), [(1, 1.4, 4.2), (5, 7.1, 9.4), (10, 14.1, 13.4), (100, 141, 42.2)]
)
def test_the_spreads_are_those_of_the_field(counts, laplace, gaussian):
    wide, whole, normal = shapes.spreads(Fraction(1), 1e-6, counts)
    assert wide == pytest.approx(laplace, rel=0.02)
    assert whole == pytest.approx(wide, rel=0.05)
    assert normal == pytest.approx(gaussian, rel=0.01)


def test_at_epsilon_1_gaussian_noise_is_narrower_from_nine_counts_on():
    cross = shapes.crossover(Fraction(1), 1e-6)
    assert cross == 9
    for counts in (cross - 1, cross):
        _, geometric, gaussian = shapes.spreads(Fraction(1), 1e-6, counts)
        assert (gaussian < geometric) == (counts >= cross)


def test_the_figures_of_the_check_question_are_right():
    _, geometric, gaussian = shapes.spreads(Fraction(1), 1e-6, 30)
    assert (round(geometric), round(gaussian)) == (42, 23)
