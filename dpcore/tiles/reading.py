"""From a file, an upload or a data frame to a checked tessellation.

The first bytes of a file decide its format, and a file whose name says otherwise is refused. No reader of another format
is ever started: an archive, an XML document or a pickle is named in the error and refused.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections import Counter
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import geojson, geopackage, labels, stations
from dpcore.tiles.features import Features
from dpcore.tiles.labels import PropertySummary, quoted
from dpcore.tiles.tessellation import Tessellation


class Format(Enum):
    """The formats of a tessellation."""

    GEOJSON = "GeoJSON"
    GEOPACKAGE = "GeoPackage"
    STATIONS = "a table of stations"


_BY_SUFFIX: Final = {
    ".geojson": Format.GEOJSON,
    ".json": Format.GEOJSON,
    ".gpkg": Format.GEOPACKAGE,
    ".csv": Format.STATIONS,
}
_SQLITE: Final = b"SQLite format 3\x00"
_GEOPACKAGE_IDS: Final = frozenset({b"GPKG", b"GP10", b"GP11"})
_ACCEPTED: Final = "Give GeoJSON (.geojson, .json), a GeoPackage (.gpkg) or a table of stations (.csv)."
_NOT_JSON: Final = "not JSON"
_SIGNATURES: Final = (
    (b"PK\x03\x04", "a zip archive (or a spreadsheet)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\xff\xff\xff\xff", "an Arrow stream"),
    (b"FEA1", "a Feather file"),
    (b"\x93NUMPY", "a NumPy file"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x80\x02", "a pickle"),
    (b"\x80\x03", "a pickle"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"\x00\x00\x27\x0a", "a shapefile"),
    (b"fgb", "a FlatGeobuf file"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (codecs.BOM_UTF32_LE, "text that is not UTF-8"),
    (codecs.BOM_UTF16_LE, "text that is not UTF-8"),
    (codecs.BOM_UTF16_BE, "text that is not UTF-8"),
)


def file_name(name: str) -> str:
    """The name of the file as messages show it: without folders, on one line, cut to a short length."""
    return quoted(name.replace("\\", "/").rsplit("/", 1)[-1]).strip('"') or "tessellation"


def load(source: Path | bytes, name: str) -> bytes:
    """All bytes of a file or an upload. Raises TessellationError if it is missing, empty or too large.

    The size is checked before anything is read, and again on what was read.
    """
    shown = file_name(name)
    data = _read(source, shown) if isinstance(source, Path) else source
    if len(data) > limits.MAX_TESSELLATION_BYTES:
        raise _too_large(shown)
    if not data:
        raise TessellationError("the file is empty", shown, _ACCEPTED)
    return data


def format_of(data: bytes, name: str) -> Format:
    """The format of the bytes. Raises TessellationError, with both formats, if the name of the file says another."""
    shown = file_name(name)
    claimed = _BY_SUFFIX.get(Path(shown).suffix.lower())
    if claimed is None:
        raise TessellationError("the name of the file does not say what it holds", shown, _ACCEPTED)
    found = _found(data)
    if claimed is Format.STATIONS and found == _NOT_JSON:  # any text may be a table; its reader decides
        return claimed
    if found != claimed.value:
        raise TessellationError(
            f"the name says {claimed.value}, the content is {found}",
            shown,
            _ACCEPTED if found not in {form.value for form in Format} else "Name the file by its content.",
        )
    return claimed


def _found(data: bytes) -> str:
    """What the first bytes are, in words. For an accepted format it is the value of a Format."""
    if data.startswith(_SQLITE):
        return (
            Format.GEOPACKAGE.value
            if data[68:72] in _GEOPACKAGE_IDS
            else "an SQLite database of another kind"
        )
    for signature, words in _SIGNATURES:
        if data.startswith(signature):
            return words
    first = data.removeprefix(codecs.BOM_UTF8)[:4096].lstrip(b" \t\r\n")[:1]
    if first in {b"{", b"["}:
        return Format.GEOJSON.value
    return "an XML document" if first == b"<" else _NOT_JSON


def _read(path: Path, shown: str) -> bytes:
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise TessellationError("this is not a file", shown, _ACCEPTED)
            if found.st_size > limits.MAX_TESSELLATION_BYTES:
                raise _too_large(shown)
            return file.read(limits.MAX_TESSELLATION_BYTES + 1)
    except OSError as error:
        reason = (
            "there is no such file" if isinstance(error, FileNotFoundError) else "the file cannot be read"
        )
        raise TessellationError(reason, shown, "Check the name and the rights of the file.") from None


def _too_large(shown: str) -> TessellationError:
    return TessellationError(
        "the file is too large",
        shown,
        f"At most {limits.MAX_TESSELLATION_BYTES // 2**20} MB are read. Simplify the borders.",
    )


def read_tessellation(
    source: Path | bytes,
    name: str,
    *,
    id_column: str | None = None,
    merge_duplicates: bool = False,
    layer: str | None = None,
    station_radius: float = stations.RADIUS_M,
) -> Tessellation:
    """The tessellation of a file, checked, and repaired where that changes nothing visible.

    The file is GeoJSON, a GeoPackage, or a CSV table of stations. Each station becomes a tile of the places that are
    nearer to it than to any other and at most ``station_radius`` metres away.

    ``source``: a file or its bytes. ``name``: its name with suffix, which must agree with the content. ``id_column``: the
    property that holds the tile ids; None: the first known one (``labels.ID_COLUMNS``). ``merge_duplicates``: join
    features with one id into one tile; otherwise they are refused. ``layer``: the table of a GeoPackage with several.
    Coordinates: WGS84, longitude first; GeoPackages in another EPSG system are reprojected. Raises TessellationError.
    ``notes`` of the result say what was repaired.
    """
    features = _features(source, name, layer, station_radius)
    column = labels.id_column(features, id_column)
    names, districts = labels.name_column(features), labels.district_column(features)
    ids = [
        labels.tile_id(
            row.get(column), f"{features.source_name}, feature {number:,}, property {quoted(column)}"
        )
        for number, row in enumerate(features.properties, 1)
    ]
    if not merge_duplicates and len(set(ids)) < len(ids):
        raise _repeated(features, column, ids)
    _features_of.cache_clear()  # what the request for the columns kept is not needed any more
    return Tessellation.of(
        ids,
        [row.get(names) if names else None for row in features.properties],
        features.polygons,
        features.source_name,
        merge_duplicates=merge_duplicates,
        notes=features.notes,
        districts=[row.get(districts) for row in features.properties] if districts else (),
    )


def describe_properties(
    source: Path | bytes, name: str, *, layer: str | None = None
) -> tuple[PropertySummary, ...]:
    """Each property of a file, with whether it is complete and whether it repeats, for choosing the tile id on a page.

    Arguments and errors as in ``read_tessellation``. Tiles are not checked for overlaps here.
    """
    return labels.describe(_features(source, name, layer, stations.RADIUS_M))


def _features(source: Path | bytes, name: str, layer: str | None, station_radius: float) -> Features:
    return _features_of(load(source, name), name, layer, station_radius)


@lru_cache(1)
def _features_of(data: bytes, name: str, layer: str | None, station_radius: float) -> Features:
    """The features of a file. The last result is cached, because a page asks for the columns before the tiles."""
    shown = file_name(name)
    form = format_of(data, name)
    if form is Format.GEOPACKAGE:
        return geopackage.read(data, shown, layer)
    if layer is not None:
        what = "GeoJSON has" if form is Format.GEOJSON else "a table has"
        raise TessellationError(f"{what} no layers", shown, "Leave the layer out.")
    if form is Format.STATIONS:
        return stations.read(data, shown, station_radius)
    return geojson.read(data, shown)


def _repeated(features: Features, column: str, ids: list[str]) -> TessellationError:
    repeated = [tile for tile, features_with_it in Counter(ids).items() if features_with_it > 1]
    shown = ", ".join(quoted(tile) for tile in repeated[:5])
    more = f" and {len(repeated) - 5:,} more" if len(repeated) > 5 else ""
    return TessellationError(
        f"several features have one tile id: {shown}{more}",
        f"{features.source_name}, property {quoted(column)}",
        f"If they are parts of one tile, merge them (on the Data page: tiles with the same id are one tile). {labels.instead(features, column)}",
    )


_NAME: Final = "tiles.geojson"


class TileFrame(Protocol):
    """The part of a GeoDataFrame that is used here, so that this package does not need geopandas."""

    @property
    def crs(self) -> object:
        """Its coordinate system; None if it has none."""

    def to_json(self, **options: object) -> str:
        """Its rows as GeoJSON."""


def tessellation_of(
    frame: TileFrame, *, id_column: str | None = None, merge_duplicates: bool = False
) -> Tessellation:
    """The checked tessellation of a GeoDataFrame with one row for each tile. The frame is not changed.

    ``id_column`` and ``merge_duplicates`` as in ``read_tessellation``. Other coordinate systems are reprojected to WGS84.
    Raises TessellationError for a frame without a coordinate system, and as for a file with these tiles.
    """
    if getattr(frame, "crs", None) is None:  # a frame without shapes does not even have the attribute
        raise TessellationError(
            "the tiles have no coordinate system",
            "data frame",
            "State the system of its coordinates, for example with set_crs(4326).",
        )
    # The index numbers rows and is not an id. Values that JSON cannot hold do not matter here and become text.
    text = frame.to_json(drop_id=True, na="null", to_wgs84=True, default=str)
    return read_tessellation(text.encode(), _NAME, id_column=id_column, merge_duplicates=merge_duplicates)
