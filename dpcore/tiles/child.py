"""The program of the child process that reads formats of others with the libraries of others; see ``in_child``.

It takes a file on its standard input and what was asked as JSON in its only argument. It answers with JSON and the shapes as
well-known binary on its standard output. It imports nothing of this package: all that it says is checked by the parent.

Before the first byte of the file is looked at, the process gives up what it does not need: after that it can open no file, no
socket and no pipe, its memory, time and answer are limited, and of GDAL's drivers only the one that was asked for is left.
"""

from __future__ import annotations

import contextlib
import encodings.cp437  # noqa: F401 - zipfile looks it up when no file can be opened any more
import io
import json
import math
import re
import resource
import sys
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

Asked = dict[str, Any]
Found = tuple["pa.Table", str, object]
"""A table, the name of its column of shapes as well-known binary, and its coordinate system as the file writes it."""

_UNDECLARED: Final = None
_HOW_KML_DRAWS: Final = frozenset(
    {"altitudeMode", "tessellate", "extrude", "visibility", "drawOrder", "icon"}
)
_SRID: Final = re.compile(rb"\bSRID=([0-9]{1,6});", re.IGNORECASE)
_SHAPEFILE_PARTS: Final = (".shp", ".shx", ".dbf", ".prj", ".cpg")


class FaultError(Exception):
    """What is wrong with the file, and how to mend it."""


def _with_gdal(data: bytes, asked: Asked, layers: Sequence[str] = ()) -> Found:
    """One layer of a file that GDAL reads. ``layers``: their names, where the reader knows them."""
    import pyogrio  # noqa: PLC0415 - imported before the doors were closed, and only where it is needed

    listed = enumerate(pyogrio.list_layers(data).tolist()) if not layers else ()
    # by its place, because a layer without a name is called after a file whose name changes with every call
    found = {name: at for at, (name, kind) in listed if kind is not None} or {name: name for name in layers}
    layer = found[_layer(list(found), asked["layer"])]
    about = pyogrio.read_info(data, layer=layer, **asked["options"])
    meta, table = pyogrio.read_arrow(
        data, layer=layer, max_features=asked["most_features"], **asked["options"]
    )
    # GDAL ends quietly where a file was cut. A number below zero is not known.
    if 0 <= about["features"] != table.num_rows < asked["most_features"]:
        raise FaultError("the file holds fewer features than it says", "Export or download it again.")
    if asked["driver"] == "LIBKML":
        table = table.drop_columns([name for name in table.column_names if name in _HOW_KML_DRAWS])
        table = table.rename_columns(
            ["placemark id" if name == "id" else name for name in table.column_names]
        )
    return table, meta.get("geometry_name") or "wkb_geometry", meta["crs"]


def _layer(names: Sequence[str], wanted: str | None) -> str:
    said = ", ".join(json.dumps(name[:60]) for name in names[:20])
    if not names:
        raise FaultError("there is no layer with shapes", "Export the tiles again.")
    if wanted is None and len(names) > 1:
        raise FaultError(
            "there are several layers", f"Choose one with --layer (in a notebook: layer): {said}."
        )
    if wanted is not None and wanted not in names:
        raise FaultError(f"there is no layer {json.dumps(wanted)}", f"Choose one of: {said}.")
    return wanted if wanted is not None else names[0]


def _shapefile(data: bytes, asked: Asked) -> Found:
    """The only Shapefile of a zip archive. Names in the archive are compared, and never used as paths."""
    parts: dict[str, dict[str, zipfile.ZipInfo]] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            path = PurePosixPath(entry.filename)
            suffix = path.suffix.lower()
            if suffix in _SHAPEFILE_PARTS and not path.name.startswith(".") and "__MACOSX" not in path.parts:
                parts.setdefault(str(path.with_suffix("")).lower(), {})[suffix] = entry
        found = {stem: its for stem, its in parts.items() if ".shp" in its}
        if not found:
            raise FaultError(
                "there is no Shapefile in the archive",
                "Put the files .shp, .shx, .dbf and .prj into it. Unpack archives of other formats.",
            )
        its = found[_layer(sorted(found), asked["layer"] and asked["layer"].lower())]
        missing = [suffix for suffix in (".shx", ".dbf") if suffix not in its]
        if missing:
            raise FaultError(
                f"the Shapefile has no {' and no '.join(missing)}", "Put all its files into the archive."
            )
        left, members = asked["most_bytes"], {}
        for suffix, entry in its.items():
            with archive.open(entry) as packed:  # it is counted here: what an archive declares is not trusted
                members["tiles" + suffix] = packed.read(left + 1)
            left -= len(members["tiles" + suffix])
            if left < 0:
                raise FaultError("the archive unpacks to too much", "Simplify the borders.")
    return _with_gdal(_stored(members), asked | {"layer": None}, ["tiles"])


def _table_of_shapes(data: bytes, asked: Asked) -> Found:
    """A CSV with a column of shapes: well-known text or binary, or GeoJSON. PostGIS may write ``SRID=25833;`` before a text."""
    systems = set(_SRID.findall(data))
    table, shape, _ = _with_gdal(_stored({"tiles.csv": _SRID.sub(b"", data)}), asked, ["tiles"])
    if len(systems) > 1:
        raise FaultError("the shapes name several coordinate systems", "Reproject them to one.")
    return table, shape, f"EPSG:{systems.pop().decode()}" if systems else None


