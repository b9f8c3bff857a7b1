"""The tiles of a bundle for QGIS and geopandas, as GeoParquet and as a GeoPackage, with what was released on each tile.

One row a tile in the order of the tiles: ``tile_id``, ``tile_name``, the columns of ``Kind.on_tiles`` and the shape in WGS84,
longitude first. A GeoPackage has one layer, ``tiles``, so that it loads as a tessellation again.

geopandas writes the files and reads none. It reads with GDAL, and GDAL must not see a file that may come from somebody else.
A file is checked by what it holds, not by writing it again, since other versions of GDAL and pyproj write other bytes.
Shapes are compared as well-known binary, byte by byte, and are never decoded.
"""

from __future__ import annotations

import io
import json
import sqlite3
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyproj
import shapely
from numpy.typing import NDArray

from dpcore.errors import BundleError, TessellationError
from dpcore.release.canonical import CHANGED
from dpcore.release.layout import TILES_GPKG, TILES_PARQUET
from dpcore.release.table_files import read_parquet
from dpcore.tiles import Tessellation, geopackage

if TYPE_CHECKING:
    import geopandas as gpd

Told = Mapping[str, Sequence[int | None]]
"""Columns with one entry a tile; see ``Kind.on_tiles``."""

Shapes = NDArray[np.object_]

_WGS84: Final = 4326
_NOTE: Final = b"geo"
"""The note in which a GeoParquet file says what its shapes are."""
_MAX_NOTE_BYTES: Final = 100_000
_STEADY: Final = ("type", "name", "coordinate_system", "id")
"""What two versions of pyproj say alike of WGS84."""
_HEADER: Final = b"GP\x00\x03" + struct.pack("<i", _WGS84)
"""What every geometry of a GeoPackage begins with here: little-endian, WGS84, and its envelope follows."""


