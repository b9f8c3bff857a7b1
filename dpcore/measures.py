"""What may be asked: every measure with its public keys, its proved sensitivity and its SQL.

``dpcore.measure`` says what a measure is and why its sensitivity holds; the measures themselves are in
``dpcore.counts_of_trips`` and ``dpcore.counts_of_users``.

The SQL reads the table ``kept`` (one row a counted trip, see ``private/bounding.py``), or ``trips`` (all of
them, with ``user_id``) where users are counted. It returns one integer column for each key axis and then ``n``,
names no dialect's own functions, and so runs on any engine. Dates are those of the end of a trip; hours belong
to each end's own time; all are local.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dpcore import counts_of_trips as trips
from dpcore import counts_of_users as users
from dpcore.errors import InputError
from dpcore.measure import Measure, PublicKeys

__all__ = ["MEASURES", "Measure", "PublicKeys", "measure_named"]

_ALL: Final = (
    trips.DS_STATISTICS,
    trips.MISSING_VALUES,
    trips.TRIPS_OVER_TIME,
    trips.TRIPS_PER_WEEKDAY,
    trips.TRIPS_PER_HOUR,
    trips.VISITS_PER_TILE,
    trips.VISITS_PER_TIME_TILE,
    trips.OD_FLOWS,
    trips.TRAVEL_TIME,
    trips.JUMP_LENGTH,
    users.TRIPS_PER_USER,
    trips.USER_TIME_DELTA,
    users.RADIUS_OF_GYRATION,
    users.USER_TILE_COUNT,
    users.MOBILITY_ENTROPY,
)

MEASURES: Final[Mapping[str, Measure]] = MappingProxyType({measure.name: measure for measure in _ALL})
"""Every measure by name."""


def measure_named(name: str) -> Measure:
    """The measure of that name; raises InputError that lists the names there are."""
    if name not in MEASURES:
        raise InputError.unknown("measure", name, sorted(MEASURES))
    return MEASURES[name]
