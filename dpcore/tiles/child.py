"""The program of the child process that reads formats of others with the libraries of others; see ``in_child``.

It takes a file on its standard input and what was asked as JSON in its only argument. It answers with JSON and the shapes as
well-known binary on its standard output. It imports nothing of this package: all that it says is checked by the parent.

Before the first byte of the file is looked at, the process gives up what it does not need. After that no file, no socket and no
pipe can be opened, where the system counts processes no other one can be started, and no program can gain rights. Memory, time
and answer are limited. Of GDAL's drivers only the one that was asked for is left. What needs no open file still works, such as
asking for the size of a file, renaming one, or ending another process of the same user.
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import encodings.cp437  # noqa: F401 - zipfile looks it up when no file can be opened any more
import io
import json
import math
import re
import resource
import sys
import warnings
import zipfile
from collections.abc import Callable, Sequence
from encodings import aliases
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa

Asked = dict[str, Any]

_UNDECLARED: Final = None
_KML, _ALL = "LIBKML", "*"
_HOW_KML_DRAWS: Final = frozenset(
    {"altitudeMode", "tessellate", "extrude", "visibility", "drawOrder", "icon"}
)
_GEOMETRY: Final = re.compile(
    r"geom|geometry|the_geom|wkb|wkb_geometry|geom_wkb|geometry_wkb|shape", re.IGNORECASE
)
_SRID: Final = re.compile(rb"\bSRID=([0-9]{1,6});", re.IGNORECASE)
_NO_NEW_PRIVILEGES: Final = 38
"""``PR_SET_NO_NEW_PRIVS`` of Linux."""
_PLAIN: Final = "latin-1"
"""GDAL decodes this without a file of tables, and each byte stays one letter."""
_LETTERS: Final = {
    bytes.fromhex(number)[0]: page
    for number, page in re.findall(
        r"(\w\w)=(\d+)",
        "01=437 02=850 03=1252 13=932 26=866 4D=936 4E=949 4F=950 50=874 64=852 65=866 78=950 79=949 7A=936 7B=932 7C=874 "
        "7D=1255 7E=1256 C8=1250 C9=1251 CA=1254 CB=1253 CC=1257",
    )
}
"""Number in a .dbf -> the code page of its letters. Without .cpg it counts, as in GDAL. All others are Latin-1."""
_TAGS: Final = "/vsimem/tags.csv"
_MOST_TEXT: Final = 200  # characters of a tag
_OSM_LAYERS: Final = ("points", "lines", "multipolygons")
_OSM_MEGABYTES, _OSM_TIMES = 16, 6  # of memory for positions: at least, and by the size of the file
_SHAPEFILE_PARTS: Final = (".shp", ".shx", ".dbf", ".prj", ".cpg")


class Found(NamedTuple):
    """What a reader found."""

    table: pa.Table
    shape: str
    """The name of its column of shapes as well-known binary."""
    system: object
    """Its coordinate system as the file writes it."""
    letters: codecs.CodecInfo | None = None
    """How names and texts are written that GDAL read as Latin-1."""


class Lists(NamedTuple):
    """What a reader found, as plain lists: building a table of them would open files, which this process may not."""

    columns: Sequence[str]
    values: Sequence[Sequence[Any]]
    """The values of each column."""
    shapes: Sequence[bytes | None]
    system: object


class FaultError(Exception):
    """What is wrong with the file, and how to mend it."""


def _with_gdal(data: bytes, asked: Asked, layers: Sequence[str] = ()) -> Found:
    """One layer of a file that GDAL reads. ``layers``: their names, where the reader knows them."""
    import pyogrio  # noqa: PLC0415 - imported before the doors were closed, and only where it is needed

    listed = enumerate(pyogrio.list_layers(data).tolist()) if not layers else ()
    # by its place, because a layer without a name is called after a file whose name changes with every call
    found: dict[str, int | str] = {name: at for at, (name, kind) in listed if kind is not None}
    found |= {name: name for name in layers}
    if asked["driver"] == _KML:
        return _folders(data, asked, found)
    return _features(data, asked, found[_layer(list(found), asked["layer"])])


def _features(data: bytes, asked: Asked, layer: int | str) -> Found:
    import pyogrio  # noqa: PLC0415 - as above

    about = pyogrio.read_info(data, layer=layer, **asked["options"])
    meta, table = pyogrio.read_arrow(
        data, layer=layer, max_features=asked["most_features"], **asked["options"]
    )
    # GDAL ends quietly where a file was cut. A number below zero is not known.
    if 0 <= about["features"] != table.num_rows < asked["most_features"]:
        raise FaultError("the file holds fewer features than it says", "Export or download it again.")
    return Found(table, meta.get("geometry_name") or "wkb_geometry", meta["crs"])


def _folders(data: bytes, asked: Asked, folders: dict[str, int | str]) -> Found:
    """The placemarks of one folder of a KML document, or of all of them, without what no tile has."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    chosen = (
        folders
        if asked["layer"] == _ALL
        else [_layer(list(folders), asked["layer"], f', or "{_ALL}" for all')]
    )
    read = [_features(data, asked, folders[name]) for name in chosen]
    table = pa.concat_tables([one.table for one in read], promote_options="default")
    table = table.slice(0, asked["most_features"])
    table = table.drop_columns([name for name in table.column_names if name in _HOW_KML_DRAWS])
    table = table.rename_columns(["placemark id" if name == "id" else name for name in table.column_names])
    return read[0]._replace(table=table)


