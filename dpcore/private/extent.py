"""Where trips lie: the box around all places of some files, and whether trips lie on the tiles at all.

These facts are exact, so they are only for the eyes of the owner who asked for them, before anything is paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.loading import as_files, name_of
from dpcore.private.prepare import DEGREE
from dpcore.private.prepared import LocalRows
from dpcore.private.prepared.unknown_ids import UnknownIds
from dpcore.private.source import BadRecords, Inspection, TripsFile, read
from dpcore.private.trips import PrivateTrips, rows_of
from dpcore.tiles import Box, Tessellation


def extent(
    file: TripsFile | Sequence[TripsFile],
    inspection: Inspection | Sequence[Inspection],
    *,
    timezone: str | None,
) -> Box | None:
    """The smallest box around all places of one or several files, in degrees. None without coordinates.

    Private: its edges are places of single trips. Only for an owner who asked for it and was told so. Raises InputError
    if the trips span no area or a file cannot be read.
    """
    files = as_files(file, inspection)
    edges = [edge for one, seen in files for edge in _edges(one, seen, timezone)]
    if not edges:
        return None
    west, south, east, north = zip(*edges, strict=True)
    sides = float(min(west)), float(min(south)), float(max(east)), float(max(north))
    if not (sides[0] < sides[2] and sides[1] < sides[3]):  # said without the sides: they are somebody's place
        name = name_of([one for one, _ in files])
        raise InputError("the trips span no area", name, "Type the box yourself.")
    return Box(*sides)


def _edges(
    file: TripsFile, inspection: Inspection, timezone: str | None
) -> list[tuple[float, float, float, float]]:
    """West, south, east and north of each batch with a place."""
    if not inspection.has_points:
        return []
    edges: list[tuple[float, float, float, float]] = []
    with store.scratch() as scratch:
        reading = read(file, inspection, timezone=timezone, bad_records=BadRecords.DROP, work_folder=scratch)
        for batch in reading.points() if inspection.layout == "points" else reading.batches():
            lng, lat = (
                np.concatenate([places.drop_null() for places in _places(batch, axis)])
                for axis in ("lng", "lat")
            )
            if len(lng) and len(lat):
                edges.append((lng.min(), lat.min(), lng.max(), lat.max()))
    return edges


def _places(batch: pa.RecordBatch, axis: str) -> list[pa.Array]:
    """One coordinate of every place of some trips or points."""
    if axis in batch.schema.names:
        return [batch[axis]]
    on_the_way = [batch["via"].flatten().field(axis)] if "via" in batch.schema.names else []
    return [batch[f"start_{axis}"], batch[f"end_{axis}"], *on_the_way]


MOST: Final = 0.5
"""With a larger share of ends outside, the tiles are taken for those of another city."""
_ENOUGH: Final = 1_000_000
"""Number of ends that are read to tell whether axes are swapped. Rows are in the order of a hash."""
_SWAP: Final = (
    "If it is the tiles, write them with the longitude first. If it is the trips, give lat the column of the longitude and lng that of "
    "the latitude: on the Data page under 'Roles of the columns', in a command with --column lat=NAME --column lng=NAME. Where a row is "
    "a trip, the roles are start_lat, start_lng, end_lat and end_lng. Where a place is one text such as POINT (52.5 13.4), declare that "
    "the latitude is first: --column lat_first=NAME, or the box on the Data page."
)


_ENDS_LACK: Final = (
    "Most trips start or end at no tile that is known: the id is missing there, or no tile has it."
)


def share_outside(trips: PrivateTrips) -> float:
    """Share of all ends of trips that lie in no tile, 0 to 1; 0 without trips. Exact, so for the owner only."""
    measure = measure_named("visits_per_tile")
    answers = exact_answers(bounded(trips, ContributionBound.per_trip()), [measure])
    visits = answers.dense(measure, measure.keys(trips.tile_ids))
    total = int(visits.sum())
    return int(visits[-1]) / total if total else 0.0


def outside_warning(trips: PrivateTrips, tessellation: Tessellation) -> str | None:
    """A question to an owner if most trips lie outside the tiles; otherwise None. For the owner only."""
    if share_outside(trips) <= MOST:
        return None
    if not trips.has_points:
        return unknown_ids(trips) or _ENDS_LACK
    if _lie_inside_if_swapped(trips, tessellation):
        return (
            "Most trips start or end outside every tile, and inside if latitude and longitude are swapped: one of the two "
            f"files has them the wrong way round, the trips or the tiles. Look at a place of each on a map. {_SWAP}"
        )
    return "Most trips start or end outside every tile: is this the tessellation of another city?"


def unknown_ids(trips: PrivateTrips) -> str | None:
    """A sentence about ids of the trips that no tile has, and what mends it; otherwise None. For the owner only."""
    rows = rows_of(trips)
    return (
        UnknownIds.joined([part.unknown for part in rows.parts]).words()
        if isinstance(rows, LocalRows)
        else None
    )


def _lie_inside_if_swapped(trips: PrivateTrips, tessellation: Tessellation) -> bool:
    rows = rows_of(trips)
    if not trips.has_points or not isinstance(rows, LocalRows):
        return False
    ends = inside = 0
    for batch in rows.batches(("start_lat", "start_lng", "end_lat", "end_lng")):
        for end in ("start", "end"):
            lat, lng = (batch[f"{end}_{axis}"].drop_null().to_numpy() / DEGREE for axis in ("lat", "lng"))
            ends += len(lat)
            inside += int((tessellation.index.assign(lat, lng) >= 0).sum())
        if ends >= _ENOUGH:
            break
    return inside > MOST * ends
