"""The default plan as it was in version 0.3.0, and the default plan of today."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from bench.accuracy.sets import Loaded
from dpcore.measures.choices import KeyChoices, measure_named
from dpcore.measures.plan import Plan
from dpcore.planning.default_plan import default_bound, default_plan
from dpcore.privacy import ContributionBound

BEFORE = MappingProxyType(
    {
        "ds_statistics": 47,
        "trips_over_time": 56,
        "trips_per_weekday": 25,
        "trips_per_hour": 100,
        "visits_per_tile": 100,
        "visits_per_time_tile": 100,
        "od_flows": 100,
        "travel_time": 26,
        "jump_length": 28,
        "trips_per_user": 25,
        "user_time_delta": 32,
        "radius_of_gyration": 25,
        "user_tile_count": 35,
        "mobility_entropy": 25,
    }
)
"""Weights of version 0.3.0."""


def today(data: Loaded, bound: ContributionBound, epsilon: Fraction) -> Plan:
    """The default plan of today at one epsilon, for an owner who declares about how many trips and people there are.

    Of the rungs up to that epsilon only the finest is drawn: its noise has the same law, and estimates read no other.
    """
    plan = default_plan(bound, epsilon, data.tiles, data.facts, KeyChoices(data.period), form=data.trips.form)
    return replace(plan, rungs=(epsilon,))


def usual_bound(data: Loaded, epsilon: Fraction) -> int:
    """The bound M that the default plan proposes."""
    return default_bound(epsilon, data.facts, KeyChoices(data.period))


def before(data: Loaded, bound: ContributionBound, epsilon: Fraction) -> Plan:
    """The default plan of version 0.3.0 at one epsilon: of those measures that the trips can answer."""
    asked = {
        name: weight for name, weight in BEFORE.items() if not measure_named(name).lacks(data.trips.form)
    }
    plan = Plan(bound, asked, (epsilon,), KeyChoices(data.period))
    return plan.for_form(has_users=data.trips.has_users)
