"""Reads a GeoPackage as an SQLite database from a stranger: only one stored table, and no code of the file.

The bytes are loaded into memory and opened there, so the file is never written and no other file can be reached. Only
stored tables are read. A view is a program of the file's author, and a view that never ends fits into one line. An
authoriser refuses every other action, and SQLite's virtual machine stops after a fixed number of steps.

Geometry: a parser that trusts a blob can be made to exhaust the stack (collections in collections) or the memory (counts
without content). This one knows polygons only, never recurses and never reads past the end. Coordinates are reprojected
to WGS84 without guessing and without the network.

Source: OGC 12-128r18 (GeoPackage 1.3), section 2.1.3 for blobs; OGC 06-103r4, section 8 (well-known binary);
https://www.sqlite.org/security.html.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyproj
import pyproj.network
from pyproj.exceptions import CRSError, ProjError

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.features import Features, Ring, ShapeBuilder, check_count
from dpcore.tiles.labels import quoted
from dpcore.tiles.sqlite_schema import check_schema

_ENVELOPE_BYTES: Final = (0, 32, 48, 48, 64)
_DIMENSIONS: Final = (2, 3, 3, 4)
"""Numbers in a position: plain, with height, with measure, with both (the thousands of the type)."""
_POLYGON: Final = 3
_MULTIPOLYGON: Final = 6


class _Bytes:
    """A reading position in the bytes that only moves forward. Raises ValueError at their end."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise ValueError("a count is larger than the bytes that follow")
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self, order: str) -> int:
        return int(struct.unpack(f"{order}I", self.take(4))[0])

    def start(self) -> tuple[str, int, int]:
        """Byte order, geometry type and numbers in a position of the geometry that begins here."""
        mark = self.take(1)
        if mark not in {b"\x00", b"\x01"}:
            raise ValueError("unknown byte order")
        order = "<" if mark == b"\x01" else ">"
        thousands, kind = divmod(self.number(order), 1000)
        if thousands >= len(_DIMENSIONS):
            raise ValueError("unknown type")
        return order, kind, _DIMENSIONS[thousands]

    def rings(self, order: str, dimensions: int) -> list[Ring]:
        """The rings that follow the start of a polygon. Heights and measures are dropped."""
        found = []
        for _ in range(self.number(order)):
            corners = self.number(order)
            if corners < 4:
                raise ValueError("a ring without an inside")
            flat = np.frombuffer(self.take(corners * dimensions * 8), f"{order}f8")
            found.append(flat.reshape(corners, dimensions)[:, :2].astype(np.float64))
        if not found:
            raise ValueError("a polygon without rings")
        return found

    @property
    def left(self) -> int:
        return len(self._data) - self._at


def polygons(blob: object) -> tuple[int, list[list[Ring]]]:
    """The spatial reference id of a GeoPackage geometry and its polygons, each a list of rings.

    Raises ValueError for anything but one whole Polygon or MultiPolygon.
    """
    if not isinstance(blob, bytes) or len(blob) < 8 or blob[:3] != b"GP\x00":
        raise ValueError("not a GeoPackage geometry")
    flags = blob[3]
    envelope = flags >> 1 & 7
    # Bit 5: a type of an extension. Bit 4: an empty geometry.
    if flags & 0b0011_0000 or envelope >= len(_ENVELOPE_BYTES):
        raise ValueError("empty or of an unknown kind")
    reference = int(struct.unpack("<i" if flags & 1 else ">i", blob[4:8])[0])
    data = _Bytes(blob, 8 + _ENVELOPE_BYTES[envelope])
    order, kind, dimensions = data.start()
    if kind == _POLYGON:
        parts = [data.rings(order, dimensions)]
    elif kind == _MULTIPOLYGON:
        parts = []
        for _ in range(data.number(order)):
            order_inside, kind_inside, dimensions_inside = data.start()
            if kind_inside != _POLYGON:
                raise ValueError("a part that is not a polygon")
            parts.append(data.rings(order_inside, dimensions_inside))
    else:
        raise ValueError("no polygon")
    if data.left or not parts:
        raise ValueError("bytes follow the geometry, or there is none")
    return reference, parts


_WGS84: Final = 4326
_MEND: Final = "Reproject the tiles to EPSG:4326 (WGS84)."


