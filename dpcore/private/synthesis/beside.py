"""Synthetic trips beside the true ones they were made from, for the owner's eyes only: both sides, and every number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.errors import InputError
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.of_trips import station_trips_of
from dpcore.private.synthesis.records import StationTrips
from dpcore.private.trips import PrivateTrips
from dpcore.similarity import Geography, Score, Side, compared, side_of_tables
from dpcore.synthesis.closeness import Closeness, closeness
from dpcore.synthesis.domain import TripColumns, TripDomain
from dpcore.synthesis.figure import Figure, figure
from dpcore.synthesis.trip_tables import trip_tables
from dpcore.tessellation import Tessellation


@dataclass(frozen=True, repr=False, eq=False)
class Beside(Sealed):
    """Two sets of trips in one domain: the true ones within it, all of them, and synthetic ones."""

    domain: TripDomain
    original: Figure
    synthetic: Figure
    sides: tuple[Side, Side]
    """Tables of both, the original first."""
    closeness: tuple[Closeness, ...]
    """What Roy et al. print, by table."""
    scores: tuple[Score, ...]
    """Every metric of ``dpcore.similarity`` that suits a table of both."""


def trips_within(trips: PrivateTrips, tessellation: Tessellation, domain: TripDomain) -> StationTrips:
    """The trips that lie in a public domain; raises InputError where there are none."""
    found = station_trips_of(trips, tessellation, domain)
    if len(found.columns) == 0:
        raise InputError(
            "no trip lies within the tiles and the dates",
            f"{trips.name}, {domain.period.first} to {domain.period.last}",
            "Choose the dates of the trips, and tiles that cover them.",
        )
    return found


def beside(
    original: TripColumns, synthetic: TripColumns, domain: TripDomain, tessellation: Tessellation | None
) -> Beside:
    """Both sides with all numbers; without a tessellation the metrics on the map have no answer."""
    sides = (
        side_of_tables("Original", trip_tables(original, domain), tessellation),
        side_of_tables("Synthetic", trip_tables(synthetic, domain), tessellation),
    )
    return Beside(
        domain,
        figure(original, domain),
        figure(synthetic, domain),
        sides,
        closeness(original, synthetic, domain),
        compared(*sides, None if tessellation is None else Geography(tessellation)),
    )


def busiest(shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]], top: int) -> list[int]:
    """Positions of the largest shares, largest first; of equal ones the first."""
    return [int(i) for i in np.argsort(-shares, kind="stable")[:top]]
