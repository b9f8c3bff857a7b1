"""How many trips large counts would be counted from. Exact numbers, for the owner only."""

from __future__ import annotations

from dpcore.kinds.stability.choices import StabilityChoices
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.private.trip_ends import trip_ends_of
from dpcore.private.synthetic.counting import CountingTrips
from dpcore.private.trips import PrivateTrips, local_rows
from dpcore.tiles import Tessellation


def counted_as_keys(
    trips: PrivateTrips, tessellation: Tessellation, choices: StabilityChoices
) -> CountingTrips:
    """Count the trips that a stability histogram counts. Raises as counting for a release does."""
    found = trip_ends_of(trips, tessellation, choices.plan())
    bounded = found.plan.variant is Variant.USER  # the other variants bound nothing
    return CountingTrips(counting=len(found.part), bounded=bounded, of=local_rows(trips).count, unlisted={})
