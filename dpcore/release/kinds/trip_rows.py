"""Files of synthetic rows: the trips, as a trips file has them, and how rows that anyone may have written are held to account.

Trips are post-processing of what was drawn, a batch at a time. A place is a tile, and where the input had coordinates it
stands at the tile's label point: a made-up point inside would look more precise than it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray

from dpcore import limits
from dpcore.tiles import Tessellation
from dpcore.tiles.drawn import as_drawn

Integers = NDArray[np.int64]
Times = NDArray[np.datetime64]
TripForm = Literal["points", "tiles"]
"""Whether the trips have coordinates (those of the tile's label point) besides their tiles, as the input had."""

ID: Final = "synthetic_id"
"""Numbers the rows; its name tells a reader that these are no trips of anybody."""
NO_DATE: Final = date(2000, 1, 1)
"""The day on which trips stand where no dates were released."""
BATCH_ROWS: Final = 1_000_000
NEVER: Final = np.datetime64("NaT", "s")
DAMAGE: Final = (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, TypeError)
"""What Arrow raises for files that are damaged or were made to harm."""
_TIME: Final = pa.timestamp("us")


def trip_schema(form: TripForm, extras: tuple[str, ...] = ()) -> pa.Schema:
    """Columns of the trips: those of a trips file, so that it can be loaded; ``extras`` are attributes of riders."""
    points = ("start_lat", "start_lng", "end_lat", "end_lng") if form == "points" else ()
    return pa.schema(
        [
            (ID, pa.int64()),
            ("started_at", _TIME),
            ("ended_at", _TIME),
            *((name, pa.float64()) for name in points),
            ("start_tile", pa.string()),
            ("end_tile", pa.string()),
            *((name, pa.string()) for name in extras),
        ]
    )


def label_points(tessellation: Tessellation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitude and longitude of the label point of each tile as drawn; at last NaN for no tile."""
    points = shapely.point_on_surface(np.array(as_drawn(tessellation).polygons))
    return np.append(shapely.get_y(points), np.nan), np.append(shapely.get_x(points), np.nan)


def places_words(form: TripForm) -> str:
    """How fine the places of trips are, and how many trips there are at most."""
    where = (
        "Places are tiles; coordinates are those of a point inside the tile that is the same for all trips, so distances are "
        "no finer than the tiles."
        if form == "points"
        else "Places are tiles."
    )
    return f"{where} At most {limits.MAX_SYNTHETIC_TRIPS:,} rows are written."


class TripRows:
    """Rows of a trips file from numbers of tiles and seconds; they are numbered from 1."""

    def __init__(self, tessellation: Tessellation, schema: pa.Schema) -> None:
        self._schema = schema
        self._ids = pa.array([*tessellation.tile_ids, None], pa.string())
        self._lat, self._lng = label_points(tessellation)
        self.place = {tile: number for number, tile in enumerate(tessellation.tile_ids)}
        self._written = 0

    def batch(
        self, tiles: tuple[Integers, Integers], times: tuple[Times, Times], extras: dict[str, pa.Array]
    ) -> pa.RecordBatch:
        """Rows with tile numbers (-1: not known) and times (NaT: not known) of both ends."""
        columns: dict[str, pa.Array] = dict(extras)
        first = self._written + 1
        self._written += len(tiles[0])
        columns[ID] = pa.array(np.arange(first, self._written + 1))
        for end, numbers, moments in zip(("start", "end"), tiles, times, strict=True):
            columns["started_at" if end == "start" else "ended_at"] = pa.array(
                moments.astype("datetime64[us]")
            )
            columns[f"{end}_tile"] = self._ids.take(pa.array(numbers % len(self._ids)))
            columns[f"{end}_lat"] = pa.array(self._lat[numbers], from_pandas=True)
            columns[f"{end}_lng"] = pa.array(self._lng[numbers], from_pandas=True)
        return pa.RecordBatch.from_arrays([columns[name] for name in self._schema.names], schema=self._schema)


class RowGroups:
    """The row groups of a Parquet file of a bundle that may come from anyone; what is damaged raises one of ``DAMAGE``."""

    def __init__(self, data: bytes, schema: pa.Schema) -> None:
        """Look at the footer alone; ValueError where it declares too much, or other columns."""
        footer = pq.read_metadata(pa.BufferReader(data))
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        unpacked = max((group.total_byte_size for group in groups), default=0)
        if footer.metadata is not None or unpacked > limits.MAX_BUNDLE_UNPACKED_BYTES:
            raise ValueError("too large, or with notes")
        # a text that repeats is kept once: a small file cannot grow without bounds
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        self._file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
        self._schema = schema
        if self._file.schema_arrow.names != schema.names:
            raise ValueError("other columns")
        self.rows = tuple(group.num_rows for group in groups)

    def table(self, number: int) -> pa.Table:
        """One row group, decoded only now."""
        table = self._file.read_row_group(number)
        table.validate(full=True)  # Arrow reads texts by number, and a number may point nowhere
        return table.cast(self._schema)

    def tables(self) -> Iterator[pa.Table]:
        """All of them, one at a time; ValueError where one has more rows than are written at a time."""
        if any(rows > BATCH_ROWS for rows in self.rows):
            raise ValueError("too many rows at a time")
        return (self.table(number) for number in range(len(self.rows)))

    def hold(self, batches: Iterable[pa.RecordBatch]) -> bool:
        """Whether the file holds exactly these rows, a row group each.

        A row group is decoded only where it has as many rows as the batch that it is compared with.
        """
        groups = iter([number for number, rows in enumerate(self.rows) if rows])
        for batch in batches:
            if not len(batch):
                continue
            group = next(groups, None)
            if group is None or self.rows[group] != len(batch):
                return False
            if not self.table(group).equals(pa.Table.from_batches([batch])):
                return False
        return next(groups, None) is None
