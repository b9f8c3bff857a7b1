"""The box around all places of some files: private, for an owner who asked for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from dpcore.errors import InputError
from dpcore.private import store
from dpcore.private.data_set import as_files, name_of
from dpcore.private.source import BadRecords, Inspection, TripsFile, read
from dpcore.tessellation import Box


def extent(
    file: TripsFile | Sequence[TripsFile],
    inspection: Inspection | Sequence[Inspection],
    *,
    timezone: str | None,
) -> Box | None:
    """The smallest box around all places of one file or several, in degrees; None without coordinates.

    Private: its edges are places of single trips. Only for an owner who asked for it and was told so.

    Raises:
        InputError: the trips span no area, or a file cannot be read.

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
        for batch in reading.batches():
            lng, lat = (
                np.concatenate([places.drop_null() for places in _places(batch, axis)])
                for axis in ("lng", "lat")
            )
            if len(lng) and len(lat):
                edges.append((lng.min(), lat.min(), lng.max(), lat.max()))
    return edges


def _places(batch: pa.RecordBatch, axis: str) -> list[pa.Array]:
    """One coordinate of every place of some trips."""
    on_the_way = [batch["via"].flatten().field(axis)] if "via" in batch.schema.names else []
    return [batch[f"start_{axis}"], batch[f"end_{axis}"], *on_the_way]
