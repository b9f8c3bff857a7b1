"""The default plan as it was in version 0.3.0, and the default plan of today."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from types import MappingProxyType

import numpy as np

from bench.accuracy.sets import Loaded
from dpcore.measures.choices import KeyChoices, measure_named
from dpcore.measures.keys import Districts
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.tiles import Tessellation

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

_PEOPLE = MappingProxyType(
    {
        "trips_per_user": 11,
        "user_time_delta": 11,
        "radius_of_gyration": 11,
        "user_tile_count": 11,
        "mobility_entropy": 11,
        "incomplete_trips": 10,
    }
)
_BOTH = MappingProxyType(
    {
        "visits_per_tile": 250,
        "visits_per_time_tile": 210,
        "trips_per_hour": 100,
        "trips_over_time": 60,
        "jump_length": 30,
        "travel_time": 25,
    }
)


def before(data: Loaded, bound: ContributionBound, epsilon: Fraction) -> Plan:
    """The default plan of version 0.3.0 at one epsilon."""
    return _plan(data, bound, epsilon, dict(BEFORE), KeyChoices(data.period))


def today(data: Loaded, bound: ContributionBound, epsilon: Fraction) -> Plan:
    """The default plan of today at one epsilon."""
    by_trip = bound.unit is PrivacyUnit.TRIP
    flows = Fraction(70 if by_trip else 220, 1000)
    tiles = len(data.tiles.tile_ids)
    number = min(tiles // 20, int(sqrt(data.about_trips * epsilon * flows / (2 * bound.trips))))
    weights = {**_BOTH, **_PEOPLE, "od_districts": 70, "od_flows": 150}
    if not by_trip:
        weights |= {"od_districts": 220, "total_trips": 40}
        del weights["od_flows"]
    if number < 2:
        del weights["od_districts"]
    choices = KeyChoices(data.period, districts=halved(data.tiles, number) if number >= 2 else None)
    return _plan(data, bound, epsilon, weights, choices)


def _plan(
    data: Loaded, bound: ContributionBound, epsilon: Fraction, weights: dict[str, int], choices: KeyChoices
) -> Plan:
    """The plan of those measures that the trips can answer."""
    form = {"has_users": data.trips.has_users, "has_points": data.trips.has_points}
    asked = {name: weight for name, weight in weights.items() if measure_named(name).answerable(**form)}
    return Plan(bound, asked, (epsilon,), choices).for_form(has_users=data.trips.has_users)


def halved(tiles: Tessellation, number: int) -> Districts:
    """Tiles halved along the longer side of their middles until there are so many districts."""
    middles = np.array([(shape.centroid.x, shape.centroid.y) for shape in tiles.polygons])
    middles[:, 0] *= np.cos(np.radians(middles[:, 1].mean()))
    groups = [np.arange(len(middles))]
    while len(groups) < number:
        groups.sort(key=len)
        one = groups.pop()
        along = one[np.argsort(middles[one, np.ptp(middles[one], axis=0).argmax()], kind="stable")]
        groups += [along[: len(along) // 2], along[len(along) // 2 :]]
    of_tiles = np.empty(len(middles), np.int64)
    for place, group in enumerate(sorted(groups, key=lambda group: group.min())):
        of_tiles[group] = place
    names = tuple(f"D{place + 1:03d}" for place in range(len(groups)))
    return Districts(names, tuple(of_tiles.tolist()))


def usual_bound(data: Loaded, epsilon: Fraction) -> int:
    """The bound M that the default plan proposes."""
    del data, epsilon
    return 4
