"""What may be asked: every measure with its public keys, its proved sensitivity and its SQL.

``dpcore.measure`` says what a measure is and why its sensitivity holds; the measures themselves are in
``dpcore.counts_of_trips`` and ``dpcore.counts_of_users``.

The SQL reads the table ``kept`` (one row a counted trip, see ``private/bounding.py``), or ``trips`` (all of
them, with ``user_id``) where users are counted. It returns one integer column for each key axis and then ``n``,
names no dialect's own functions, and so runs on any engine. Dates are those of the end of a trip; hours belong
to each end's own time; all are local.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from dpcore import counts_of_trips as trips
from dpcore import counts_of_users as users
from dpcore.errors import InputError
from dpcore.key_choices import USUAL, KeyChoices
from dpcore.measure import Measure

__all__ = ["MEASURES", "Measure", "measure_named"]


def _fixed(measure: Measure) -> Callable[[KeyChoices], Measure]:
    """The maker of a measure about which nothing can be chosen."""
    return lambda _: measure


_MAKERS: Final[Mapping[str, Callable[[KeyChoices], Measure]]] = MappingProxyType(
    {
        "ds_statistics": trips.ds_statistics,
        "missing_values": _fixed(trips.MISSING_VALUES),
        "trips_over_time": trips.trips_over_time,
        "trips_per_weekday": _fixed(trips.TRIPS_PER_WEEKDAY),
        "trips_per_hour": _fixed(trips.TRIPS_PER_HOUR),
        "visits_per_tile": trips.visits_per_tile,
        "visits_per_time_tile": trips.visits_per_time_tile,
        "od_flows": _fixed(trips.OD_FLOWS),
        "travel_time": trips.travel_time,
        "jump_length": trips.jump_length,
        "trips_per_user": users.trips_per_user,
        "user_time_delta": trips.user_time_delta,
        "radius_of_gyration": users.radius_of_gyration,
        "user_tile_count": users.user_tile_count,
        "mobility_entropy": users.mobility_entropy,
    }
)

MEASURES: Final[Mapping[str, Measure]] = MappingProxyType(
    {name: make(USUAL) for name, make in _MAKERS.items()}
)
"""Every measure by name, with the usual keys."""


def measure_named(name: str, choices: KeyChoices = USUAL) -> Measure:
    """The measure of that name with the chosen keys; raises InputError that lists the names there are."""
    if name not in _MAKERS:
        raise InputError.unknown("measure", name, sorted(_MAKERS))
    return MEASURES[name] if choices is USUAL else _MAKERS[name](choices)
