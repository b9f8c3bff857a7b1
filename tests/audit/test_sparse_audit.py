"""The law of sparse tables at sizes that see errors of about a per cent, on all rungs of the product, and of what is raised."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore.noise import sparse as sparse_noise
from dpcore.noise.samplers import climb, discrete_laplace, ladder
from dpcore.noise.sparse import sparse_ladder
from dpcore.privacy import RUNGS
from tests.chance import must_be_noticed, must_fit, two_samples
from tests.sparse_law import Asked, drawn, looks_at

pytestmark = pytest.mark.audit

PLACES = np.random.default_rng(17)
CELLS = np.sort(PLACES.choice(5_000, 1_000, replace=False)).astype(np.int64)
COUNTS = PLACES.integers(0, 30, 1_000)


def asked(rhos, threshold):
    return Asked(CELLS, COUNTS, 5_000, rhos, threshold)


@pytest.mark.parametrize("scale", [2, 10])
def test_all_rungs_of_the_product_have_the_exact_law(scale):
    one = asked([rung / scale for rung in RUNGS], 1 if scale == 2 else 3)
    must_fit(*looks_at(one, drawn(one, sparse_ladder, 4_000), 4_000).values())


def test_two_per_cent_more_or_less_noise_on_occupied_cells_is_noticed(monkeypatch):
    one, times = asked([Fraction(1, 5), Fraction(1, 2)], 4), 10_000
    must_fit(*looks_at(one, drawn(one, sparse_ladder, times), times).values())
    for factor in (Fraction(51, 50), Fraction(49, 50)):
        monkeypatch.setattr(
            sparse_noise, "discrete_laplace", lambda rho, n, f=factor: discrete_laplace(f * rho, n)
        )
        must_be_noticed(*looks_at(one, drawn(one, sparse_ladder, times), times).values())


RHOS = [Fraction(1, 5), Fraction(1, 2), Fraction(1)]
THRESHOLD = 5


def raised(counts):
    """Noise at all rungs of listed cells with these counts: listed at the middle rung, then raised to the top."""
    cells = np.arange(len(counts))
    shown, values = sparse_ladder(cells, counts, len(counts), RHOS[:-1], THRESHOLD)
    exact = counts[shown]
    return exact, np.concatenate([values, exact + climb(values[-1] - exact, RHOS[-2], RHOS[-1:])])


def at_once(counts):
    """The definition: one dense ladder of all rungs, listed by the middle one."""
    values = ladder(RHOS, len(counts)) + counts
    shown = values[1] >= THRESHOLD
    return counts[shown], values[:, shown]


def without_the_listing(counts):
    """Planted: what was listed is raised as if nothing were known of its noise."""
    exact, values = raised(counts)
    values[-1] = exact + discrete_laplace(RHOS[-1], len(exact))
    return exact, values


@pytest.mark.parametrize(("draw", "must"), [(raised, must_fit), (without_the_listing, must_be_noticed)])
def test_a_list_that_is_raised_has_the_joint_law_of_a_ladder_drawn_at_once(draw, must):
    counts = np.repeat(np.arange(9), 300_000)  # from empty to well above the threshold
    tables = []
    for exact, (low, middle, high) in (draw(counts), at_once(counts)):
        code = exact
        for value, most in ((middle - THRESHOLD, 7), (low - middle + 6, 11), (high - middle + 6, 11)):
            code = code * (most + 1) + np.clip(value, 0, most)
        tables.append(np.bincount(code, minlength=9 * 8 * 12 * 12).reshape(9, 8, 12, 12))
    assert (tables[0] > 0).sum() > 1_000
    must(two_samples(*tables))
