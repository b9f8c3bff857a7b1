"""Whether trips lie on the tiles at all: exact, so for the eyes of their owner alone, before anything is paid for."""

from __future__ import annotations

from typing import Final

from dpcore.measures import measure_named
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.prepare import DEGREE
from dpcore.private.prepared import LocalRows
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation

MOST: Final = 0.5
"""Above this share of ends outside, the tiles are taken for those of another city."""
_ENOUGH: Final = 1_000_000
"""Ends that are looked at to tell whether axes are swapped; rows lie in the order of a hash."""


def share_outside(trips: PrivateTrips) -> float:
    """Share of all ends of trips that lie in no tile, 0 to 1; 0 without trips. Exact, so for the owner only."""
    measure = measure_named("visits_per_tile")
    answers = exact_answers(bounded(trips, ContributionBound.per_trip()), [measure])
    visits = answers.dense(measure, measure.keys(trips.tile_ids))
    total = int(visits.sum())
    return int(visits[-1]) / total if total else 0.0


def outside_warning(trips: PrivateTrips, tessellation: Tessellation) -> str | None:
    """What to ask an owner most of whose trips lie outside the tiles; None where they do not. For the owner only."""
    if share_outside(trips) <= MOST:
        return None
    if _lie_inside_if_swapped(trips, tessellation):
        return (
            "Most trips start or end outside every tile, and inside if latitude and longitude are swapped: are the columns "
            "of the trips the wrong way round?"
        )
    return "Most trips start or end outside every tile: is this the tessellation of another city?"


def _lie_inside_if_swapped(trips: PrivateTrips, tessellation: Tessellation) -> bool:
    if not trips.has_points or not isinstance(trips.rows, LocalRows):
        return False
    ends = inside = 0
    for batch in trips.rows.batches(("start_lat", "start_lng", "end_lat", "end_lng")):
        for end in ("start", "end"):
            lat, lng = (batch[f"{end}_{axis}"].drop_null().to_numpy() / DEGREE for axis in ("lat", "lng"))
            ends += len(lat)
            inside += int((tessellation.index.assign(lat, lng) >= 0).sum())
        if ends >= _ENOUGH:
            break
    return inside > MOST * ends
