"""Reads formats whose readers others wrote: Shapefile, FlatGeobuf, KML, GML, Esri JSON, GeoParquet, and CSV with shapes.

GDAL and Arrow are libraries for files of friends. GDAL opens what a file names, and it guesses formats. So they never see a file of a
stranger in this process. A child process does (``child``): it can open no file and no socket, it has one driver, and its memory and
time are limited. What it answers is checked here like every other format. If a file makes it crash, only the child ends.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, compress, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import wkb
from dpcore.tiles.features import Features, Ring, collected
from dpcore.tiles.projection import WGS84, Projection, System, system_of, system_of_file

_PROGRAM: Final = Path(__file__).with_name("child.py")
# What Python needs to find its packages. Nothing else of the environment is given away.
_ENVIRONMENT: Final = ("HOME", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT")
_ONE_THREAD: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "PROJ_NETWORK": "OFF",
}


@dataclass(frozen=True)
class Driver:
    """How the child reads a format."""

    name: str
    """Of GDAL's driver, or ``Parquet``."""
    otherwise: System | None = None
    """The coordinate system of a file that declares none; None if the format implies none."""
    options: Mapping[str, object] = field(default_factory=dict)


SHAPEFILE: Final = Driver("ESRI Shapefile")
FLATGEOBUF: Final = Driver("FlatGeobuf", options={"VERIFY_BUFFERS": "YES"})
KML: Final = Driver("LIBKML")
GML: Final = Driver("GML")
ESRI_JSON: Final = Driver("ESRIJSON")
GEOPARQUET: Final = Driver("Parquet", WGS84)
OPEN_STREET_MAP: Final = Driver("OSM", WGS84)
GEOPACKAGE: Final = Driver("GPKG")


BESIDE_SHP: Final = (".shx", ".dbf", ".prj", ".cpg")
"""Files of a Shapefile beside its .shp: places, properties, coordinate system and letters."""


