"""What a tree costs: exact, per descriptor and for a record, times M for a person."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcore.kinds.tree.levels import Levels
from dpcore.kinds.tree.plan import Definition, Strategy, implied_losses, price_of_levels, price_of_tree
from dpcore.privacy import ContributionBound, epsilon_text
from tests.synthesis.tree.growing import LOCATION, PROMISES, levels_of, planned

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
    plan = planned(Levels.of(("a", "b"), {}), "0.3", strategy=strategy)
    assert price_of_tree(plan, TRIP).record == Fraction(3, 10)


@pytest.mark.parametrize("definition", Definition)
def test_the_uniform_allocation_costs_epsilon_whatever_the_levels(definition):
    plan = planned(levels_of(1, 2), "0.3", definition=definition, strategy=Strategy.UNIFORM)
    price = price_of_tree(plan, TEN)
    assert price.record == 3
    assert {epsilon for _, epsilon in price.descriptors} == {3}


@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
@pytest.mark.parametrize("bound", [TRIP, TEN])
def test_levels_that_no_place_has_are_no_lines_and_no_line_exceeds_a_record_exchanged(
    definition, strategy, bound
):
    levels = Levels.of(("a", "b", "c"), {"a": "Medium", "b": "High"})
    plan = planned(levels, "0.5", definition=definition, strategy=strategy)
    lines, record = implied_losses(plan, bound), price_of_tree(plan, bound).record
    assert not any(word in line.change for line in lines for word in ("Public-ish", "Low"))
    assert all(any(word in line.change for line in lines) for word in ("Medium", "High", "Critical"))
    assert [line.epsilon for line in lines[:2]] == [record, 2 * record]
    assert max(line.epsilon for line in lines[2:]) <= 2 * record / bound.trips
    shown = dict(price_of_levels(plan, bound))
    assert list(shown) == ["Medium", "High", "Critical"]
    assert max(shown.values()) == record
    named = Levels.of(("a",), {"a": "Low"})  # no place is Critical
    assert list(dict(price_of_levels(planned(named, "0.5"), TRIP))) == ["Low"]


def test_epsilons_are_said_in_one_way_and_never_rounded_down():
    said = {
        Fraction(10, 3): "3.34",
        Fraction(1, 3): "0.334",
        Fraction(5, 8): "0.625",
        Fraction(125, 2): "62.5",
        Fraction(1, 3_000): "0.000334",
        Fraction(400, 3): "133.34",
    }
    assert {epsilon: epsilon_text(epsilon) for epsilon in said} == said


def test_the_implied_losses_are_those_of_the_table():
    plan = planned(levels_of(1, 2), "1")
    lines = {line.change: (line.epsilon, line.whom) for line in implied_losses(plan, TEN)}
    many = "one trajectory of a person with more than 10"
    exchanged = "is removed from one trajectory or moved to another place, and the rest is kept"
    assert lines == {
        "everything about a person or trip is added or removed": (
            40,
            "a person (10 times one trajectory)",
        ),
        "everything about a person or trip becomes something else (clinic or square?)": (
            80,
            "a person (10 times one trajectory)",
        ),
        "one trajectory ends before its first visit to a Low place but stays in the data": (
            4,
            "one trajectory",
        ),
        "one trajectory ends before its first visit to a Critical place but stays in the data": (
            1,
            "one trajectory",
        ),
        f"a visit to a Low place {exchanged}": (8, "one trajectory"),
        f"a visit to a Critical place {exchanged}": (5, "one trajectory"),
        "one trajectory that begins at a Low place is missing, and another one takes its place": (8, many),
        "one trajectory that begins at a Critical place is missing, and another one takes its place": (
            5,
            many,
        ),
    }
    assert not any("takes its place" in line.change for line in implied_losses(plan, TRIP))


def test_whole_trajectories_of_people_with_more_than_m_are_replaced_under_the_other_promise_too():
    plan = planned(levels_of(1, 2), "1", definition=Definition.RECORD, strategy=Strategy.RECORD)
    assert [line.epsilon for line in implied_losses(plan, TRIP)] == [4, 8, 4, 1]
    lines = [(line.epsilon, line.whom) for line in implied_losses(plan, TEN)]
    few, many = (f"one trajectory of a person with {how} 10" for how in ("at most", "more than"))
    assert lines[2:] == [(4, few), (1, few), (8, many), (5, many)]
