"""The nearest table without negative cells, by other and slower ways; and what it saves."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from dpcore.kinds.roy.consistency import consistent, on_simplex, with_margins
from dpcore.kinds.roy.private.drawing import noisy_tables
from tests.synthesis.small import domain, plan


def by_search(table, total):
    """The projection by bisection of what is taken off."""
    low, high = table.min() - total, table.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(table - middle, 0).sum() > total else (low, middle)
    return np.maximum(table - low, 0)


@pytest.mark.parametrize("seed", range(20))
def test_the_projection_is_the_nearest_point_by_two_other_ways(seed):
    rng = np.random.default_rng(seed)
    table, total = rng.normal(0, 3, (int(rng.integers(1, 6)), 3)), float(rng.uniform(0.1, 20))
    found = on_simplex(table, total)
    assert found.shape == table.shape
    assert found.min() >= 0
    assert found.sum() == pytest.approx(total)
    assert np.abs(found - by_search(table, total)).max() < 1e-9
    slow = minimize(
        lambda x: ((x - table.ravel()) ** 2).sum(),
        np.full(table.size, total / table.size),
        jac=lambda x: 2 * (x - table.ravel()),
        bounds=[(0, None)] * table.size,
        constraints={"type": "eq", "fun": lambda x: x.sum() - total, "jac": lambda _: np.ones(table.size)},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert np.abs(found.ravel() - slow.x).max() < 1e-4


def test_the_projection_of_an_empty_total_is_empty_and_of_one_cell_is_the_total():
    assert on_simplex(np.array([3.0, -1.0]), 0.0).tolist() == [0, 0]
    assert on_simplex(np.array([3.0, -1.0]), -5.0).tolist() == [0, 0]
    assert on_simplex(np.array([-7.0]), 2.0).tolist() == [2.0]
    assert on_simplex(np.array([1.0, 1.0]), 2.0).tolist() == [1.0, 1.0]
    assert on_simplex(np.array([5.0, 5.0, -9.0]), 2.0).tolist() == [1.0, 1.0, 0.0]


def test_clamping_would_make_phantoms_where_the_projection_makes_none():
    of = domain()
    found = plan(of, "0.5")
    nothing = {g.name: np.zeros(found.shape(g), np.int64) for g in found.groups}
    tables = noisy_tables(nothing, found, origin="preview")
    clamped = np.maximum(tables.values["start+hour+day_type"], 0).sum()
    assert clamped > 200
    assert sum(table.sum() for table in consistent(tables).values()) == pytest.approx(7 * tables.total)
    assert on_simplex(tables.values["start+hour+day_type"].astype(float), 5.0).sum() == pytest.approx(5.0)


def labelled(rng, shape):
    """Row, column and some other labels of each cell, and a table whose margins are all possible."""
    cell = np.arange(shape[0] * shape[1])
    labels = [cell // shape[1], cell % shape[1], rng.integers(0, 3, len(cell))]
    labels[2][:3] = [0, 1, 2]
    truth = rng.poisson(2, len(cell)).astype(float) + 0.1
    noise = rng.normal(0, 2, len(cell))
    a = np.vstack([np.equal.outer(np.arange(where.max() + 1), where) for where in labels]).astype(float)
    return labels, a, truth + noise - np.linalg.pinv(a) @ (a @ noise), truth


@pytest.mark.parametrize("seed", range(8))
def test_with_margins_it_is_the_nearest_table_that_has_them(seed):
    rng = np.random.default_rng(seed)
    labels, a, table, truth = labelled(rng, (4, 5))
    total = truth.sum()
    found = with_margins(table.reshape(4, 5), labels, total).ravel()
    assert found.min() >= 0
    assert np.abs(a @ found - a @ truth).max() < 0.05
    # Karush, Kuhn, Tucker: what was taken off is one number for each label where a cell stays, and more where none does
    stays = found > 0
    off = table - found
    rows = a.T
    multipliers = linprog(
        np.zeros(rows.shape[1]),
        A_ub=-rows[~stays],
        b_ub=1e-6 - table[~stays],
        A_eq=rows[stays],
        b_eq=off[stays],
        bounds=(None, None),
    )
    assert multipliers.status == 0


def test_margins_that_are_negative_are_projected_first():
    table = np.array([[5.0, 5.0], [-3.0, -1.0], [2.0, 2.0]])
    labels = [np.repeat([0, 1, 2], 2), np.tile([0, 1], 3)]
    found = with_margins(table, labels, 10.0)
    assert found[1] == pytest.approx([0, 0], abs=0.01)
    assert found.sum() == pytest.approx(10, abs=0.02)
    assert (with_margins(table, labels, 0.0) == 0).all()


def test_quiet_rows_keep_none_of_the_noise_and_busy_ones_lose_nothing():
    """One busy row among quiet ones, noise of 20: the mean over many draws is the truth."""
    rng = np.random.default_rng(0)
    truth = np.zeros((30, 40))
    truth[0] = 1_000
    labels = [np.repeat(np.arange(30), 40), np.tile(np.arange(40), 30)]
    lost = {"total": 0.0, "margins": 0.0}
    for _ in range(20):
        table = truth + rng.laplace(0, 20, truth.shape)
        lost["total"] += (truth[0].sum() - on_simplex(table, table.sum())[0].sum()) / 20
        lost["margins"] += (truth[0].sum() - with_margins(table, labels, table.sum())[0].sum()) / 20
    assert lost["total"] > 1_000
    assert abs(lost["margins"]) < lost["total"] / 3
