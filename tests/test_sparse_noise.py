"""A sparse table has the law of the dense one, at the cost of what it lists."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from dpcore import limits
from dpcore.noise import sparse as sparse_noise
from dpcore.noise.accuracy import false_positive_threshold
from dpcore.noise.samplers import exp_bounds, ladder
from dpcore.noise.sparse import sparse_ladder, threshold_for
from tests.chance import classes, must_be_noticed, must_fit, one_count, two_samples

NONE = np.zeros(0, np.int64)
RHOS = [Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
SIZE, TIMES, THRESHOLD = 3_000, 500, 4
CELLS = np.sort(np.random.default_rng(7).choice(SIZE, 300, replace=False)).astype(np.int64)
COUNTS = np.random.default_rng(8).integers(0, 12, 300)


@pytest.fixture(scope="module")
def sparse():
    """Many sparse tables: repetition, cell and values of every listed cell."""
    tables = [sparse_ladder(CELLS, COUNTS, SIZE, RHOS, THRESHOLD) for _ in range(TIMES)]
    which = np.repeat(np.arange(TIMES), [len(cells) for cells, _ in tables])
    return which, np.concatenate([t[0] for t in tables]), np.concatenate([t[1] for t in tables], axis=1)


@pytest.fixture(scope="module")
def dense():
    """As many dense tables, thresholded at the highest rung."""
    values = ladder(RHOS, SIZE * TIMES).reshape(len(RHOS), TIMES, SIZE)
    values[:, :, CELLS] += COUNTS
    which, cells = np.nonzero(values[-1] >= THRESHOLD)
    return which, cells, values[:, which, cells]


def same(left, right):
    """Looks at two samples of classes that should have one law."""
    size = int(max(left.max(), right.max())) + 1
    return two_samples(*(np.bincount(sample, minlength=size) for sample in (left, right)))


def test_the_same_number_of_cells_is_listed_as_by_the_dense_table(sparse, dense):
    numbers = [
        np.bincount(which[~np.isin(cells, CELLS)], minlength=TIMES) for which, cells, _ in (sparse, dense)
    ]
    p = np.exp(-0.5 * THRESHOLD) / (1 + np.exp(-0.5))
    law = binom.pmf(np.arange(SIZE - 299), SIZE - 300, p)
    must_fit(
        same(*numbers),
        one_count(numbers[0].sum(), TIMES * (SIZE - 300), p),
        classes(np.bincount(numbers[0], minlength=len(law)), law),
    )


def test_the_same_cells_are_listed_as_by_the_dense_table(sparse, dense):
    must_fit(same(sparse[1], dense[1]))


@pytest.mark.parametrize("occupied", [True, False])
def test_values_at_all_rungs_have_the_joint_law_of_the_dense_table(sparse, dense, occupied):
    codes = []
    for _, cells, values in (sparse, dense):
        rows = np.clip(values[:, np.isin(cells, CELLS) == occupied] // 2, -4, 10) + 4
        codes.append(
            np.bincount(np.ravel_multi_index(tuple(rows), (15, 15, 15)), minlength=15**3).reshape(15, 15, 15)
        )
    must_fit(two_samples(*codes))


def test_false_positives_have_the_tail_of_the_noise_and_thirty_per_cent_off_is_noticed(sparse):
    _, cells, values = sparse
    above = values[-1, ~np.isin(cells, CELLS)] - THRESHOLD
    observed = np.bincount(np.minimum(above, 12), minlength=13)

    def looks(factor):
        q = np.exp(-0.5 * factor)
        return classes(observed, np.append((1 - q) * q ** np.arange(12), q**12))

    must_fit(looks(1.0))
    for factor in (0.7, 1.3):
        must_be_noticed(looks(factor), drawn_from=looks(1.0))


def test_cells_are_listed_in_their_own_order_each_once(sparse):
    which, cells, values = sparse
    assert (np.diff(which * SIZE + cells) > 0).all()
    assert (values[-1] >= THRESHOLD).all()
    assert (values[0] < THRESHOLD).any()  # a lower rung is not cut again
    assert cells.dtype == values.dtype == np.int64


def test_false_positives_never_fall_on_occupied_cells_and_reach_every_empty_one():
    cells = np.array([0, 1, 2, 5, 8, 9], np.int64)
    hidden = np.full(6, -(10**6))
    seen = np.concatenate([sparse_ladder(cells, hidden, 10, RHOS, 1)[0] for _ in range(500)])
    assert set(seen.tolist()) == {3, 4, 6, 7}


def test_an_empty_table_and_a_full_one_are_drawn():
    cells, values = sparse_ladder(NONE, NONE, 1, RHOS, 1_000)
    assert cells.shape == (0,)
    assert values.shape == (3, 0)
    full = np.arange(50, dtype=np.int64)
    cells, values = sparse_ladder(full, full + 10_000, 50, RHOS, 5)
    assert np.array_equal(cells, full)
    assert np.abs(values - full - 10_000).max() < 1_000


def test_memory_does_not_grow_with_the_domain():
    cells = np.arange(0, 10**6, 10**3, dtype=np.int64) * 4_000_000
    tracemalloc.start()
    shown, values = sparse_ladder(
        cells,
        np.full(1_000, 500),
        limits.MAX_SPARSE_CELLS,
        RHOS,
        threshold_for(limits.MAX_SPARSE_CELLS, RHOS[-1], Fraction(5)),
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 2**20
    assert len(shown) < 1_100
    assert np.isin(cells, shown).all()
    assert values.shape == (3, len(shown))


def test_a_huge_domain_shows_the_expected_number_of_false_positives_all_over():
    size, rho = 10**10, Fraction(1)
    shown, values = sparse_ladder(NONE, NONE, size, [rho], threshold_for(size, rho, Fraction(20_000)))
    threshold = threshold_for(size, rho, Fraction(20_000))
    expected = size * np.exp(-threshold) / (1 + np.exp(-1))
    assert expected <= 20_000 < expected * np.e
    must_fit(
        one_count(len(shown), size, expected / size),
        classes(np.bincount(shown // 10**8, minlength=100), np.full(100, 0.01)),
    )
    assert values.min() == threshold


@pytest.mark.parametrize("rho", [Fraction(10), Fraction(1), Fraction(1, 30), Fraction(1, 12345)])
@pytest.mark.parametrize("threshold", [1, 2, 17, 400])
def test_jumps_visit_each_cell_often_enough_and_hardly_more(rho, threshold):
    gamma = sparse_noise._jump_rate(rho, threshold)
    bits = 20_000  # a p of exp(-4000) has 5,800 leading zeros
    visited = 2**bits - exp_bounds(gamma, bits)[1]
    low, high = sparse_noise._passing(rho, threshold, bits)
    assert high <= visited
    assert gamma.denominator <= 2**50
    assert visited * 10 <= low * 11 or visited < 2 ** (bits - 44)


def test_planted_surplus_false_positives_are_caught(monkeypatch):
    # Visits that are not thinned are too many: small here, but seen in a large table.
    monkeypatch.setattr(sparse_noise, "_jump_rate", lambda *_: Fraction(1, 16))
    visits = sparse_noise._false_positives(10**6, 10**6, Fraction(1, 2), 6)
    p = np.exp(-3) / (1 + np.exp(-0.5))
    must_fit(one_count(len(visits), 10**6, p))
    monkeypatch.setattr(sparse_noise, "coin", lambda _: type("All", (), {"draw": lambda _, n: np.ones(n)})())
    visits = sparse_noise._false_positives(10**6, 10**6, Fraction(1, 2), 6)
    must_be_noticed(one_count(len(visits), 10**6, p))


def test_threads_draw_independent_tables():
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: sparse_ladder(NONE, NONE, 10**6, RHOS, 12), range(8)))
    assert len({cells.tobytes() for cells, _ in tables}) == 8


@pytest.mark.parametrize(
    ("size", "scale", "expected", "threshold"),
    [
        (10**6, 1, 1, 14),
        (10**6, 10, 100, 86),
        (25 * 10**6, 1, 1, 17),
        (4 * 10**8, 10, 1, 192),
        (1, 1, 1, 1),
        (10**6, 1, 10**9, 1),
    ],
)
def test_thresholds_are_those_of_the_table(size, scale, expected, threshold):
    assert threshold_for(size, Fraction(1, scale), Fraction(expected)) == threshold


@pytest.mark.parametrize("size", [2, 77, 10**5, limits.MAX_SPARSE_CELLS])
@pytest.mark.parametrize("rho", [Fraction(3), Fraction(1, 3), Fraction(1, 777)])
def test_a_threshold_for_one_false_cell_is_the_false_positive_threshold(size, rho):
    assert threshold_for(size, rho, Fraction(1)) == false_positive_threshold(rho, size)


def test_a_threshold_is_exact_for_the_smallest_expectations():
    # P(V >= t) of rate 1 against 2**-200: 200 log 2 - log(1 + 1/e) = 138.3
    assert threshold_for(1, Fraction(1), Fraction(1, 2**200)) == 139


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"threshold": 0}, "threshold must be 1"),
        ({"size": 0}, "sparse table has 1 to"),
        ({"size": limits.MAX_SPARSE_CELLS + 1}, "sparse table has 1 to"),
        ({"rhos": []}, "needs a rung"),
        ({"cells": np.array([3, 3])}, "ascending"),
        ({"cells": np.array([4, 3])}, "ascending"),
        ({"cells": np.array([-1, 3])}, "ascending"),
        ({"cells": np.array([3, 100])}, "ascending"),
        ({"cells": np.array([3])}, "one count"),
        ({"size": 10**9, "threshold": 1}, "raise it"),
    ],
)
def test_inputs_without_meaning_are_refused_without_quoting_a_cell(change, text):
    good = {"cells": np.array([3, 4]), "counts": np.array([1, 1]), "size": 100, "rhos": RHOS, "threshold": 3}
    with pytest.raises(ValueError, match=text) as caught:
        sparse_ladder(**(good | change))
    assert "[" not in str(caught.value)


def test_a_threshold_without_false_cells_is_refused():
    with pytest.raises(ValueError, match="more than 0"):
        threshold_for(100, Fraction(1), Fraction(0))