def geoparquet_bytes(tiles: Tessellation, told: Told) -> bytes:
    """GeoParquet 1.1 with zstd. It has the note that the format asks for, and none that a reader would have to trust."""
    written = io.BytesIO()
    _frame(_shapes(tiles), tiles, told).to_parquet(written, index=False, geometry_encoding="WKB")
    table = pq.read_table(pa.BufferReader(written.getvalue()))
    packed = io.BytesIO()
    with pq.ParquetWriter(packed, table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({_NOTE: table.schema.metadata[_NOTE]})
    return packed.getvalue()


def geopackage_bytes(tiles: Tessellation, told: Told, moment: datetime) -> bytes:
    """A GeoPackage of one table, without triggers and indexes: opening it runs nothing.

    ``moment``: when it says that it was last changed, UTC; the same input gives the same bytes.
    """
    written = io.BytesIO()
    _frame(_several(tiles), tiles, told).to_file(
        written,
        driver="GPKG",
        layer="tiles",
        engine="pyogrio",
        SPATIAL_INDEX="NO",
        ADD_GPKG_OGR_CONTENTS="NO",
        GEOMETRY_NAME="geometry",
    )
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.deserialize(written.getvalue())
        # what pyramids of pictures need, with triggers of its own
        database.execute("DROP TABLE gpkg_tile_matrix")
        database.execute("DROP TABLE gpkg_tile_matrix_set")
        database.execute(
            "UPDATE gpkg_contents SET last_change = ?", (moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"),)
        )
        database.execute("VACUUM")
        settled = database.serialize()
    # SQLite counts in two places of its header how often a file was changed, and GDAL makes now more changes, now fewer
    once = b"\0\0\0\1"
    return settled[:24] + once + settled[28:92] + once + settled[96:]


def check_geoparquet(data: bytes, tiles: Tessellation, told: Told) -> None:
    """Refuse a GeoParquet file of other tiles or other numbers; raises BundleError."""
    schema = pa.schema(
        [
            ("tile_id", pa.string()),
            ("tile_name", pa.string()),
            *((name, pa.int64()) for name in told),
            ("geometry", pa.binary()),
        ]
    )
    table = read_parquet(data, schema, TILES_PARQUET, notes=(_NOTE,))
    same = (
        _note_fits(pq.read_metadata(pa.BufferReader(data)).metadata[_NOTE], tiles)
        and table.num_rows == len(tiles.tile_ids)
        and all(table[name].to_pylist() == [*column] for name, column in _columns(tiles, told).items())
        and table["geometry"].to_pylist() == _wkb(_shapes(tiles))
    )
    if not same:
        raise _other(TILES_PARQUET)


def check_geopackage(data: bytes, tiles: Tessellation, told: Told) -> None:
    """Refuse a GeoPackage of other tiles or other numbers, or with anything else in it; raises BundleError."""
    expected = _columns(tiles, told)
    try:
        with geopackage.opened(data, TILES_GPKG) as (columns, rows):
            same = columns == ("geometry", "fid", *expected) and _all_equal(rows, _rows(tiles, expected))
    except TessellationError as error:
        raise BundleError(error.what, error.where, error.mend) from None
    if not same:
        raise _other(TILES_GPKG)


def _all_equal(rows: Iterator[tuple[object, ...]], expected: Iterator[tuple[object, ...]]) -> bool:
    """Whether two series of rows are one; ends at the first difference."""
    return all(one == other for one, other in zip_longest(rows, expected))


def _rows(tiles: Tessellation, columns: Mapping[str, Sequence[object]]) -> Iterator[tuple[object, ...]]:
    """The rows of the GeoPackage: shape, number from 1, and the other columns."""
    shapes = _several(tiles)
    west, south, east, north = shapely.bounds(shapes).T
    envelopes = np.column_stack([west, east, south, north]).astype("<f8")
    cells = zip(*columns.values(), strict=True)
    for number, (envelope, wkb, row) in enumerate(zip(envelopes, _wkb(shapes), cells, strict=True), 1):
        yield _HEADER + envelope.tobytes() + wkb, number, *row


def _columns(tiles: Tessellation, told: Told) -> dict[str, Sequence[object]]:
    return {"tile_id": tiles.tile_ids, "tile_name": tiles.tile_names, **told}


def _frame(shapes: Shapes, tiles: Tessellation, told: Told) -> gpd.GeoDataFrame:
    # Half a second, for those alone who write a bundle.
    import geopandas  # noqa: PLC0415 - see above
    import pandas as pd  # noqa: PLC0415 - see above

    columns = {
        "tile_id": tiles.tile_ids,
        "tile_name": tiles.tile_names,
        **{name: pd.array([*column], dtype="Int64") for name, column in told.items()},
    }
    return geopandas.GeoDataFrame(columns, geometry=shapes, crs=_WGS84)


def _shapes(tiles: Tessellation) -> Shapes:
    return np.array(tiles.polygons, dtype=object)


def _several(tiles: Tessellation) -> Shapes:
    """Every shape as a MultiPolygon: a layer of a GeoPackage has one type."""
    parts, of = shapely.get_parts(_shapes(tiles), return_index=True)
    found: Shapes = shapely.multipolygons(parts, indices=of)
    return found


def _wkb(shapes: Shapes) -> list[bytes]:
    found: list[bytes] = shapely.to_wkb(shapes, byte_order=1, flavor="iso").tolist()
    return found


def _note_fits(note: bytes, tiles: Tessellation) -> bool:
    """Whether the note of a GeoParquet file tells these tiles: WGS84, and where on the globe they lie."""
    try:
        said: Any = json.loads(note) if len(note) <= _MAX_NOTE_BYTES else {}
        shape = said["columns"]["geometry"]
        system = shape.pop("crs")
        steady = {name: system[name] for name in _STEADY}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    box = tiles.bounds
    wgs84 = pyproj.CRS.from_epsg(_WGS84).to_json_dict()
    return bool(
        said["columns"].keys() == {"geometry"}
        and said.get("primary_column") == "geometry"
        and str(said.get("version")).startswith("1.")
        and steady == {name: wgs84[name] for name in _STEADY}
        and shape
        == {
            "encoding": "WKB",
            "geometry_types": sorted({one.geom_type for one in tiles.polygons}),
            "bbox": [*box],
        }
    )


def _other(name: str) -> BundleError:
    return BundleError("the tiles are not those of the bundle", name, CHANGED)
