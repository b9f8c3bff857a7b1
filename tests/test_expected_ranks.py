"""Before anything is spent: whether bought five-number summaries are expected to beat the free ones."""

from __future__ import annotations

from fractions import Fraction

from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts, expected_ranks, five_numbers_warning
from dpcore.privacy import ContributionBound

USER, TRIP = ContributionBound.per_user(5), ContributionBound.per_trip()


def plan(bound=USER, epsilon="1", five_numbers=1, **weights: int) -> Plan:
    return Plan.up_to(bound, weights or {"travel_time": 1}, epsilon, five_numbers=five_numbers)


def test_with_few_trips_a_warning_says_by_how_much_the_free_numbers_are_better():
    (one,) = expected_ranks(plan(), Facts(1_000, 200, 50))
    assert one.bought > 5 * one.free
    assert not one.pays
    said = five_numbers_warning(plan(), Facts(1_000, 200, 50))
    assert "not expected to beat" in said
    assert f"{one.bought:,} values instead of {one.free:,}" in said
    assert "about 644 are expected" in said


def test_with_many_trips_there_is_none():
    assert five_numbers_warning(plan(), Facts(10_000_000, 2_000_000, 50)) == ""
    assert all(one.pays for one in expected_ranks(plan(), Facts(10_000_000, 2_000_000, 50)))


def test_without_declared_numbers_it_says_from_how_many_values_buying_pays():
    said = five_numbers_warning(plan(TRIP), Facts(None, None, 50))
    assert "better from about" in said
    assert "was not declared" in said


def test_the_free_numbers_are_those_of_the_plan_that_buys_none():
    for weight in (1, 50):
        (one,) = expected_ranks(plan(five_numbers=weight), Facts(None, None, 50))
        assert one.free == expected_ranks(plan(five_numbers=1), Facts(None, None, 50))[0].free
    assert expected_ranks(plan(epsilon=Fraction(2)), Facts(None, None, 50))[0].free < one.free


def test_a_plan_that_buys_none_has_no_warning():
    assert expected_ranks(plan(five_numbers=0), Facts(10, 2, 50)) == ()
    assert five_numbers_warning(plan(five_numbers=0), Facts(10, 2, 50)) == ""
