"""Tiny cities for tests: four square tiles, and trips written down as tuples."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import shapely

from dpcore import demo
from dpcore.api import owner
from dpcore.measures.attribute import Attribute
from dpcore.measures.data_form import DataForm
from dpcore.measures.keys import Districts
from dpcore.private import store
from dpcore.private.bounding import bounding_key
from dpcore.private.prepare import Preparation
from dpcore.private.prepared import LocalRows
from dpcore.private.prepared.files import Piece, run_name, write_run
from dpcore.private.prepared.writing import PartWriter, Pipeline
from dpcore.private.source import ReadReport
from dpcore.private.source.batch import POINT_TRIPS, RECORD_TRIPS, VIA
from dpcore.private.source.extras import ROLE
from dpcore.private.trips import PrivateTrips, local_rows
from dpcore.tiles import Tessellation, read_tessellation

PLACES = {"A": (0.5, 0.5), "B": (1.5, 0.5), "C": (0.5, 1.5), "D": (1.5, 1.5), "outside": (9.0, 9.0)}
"""A place (lng, lat) in each tile, and one in none."""

DISTRICTS = Districts(("north", "south"), (1, 1, 0, 0))
"""Two districts of the four tiles."""

_numbers = itertools.count()


@functools.cache
def four_tiles() -> Tessellation:
    """One and the same for all: their index takes longer to make than to ask."""
    boxes = [shapely.box(x, y, x + 1, y + 1) for y in (0, 1) for x in (0, 1)]
    return Tessellation.of(["A", "B", "C", "D"], ["", "", "", ""], boxes, "four tiles")


def synthetic_city(place: Path, trips: int, tiles: int, seed: int) -> tuple[PrivateTrips, Tessellation]:
    """Trips and tiles of the built-in city, written to a folder and loaded."""
    demo.write_city(place, trips, tiles, seed)
    tessellation = read_tessellation(place / "tiles.geojson", "tiles.geojson")
    file = owner.TripsFile.on_disk(place / "trips.parquet")
    return owner.load(file, owner.inspect(file), tessellation, timezone=demo.DEMO_TIMEZONE), tessellation


@dataclass(frozen=True)
class Trip:
    """One trip; without an origin it is incomplete."""

    user: str | None
    origin: str | None
    destination: str
    start: str = "2024-04-01 08:00"
    end: str = "2024-04-01 09:00"
    missing: tuple[int, int, int] = (0, 0, 0)
    """Empty fields of latitude, longitude and time."""
    via: tuple[str, ...] = ()
    """Places on the way."""
    values: tuple[int | None, ...] = ()
    """The number of each declared attribute."""


def private(
    trips: list[Trip],
    batch_rows: int = 1000,
    has_users: bool = True,
    attributes: tuple[Attribute, ...] = (),
) -> PrivateTrips:
    """The trips behind the wall, prepared as a reader's batches would be."""
    folder = store.folder("cache", f"test-{next(_numbers)}")
    batches = [batch(trips[i : i + batch_rows], attributes) for i in range(0, max(1, len(trips)), batch_rows)]
    tiles = four_tiles()
    prepare = Preparation(tiles, bounding_key(), attributes=attributes)
    writer = PartWriter(folder, "test.csv", prepare)
    with Pipeline() as pipeline:
        part = writer.describe(writer.write(pipeline, batches), ReadReport.empty())
    return PrivateTrips(
        name="test.csv",
        _rows=LocalRows.of([part]),
        folder=folder,
        tile_ids=tiles.tile_ids,
        form=DataForm(users=has_users),
        timezone="UTC",
        _reading=ReadReport.empty(),
        tiles_digest=tiles.digest,
        fingerprint=folder.name,
        attributes=attributes,
    )


def rows_of(trips: PrivateTrips) -> pa.Table:
    """All stored rows, in the order of the hash of trips, so that no order of files or people shows."""
    table = pa.concat_tables([shard.table() for shard in local_rows(trips).shards()]).combine_chunks()
    return table.take(pc.sort_indices(table, [("rnd", "ascending"), ("end_us", "ascending")]))


def with_rows(trips: PrivateTrips, table: pa.Table) -> PrivateTrips:
    """The same handle with other rows, whatever columns of attributes they have."""
    folder = store.folder("cache", f"test-{next(_numbers)}")
    plain = table.cast(
        pa.schema([pa.field(f.name, pa.string()) if f.name.startswith(ROLE) else f for f in table.schema])
    )
    run = write_run(folder / run_name(0), [Piece.of(rows) for rows in plain.to_batches()])
    extras = tuple(name.removeprefix(ROLE) for name in table.column_names if name.startswith(ROLE))
    part = replace(local_rows(trips).parts[0], folder=folder, extras=extras, runs=(run,))
    return replace(trips, _rows=LocalRows.of([part]), folder=folder, extras=extras)


def batch(trips: list[Trip], attributes: tuple[Attribute, ...] = ()) -> pa.RecordBatch:
    """A batch of canonical trips, as a file with one row a record gives them if one of them has places on its way."""
    starts = [datetime.fromisoformat(t.start) if t.origin else None for t in trips]
    ends = [datetime.fromisoformat(t.end) for t in trips]
    origins = [PLACES[t.origin] if t.origin else (None, None) for t in trips]
    destinations = [PLACES[t.destination] for t in trips]
    started, ended = pa.array(starts, pa.timestamp("us")), pa.array(ends, pa.timestamp("us"))
    rows = pa.RecordBatch.from_arrays(
        [
            pa.array([t.user for t in trips], pa.string()),
            pa.array([t.origin is not None for t in trips], pa.bool_()),
            started,
            ended,
            started.cast(pa.int64()),
            ended.cast(pa.int64()),
            *(pa.array([t.missing[kind] for t in trips], pa.int8()) for kind in range(3)),
            pa.array([lat for _, lat in origins], pa.float64()),
            pa.array([lng for lng, _ in origins], pa.float64()),
            pa.array([lat for _, lat in destinations], pa.float64()),
            pa.array([lng for lng, _ in destinations], pa.float64()),
        ],
        schema=POINT_TRIPS,
    )
    for number, one in enumerate(attributes):
        column = pa.array([t.values[number] for t in trips], pa.int32())
        rows = rows.append_column(one.column, column)
    if not any(t.via for t in trips):
        return rows
    ways = [[dict(zip(("lng", "lat"), PLACES[place], strict=True)) for place in t.via] or None for t in trips]
    return rows.append_column(RECORD_TRIPS.field("via"), pa.array(ways, VIA))
