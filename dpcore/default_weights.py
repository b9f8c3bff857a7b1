"""Weights that stand where nobody chose any: those of the rule of ``dpcore.weights`` for a typical city.

Written down as numbers, so that a plan needs no forecast; ``tests/test_weights.py`` works them out again.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

DEFAULT_WEIGHTS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "ds_statistics": 47,
        "missing_values": 25,
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
"""By measure, for 300,000 trips of 33,000 people in 150 tiles and four weeks, at most 10 trips of each person."""

EXPLORED_WEIGHTS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "visits_per_tile": 70,
        "od_flows": 100,
        "trips_per_hour": 30,
        "trips_over_time": 25,
        "trips_per_weekday": 25,
    }
)
"""By measure of the Explore page, by the same rule for these five alone."""