@dataclass(frozen=True)
class Projection:
    """Turns the coordinates of one file into longitude and latitude in WGS84."""

    note: str | None
    """What it does, in words. None if it does nothing."""
    transformer: Any = None
    """A transformer of pyproj. None if the coordinates are WGS84 already."""

    @classmethod
    def of(cls, organisation: object, code: object, source_name: str) -> Projection:
        """The projection of an entry of gpkg_spatial_ref_sys, such as ``EPSG`` and 25833.

        Only EPSG codes are known, so the definition in the file is never run. Raises TessellationError for an undefined
        or unknown system, and if no transformation of stated accuracy is installed.
        """
        if (
            not isinstance(organisation, str)
            or organisation.strip().casefold() != "epsg"
            or not isinstance(code, int)
        ):
            raise TessellationError("the coordinate system is undefined or unknown", source_name, _MEND)
        if code == _WGS84:
            return cls(None)
        pyproj.network.set_network_enabled(active=False)  # type: ignore[attr-defined]  # public, says its manual
        try:
            system = pyproj.CRS.from_epsg(code)
            if not (system.is_geographic or system.is_projected) or len(system.axis_info) != 2:
                raise TessellationError(f"EPSG:{code} is not a system of places on a map", source_name, _MEND)
            # No ballpark transformation: it may be off by hundreds of metres without saying so.
            transformer = pyproj.Transformer.from_crs(system, _WGS84, always_xy=True, allow_ballpark=False)
        except (CRSError, ProjError):
            raise TessellationError(
                f"EPSG:{code} cannot be turned into WGS84 exactly enough", source_name, _MEND
            ) from None
        return cls(f"coordinates were reprojected from EPSG:{code} to WGS84", transformer)

    def to_wgs84(self, ring: Ring, where: str) -> Ring:
        """Corners in WGS84; shape (corners, 2), longitude first. Equal corners give equal bits.

        Raises TessellationError for a corner outside the system's range.
        """
        if self.transformer is None:
            return ring
        try:
            lng, lat = self.transformer.transform(ring[:, 0], ring[:, 1], errcheck=True)
        except ProjError:
            raise TessellationError(
                "a corner lies outside the range of the coordinate system", where, "Check the layer's system."
            ) from None
        return np.column_stack((lng, lat))


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


def read(data: bytes, source_name: str, layer: str | None = None) -> Features:
    """The features of a GeoPackage. They are reprojected to WGS84 if the coordinate system is known.

    ``layer``: the feature table to read. None: the only one. Raises TessellationError.
    """
    try:
        with closing(_open(data)) as database:
            return _features(database, source_name, layer, len(data))
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


def _features(database: sqlite3.Connection, source_name: str, layer: str | None, size: int) -> Features:
    found = _layer(database, source_name, layer)
    projection = _projection(database, found.reference, source_name)
    shapes = ShapeBuilder(source_name)
    properties = []
    chosen = ", ".join(_identifier(column) for column in (found.geometry, *found.columns))
    # The query asks for one row more than allowed, to tell a full table from one that is too long.
    query = f"SELECT {chosen} FROM {_identifier(found.table)} LIMIT {limits.MAX_TILES + 1}"
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, size)
    for number, (blob, *values) in enumerate(_counted(database.execute(query), size), 1):
        check_count(number, source_name)
        shapes.add(_parts(blob, found.reference, projection, f"{source_name}, feature {number:,}"))
        properties.append(dict(zip(found.columns, values, strict=True)))
    notes = (projection.note,) if projection.note else ()
    return Features(source_name, tuple(properties), shapes.shapes(), notes)


def _counted(rows: Iterable[tuple[Any, ...]], size: int) -> Iterator[tuple[Any, ...]]:
    """The rows, as long as they hold no more bytes than the file has.

    Rows of a forged file may share the pages of one long value, which would then be read again for every row. Raises ValueError.
    """
    left = size
    for row in rows:
        left -= sum(len(value) for value in row if isinstance(value, str | bytes))
        if left < 0:
            raise ValueError("the rows hold more than the file")
        yield row


def _parts(blob: object, reference: int, projection: Projection, where: str) -> list[list[Ring]]:
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
    return [[projection.to_wgs84(ring, where) for ring in rings] for rings in parts]


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
        row[0]: row for row in _counted(rows, limits.MAX_DATABASE_SCHEMA_CHARACTERS) if row[0] in tables
    }
    if not layers:
        raise TessellationError(
            "there is no layer of features stored as a table",
            source_name,
            "Views are not read. Export the tiles as a table.",
        )
    names = ", ".join(quoted(name) for name in sorted(layers)[:20])
    if wanted is None and len(layers) > 1:
        raise TessellationError("there are several layers", source_name, f"Choose one of: {names}.")
    if wanted is not None and wanted not in layers:
        raise TessellationError(
            f"there is no layer {quoted(wanted)}", source_name, f"Choose one of: {names}."
        )
    table, geometry, reference = layers[wanted if wanted is not None else next(iter(layers))]
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


def _projection(database: sqlite3.Connection, reference: int, source_name: str) -> Projection:
    rows = database.execute(
        "SELECT organization, organization_coordsys_id FROM gpkg_spatial_ref_sys WHERE srs_id = ? LIMIT 2",
        (reference,),
    ).fetchall()
    organisation, code = rows[0] if len(rows) == 1 else (None, None)
    return Projection.of(organisation, code, source_name)


def _identifier(name: str) -> str:
    """A name quoted for SQL. A quotation mark inside is doubled, so that it cannot end the name."""
    return '"' + name.replace('"', '""') + '"'
