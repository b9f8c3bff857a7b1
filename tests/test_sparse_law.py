"""Sparse tables against the exact law of the dense one, and bugs that must not go by.

The same at sizes that see errors of a per cent is in tests/audit/test_sparse_audit.py.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpcore.noise import samplers as noise
from dpcore.noise import sparse as sparse_noise
from dpcore.noise.samplers import discrete_laplace, ladder
from dpcore.noise.sparse import sparse_ladder
from tests.chance import must_be_noticed, must_fit
from tests.sparse_law import Asked, drawn, looks_at

TIMES = 500
RHOS = [Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
PLACES = np.random.default_rng(7)
ASKED = Asked(
    np.sort(PLACES.choice(3_000, 600, replace=False)).astype(np.int64),
    PLACES.integers(0, 12, 600),
    3_000,
    RHOS,
    4,
)


def dense(cells, counts, size, rhos, threshold):
    """The definition: noise on every cell, then those below the threshold are left out."""
    values = ladder(rhos, size)
    values[:, cells] += counts
    shown = np.flatnonzero(values[-1] >= threshold)
    return shown, values[:, shown]


@pytest.mark.parametrize("draw", [sparse_ladder, dense])
def test_sparse_and_dense_tables_have_the_exact_law(draw):
    found = looks_at(ASKED, drawn(ASKED, draw, TIMES), TIMES)
    assert len(found) == 27
    must_fit(*found.values())


@pytest.mark.parametrize(
    "asked",
    [
        Asked(ASKED.cells, ASKED.counts, 3_000, [Fraction(2)], 1),  # one rung, the lowest threshold
        Asked(ASKED.cells[:2], np.array([0, 40]), 1_000, [Fraction(1, 20), Fraction(1, 10)], 15),
        Asked(np.arange(500), np.arange(500) % 9, 500, RHOS, 5),  # no cell is empty
        Asked(np.zeros(0, np.int64), np.zeros(0, np.int64), 2_000, RHOS, 3),  # all are
    ],
    ids=["one rung", "wide noise", "full", "empty"],
)
def test_other_tables_have_it_too(asked):
    must_fit(*looks_at(asked, drawn(asked, sparse_ladder, TIMES), TIMES).values())


def a_threshold_lower_by_one_for_empty_cells(patch):
    passing = sparse_noise._passing
    patch.setattr(sparse_noise, "_passing", lambda rho, threshold, bits: passing(rho, threshold - 1, bits))


def values_of_empty_cells_too_high_by_one(patch):
    false_positives, geometric = sparse_noise._false_positives, sparse_noise.geometric

    def marked(*asked):
        found = false_positives(*asked)
        patch.setattr(sparse_noise, "geometric", lambda rho, n: geometric(rho, n) + (n == len(found)))
        return found

    patch.setattr(sparse_noise, "_false_positives", marked)


def ten_per_cent_fewer_empty_cells(patch):
    false_positives = sparse_noise._false_positives
    patch.setattr(
        sparse_noise,
        "_false_positives",
        lambda *asked: (found := false_positives(*asked))[np.arange(len(found)) % 10 > 0],
    )


def jumps_that_never_land_next_door(patch):
    geometric = sparse_noise.geometric
    visiting = sparse_noise._jump_rate(RHOS[-1], 4)
    patch.setattr(sparse_noise, "geometric", lambda rho, n: geometric(rho, n) + (rho == visiting))


def an_empty_cell_in_the_place_of_its_neighbour(patch):
    class Numpy:
        searchsorted = staticmethod(lambda cells, ranks, **_: np.searchsorted(cells, ranks, side="left"))

        def __getattr__(self, name):
            return getattr(np, name)

    patch.setattr(sparse_noise, "np", Numpy())


def noise_of_occupied_cells_ten_per_cent_too_narrow(patch):
    patch.setattr(
        sparse_noise, "discrete_laplace", lambda rho, n: discrete_laplace(rho * Fraction(11, 10), n)
    )


def fresh_noise_at_lower_rungs(patch):
    patch.setattr(sparse_noise, "coarsening", lambda _, coarse, n: noise.geometric(coarse, n))


def lower_rungs_that_repeat_the_highest(patch):
    patch.setattr(sparse_noise, "coarsening", lambda _fine, _coarse, n: np.zeros(n, np.int64))


def one_half_only(patch):
    coarsening = sparse_noise.coarsening
    calls = []

    def every_second(fine, coarse, n):
        calls.append(n)
        return coarsening(fine, coarse, n) * (len(calls) % 2)

    patch.setattr(sparse_noise, "coarsening", every_second)


def lower_rungs_cut_at_the_threshold(patch):
    ladder_of = sparse_noise.sparse_ladder

    def cut(cells, counts, size, rhos, threshold):
        shown, values = ladder_of(cells, counts, size, rhos, threshold)
        return shown, np.maximum(values, threshold)

    patch.setattr(sparse_noise, "sparse_ladder", cut)


def the_same_number_of_false_cells_every_time(patch):
    def equal(empty, _, rho, threshold):
        p = np.exp(-float(rho) * threshold) / (1 + np.exp(-float(rho)))
        return np.sort(np.random.default_rng().choice(empty, int(empty * p), replace=False))

    patch.setattr(sparse_noise, "_false_positives", equal)


@pytest.mark.parametrize(
    "bug",
    [
        a_threshold_lower_by_one_for_empty_cells,
        values_of_empty_cells_too_high_by_one,
        ten_per_cent_fewer_empty_cells,
        jumps_that_never_land_next_door,
        an_empty_cell_in_the_place_of_its_neighbour,
        noise_of_occupied_cells_ten_per_cent_too_narrow,
        fresh_noise_at_lower_rungs,
        lower_rungs_that_repeat_the_highest,
        one_half_only,
        lower_rungs_cut_at_the_threshold,
        the_same_number_of_false_cells_every_time,
    ],
)
def test_planted_bugs_are_noticed(bug, monkeypatch):
    bug(monkeypatch)
    times = (
        2 * TIMES
    )  # with fewer, noise that is 10 % too narrow would be missed once in some millions of runs
    must_be_noticed(*looks_at(ASKED, drawn(ASKED, sparse_noise.sparse_ladder, times), times).values())
