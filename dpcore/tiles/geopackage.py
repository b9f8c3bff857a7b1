"""Reads a GeoPackage as an SQLite database from a stranger: only one stored table, and no code of the file.

The bytes are loaded into memory and opened there, so the file is never written and no other file can be reached. Only
stored tables are read. A view is a program of the file's author, and a view that never ends fits into one line. An
authoriser refuses every other action, and SQLite's virtual machine stops after a fixed number of steps.

Tiles are not read by the child that reads the context of a map (``in_child``). GDAL does not tell the coordinate system that each
shape names for itself, so a tile would be counted in the wrong place and nobody would know. It also runs views.

Source: OGC 12-128r18 (GeoPackage 1.3), section 2.1.3 for blobs; https://www.sqlite.org/security.html.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import wkb
from dpcore.tiles.features import Features, Ring, collected
from dpcore.tiles.labels import one_layer, quoted
from dpcore.tiles.projection import UNKNOWN, Projection, System, system_of, system_of_file
from dpcore.tiles.sqlite_schema import check_schema

_ENVELOPE_BYTES: Final = (0, 32, 48, 48, 64)
_NO_SYSTEM: Final = frozenset({-1, 0})
"""Ids of the undefined plane and the undefined globe."""


def polygons(blob: object) -> tuple[int, list[list[Ring]]]:
    """The spatial reference id of a GeoPackage geometry and its polygons, each a list of rings.

    Raises ValueError for anything but one whole Polygon or MultiPolygon.
    """
    reference, shape, at = _header_of_geometry(blob)
    return reference, wkb.polygons(shape, at)


def _header_of_geometry(blob: object) -> tuple[int, bytes, int]:
    """The spatial reference id of a geometry, its bytes, and where its shape begins in them; ValueError if it is none."""
    if not isinstance(blob, bytes) or len(blob) < 8 or blob[:3] != b"GP\x00":
        raise ValueError("not a GeoPackage geometry")
    flags = blob[3]
    envelope = flags >> 1 & 7
    # Bit 5: a type of an extension. Bit 4: an empty geometry.
    if flags & 0b0011_0000 or envelope >= len(_ENVELOPE_BYTES):
        raise ValueError("empty or of an unknown kind")
    reference = int(struct.unpack("<i" if flags & 1 else ">i", blob[4:8])[0])
    return reference, blob, 8 + _ENVELOPE_BYTES[envelope]


def _point(blob: object, reference: int) -> Ring | None:
    """The corner of a geometry that is one point in the system of its layer; None for any other."""
    try:
        found, shape, at = _header_of_geometry(blob)
    except ValueError:
        return None
    return wkb.point(shape, at) if found == reference else None


_EXPORT_AGAIN: Final = "Export the tiles again as a GeoPackage, or as GeoJSON."
_STEPS_AT_ONCE: Final = 100_000
_PRAGMAS: Final = frozenset({"query_only", "trusted_schema", "cell_size_check", "table_xinfo"})


@dataclass(frozen=True)
class _Layer:
    table: str
    geometry: str
    """Name of its geometry column."""
    reference: int
    """Its id in gpkg_spatial_ref_sys."""
    columns: tuple[str, ...]
    """All its other columns."""


def features(
    data: bytes, source_name: str, layer: str | None = None, tiles_crs: str | None = None
) -> Features:
    """The features of a GeoPackage. They are reprojected to WGS84 if the coordinate system is known.

    ``layer``: the feature table to read. None: the only one. ``tiles_crs``: the system of a layer that declares none.
    Raises TessellationError.
    """
    try:
        with closing(_open(data)) as database:
            return _features(database, source_name, layer, tiles_crs, len(data))
    except (sqlite3.Error, UnicodeError, ValueError) as error:
        if "interrupted" in str(error):
            raise TessellationError("reading takes too long", source_name, _EXPORT_AGAIN) from None
        # SQLite's message may quote text of the file's author, so it is not passed on.
        raise TessellationError("the GeoPackage is damaged", source_name, _EXPORT_AGAIN) from None


def _open(data: bytes) -> sqlite3.Connection:
    """The database in memory. It cannot be written, cannot attach files, and cannot run for ever.

    Raises ValueError if the file or its schema is too large. Long values cannot be read yet.
    """
    if len(data) > limits.MAX_TESSELLATION_BYTES:
        raise ValueError("the file is too large")
    check_schema(data)
    database = sqlite3.connect(":memory:", isolation_level=None)
    # Bytes 18 and 19 ask for a write-ahead log: a second file, which a database in memory cannot have.
    database.deserialize(data[:18] + b"\x01\x01" + data[20:])
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.MAX_DATABASE_TEXT_CHARACTERS)
    database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, limits.MAX_DATABASE_TEXT_CHARACTERS)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA query_only = ON")
    database.execute("PRAGMA cell_size_check = ON")
    database.set_authorizer(_authorise)
    left = limits.MAX_DATABASE_STEPS // _STEPS_AT_ONCE

    def stop_in_time() -> int:
        nonlocal left
        left -= 1
        return int(left < 0)

    database.set_progress_handler(stop_in_time, _STEPS_AT_ONCE)
    return database


def _authorise(
    action: int, first: str | None, _second: str | None, _schema: str | None, inner: str | None
) -> int:
    """Allow selecting and reading columns. Refuse everything that a view or a trigger asks for (``inner``)."""
    if inner is None and action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}:
        return sqlite3.SQLITE_OK
    if inner is None and action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _features(
    database: sqlite3.Connection, source_name: str, layer: str | None, tiles_crs: str | None, size: int
) -> Features:
    found = _layer(database, source_name, layer)
    system = system_of_file(
        _declared_system(database, found.reference), tiles_crs, source_name, otherwise=None
    )
    names = ", ".join(_identifier(column) for column in (found.geometry, *found.columns))
    # The query asks for one row more than allowed, to tell a full table from one that is too long.
    query = f"SELECT {names} FROM {_identifier(found.table)} LIMIT {limits.MAX_TILES + 1}"
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, size)
    return collected(
        _rows_within(database.execute(query), size),
        lambda row, _: dict(zip(found.columns, row[1:], strict=True)),
        lambda row, where: _parts(row[0], found.reference, where),
        Projection.of(system, source_name),
        source_name,
        point_of=lambda row: _point(row[0], found.reference),
    )


def _rows_within(rows: Iterable[tuple[Any, ...]], size: int) -> Iterator[tuple[Any, ...]]:
    """The rows, as long as they hold no more bytes than the file has.

    Rows of a forged file may share the pages of one long value, which would then be read again for every row. Raises ValueError.
    """
    left = size
    for row in rows:
        left -= sum(len(value) for value in row if isinstance(value, str | bytes))
        if left < 0:
            raise ValueError("the rows hold more than the file")
        yield row


def _parts(blob: object, reference: int, where: str) -> list[list[Ring]]:
    try:
        found, parts = polygons(blob)
    except ValueError:
        raise TessellationError(
            "the geometry is not a polygon", where, "A tile is a Polygon or a MultiPolygon."
        ) from None
    if found != reference:
        raise TessellationError(
            "the geometry names another coordinate system than its layer", where, "Reproject the whole layer."
        )
    return parts


def _layer(database: sqlite3.Connection, source_name: str, wanted: str | None) -> _Layer:
    """The requested feature table, or the only one."""
    tables = _real_tables(database)
    if not {"gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"} <= tables:
        raise TessellationError("the tables of a GeoPackage are missing", source_name, _EXPORT_AGAIN)
    rows = database.execute(
        "SELECT c.table_name, g.column_name, g.srs_id FROM gpkg_contents c JOIN gpkg_geometry_columns g"
        " ON g.table_name = c.table_name WHERE c.data_type = 'features' LIMIT 1000"
    )
    layers = {
        row[0]: row for row in _rows_within(rows, limits.MAX_DATABASE_SCHEMA_CHARACTERS) if row[0] in tables
    }
    if not layers:
        raise TessellationError(
            "there is no layer of features stored as a table",
            source_name,
            "Views are not read. Export the tiles as a table.",
        )
    table, geometry, reference = layers[one_layer(layers, wanted, source_name)]
    # The last item of a row is 0 for a stored column. Other columns are computed by code of the file.
    stored = [row[1] for row in database.execute(f"PRAGMA table_xinfo({_identifier(table)})") if row[6] == 0]
    if geometry not in stored or not isinstance(reference, int):
        raise TessellationError(f"layer {quoted(table)} has no geometry column", source_name, _EXPORT_AGAIN)
    return _Layer(table, geometry, reference, tuple(name for name in stored if name != geometry))


def _real_tables(database: sqlite3.Connection) -> frozenset[str]:
    """Names of the stored tables. Views and virtual tables have no root page."""
    rows = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 LIMIT 10000"
    )
    return frozenset(name for (name,) in rows if isinstance(name, str))


def _declared_system(database: sqlite3.Connection, reference: int) -> System | None:
    """The system of an entry of gpkg_spatial_ref_sys. None for the entries that stand for no system."""
    rows = database.execute(
        "SELECT organization, organization_coordsys_id FROM gpkg_spatial_ref_sys WHERE srs_id = ? LIMIT 2",
        (reference,),
    ).fetchall()
    organisation, code = rows[0] if len(rows) == 1 else (None, None)
    if reference in _NO_SYSTEM:
        return None
    if not isinstance(organisation, str) or not isinstance(code, int):
        return UNKNOWN
    return system_of(f"{organisation.strip()}:{code}")


def _identifier(name: str) -> str:
    """A name quoted for SQL. A quotation mark inside is doubled, so that it cannot end the name."""
    return '"' + name.replace('"', '""') + '"'