def _layer(names: Sequence[str], wanted: str | None, more: str = "") -> str:
    said = ", ".join(json.dumps(name[:60]) for name in names[:20])
    if not names:
        raise FaultError("there is no layer with shapes", "Export the tiles again.")
    if wanted is not None and wanted in names:
        return wanted
    if wanted not in {None, _ALL}:
        raise FaultError(f"there is no layer {json.dumps(wanted)}", f"Choose one of: {said}.")
    if len(names) > 1:
        only = f'"{_ALL}" takes all folders of a KML; of this file one layer is read. ' if wanted else ""
        raise FaultError(
            "there are several layers", f"{only}Choose one with --layer (in a notebook: layer): {said}{more}."
        )
    return names[0]


def _shapefile(data: bytes, asked: Asked) -> Found:
    """The only Shapefile of a zip archive. Names in the archive are compared, and never used as paths."""
    parts: dict[str, dict[str, zipfile.ZipInfo]] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            path = PurePosixPath(entry.filename)
            suffix = path.suffix.lower()
            if suffix in _SHAPEFILE_PARTS and not path.name.startswith(".") and "__MACOSX" not in path.parts:
                parts.setdefault(str(path.with_suffix("")).lower(), {})[suffix] = entry
        shapes = {stem: its for stem, its in parts.items() if ".shp" in its}
        if not shapes:
            raise FaultError(
                "there is no Shapefile in the archive",
                "Put the files .shp, .shx, .dbf and .prj into it. Unpack archives of other formats.",
            )
        its = shapes[_layer(sorted(shapes), asked["layer"] and asked["layer"].lower())]
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
    letters = _letters(members.pop("tiles.cpg", b""), members["tiles.dbf"])
    options = asked["options"] | {"encoding": "ISO-8859-1"}
    found = _with_gdal(_stored(members), asked | {"layer": None, "options": options}, ["tiles"])
    return found._replace(letters=letters)


def _letters(cpg: bytes, dbf: bytes) -> codecs.CodecInfo:
    """How the texts of a Shapefile are written: as its .cpg says, such as ``GBK``, ``UTF-8``, ``1252`` or ``ANSI 1252``."""
    said = cpg.decode("ascii", "replace").strip() or _LETTERS.get(dbf[29] if len(dbf) > 29 else 0, _PLAIN)
    name = re.sub(r"^8859[-_ ]?", "iso8859-", re.sub(r"(?i)^(?:ansi|oem) ", "", said))
    for known in (name, f"cp{name}"):
        with contextlib.suppress(LookupError, ValueError):
            b"a".decode(known)  # unlike the lookup it refuses codecs that unpack
            return codecs.lookup(known)
    raise FaultError(
        f"the .cpg names an unknown encoding {json.dumps(said[:40])}",
        "Write its name into the .cpg, such as UTF-8.",
    )


def _decoded(value: Any, letters: codecs.CodecInfo | None) -> Any:  # noqa: ANN401 - whatever stands in a cell
    """A value, and a text that GDAL read as Latin-1 in its letters."""
    if letters is None or not isinstance(value, str):
        return None if isinstance(value, float) and math.isnan(value) else value
    try:
        # A full field may cut its last letter. So what is unfinished is left out, and what is wrong is refused.
        return letters.incrementaldecoder("strict").decode(value.encode(_PLAIN))
    except UnicodeDecodeError:
        what, mend = (
            f"the texts are not {letters.name}",
            "Write their encoding into the .cpg, such as UTF-8 or 1252.",
        )
        raise FaultError(what, mend) from None


