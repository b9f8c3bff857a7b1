"""The tiles of a bundle for QGIS and geopandas, as GeoParquet and as a GeoPackage, with what was released on each tile.

One row a tile in the order of the tiles: ``tile_id``, ``tile_name``, ``district`` if the plan has districts, the columns of
``Kind.on_tiles`` and the shape in WGS84, longitude first. A GeoPackage has one layer, ``tiles``, so that it loads as a tessellation again.

Neither geopandas nor GDAL writes the files. What they write changes with their versions, so a check would have to allow for
differences, and somebody could hide something in them. Here everything but the pages of a Parquet file is a constant or
follows from the tiles: ``verify`` compares the whole GeoPackage, and of the GeoParquet file the note and all values.
Shapes are compared as well-known binary, byte by byte, and are never decoded.

Sources: GeoParquet 1.1; OGC 12-128r18 (GeoPackage 1.3), annex C, for the tables.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray

from dpcore.errors import BundleError
from dpcore.release.canonical import CHANGED
from dpcore.release.layout import TILES_GPKG, TILES_PARQUET
from dpcore.release.sqlite_file import Row, Stored, Value, database
from dpcore.release.table_files import read_parquet
from dpcore.tiles import Tessellation

Released = Mapping[str, pa.Array]
"""Columns with one number a tile, whole or not; see ``Kind.on_tiles``."""

Shapes = NDArray[np.object_]

_NOTE: Final = b"geo"
"""The note in which a GeoParquet file says what its shapes are."""
_EPSG: Final = 4326
_ELLIPSOID: Final = {"name": "WGS 84", "semi_major_axis": 6378137, "inverse_flattening": 298.257223563}
_PROJJSON: Final = {
    "$schema": "https://proj.org/schemas/v0.7/projjson.schema.json",
    "type": "GeographicCRS",
    "name": "WGS 84",
    "datum": {
        "type": "GeodeticReferenceFrame",
        "name": "World Geodetic System 1984",
        "ellipsoid": _ELLIPSOID,
    },
    "coordinate_system": {
        "subtype": "ellipsoidal",
        "axis": [
            {
                "name": "Geodetic latitude",
                "abbreviation": "Lat",
                "direction": "north",
                "unit": "degree",
            },
            {
                "name": "Geodetic longitude",
                "abbreviation": "Lon",
                "direction": "east",
                "unit": "degree",
            },
        ],
    },
    "id": {"authority": "EPSG", "code": _EPSG},
}
_WKT: Final = (
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],'
    'AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],'
    'UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],'
    'AUTHORITY["EPSG","4326"]]'
)

_APPLICATION: Final = int.from_bytes(b"GPKG", "big")
_VERSION: Final = 10300
_TILES: Final = "tiles"
_GEOMETRY: Final = "geometry"
_SYSTEMS: Final = "gpkg_spatial_ref_sys"
_CONTENTS: Final = "gpkg_contents"
_LAYERS: Final = "gpkg_geometry_columns"
_SYSTEM_NUMBERS: Final = (-1, 0, _EPSG)
_SYSTEM_ROWS: Final[tuple[Row, ...]] = (
    (
        "Undefined Cartesian SRS",
        None,
        "NONE",
        -1,
        "undefined",
        "undefined Cartesian coordinate reference system",
    ),
    (
        "Undefined geographic SRS",
        None,
        "NONE",
        0,
        "undefined",
        "undefined geographic coordinate reference system",
    ),
    ("WGS 84 geodetic", None, "EPSG", _EPSG, _WKT, "longitude/latitude coordinates in decimal degrees"),
)
_SYSTEMS_SQL: Final = (
    "CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, "
    "organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT)"
)
_CONTENTS_SQL: Final = (
    "CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, "
    "description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), "
    "min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER, "
    "CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))"
)
_LAYERS_SQL: Final = (
    "CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, "
    "srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL, "
    "CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name), "
    "CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name), "
    "CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))"
)
_TILES_SQL: Final = (
    'CREATE TABLE "tiles" ("fid" INTEGER PRIMARY KEY NOT NULL, "geometry" MULTIPOLYGON, '
    '"tile_id" TEXT, "tile_name" TEXT{}{})'
)
_HEADER: Final = b"GP\x00\x03" + struct.pack("<i", _EPSG)
"""What every geometry of a GeoPackage begins with here: little-endian, WGS84, and its envelope follows."""


def geoparquet_bytes(tiles: Tessellation, released: Released) -> bytes:
    """GeoParquet 1.1 with zstd. It has the note that the format asks for, and no other."""
    schema = _schema(tiles, released)
    columns = {**_columns(tiles, released), _GEOMETRY: _wkb(_shapes(tiles))}
    packed = io.BytesIO()
    with pq.ParquetWriter(packed, schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(pa.table({name: [*column] for name, column in columns.items()}, schema))
        writer.add_key_value_metadata({_NOTE: _note(tiles)})
    return packed.getvalue()


def check_geoparquet(data: bytes, tiles: Tessellation, released: Released) -> None:
    """Refuse a GeoParquet file of other tiles or other numbers; raises BundleError."""
    notes = {_NOTE: _note(tiles)}
    table = read_parquet(data, _schema(tiles, released), TILES_PARQUET, notes=notes, rows=len(tiles.tile_ids))
    expected = {**_columns(tiles, released), _GEOMETRY: _wkb(_shapes(tiles))}
    if not all(_same(table[name], column) for name, column in expected.items()):
        raise _other_tiles_error(TILES_PARQUET)


def geopackage_bytes(tiles: Tessellation, released: Released, moment: datetime) -> bytes:
    """A GeoPackage of one table, without triggers: opening it runs nothing. The same input gives the same bytes.

    ``moment``: when it says that it was last changed, UTC.
    """
    shapes = _several(tiles)
    bounds = [float(edge) for edge in shapely.total_bounds(shapes)]
    changed = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    about: Row = (_TILES, "features", _TILES, "", changed, *bounds, _EPSG)
    layer = (_TILES, _GEOMETRY, "MULTIPOLYGON", _EPSG, 0, 0)
    columns = "".join(
        f', "{name}" {"INTEGER" if pa.types.is_integer(column.type) else "REAL"}'
        for name, column in released.items()
    )
    district = ', "district" TEXT' if tiles.districts else ""
    return database(
        [
            _table(_SYSTEMS, _SYSTEMS_SQL, _SYSTEM_ROWS, _SYSTEM_NUMBERS),
            _table(_CONTENTS, _CONTENTS_SQL, [about]),
            _index(_CONTENTS, 1, (_TILES, 1)),
            _index(_CONTENTS, 2, (_TILES, 1)),
            _table(_LAYERS, _LAYERS_SQL, [layer]),
            _index(_LAYERS, 1, (_TILES, _GEOMETRY, 1)),
            _index(_LAYERS, 2, (_TILES, 1)),
            _table(_TILES, _TILES_SQL.format(district, columns), _rows(shapes, _columns(tiles, released))),
        ],
        application=_APPLICATION,
        version=_VERSION,
    )


def check_geopackage(data: bytes, tiles: Tessellation, released: Released, moment: datetime) -> None:
    """Refuse any other bytes than those of ``geopackage_bytes``; raises BundleError. The file is never opened."""
    if data != geopackage_bytes(tiles, released, moment):
        raise _other_tiles_error(TILES_GPKG)


def _rows(shapes: Shapes, columns: Mapping[str, Sequence[Value]]) -> Iterator[Row]:
    """The rows of the GeoPackage: None for the number of the row, the shape, and the other columns."""
    west, south, east, north = shapely.bounds(shapes).T
    envelopes = np.column_stack([west, east, south, north]).astype("<f8")
    cells = zip(*columns.values(), strict=True)
    for envelope, wkb, row in zip(envelopes, _wkb(shapes), cells, strict=True):
        yield None, _HEADER + envelope.tobytes() + wkb, *row


def _table(name: str, sql: str, rows: Iterable[Row], numbers: Iterable[int] | None = None) -> Stored:
    return Stored("table", name, name, sql, rows, count(1) if numbers is None else numbers)


def _index(table: str, number: int, row: Row) -> Stored:
    """An index that SQLite makes itself, of the first or the second constraint of a table of one row."""
    return Stored("index", f"sqlite_autoindex_{table}_{number}", table, None, [row])


def _schema(tiles: Tessellation, released: Released) -> pa.Schema:
    texts = [(name, pa.string()) for name in _texts(tiles)]
    numbers = [(name, column.type) for name, column in released.items()]
    return pa.schema([*texts, *numbers, (_GEOMETRY, pa.binary())])


def _columns(tiles: Tessellation, released: Released) -> dict[str, Sequence[Value]]:
    return {**_texts(tiles), **{name: column.to_pylist() for name, column in released.items()}}


def _texts(tiles: Tessellation) -> dict[str, Sequence[str]]:
    """The columns of text. There are districts only if the plan of the release has them."""
    named: dict[str, Sequence[str]] = {"tile_id": tiles.tile_ids, "tile_name": tiles.tile_names}
    return {**named, "district": tiles.districts} if tiles.districts else named


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


def _note(tiles: Tessellation) -> bytes:
    """What the GeoParquet file says of its shapes: how they are written, WGS84, their types and where on the globe they lie."""
    shape = {
        "encoding": "WKB",
        "crs": _PROJJSON,
        "geometry_types": sorted({one.geom_type for one in tiles.polygons}),
        "bbox": [float(edge) for edge in tiles.bounds],
    }
    said = {"version": "1.1.0", "primary_column": _GEOMETRY, "columns": {_GEOMETRY: shape}}
    return json.dumps(said).encode("ascii")


def _same(column: pa.ChunkedArray, expected: Sequence[Value]) -> bool:
    """Whether a column holds these values. One at a time: a malicious file may repeat a large one in every row."""
    return all(one.as_py() == other for one, other in zip(column, expected, strict=True))


def _other_tiles_error(name: str) -> BundleError:
    return BundleError("the tiles are not those of the bundle", name, CHANGED)
