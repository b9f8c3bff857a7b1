"""The demo city: an invented town whose every trip is public.

It is what people see first, what lessons attack and what screenshots show. Nobody lives in it, so its truth may stand
beside the noise. All of it follows from a seed through ``numpy.random.default_rng``. That generator is allowed only in
this package, because nothing here protects anyone. Noise never comes from it.

Coordinates are WGS84; times are the wall clock of ``DEMO_TIMEZONE``.
"""

from __future__ import annotations

from typing import Final

from dpcore.demo.city import CityTiles, city_tiles
from dpcore.demo.people import DEMO_PERIOD, DEMO_TIMEZONE, RAINY_DAY, STADIUM_DAY
from dpcore.demo.streets import city_context
from dpcore.demo.trips import MODES, city_trips, trip_tables, write_city

__all__ = [
    "DEMO_PERIOD",
    "DEMO_SEED",
    "DEMO_TILES",
    "DEMO_TIMEZONE",
    "DEMO_TRIPS",
    "MODES",
    "RAINY_DAY",
    "STADIUM_DAY",
    "CityTiles",
    "city_context",
    "city_tiles",
    "city_trips",
    "trip_tables",
    "write_city",
]

VERSION: Final = 2
"""Raise it when the same seed gives another city."""
DEMO_TRIPS: Final = 300_000
DEMO_TILES: Final = 150
DEMO_SEED: Final = 7
