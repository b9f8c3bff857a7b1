"""Synthetic trips beside the true ones they were made from, for the owner's eyes only: both sides, and every number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.comparison import Geography, Score, compared, side_of_tables
from dpcore.errors import InputError
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.kept import PrivateColumns, PrivateFigure, PrivateSide
from dpcore.private.synthesis.of_trips import station_trips_of
from dpcore.private.synthesis.records import StationTrips
from dpcore.private.trips import PrivateTrips
from dpcore.synthesis.closeness import Closeness, closeness
from dpcore.synthesis.domain import TripDomain
from dpcore.synthesis.figure import figure
from dpcore.synthesis.trip_tables import trip_tables
from dpcore.tessellation import Tessellation


@dataclass(frozen=True, repr=False, eq=False)
class Beside(Sealed):
    """Two sets of trips in one domain: the true ones within it, all of them, and synthetic ones.

    The synthetic ones are a throw-away draw, so they stay here as well.
    """

    domain: TripDomain
    original: PrivateFigure
    synthetic: PrivateFigure
    sides: tuple[PrivateSide, PrivateSide]
    """Tables of both, the original first."""
    closeness: tuple[Closeness, ...]
    """What Roy et al. print, by table."""
    scores: tuple[Score, ...]
    """Every metric of ``dpcore.comparison`` that suits a table of both."""


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
    original: PrivateColumns, synthetic: PrivateColumns, domain: TripDomain, tessellation: Tessellation | None
) -> Beside:
    """Both sides with all numbers; without a tessellation the metrics on the map have no answer."""
    sides = (
        PrivateSide.of(side_of_tables("Original", trip_tables(original, domain), tessellation)),
        PrivateSide.of(side_of_tables("Synthetic", trip_tables(synthetic, domain), tessellation)),
    )
    return Beside(
        domain,
        PrivateFigure.of(figure(original, domain)),
        PrivateFigure.of(figure(synthetic, domain)),
        sides,
        closeness(original, synthetic, domain),
        compared(*sides, None if tessellation is None else Geography(tessellation)),
    )


def busiest(shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]], top: int) -> list[int]:
    """Positions of the largest shares, largest first; of equal ones the first."""
    return [int(i) for i in np.argsort(-shares, kind="stable")[:top]]
