"""Files of synthetic rows: writing trips in the form of a trips file, and reading rows that anyone may have written.

Trips are post-processing and are made a batch at a time. A place is a tile. If the input had coordinates, they are those of
the tile's label point, because an invented point inside the tile would look more precise than it is.
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
from dpcore.release.table_files import checked_footer
from dpcore.tiles import Tessellation
from dpcore.tiles.drawn import as_drawn

Integers = NDArray[np.int64]
Times = NDArray[np.datetime64]
TripForm = Literal["points", "tiles"]
"""``points``: the trips have coordinates besides their tiles, because the input had them. ``tiles``: tiles only."""

ID: Final = "synthetic_id"
"""Column that numbers the rows. Its name says that these are not the trips of real people."""
NO_DATE: Final = date(2000, 1, 1)
"""The date of all trips if no dates were released."""
BATCH_ROWS: Final = 1_000_000
NEVER: Final = np.datetime64("NaT", "s")
_TIME: Final = pa.timestamp("us")


def trip_schema(
    form: TripForm, extras: tuple[str, ...] = (), numbers: frozenset[str] = frozenset()
) -> pa.Schema:
    """Columns of the trips, as in a trips file, so that they load like one; ``extras`` are attributes, some of them numbers."""
    points = ("start_lat", "start_lng", "end_lat", "end_lng") if form == "points" else ()
    return pa.schema(
        [
            (ID, pa.int64()),
            ("started_at", _TIME),
            ("ended_at", _TIME),
            *((name, pa.float64()) for name in points),
            ("start_tile", pa.string()),
            ("end_tile", pa.string()),
            *((name, pa.float64() if name in numbers else pa.string()) for name in extras),
        ]
    )


def label_points(tessellation: Tessellation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitude and longitude (degrees, WGS84) of the label point of each tile as drawn; a last NaN stands for no tile."""
    points = shapely.point_on_surface(np.array(as_drawn(tessellation).polygons))
    return np.append(shapely.get_y(points), np.nan), np.append(shapely.get_x(points), np.nan)


def places_words(form: TripForm) -> str:
    """How precise the places of trips are, and how many trips are written at most."""
    where = (
        "Places are tiles. Coordinates are those of one point inside the tile, the same for all trips, so distances are no more "
        "precise than the tiles."
        if form == "points"
        else "Places are tiles."
    )
    return f"{where} At most {limits.MAX_SYNTHETIC_TRIPS:,} rows are written."


class TripRows:
    """Makes rows of a trips file from numbers of tiles and times; numbers the rows from 1."""

    def __init__(self, tessellation: Tessellation, schema: pa.Schema) -> None:
        self._schema = schema
        self._ids = pa.array([*tessellation.tile_ids, None], pa.string())
        self._lat, self._lng = label_points(tessellation)
        self.place = {tile: number for number, tile in enumerate(tessellation.tile_ids)}
        self._written = 0

    def batch(
        self, tiles: tuple[Integers, Integers], times: tuple[Times, Times], extras: dict[str, pa.Array]
    ) -> pa.RecordBatch:
        """Rows from the tile numbers (-1: unknown) and times (NaT: unknown) of both ends."""
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
    """The row groups of a Parquet file that anyone may have written; a damaged one raises one of ``DAMAGE``."""

    def __init__(self, data: bytes, schema: pa.Schema) -> None:
        """Read only the footer and the headers of pages; ValueError if it declares too much, or other columns."""
        footer, unpacked = checked_footer(data)
        if max(unpacked, default=0) > limits.MAX_BUNDLE_UNPACKED_BYTES:
            raise ValueError("too large")
        # a text that repeats is kept once, so a small file cannot fill the memory
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        self._file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
        self._schema = schema
        if self._file.schema_arrow.names != schema.names:
            raise ValueError("other columns")
        self.rows = tuple(footer.row_group(number).num_rows for number in range(footer.num_row_groups))

    def table(self, number: int) -> pa.Table:
        """One row group, decoded only now."""
        table = self._file.read_row_group(number)
        table.validate(full=True)  # Arrow reads texts by offset, and a forged offset may point outside
        return table.cast(self._schema)

    def tables(self) -> Iterator[pa.Table]:
        """All row groups, one at a time; ValueError if one has more rows than this program writes."""
        if any(rows > BATCH_ROWS for rows in self.rows):
            raise ValueError("too many rows at a time")
        return (self.table(number) for number in range(len(self.rows)))

    def hold(self, batches: Iterable[pa.RecordBatch]) -> bool:
        """Whether the file holds exactly these batches, each as one row group.

        A row group is decoded only if it has as many rows as its batch, so a forged file cannot fill the memory.
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
