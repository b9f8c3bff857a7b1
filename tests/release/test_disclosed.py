"""What everything that shows at a rung costs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore.curator.topping_up import raised_plan
from dpcore.noise.mechanisms import raised
from dpcore.release import disclosed_at
from dpcore.release.manifest import readme_of as readme
from dpcore.release.statements import own_keys
from tests.release.made_releases import made_release

WEIGHTS = {"travel_time": 2, "user_time_delta": 1, "trips_per_weekday": 1}
SHARE = Fraction(1, 10)


@pytest.fixture(scope="module")
def release():
    return made_release(weights=WEIGHTS, epsilon="1", five_numbers=2, ranges=SHARE)


def test_where_nothing_was_bought_a_rung_costs_what_it_says():
    plain = made_release(epsilon="2")
    assert [disclosed_at(plain, rung) for rung in range(len(plain.plan.rungs))] == list(plain.plan.rungs)


def test_bought_bins_cost_their_price_at_every_rung():
    ranged = made_release(weights=WEIGHTS, epsilon="1", ranges=SHARE)
    for number, rung in enumerate(ranged.plan.rungs):
        assert disclosed_at(ranged, number) == Fraction(9, 10) * rung + SHARE
    assert disclosed_at(ranged, 0) == Fraction(19, 100)
    assert disclosed_at(ranged, len(ranged.plan.rungs) - 1) == 1


def test_bought_summaries_cost_nothing_where_they_are_not_shown(release):
    counts = Fraction(9, 10) * Fraction(4, 6)
    found = [disclosed_at(release, rung) for rung in range(len(release.plan.rungs))]
    assert found[:-1] == [counts * rung + SHARE for rung in release.plan.rungs[:-1]]
    assert found[-1] == 1


def test_a_raise_draws_nothing_bought_anew(release):
    plan = raised_plan(release.plan, Fraction(2))
    zeros = {name: one.keys.all_cells * 0 for name, one in release.measurements.items()}
    higher = replace(
        release,
        plan=plan,
        drawn=replace(
            release.drawn,
            measurements={
                name: raised(one, zeros[name], plan.rungs[len(release.plan.rungs) :])
                for name, one in release.measurements.items()
            },
        ),
    )
    top = len(plan.rungs) - 1
    assert disclosed_at(higher, top) == 2 * Fraction(6, 10) + Fraction(3, 10) + SHARE < plan.epsilon
    assert disclosed_at(higher, 0) == disclosed_at(release, 0)


def test_bought_bins_are_said_to_be_bought_and_never_chosen(release):
    assert not any("chose" in sentence for sentence in own_keys(release))
    said = " ".join(own_keys(release))
    one = "The bins of travel_time follow from a range that was bought with epsilon 0.033333 (95 % below "
    both = "The bins of user_time_delta follow from a range that was bought with epsilon 0.066667 (5 % below "
    assert one in said
    assert both in said
    told = readme(release).decode()
    assert "chose the bins" not in told
    assert "alone reveal as much as epsilon 0.16." in told