def _stored(members: dict[str, bytes]) -> bytes:
    """An archive in memory. GDAL sees these files and no others."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _geoparquet(data: bytes, asked: Asked) -> Found:
    import pyarrow as pa  # noqa: PLC0415 - as above
    import pyarrow.parquet as pq  # noqa: PLC0415 - as above

    file = pq.ParquetFile(pa.BufferReader(data))
    about = json.loads((file.schema_arrow.metadata or {}).get(b"geo", b"null"))
    if not isinstance(about, dict):
        raise FaultError("this Parquet file has no geometry", "Export the tiles as GeoParquet.")
    shape = about["primary_column"]
    if str(about["columns"][shape]["encoding"]).upper() != "WKB":
        raise FaultError(
            "the shapes are not well-known binary", "Export the tiles as GeoParquet with the encoding WKB."
        )
    flat = [field.name for field in file.schema_arrow if field.name != shape and _can_be_told(field.type)]
    table = file.read([*flat, shape], use_threads=False).slice(0, asked["most_features"])
    system = about["columns"][shape].get("crs", "OGC:CRS84")
    return table, shape, json.dumps(system) if isinstance(system, dict) else system


_READERS: Final = {
    "ESRI Shapefile": _shapefile,
    "CSV": _table_of_shapes,
    "Parquet": _geoparquet,
}


def _answer(found: Found) -> bytes:
    """The table as the parent reads it."""
    import shapely  # noqa: PLC0415 - as above

    table, column, system = found
    shapes = shapely.from_wkb(table[column].to_pylist(), on_invalid="ignore")
    blobs = shapely.to_wkb(shapely.force_2d(shapes), byte_order=1, flavor="iso")
    others = [field.name for field in table.schema if field.name != column and _can_be_told(field.type)]
    values = [table[name].to_pylist() for name in others]
    header = {
        "system": _code(system),
        "columns": others,
        "values": [[None if _is_nan(value) else value for value in column] for column in values],
        "sizes": [0 if blob is None else len(blob) for blob in blobs],
    }
    told = json.dumps(header, default=str).encode()
    return len(told).to_bytes(8, "little") + told + b"".join(blob for blob in blobs if blob is not None)


def _can_be_told(kind: pa.DataType) -> bool:
    """Whether the values are texts, numbers or truth values. Dates name no tile, and zones of time would be read from files."""
    import pyarrow.types as of  # noqa: PLC0415 - as above

    known = (of.is_string, of.is_large_string, of.is_integer, of.is_floating, of.is_boolean)
    return any(test(kind) for test in known) or (of.is_dictionary(kind) and _can_be_told(kind.value_type))


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _code(system: object) -> str | None:
    """Register and code of a coordinate system; empty if no register holds it, None if the file declares none."""
    import pyproj  # noqa: PLC0415 - as above

    if system is _UNDECLARED:
        return None
    with contextlib.suppress(pyproj.exceptions.CRSError):
        found = pyproj.CRS.from_user_input(system).to_2d().to_authority(min_confidence=70)
        return ":".join(found) if found else ""
    return ""


def _close_the_doors(asked: Asked) -> None:
    """Load what is needed, and give up the rest for good."""
    for name in ("pandas", "geopandas"):  # pyogrio would load them if it could
        sys.modules[name] = None  # type: ignore[assignment]
    import pyproj  # noqa: PLC0415 - see above
    import shapely  # noqa: F401, PLC0415 - see above

    pyproj.CRS.from_epsg(4326).to_authority()  # opens the register of coordinate systems, which stays open
    if asked["driver"] == "Parquet":
        import pyarrow.parquet  # noqa: F401, PLC0415 - see above
    else:
        import pyogrio  # noqa: PLC0415 - see above
        from pyogrio.core import _register_drivers  # noqa: PLC0415 - there is no public way, and what it did is checked

        others = [name for name in pyogrio.list_drivers() if name != asked["driver"]]
        pyogrio.set_gdal_config_options(
            {"GDAL_SKIP": ",".join(others), "CPL_VSIL_CURL_ALLOWED_FILENAME": "none"}
        )
        _register_drivers()  # anew, which drops those to skip
        if set(pyogrio.list_drivers()) != {asked["driver"]}:
            raise SystemExit("other drivers are left")
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def main() -> None:
    """Read standard input and answer."""
    asked = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    for limit, most in (
        (resource.RLIMIT_CPU, asked["most_seconds"]),
        (resource.RLIMIT_FSIZE, asked["most_answer"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, asked["most_memory"]),
    ):
        _, allowed = resource.getrlimit(limit)
        kept = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
        if limit != resource.RLIMIT_AS or sys.platform != "darwin":  # macOS refuses to limit memory
            resource.setrlimit(limit, (kept, kept))
    _close_the_doors(asked)
    data = sys.stdin.buffer.read()
    try:
        answer = _answer(_READERS.get(asked["driver"], _with_gdal)(data, asked))
    except FaultError as fault:
        told = json.dumps({"fault": fault.args}).encode()
        answer = len(told).to_bytes(8, "little") + told
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
