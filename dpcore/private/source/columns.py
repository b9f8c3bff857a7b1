"""The columns of one batch, checked: places and times of each record, bad ones in a sieve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.degrees import degrees
from dpcore.private.source.extras import without_point_zero
from dpcore.private.source.faults import Sieve
from dpcore.private.source.ids import ids
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.tally import Tally
from dpcore.private.source.text import Mask, is_missing
from dpcore.private.source.times import instants


@dataclass(frozen=True, repr=False, eq=False)
class Ends(Sealed):
    """One end of each trip, or one record of a trip each."""

    us: NDArray[np.int64]
    """Instants in microseconds; anything where the time is not known."""
    timed: Mask
    """Where the time is known."""
    place: tuple[pa.Array, ...]
    """Latitude and longitude (float64, WGS84), or the zone id (text); all null where not known."""
    placed: Mask
    """Where the place is known."""
    missing: NDArray[np.int64]
    """How many fields are empty: latitude, longitude, time (rows) of each end (columns)."""


@dataclass(frozen=True)
class EndRoles:
    """The roles of the columns that hold one end."""

    time: str
    place: tuple[str, ...]
    """Latitude, then longitude; or one zone."""


def checked_ends(
    raw: RawBatch, roles: EndRoles, inspection: Inspection, tally: Tally, sieve: Sieve, *, timezone: str
) -> Ends:
    """The times and places of one end; missing fields are counted, bad ones go to the sieve."""
    name = inspection.mapping
    times = instants(raw.columns[roles.time], timezone, month_first=inspection.month_first)
    for rule, mask in times.bad:
        sieve.refuse(rule, name[roles.time], mask & ~times.missing)
    if inspection.has_points:
        place, unknown = _points(raw, roles.place, inspection, tally, sieve)
    else:
        (role,) = roles.place
        zone = ids(raw.columns[role], name[role], sieve, None)
        if inspection.stations:
            zone = without_point_zero(zone)
        place, unknown = (zone,), {role: is_missing(zone)}
    placed = ~np.logical_or.reduce(list(unknown.values()))
    for role, missing in {roles.time: times.missing, **unknown}.items():
        tally.miss(name[role], missing, sieve.bad)
    lat, lng = (unknown[role] for role in (roles.place[0], roles.place[-1]))  # a zone stands for both
    empty = np.stack([lat, lng, times.missing]).astype(np.int64)
    return Ends(times.values, ~times.missing, place, placed, empty)


def _points(
    raw: RawBatch, roles: tuple[str, ...], inspection: Inspection, tally: Tally, sieve: Sieve
) -> tuple[tuple[pa.Array, ...], dict[str, Mask]]:
    lat_role, lng_role = roles
    lat, lng = degrees(raw.columns[lat_role], "lat"), degrees(raw.columns[lng_role], "lng")
    if lat.bad or lng.bad:
        with np.errstate(invalid="ignore"):
            swapped = (np.abs(lat.values) > 90) & (np.abs(lat.values) <= 180) & (np.abs(lng.values) <= 90)
        tally.faults.swapped += int(np.count_nonzero(swapped & ~sieve.bad))
        for role, axis in ((lat_role, lat), (lng_role, lng)):
            for rule, mask in axis.bad:
                sieve.refuse(rule, inspection.mapping[role], mask)
    zero = (lat.values == 0) & (lng.values == 0)
    if zero.any():
        tally.at_zero += int(np.count_nonzero(zero & ~sieve.bad))
    unknown = lat.missing | lng.missing
    # half a place is none: both halves become null
    half = unknown if unknown.any() else None
    place = tuple(pa.array(axis.values, pa.float64(), mask=half) for axis in (lat, lng))
    return place, {lat_role: lat.missing, lng_role: lng.missing}
