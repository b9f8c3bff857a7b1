"""How many trips synthetic trips would be counted from. Exact numbers, for the owner only."""

from __future__ import annotations

import numpy as np

from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.roy.private.station_trips import station_trips_of
from dpcore.measures.attribute import OTHER, Categories
from dpcore.private.synthetic.counting import CountingTrips
from dpcore.private.trips import PrivateTrips, local_rows
from dpcore.tiles import Tessellation


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