def _table_of_shapes(data: bytes, asked: Asked) -> Found:
    """A CSV with a column of shapes: well-known text or binary, or GeoJSON. PostGIS may write ``SRID=25833;`` before a text."""
    systems = set(_SRID.findall(data))
    found = _with_gdal(_stored({"tiles.csv": _SRID.sub(b"", data)}), asked, ["tiles"])
    if len(systems) > 1:
        raise FaultError("the shapes name several coordinate systems", "Reproject them to one.")
    return found._replace(system=f"EPSG:{systems.pop().decode()}" if systems else None)


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
        return _plain_parquet(file, asked)
    shape = about["primary_column"]
    if str(about["columns"][shape]["encoding"]).upper() != "WKB":
        raise FaultError(
            "the shapes are not well-known binary", "Export the tiles as GeoParquet with the encoding WKB."
        )
    flat = _told_columns(file.schema_arrow, shape, asked)
    table = file.read([*flat, shape], use_threads=False).slice(0, asked["most_features"])
    told = about["columns"][
        shape
    ]  # without the member it is WGS84 if nothing else is said, and null means unknown
    system = told.get("crs", _UNDECLARED)
    named = isinstance(system, str) or "crs" not in told
    return Found(table, shape, system if named else json.dumps(system))


def _plain_parquet(file: Any, asked: Asked) -> Found:  # noqa: ANN401 - a file of pyarrow
    """Shapes of a Parquet file without the metadata of GeoParquet: a column of the type Geometry, or of well-known binary.

    Such a type may name its system (Parquet format 2.11, logical type GEOMETRY); without one nothing is declared. Bytes alone
    declare no system, and imply none.
    """
    import pyarrow.types as of  # noqa: PLC0415 - as above

    schema = file.schema_arrow
    typed = {
        column.name: re.sub(
            r"^\w+\((?:crs=([^,)]*))?.*$", lambda found: found[1] or "", str(column.logical_type)
        )
        for column in map(file.schema.column, range(len(file.schema)))
        if str(column.logical_type).startswith(("Geometry", "Geography"))
    }
    binary = [field.name for field in schema if of.is_binary(field.type) or of.is_large_binary(field.type)]
    known = [*typed] or [name for name in binary if _GEOMETRY.fullmatch(name)] or binary
    if len(known) != 1:
        what = "several columns may hold the shapes" if known else "this Parquet file has no column of shapes"
        raise FaultError(what, "Export the tiles as GeoParquet, or keep one column of well-known binary.")
    (shape,) = known
    flat = _told_columns(schema, shape, asked)
    table = file.read([*flat, shape], use_threads=False).slice(0, asked["most_features"])
    return Found(table, shape, (typed[shape] or _UNDECLARED) if shape in typed else "")