def shapefile_archive(parts: Mapping[str, bytes]) -> bytes:
    """The files of a Shapefile, by their endings, as an archive. Equal files give equal bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as into:
        for suffix, content in parts.items():
            into.writestr(zipfile.ZipInfo(f"tiles{suffix}"), content)
    return archive.getvalue()


def table_of_shapes(column: str) -> Driver:
    """The driver of a CSV table with shapes in a column."""
    return Driver("CSV", WGS84, {"GEOM_POSSIBLE_NAMES": column, "KEEP_GEOM_COLUMNS": "NO"})


def features(
    data: bytes, source_name: str, driver: Driver, layer: str | None = None, tiles_crs: str | None = None
) -> Features:
    """The features of a file, read by a child process. They are reprojected to WGS84.

    ``layer``: its name where a file has several. ``tiles_crs``: the system of a file that declares none. Raises
    TessellationError.
    """
    told, shapes = _child_answer(data, source_name, driver, layer)
    try:
        if "fault" in told:
            what, mend = map(str, told["fault"])
            options = ("--layer",) if what == SEVERAL_LAYERS else ()
            raise TessellationError(_plain(what), source_name, _plain(mend), options=options)
        columns, values, rows = _rows(told, shapes)
        declared = None if told["system"] is None else system_of(told["system"])
    except (KeyError, TypeError, ValueError):
        raise _damaged(source_name) from None
    system = system_of_file(declared, tiles_crs, source_name, otherwise=driver.otherwise)
    every = len(rows)
    if driver is KML:  # the others are notes and pins; without any area they are refused
        kept = [bool(row) and not _is_pin(row) for row in rows]
        kept = kept if any(kept) else [bool(row) for row in rows]
        values = [[*compress(column, kept)] for column in values]
        rows = [*compress(rows, kept)]
    found = collected(
        zip(zip(*values, strict=True) if columns else [()] * len(rows), rows, strict=True),
        lambda row, _: dict(zip(columns, row[0], strict=True)),
        lambda row, where: _parts(row[1], where),
        Projection.of(system, source_name),
        source_name,
        point_of=lambda row: wkb.point(row[1]),
    )
    left_out = every - len(rows)
    said = f"placemarks without an area were left out: {left_out:,}"
    return replace(found, notes=(*found.notes, said)) if left_out else found


@dataclass(frozen=True)
class Tagged:
    """Features with tags, as a child process answered them. Nothing of them was checked yet but their number."""

    system: System | None
    """Their coordinate system; None if the file declares none."""
    columns: Sequence[str]
    values: Sequence[Sequence[object]]
    """The values of each column."""
    shapes: Sequence[bytes]
    """Well-known binary of each feature; empty where there is none."""


def read_tagged(
    data: bytes, source_name: str, driver: Driver, kept: Mapping[str, Sequence[str]], box: Sequence[float]
) -> Tagged:
    """The features of all layers of a file that have one of the values of ``kept``, by column, within a box of degrees.

    Raises TessellationError.
    """
    more = {"kept": dict(kept), "box": [*box], "most_features": limits.MAX_CONTEXT_FEATURES}
    told, shapes = _child_answer(data, source_name, driver, None, more)
    if "fault" in told:
        what, mend = map(str, told["fault"])
        raise TessellationError(_plain(what), source_name, _plain(mend))
    try:
        columns, values, rows = _rows(told, shapes, limits.MAX_CONTEXT_FEATURES)
        declared = None if told["system"] is None else system_of(told["system"])
    except (KeyError, TypeError, ValueError):
        raise _damaged(source_name) from None
    return Tagged(declared, columns, values, rows)


def _child_answer(
    data: bytes,
    source_name: str,
    driver: Driver,
    layer: str | None,
    more: Mapping[str, object] = MappingProxyType({}),
) -> tuple[dict[str, Any], bytes]:
    """What the child answers: JSON, and the bytes of all shapes."""
    asked = {
        "driver": driver.name,
        "options": dict(driver.options),
        "layer": layer,
        "most_features": limits.MAX_TILES + 1,
        "most_columns": limits.MAX_COLUMNS,
        "most_bytes": limits.MAX_TESSELLATION_BYTES,
        "most_text": limits.MAX_CHILD_TEXT_BYTES,
        "most_seconds": limits.MAX_CHILD_SECONDS,
        "most_memory": limits.MAX_CHILD_MEMORY_BYTES,
        "most_answer": limits.MAX_CHILD_ANSWER_BYTES,
        **more,
    }
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    with tempfile.TemporaryFile() as answer:
        try:
            ended = subprocess.run(  # noqa: S603 - this Python, with a program of this package
                [sys.executable, "-P", str(_PROGRAM), json.dumps(asked)],
                input=data,
                stdout=answer,
                stderr=subprocess.DEVNULL,
                env=environment | _ONE_THREAD,
                timeout=limits.MAX_CHILD_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TessellationError("reading takes too long", source_name, _EXPORT_AGAIN) from None
        if ended.returncode:
            raise _damaged(source_name)
        return _parsed(answer, source_name)


def _parsed(answer: BinaryIO, source_name: str) -> tuple[dict[str, Any], bytes]:
    answer.seek(0)
    length = int.from_bytes(answer.read(8), "little")
    if length > limits.MAX_CHILD_ANSWER_BYTES:
        raise _damaged(source_name)
    try:
        told = json.loads(answer.read(length))
    except (ValueError, RecursionError):
        raise _damaged(source_name) from None
    if not isinstance(told, dict):
        raise _damaged(source_name)
    return told, answer.read()


def _rows(
    told: Mapping[str, Any], shapes: bytes, most: int = limits.MAX_TILES + 1
) -> tuple[list[str], list[list[object]], list[bytes]]:
    """Names and values of the columns, and the bytes of each shape.

    Raises ValueError if they do not fit together, or there are more than a child may answer. That is asked before a row is made.
    """
    columns, values, sizes = [str(name) for name in told["columns"]], told["values"], told["sizes"]
    ends = [0, *accumulate(sizes)]
    whole = all(type(size) is int and size >= 0 for size in sizes) and ends[-1] == len(shapes)
    few = len(columns) <= limits.MAX_COLUMNS and len(sizes) <= most
    if (
        not few
        or not whole
        or len(values) != len(columns)
        or any(len(column) != len(sizes) for column in values)
    ):
        raise ValueError
    return columns, values, [shapes[start:end] for start, end in pairwise(ends)]


def _parts(shape: bytes, where: str) -> list[list[Ring]]:
    try:
        return wkb.polygons(shape)
    except ValueError:
        what = "the geometry is not a polygon" if shape else "the geometry is missing"
        raise TessellationError(what, where, "A tile is a Polygon or a MultiPolygon.") from None


def _is_pin(shape: bytes) -> bool:
    """Whether a shape is a point, or several."""
    try:
        return wkb.parts(shape)[0] == wkb.POINT
    except ValueError:
        return False


SEVERAL_LAYERS: Final = "there are several layers"
"""What the child says where a layer must be chosen."""
_EXPORT_AGAIN: Final = "Export the tiles again, for example as GeoJSON or as a GeoPackage."


def _damaged(source_name: str) -> TessellationError:
    return TessellationError("the file is damaged, or too large to be read", source_name, _EXPORT_AGAIN)


def _plain(text: str) -> str:
    """Text of the child as a message may hold it."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text[:1000]).split())
