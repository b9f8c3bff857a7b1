"""Even weights: what they promise, where they stop, and how the forecast behind them fares on a city."""

from __future__ import annotations

import ast
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from dpcore import demo, limits
from dpcore.api import owner
from dpcore.errors import InputError, PrivacyError
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width
from dpcore.noise.forecast import Facts
from dpcore.noise.weights import WEIGHTS_RULE, proposal, typical_count
from dpcore.privacy import ContributionBound
from tests.cities import synthetic_city
from tests.conftest import ROOT

TYPICAL = Facts(trips=300_000, users=33_000, tiles=150)
"""A typical city."""
USUAL_KEYS = KeyChoices()
TEN, TRIP = ContributionBound.per_user(10), ContributionBound.per_trip()
USUAL = [
    name
    for name, measure in MEASURES.items()
    if name
    not in {"missing_values", "total_trips", "incomplete_trips", "od_districts", "od_flows_per_window"}
]
"""Measures with a typical count, and with keys that need no choice."""
FACTOR = 2
"""What is forecast and what a city shows differ by no more."""


@pytest.mark.parametrize("bound", [TEN, ContributionBound.per_user(1), ContributionBound.per_user(300), TRIP])
@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_errors_are_even_within_5_percent_where_no_limit_holds(bound, epsilon):
    found = proposal(USUAL, bound, Fraction(epsilon), TYPICAL)
    even = [found.errors[name] for name in USUAL if found.limits[name] == "even"]
    assert len(even) >= 2
    middle = (max(even) + min(even)) / 2
    assert max(even) <= 1.05 * middle
    assert min(even) >= 0.95 * middle
    for name in USUAL:
        if found.limits[name] == "most":
            assert found.errors[name] > 0.95 * middle
        if found.limits[name] == "least":
            assert found.errors[name] < 1.05 * middle


@pytest.mark.parametrize("names", [USUAL, list(MEASURES), USUAL[:2], USUAL[:1], ["missing_values"]])
def test_no_measure_starves_and_none_swallows_the_rest(names):
    found = proposal(names, TEN, Fraction(1), replace(TYPICAL, tiles=5000))
    assert list(found.weights) == list(found.errors) == list(found.limits) == names
    total, number = sum(found.weights.values()), len(names)
    for weight in found.weights.values():
        assert isinstance(weight, int)
        assert 1 <= weight <= 100 <= limits.MAX_BUNDLE_WEIGHT
        assert 0.97 * 0.5 / number <= weight / total <= min(1, 1.03 * 2 / number)
    Plan.up_to(TEN, found.weights, Fraction(1), KeyChoices(Period(date(2024, 4, 1), date(2024, 4, 2))))


def test_the_forecast_error_is_that_of_the_plan():
    found = proposal(USUAL, TEN, Fraction(2), TYPICAL)
    plan = Plan.up_to(TEN, found.weights, Fraction(2))
    for name in USUAL:
        width = half_width(plan.share(name) * 2 / MEASURES[name].sensitivity(TEN))
        assert found.errors[name] == pytest.approx(width / typical_count(MEASURES[name], TEN, TYPICAL))


def test_epsilon_changes_errors_and_no_weight():
    coarse, fine = (proposal(USUAL, TEN, Fraction(e), TYPICAL) for e in ("0.1", "10"))
    assert coarse.weights == fine.weights
    assert all(fine.errors[name] < coarse.errors[name] for name in USUAL)


def test_the_same_question_has_the_same_answer():
    first, second = (proposal(USUAL, TEN, Fraction(1), TYPICAL) for _ in range(2))
    assert first == second
    turned = proposal(USUAL[::-1], TEN, Fraction(1), TYPICAL).weights
    assert dict(turned) == dict(first.weights)


