"""How many trips synthetic trips and large counts would be counted from. Exact numbers, for the owner only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpcore.measures.attribute import OTHER, Categories
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.station_trips import station_trips_of
from dpcore.private.synthesis.trip_ends import trip_ends_of
from dpcore.private.trips import PrivateTrips, local_rows
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthesis.stability.plan import Variant
from dpcore.tiles import Tessellation


@dataclass(frozen=True, repr=False)
class CountingTrips(Sealed):
    """Exact numbers of trips."""

    counting: int
    """Trips within the public dates, and for drawn trips also within the public tiles and durations."""
    bounded: bool
    """Whether ``counting`` has at most M trips of each person. Otherwise it is the number before any bound on people."""
    of: int
    """All trips that were loaded."""
    unlisted: Mapping[str, int]
    """Attribute -> those of the ``counting`` trips that are counted as unknown or other."""


def counted_as_keys(
    trips: PrivateTrips, tessellation: Tessellation, choices: StabilityChoices
) -> CountingTrips:
    """Count the trips that a stability histogram counts. Raises as counting for a release does."""
    found = trip_ends_of(trips, tessellation, choices.plan())
    bounded = found.plan.variant is Variant.USER  # the other variants bound nothing
    return CountingTrips(counting=len(found.part), bounded=bounded, of=local_rows(trips).count, unlisted={})


def counted_in_model(trips: PrivateTrips, tessellation: Tessellation, choices: RoyChoices) -> CountingTrips:
    """Count the trips that Roy's model counts. Raises as counting for a release does."""
    domain = choices.plan(tessellation).domain
    columns = station_trips_of(trips, tessellation, domain).columns
    unlisted = {
        extra.name: int(np.count_nonzero(columns.extras[extra.name] == len(extra.labels) - 1))
        for extra in domain.extras
        if extra.unknown is not None
    }
    for one in domain.declared:
        if isinstance(one, Categories):
            other = int(np.count_nonzero(columns.extras[one.name] == one.labels.index(OTHER)))
            unlisted[one.name] = other
    return CountingTrips(counting=len(columns), bounded=False, of=local_rows(trips).count, unlisted=unlisted)
