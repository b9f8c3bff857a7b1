"""Tables that count the same trips agree, by the smallest change."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.kinds.roy.consistency import consistent, labels_of, margins, shared_attributes
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.station_trips import exact_tables
from dpcore.kinds.roy.workload import NoisyTables
from tests.synthesis.small import domain, plan, private, some_trips

CHOICES = [
    {},
    {"area": False},
    {"by_month": False},
    {"area": False, "person": False, "by_month": False},
    {"person": False},
]


def noisy(has, trips=2_000, epsilon="0.5"):
    of = domain(**has)
    found = plan(of, epsilon)
    return noisy_tables(
        exact_tables(private(some_trips(trips, of), of), found).counts, found, origin="preview"
    )


def margin(table, labels, size):
    return np.bincount(labels, table.ravel(), size)


@pytest.mark.parametrize("has", CHOICES)
def test_shared_margins_agree_to_a_billionth(has):
    tables = noisy(has)
    of, moved = tables.plan.domain, consistent(tables)
    shared = shared_attributes(of, tables.plan.groups)
    assert {"start", "day_type", "band"} <= set(shared)
    for attribute, having in shared.items():
        all_of_them = [margin(moved[g.name], labels, of.sizes[attribute]) for g, labels in having]
        for one in all_of_them[1:]:
            assert np.abs(one - all_of_them[0]).max() < 1e-9
    assert all(table.sum() == pytest.approx(tables.total, abs=1e-8) for table in moved.values())


def test_exact_tables_are_consistent_already():
    of = domain()
    found = plan(of)
    exact = exact_tables(private(some_trips(500, of), of), found).counts
    for name, table in consistent(NoisyTables(found, exact, "preview")).items():
        assert np.abs(table - exact[name]).max() < 1e-9


def test_each_table_moves_no_further_than_it_must():
    tables = noisy({})
    moved, wanted, of = consistent(tables), margins(tables), tables.plan.domain
    for group in tables.plan.groups:
        rows, goals = [], []
        for name, goal in wanted.items():
            labels = labels_of(of, group, name)
            if labels is not None:
                rows.append(np.equal.outer(np.arange(len(goal)), labels))
                goals.append(goal)
        a, b = np.vstack(rows).astype(float), np.concatenate(goals)
        before = tables.values[group.name].ravel()
        dense = before + np.linalg.pinv(a) @ (b - a @ before)
        assert np.abs(moved[group.name].ravel() - dense).max() < 1e-7


def test_the_plain_rule_is_met_where_axes_are_labels():
    """Two tables share stations: each gap is spread evenly over the cells of its station."""
    tables = noisy({"area": False, "person": False, "by_month": False})
    wanted, hours = margins(tables)["start"], tables.values["start+hour+day_type"]
    moved = consistent(tables)["start+hour+day_type"]
    gap = (wanted - hours.sum(axis=(1, 2))) / hours[0].size
    by_day = moved - hours - gap[:, None, None]
    assert np.abs(by_day - by_day[:1, :1]).max() < 1e-9  # what is left depends on the day type alone


def test_the_total_weighs_each_table_by_the_inverse_of_its_variance():
    tables = noisy({})
    sums = np.array([tables.values[g.name].sum() for g in tables.plan.groups])
    variances = np.array([tables.plan.cells(g) * tables.variance(g) for g in tables.plan.groups])
    assert tables.total == pytest.approx((sums / variances).sum() / (1 / variances).sum())
    assert sums.min() <= tables.total <= sums.max()


def test_agreement_brings_a_noisy_margin_nearer_to_the_truth():
    of = domain()
    exact = exact_tables(private(some_trips(2_000, of), of), plan(of)).counts
    truth = exact["start+end"].sum(axis=1)
    before, after = 0.0, 0.0
    for _ in range(200):
        tables = noisy_tables(exact, plan(of), origin="preview")
        before += ((tables.values["start+hour+day_type"].sum(axis=(1, 2)) - truth) ** 2).sum()
        after += ((margins(tables)["start"] - truth) ** 2).sum()
    assert after < before / 3


def test_tables_of_another_shape_are_refused():
    tables = noisy({})
    with pytest.raises(ValueError, match="disagree"):
        replace(tables, values={})
