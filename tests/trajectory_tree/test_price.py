"""What a tree costs: exact, per descriptor and for a record, times M for a person."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore.privacy import ContributionBound
from dpcore.trajectory_tree.levels import Levels
from dpcore.trajectory_tree.plan import Definition, Strategy
from dpcore.trajectory_tree.price import implied_losses, price_of_tree
from tests.trajectory_tree.growing import LOCATION, levels_of, planned

TRIP = ContributionBound.per_trip()
TEN = ContributionBound.per_user(10)


@pytest.mark.parametrize("bound", [TRIP, TEN])
def test_a_record_costs_the_budget_of_the_lowest_level_and_a_person_m_times_it(bound):
    levels = Levels.of(("a", "b", "c"), {"a": "Low", "b": "Medium"})
    for plan in (
        planned(levels, "0.5"),
        planned(levels, "0.5", definition=Definition.RECORD, strategy=Strategy.RECORD),
    ):
        price = price_of_tree(plan, bound)
        assert price.record == bound.trips * Fraction(5, 4)
        assert dict(price.descriptors) == {
            "Public-ish": bound.trips * Fraction(5, 2),
            "Low": bound.trips * Fraction(5, 4),
            "Medium": bound.trips * Fraction(5, 6),
            "High": bound.trips * Fraction(5, 8),
            "Critical": bound.trips * Fraction(1, 2),
        }


@pytest.mark.parametrize("strategy", LOCATION)
def test_all_critical_costs_epsilon(strategy):
    plan = planned(Levels.all_critical(("a", "b")), "0.3", strategy=strategy)
    assert price_of_tree(plan, TRIP).record == Fraction(3, 10)


@pytest.mark.parametrize("definition", Definition)
def test_the_uniform_allocation_costs_epsilon_whatever_the_levels(definition):
    plan = planned(levels_of(1, 2), "0.3", definition=definition, strategy=Strategy.UNIFORM)
    price = price_of_tree(plan, TEN)
    assert price.record == 3
    assert {epsilon for _, epsilon in price.descriptors} == {3}


def test_the_implied_losses_are_those_of_the_table():
    plan = planned(levels_of(1, 2), "1")
    lines = {line.change: line.epsilon for line in implied_losses(plan, TEN)}
    assert lines == {
        "everything that is known of a person or trip is added or removed": 40,
        "one trajectory ends before its first visit to a Low place": 4,
        "one trajectory ends before its first visit to a Critical place": 1,
        "a visit to a Low place is taken out of one trajectory and the rest kept": 8,
        "a visit to a Critical place is taken out of one trajectory and the rest kept": 5,
    }
    plan = planned(levels_of(1, 2), "1", definition=Definition.RECORD, strategy=Strategy.RECORD)
    assert [line.epsilon for line in implied_losses(plan, TRIP)] == [4, 4, 1]
