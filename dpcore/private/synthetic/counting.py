"""How many trips a release of a wing would be counted from. Exact numbers, for the owner only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpcore.private.sealed import Sealed


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