def _by_tags(data: bytes, asked: Asked) -> Lists:
    """The features of all layers that have one of the values that are asked for, within a box, without other columns."""
    import pyogrio  # noqa: PLC0415 - as above

    kept, left, systems = asked["kept"], asked["most_features"], set()
    texts: dict[str, list[str | None]] = {name: [] for name in (*kept, "name")}
    shapes: list[bytes | None] = []
    known: dict[str, tuple[Sequence[str], object]] = dict.fromkeys(_OSM_LAYERS, (tuple(texts), "EPSG:4326"))
    if asked["driver"] == "OSM":  # what it keeps of a file, it keeps in memory, and takes it all at once
        room = str(_OSM_MEGABYTES + _OSM_TIMES * len(data) // 2**20)
        pyogrio.set_gdal_config_options({"OSM_MAX_TMPFILE_SIZE": room})
    else:
        named = [name for name, kind in pyogrio.list_layers(data).tolist() if kind is not None]
        infos = {layer: pyogrio.read_info(data, layer=layer) for layer in named}
        known = {layer: (about["fields"].tolist(), about["crs"]) for layer, about in infos.items()}
    for layer, (fields, system) in known.items():
        there = [name for name in fields if name in kept]
        if not there:
            continue
        wanted = [f'"{name}" IN ({", ".join(map(_quoted, kept[name]))})' for name in there]
        meta, table = pyogrio.read_arrow(
            data,
            layer=layer,
            columns=[*there, *(name for name in fields if name == "name")],
            where=" OR ".join(wanted),
            bbox=tuple(asked["box"]) if _code(system) == "EPSG:4326" else None,
            max_features=left,
        )
        left -= table.num_rows
        systems.add(meta["crs"])
        shapes += table[meta.get("geometry_name") or "wkb_geometry"].to_pylist()
        for name, column in texts.items():
            told = table[name].to_pylist() if name in table.column_names else [None] * table.num_rows
            column += [value[:_MOST_TEXT] if isinstance(value, str) else None for value in told]
        if left <= 0:
            raise FaultError("there are too many features", "Cut the file to the city.")
    if len(systems) > 1:
        raise FaultError("the layers have several coordinate systems", "Reproject them to one.")
    return Lists([*texts], [*texts.values()], shapes, systems.pop() if systems else "EPSG:4326")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _tell_tags(kept: Sequence[str]) -> None:
    """Let the driver of OpenStreetMap give these tags as columns. It takes that from a file, which stands in memory here."""
    import numpy as np  # noqa: PLC0415 - as above
    import pyogrio  # noqa: PLC0415 - as above

    lines = ["attribute_name_laundering=no"]
    for layer in _OSM_LAYERS:
        lines += [f"[{layer}]", *(f"attributes={tag}" for tag in (*kept, "name"))]
    told = [np.array(lines, dtype=object)]
    options = {"layer": "tags", "driver": "CSV", "geometry_type": None, "crs": None, "SEPARATOR": "TAB"}
    pyogrio.raw.write(_TAGS, None, told, ["[general]"], **options)
    pyogrio.set_gdal_config_options({"OSM_CONFIG_FILE": _TAGS})


_READERS: Final[dict[str, Callable[[bytes, Asked], Found | Lists]]] = {
    "OSM": _by_tags,
    "GPKG": _by_tags,
    "ESRI Shapefile": _shapefile,
    "CSV": _table_of_shapes,
    "Parquet": _geoparquet,
}


def _told_columns(schema: pa.Schema, shape: str, asked: Asked) -> list[str]:
    """The columns that are answered. They are counted before their values are made."""
    found = [field.name for field in schema if field.name != shape and _can_be_told(field.type)]
    if len(found) > asked["most_columns"]:
        what = f"the features have {len(found):,} different properties"
        mend = f"At most {asked['most_columns']} are read. Keep the id and the name of each tile."
        raise FaultError(what, mend)
    return found


def _lists(found: Found, asked: Asked) -> Lists:
    table, column, system, letters = found
    others = _told_columns(table.schema, column, asked)
    if sum(map(_bytes_of_texts, map(table.column, others))) > asked["most_text"]:
        raise FaultError("the properties are too long", "Keep the id and the name of each tile.")
    values = [[_decoded(value, letters) for value in table[name].to_pylist()] for name in others]
    return Lists([_decoded(name, letters) for name in others], values, table[column].to_pylist(), system)


def _answer(read: Found | Lists, asked: Asked) -> bytes:
    """What was found as the parent reads it."""
    import shapely  # noqa: PLC0415 - as above

    found = _lists(read, asked) if isinstance(read, Found) else read
    shapes = shapely.from_wkb(found.shapes, on_invalid="ignore")
    system = found.system
    # PostGIS writes the number of the system into each shape
    written = {f"EPSG:{one}" for one in shapely.get_srid(shapes).tolist()} - {"EPSG:0", "EPSG:-1"}
    stated = written | ({_code(system)} if system and written else set())
    if len(stated) > 1:
        raise FaultError(
            f"the shapes name several coordinate systems: {', '.join(sorted(map(str, stated)))}",
            "Reproject them to one.",
        )
    if written and not system:
        system = written.pop()
    if isinstance(read, Found):
        shapes = [_areas(shape) for shape in shapes]
    blobs = shapely.to_wkb(shapely.force_2d(shapes), byte_order=1, flavor="iso")
    header = {
        "system": _code(system),
        "columns": found.columns,
        "values": found.values,
        "sizes": [0 if blob is None else len(blob) for blob in blobs],
    }
    told = json.dumps(header, default=str).encode()
    return len(told).to_bytes(8, "little") + told + b"".join(blob for blob in blobs if blob is not None)


def _areas(shape: Any) -> Any:  # noqa: ANN401 - a shape of shapely, or None
    """The areas of a collection, as of one in GeoJSON: a point for its label holds no place. Any other shape as it is."""
    import shapely  # noqa: PLC0415 - as above

    if shapely.get_type_id(shape) != shapely.GeometryType.GEOMETRYCOLLECTION:
        return shape
    single = {shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON}
    areas = [one for one in shapely.get_parts(shape) if shapely.get_type_id(one) in single]
    return shapely.multipolygons(shapely.get_parts(areas)) if areas else shape


def _can_be_told(kind: pa.DataType) -> bool:
    """Whether the values are texts, numbers or truth values. Dates name no tile, and zones of time would be read from files."""
    import pyarrow.types as of  # noqa: PLC0415 - as above

    known = (of.is_string, of.is_large_string, of.is_integer, of.is_floating, of.is_boolean)
    return any(test(kind) for test in known) or (of.is_dictionary(kind) and _can_be_told(kind.value_type))


def _bytes_of_texts(column: pa.ChunkedArray) -> int:
    """How many bytes the texts of a column have once each row has its own. A dictionary holds a text once for many rows."""
    import pyarrow as pa  # noqa: PLC0415 - as above
    import pyarrow.compute as pc  # noqa: PLC0415 - as above

    found = 0
    for chunk in column.chunks:
        packed = isinstance(chunk, pa.DictionaryArray)
        texts = chunk.dictionary if packed else chunk
        if pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type):
            sizes = pc.binary_length(texts)
            found += pc.sum(sizes.take(chunk.indices) if packed else sizes).as_py() or 0
    return found