def test_smaller_counts_never_ask_for_less():
    """More tiles, fewer trips, smaller bins: the share of what becomes finer does not fall."""
    pair = ["visits_per_tile", "trips_per_hour", "trips_per_weekday"]

    def share(facts, name="visits_per_tile", choices=USUAL_KEYS):
        weights = proposal([*pair, "trips_over_time"], TEN, Fraction(1), facts, choices).weights
        return weights[name] / sum(weights.values())

    shares = [share(replace(TYPICAL, tiles=tiles)) for tiles in (2, 10, 50, 250, 1000, 5000)]
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]
    period = Period(date(2020, 1, 1), date(2024, 12, 31))
    by_step = [share(TYPICAL, "trips_over_time", KeyChoices(period, step)) for step in (Step.MONTH, Step.DAY)]
    assert by_step[0] < by_step[1]
    for name, measure in MEASURES.items():
        counts = [
            typical_count(measure, TRIP, Facts(trips, max(1, trips // 9), 100)) for trips in (0, 100, 10**6)
        ]
        assert counts == sorted(counts) if counts[0] is not None else name not in USUAL


def test_what_is_not_declared_is_taken_from_the_typical_city():
    nothing = proposal(USUAL, TEN, Fraction(1), Facts(None, None, 150))
    assert nothing.weights == proposal(USUAL, TEN, Fraction(1), Facts(300_000, 33_333, 150)).weights
    people = typical_count(MEASURES["ds_statistics"], TRIP, Facts(1000, None, 10))
    assert people == 1000  # where no person can be told from another, trips are what is counted
    assert typical_count(MEASURES["ds_statistics"], TRIP, Facts(1000, 100, 10)) == 100
    assert typical_count(MEASURES["ds_statistics"], TEN, Facts(None, 10**6, 10)) == 10**6


def test_what_cannot_be_weighed_is_refused():
    with pytest.raises(PrivacyError, match="nothing to weigh"):
        proposal([], TEN, Fraction(1), TYPICAL)
    with pytest.raises(InputError, match="unknown measure"):
        proposal(["steps"], TEN, Fraction(1), TYPICAL)
    assert "twice" in WEIGHTS_RULE


@pytest.mark.parametrize("rule", ["dpcore.noise.weights", "dpcore.planning.default_plan"])
def test_weights_are_proposed_without_a_way_to_the_trips(rule):
    """Neither the rule nor what it imports lies behind the wall or at its doors."""
    seen, left = set(), [rule, "dpcore.measures"]
    while left:
        name = left.pop()
        file = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        file = file if file.exists() else ROOT.joinpath(*name.split("."), "__init__.py")
        if name in seen or name == "dpcore" or not file.exists():
            continue
        seen.add(name)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dpcore"):
                left += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    assert "dpcore.noise.forecast" in seen
    assert not {
        name for name in seen if name.startswith(("dpcore.private", "dpcore.api.owner", "dpcore.curator"))
    }


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    """A small synthetic city: its truth is public."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_ATLAS_HOME", str(tmp_path_factory.mktemp("home")))
        trips, tiles = synthetic_city(tmp_path_factory.mktemp("city"), 40_000, 80, 5)
        choices = KeyChoices(demo.DEMO_PERIOD)
        tables = {bound: owner.exact_tables(trips, USUAL, bound, choices) for bound in (TEN, TRIP)}
        yield tables, choices, len(tiles.tile_ids)


@pytest.mark.parametrize("bound", [TEN, TRIP])
def test_errors_on_the_synthetic_city_are_those_forecast_within_a_factor(city, bound):
    tables, choices, tiles = city
    statistics = tables[bound]["ds_statistics"]["value"]
    facts = Facts(tables[TRIP]["ds_statistics"]["value"][1], statistics[0], tiles)
    found = proposal(USUAL, bound, Fraction(1), facts, choices)
    plan = Plan.up_to(bound, found.weights, Fraction(1), choices)
    for name in USUAL:
        counts = np.array(tables[bound][name]["value"])
        width = half_width(plan.share(name) / measure_named(name, choices).sensitivity(bound))
        # the middle fifth and not the median alone: which trips count is chance, and 3 or 4 of a flow is much to a factor
        middle = np.quantile(counts[counts > 0], np.linspace(0.4, 0.6, 21)).mean()
        typical = statistics[0] if name == "ds_statistics" else middle
        real = width / typical
        assert real / FACTOR <= found.errors[name] <= real * FACTOR, name
