"""Rates and thresholds: the table, and the sums of the proofs on every path of levels."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpcore.errors import InternalError
from dpcore.kinds.tree.allocation import (
    NodeBudget,
    location_child,
    marker_rate,
    root,
    threshold,
    unit_rate,
    units,
)
from dpcore.kinds.tree.levels import DESCRIPTORS
from dpcore.kinds.tree.plan import FALSE_CHILDREN, Definition, Strategy
from dpcore.kinds.tree.tree import must_keep_its_promise, worst_share
from dpcore.noise.accuracy import false_positive_threshold
from tests.synthesis.tree.growing import LOCATION, QUIET, five_levels, grown, levels_of, planned, walks

LEVELS = [1, 2, 3, 4, 5]
FIVE = levels_of(*LEVELS, descriptors=DESCRIPTORS)


def along(plan, path):
    """Budgets of the nodes of a path of levels."""
    budgets = [root(plan)]
    for depth, level in enumerate(path, 1):
        budgets.append(location_child(plan, budgets[-1], depth, level))
    return budgets[1:]


@pytest.mark.parametrize("strategy", LOCATION)
@pytest.mark.parametrize("height", [1, 2, 4])
def test_no_cut_of_any_path_loses_more_than_the_level_of_its_tile(strategy, height):
    plan = planned(FIVE, "0.5", height, strategy=strategy)
    extra_marker = plan.epsilon / plan.positions
    for path in itertools.product(LEVELS, repeat=height):
        budgets = along(plan, path)
        assert all(one.rate > 0 for one in budgets)
        for at, level in enumerate(path):
            for last in range(at, height):
                marker = marker_rate(plan, budgets[last], cut=False)
                lost = sum(one.rate for one in budgets[at : last + 1]) + marker + (extra_marker if at else 0)
                assert lost <= plan.budget(level)


@pytest.mark.parametrize("height", [1, 2, 4])
def test_no_record_loses_more_than_its_highest_level(height):
    plan = planned(FIVE, "0.5", height, Definition.RECORD, Strategy.RECORD)
    for size in range(1, height + 1):
        for path in itertools.product(LEVELS, repeat=size):
            budgets = along(plan, path)
            spent = sum(one.rate for one in budgets)
            assert spent + marker_rate(plan, budgets[-1], cut=False) == plan.budget(max(path))
            assert spent + marker_rate(plan, budgets[-1], cut=True) == plan.epsilon
            assert marker_rate(plan, budgets[-1], cut=True) > 0


@pytest.mark.parametrize("strategy", LOCATION)
@pytest.mark.parametrize("height", [1, 2, 7])
def test_all_critical_is_uniform_exactly(strategy, height):
    plan = planned(levels_of(2, 2), "0.7", height, strategy=strategy)
    assert {one.rate for one in along(plan, [2] * height)} == {Fraction(7, 10) / (height + 1)}


def test_adaptive_gives_low_places_more_and_never_more_further_down():
    plan = planned(FIVE, "0.5", 4)
    rates = [one.rate for one in along(plan, (1, 2, 5, 1))]
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == (Fraction(5, 2) - Fraction(1, 10)) / 4
    assert rates[2] == rates[3] == (Fraction(1, 2) - 2 * Fraction(1, 10)) / 2


@pytest.mark.parametrize(
    ("rate", "expected"), [("0.5", (10, 16, 20)), ("0.1", (46, 75, 98)), ("0.05", (90, 149, 195))]
)
def test_thresholds_are_those_of_the_table(rate, expected):
    found = tuple(threshold(Fraction(rate), tiles, FALSE_CHILDREN) for tiles in (52, 1_000, 10_000))
    assert found == expected
    assert found == tuple(
        threshold(unit_rate(units(Fraction(rate))), n, FALSE_CHILDREN) for n in (52, 1_000, 10_000)
    )


@pytest.mark.parametrize("tiles", [1, 2, 52, 10_000])
@pytest.mark.parametrize("rate", ["0.01", "0.3", "2", "40"])
def test_the_threshold_is_the_lowest_that_keeps_the_promise_of_few_false_children(tiles, rate):
    least = threshold(Fraction(rate), tiles, FALSE_CHILDREN)
    q = np.exp(-float(Fraction(rate)))
    assert tiles * q**least / (1 + q) <= 0.3
    assert least == 1 or tiles * q ** (least - 1) / (1 + q) > 0.3
    # ten tiles with 3 allowed are three with 0.9: the same law as elsewhere in the package
    assert threshold(Fraction(rate), 3 * tiles, Fraction(3, 10)) == false_positive_threshold(
        Fraction(rate), 10 * tiles
    )


def test_rates_are_drawn_rounded_down_to_whole_units():
    for rate in (Fraction(1, 3), Fraction(1, 65536), Fraction(5, 2), Fraction(10**9 - 1, 10**9)):
        assert 0 <= rate - unit_rate(units(rate)) < Fraction(1, 65536)


@pytest.mark.parametrize(("definition", "strategy"), [(Definition.LOCATION, one) for one in LOCATION]
                         + [(Definition.RECORD, Strategy.RECORD), (Definition.RECORD, Strategy.UNIFORM)])  # fmt: skip
def test_grown_trees_keep_their_promise_and_use_it_up(definition, strategy):
    plan = planned(five_levels(60), "2", 5, definition, strategy)
    share = worst_share(grown(walks(5_000, 60, 8), plan), plan)
    assert share <= 1
    if strategy in {Strategy.ADAPTIVE, Strategy.RECORD}:
        assert share > 0.99


def test_the_audit_finds_a_tree_that_spent_more():
    stricter = planned(five_levels(60), "1.98", 5)
    tree = grown(walks(5_000, 60, 8), planned(five_levels(60), "2", 5))
    with pytest.raises(InternalError, match="path audit"):
        must_keep_its_promise(tree, stricter)


def test_the_audit_finds_budgets_by_own_level(monkeypatch):
    def own_level(plan, parent, depth, level):  # noqa: ARG001
        return root(plan).__class__(
            max(parent.level, level), plan.budget(level) / 2, Fraction(0), Fraction(0)
        )

    monkeypatch.setattr("dpcore.kinds.tree.allocation.location_child", own_level)
    with pytest.raises(InternalError):
        grown(walks(5_000, 60, 8), planned(five_levels(60), "2", 5))


def test_the_audit_finds_that_the_record_which_was_cut_is_not_paid_for(monkeypatch):
    def without_the_extra_marker(plan, parent, depth, level):
        allowance = min(parent.allowance - parent.rate, plan.budget(level))
        rate = (allowance - plan.epsilon / plan.positions) / (plan.height - depth + 1)
        return NodeBudget(max(parent.level, level), rate, allowance, parent.spent)

    monkeypatch.setattr("dpcore.kinds.tree.allocation.location_child", without_the_extra_marker)
    with pytest.raises(InternalError):
        grown(walks(5_000, 60, 8), planned(five_levels(60), "2", 5))


def test_a_tree_of_the_root_alone_has_spent_nothing():
    plan = planned(levels_of(2), "20", 1)
    tree = grown([], plan, QUIET)
    assert len(tree) == 1
    assert worst_share(tree, plan) == 0