def _code(system: object) -> str | None:
    """Register and code of a coordinate system; empty if no register holds it, None if the file declares none.

    The rule is that of ``projection.system_of_crs``; a test holds both to it.
    """
    import pyproj  # noqa: PLC0415 - as above

    if system is _UNDECLARED:
        return None
    with contextlib.suppress(pyproj.exceptions.CRSError):
        read = pyproj.CRS.from_user_input(system).to_2d()
        # a register may hold a system that is alike but for a datum that is not known, and lies 100 metres off
        known = read.datum is not None and "unknown" not in read.datum.name.lower()
        found = read.to_authority(min_confidence=70) if known else None
        return ":".join(found) if found else ""
    return ""


def _close_the_doors(asked: Asked) -> None:
    """Load what is needed, and give up the rest for good."""
    for name in (
        "pandas",
        "geopandas",
        "pyarrow.pandas_compat",
    ):  # pyogrio and pyarrow would load them if they could
        sys.modules[name] = None  # type: ignore[assignment]
    import pyarrow.compute  # noqa: PLC0415 - see above
    import pyproj  # noqa: PLC0415 - see above
    import shapely  # noqa: F401, PLC0415 - see above

    pyproj.CRS.from_epsg(4326).to_authority()  # opens the register of coordinate systems, which stays open
    if asked["driver"] == "Parquet":
        import pyarrow.parquet  # noqa: F401, PLC0415 - see above
    else:
        import pyogrio  # noqa: PLC0415 - see above
        from pyogrio.core import _register_drivers  # noqa: PLC0415 - there is no public way, and what it did is checked

        if asked["driver"] == "OSM":
            _tell_tags([*asked["kept"]])
        others = [name for name in pyogrio.list_drivers() if name != asked["driver"]]
        pyogrio.set_gdal_config_options(
            {
                "GDAL_SKIP": ",".join(others),
                "CPL_VSIL_CURL_ALLOWED_FILENAME": "none",
                "GML_DOWNLOAD_SCHEMA": "NO",
            }
        )
        _register_drivers()  # anew, which drops those to skip
        if set(pyogrio.list_drivers()) != {asked["driver"]}:
            raise SystemExit("other drivers are left")
    if asked["driver"] == "ESRI Shapefile":
        for name in {*aliases.aliases.values()}:
            with contextlib.suppress(LookupError):
                codecs.lookup(name)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for limit in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE):
        resource.setrlimit(limit, (0, 0))


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
        answer = _answer(_READERS.get(asked["driver"], _with_gdal)(data, asked), asked)
    except FaultError as fault:
        told = json.dumps({"fault": fault.args}).encode()
        answer = len(told).to_bytes(8, "little") + told
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
