"""From a file, an upload or a data frame to a checked tessellation.

The first bytes of a file decide its format, and a file whose name says otherwise is refused. No reader of another format
is ever started: a spreadsheet, an XML document or a pickle is named in the error and refused.
"""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
from collections import Counter
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import geojson, geopackage, in_child, labels, stations, topojson
from dpcore.tiles.features import Features, without_points
from dpcore.tiles.labels import PropertySummary, quoted
from dpcore.tiles.overlaps import REFUSE
from dpcore.tiles.projection import UNKNOWN, WGS84, system_of_crs, system_of_file
from dpcore.tiles.tessellation import Tessellation


class Format(Enum):
    """The formats of a tessellation."""

    GEOJSON = "GeoJSON"
    TOPOJSON = "TopoJSON"
    GEOPACKAGE = "GeoPackage"
    SHAPEFILE = "a zip archive"
    FLATGEOBUF = "a FlatGeobuf file"
    GEOPARQUET = "a Parquet file"
    KML = "a KML document"
    GML = "a GML document"
    TABLE = "a table"


_BY_SUFFIX: Final = {
    ".geojson": Format.GEOJSON,
    ".json": Format.GEOJSON,
    ".geojsonl": Format.GEOJSON,
    ".geojsons": Format.GEOJSON,
    ".ndjson": Format.GEOJSON,
    ".topojson": Format.TOPOJSON,
    ".gpkg": Format.GEOPACKAGE,
    ".zip": Format.SHAPEFILE,
    ".shp": Format.SHAPEFILE,
    ".fgb": Format.FLATGEOBUF,
    ".parquet": Format.GEOPARQUET,
    ".geoparquet": Format.GEOPARQUET,
    ".kml": Format.KML,
    ".gml": Format.GML,
    ".csv": Format.TABLE,
    ".tsv": Format.TABLE,
    ".txt": Format.TABLE,
}
_IN_CHILD: Final = {
    Format.SHAPEFILE: in_child.SHAPEFILE,
    Format.FLATGEOBUF: in_child.FLATGEOBUF,
    Format.GEOPARQUET: in_child.GEOPARQUET,
    Format.KML: in_child.KML,
    Format.GML: in_child.GML,
}
_SQLITE: Final = b"SQLite format 3\x00"
_GEOPACKAGE_IDS: Final = frozenset({b"GPKG", b"GP10", b"GP11"})
_ACCEPTED: Final = (
    "Give GeoJSON (.geojson, .json, .geojsonl), TopoJSON (.topojson, .json), Esri JSON (.json), a GeoPackage (.gpkg), a zipped "
    "Shapefile (.zip), FlatGeobuf (.fgb), GeoParquet (.parquet), KML (.kml), GML (.gml), a table (.csv, .tsv, .txt) of stations or "
    "of shapes as text, or a feed of stations (station_information.json of GBFS)."
)
_NOT_JSON: Final = "not JSON"
_NOT_UTF8: Final = "text that is not UTF-8"
_LONE_SHAPEFILE: Final = "one file of a Shapefile"
_SIGNATURES: Final = (
    (b"PK\x03\x04", Format.SHAPEFILE.value),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"PAR1", Format.GEOPARQUET.value),
    (b"ARROW1", "an Arrow file"),
    (b"\xff\xff\xff\xff", "an Arrow stream"),
    (b"FEA1", "a Feather file"),
    (b"\x93NUMPY", "a NumPy file"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x80\x02", "a pickle"),
    (b"\x80\x03", "a pickle"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"\x00\x00\x27\x0a", _LONE_SHAPEFILE),
    (b"fgb", Format.FLATGEOBUF.value),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (codecs.BOM_UTF32_LE, _NOT_UTF8),
    (codecs.BOM_UTF16_LE, _NOT_UTF8),
    (codecs.BOM_UTF16_BE, _NOT_UTF8),
)
_WITH_DOCTYPE: Final = "an XML document with a document type, which may name other files"
# What may stand before the root of an XML document, and the root. A document type could define entities, and no KML needs one.
_PROLOG: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+"
    rb"(?:(?P<kml><(?:\w{1,40}:)?kml[\s>])|(?P<gml><[\w:.-]{1,80}\s[^>]{0,9999}opengis\.net/gml)|<!DOCTYPE)",
    re.DOTALL,
)


_MENDS: Final = {form.value: "Name the file by its content." for form in Format} | {
    _NOT_UTF8: "Save it as UTF-8, in Excel as CSV UTF-8."
}


def file_name(name: str) -> str:
    """The name of the file as messages show it: without folders, on one line, cut to a short length."""
    return quoted(name.replace("\\", "/").rsplit("/", 1)[-1]).strip('"') or "tessellation"


def load(source: Path | bytes, name: str) -> bytes:
    """All bytes of a file or an upload. Raises TessellationError if it is missing, empty or too large.

    The size is checked before anything is read, and again on what was read.
    """
    shown = file_name(name)
    data = _from_disk(source, shown) if isinstance(source, Path) else source
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
    found = _form_of(data)
    if claimed is Format.TABLE and found == _NOT_JSON:  # any text may be a table; its reader decides
        return claimed
    if claimed is Format.TOPOJSON and found == Format.GEOJSON.value:  # JSON of both kinds begins alike
        return claimed
    if found == _LONE_SHAPEFILE:
        mend = "Put the files .shp, .shx, .dbf and .prj into one zip archive. On the command line they may lie side by side."
        raise TessellationError("a Shapefile needs its other files", shown, mend)
    if found == _WITH_DOCTYPE:
        mend = "Open the file in a text editor, delete all from <!DOCTYPE up to <kml, and save it. No KML needs it."
        raise TessellationError(f"the content is {found}", shown, mend)
    if found != claimed.value:
        raise TessellationError(
            f"the name says {claimed.value}, the content is {found}",
            shown,
            _MENDS.get(found, _ACCEPTED),
        )
    return claimed


def _form_of(data: bytes) -> str:
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
    first = data.removeprefix(codecs.BOM_UTF8)[:4096].lstrip(b" \t\r\n\x1e")[:1]
    if first in {b"{", b"["}:
        return Format.GEOJSON.value
    if first != b"<":
        return _NOT_JSON
    root = _PROLOG.match(data)
    if root is None:
        return "an XML document"
    known = {"kml": Format.KML.value, "gml": Format.GML.value}
    return known.get(root.lastgroup or "", _WITH_DOCTYPE)


def _from_disk(path: Path, shown: str) -> bytes:
    """The bytes of a file. A Shapefile is packed with the files of the same name that lie beside it."""
    data = _file_bytes(path, shown)
    if path.suffix.lower() != ".shp" or _form_of(data) != _LONE_SHAPEFILE:
        return data
    beside = (one for one in path.parent.iterdir() if one.stem == path.stem and one != path)
    parts = {one.suffix.lower(): one for one in beside if one.suffix.lower() in in_child.BESIDE_SHP}
    return in_child.shapefile_archive(
        {".shp": data, **{suffix: _file_bytes(one, shown) for suffix, one in sorted(parts.items())}}
    )


def _file_bytes(path: Path, shown: str) -> bytes:
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
    tile_id: str | None = None,
    merge_ids: bool = False,
    overlaps: str = "refuse",
    tiles_crs: str | None = None,
    layer: str | None = None,
    station_radius: float = stations.RADIUS_M,
) -> Tessellation:
    """The tessellation of a file, checked, and repaired where that changes nothing visible.

    Of a table of stations, each station becomes a tile of the places that are nearer to it than to any other and at most
    ``station_radius`` metres away. ``notes`` of the result say what was repaired.

    Args:
        source: a file or its bytes. A path with the ending .shp stands for all files of that Shapefile.
        name: its name with suffix, which must agree with the content.
        tile_id: the property that holds the tile ids; None: a known or the only complete and unique one.
        merge_ids: join features with one id into one tile; otherwise they are refused.
        overlaps: which tile keeps a place that several share: ``first`` in the file, ``smaller`` by area; or ``refuse``.
        tiles_crs: the system of a file that declares none, such as ``EPSG:25833``. Others are reprojected to WGS84.
        layer: which layer, where a file has several.
        station_radius: in metres.

    Raises:
        TessellationError: with all faults of the file at once, as far as it can be read.

    """
    features = _features(source, name, layer, tiles_crs, station_radius)
    faults = list(features.faults)
    ids = _ids(features, tile_id, faults, merge_ids=merge_ids)
    shared = stations.one_place_fault(features, ids)
    if shared is not None and overlaps == REFUSE:
        faults.append(shared)
    beside = ("stations at one place share it: each tile has a side",) if features.shared else ()
    names, districts = labels.name_column(features), labels.district_column(features)
    good = [number for number in range(len(ids)) if number not in features.bad]
    rows = [features.properties[number] for number in good]
    found = Tessellation.of(
        [ids[number] for number in good],
        [row.get(names) if names else None for row in rows],
        [features.polygons[number] for number in good],
        features.source_name,
        merge_ids=True,  # those that must not be merged are among the faults
        overlaps=overlaps,
        notes=(*features.notes, *beside),
        districts=[row.get(districts) for row in rows] if districts else (),
        faults=faults,
    )
    _features_of.cache_clear()  # a refused file is read again with other options, tiles that were found are not
    return found


def describe_properties(
    source: Path | bytes, name: str, *, layer: str | None = None, tiles_crs: str | None = None
) -> tuple[PropertySummary, ...]:
    """Each property of a file, with whether it is complete and whether it repeats, for choosing the tile id on a page.

    Arguments and errors as in ``read_tessellation``. Tiles are not checked here, neither alone nor for overlaps.
    """
    return labels.describe(_features(source, name, layer, tiles_crs, stations.RADIUS_M))


def _features(
    source: Path | bytes, name: str, layer: str | None, tiles_crs: str | None, station_radius: float
) -> Features:
    return _features_of(load(source, name), name, layer, tiles_crs, station_radius)


@lru_cache(1)
def _features_of(
    data: bytes, name: str, layer: str | None, tiles_crs: str | None, station_radius: float
) -> Features:
    """The features of a file. The last result is cached, because a page asks for the columns before the tiles.

    Where all are points, each is a station. Points beside areas are labels, and hold no place.
    """
    found = _areas_and_points(data, name, layer, tiles_crs, station_radius)
    if len(found.points) + len(found.bad) == len(found.polygons) and found.points:
        return stations.of_points(found, station_radius)
    return without_points(found) if found.points else found


def _areas_and_points(  # noqa: PLR0911 - one for each format
    data: bytes, name: str, layer: str | None, tiles_crs: str | None, station_radius: float
) -> Features:
    shown = file_name(name)
    form = Format.GEOJSON if name == _FRAME else format_of(data, name)
    if form in {Format.GEOJSON, Format.TOPOJSON}:
        document = geojson.parse(geojson.of_lines(data), shown)
        geojson.must_be_whole(document, shown)
        if layer is None and geojson.is_of_esri(document):
            return in_child.features(data, shown, in_child.ESRI_JSON, None, tiles_crs)
        if geojson.is_of_gbfs(document):
            if layer is not None:
                raise _no_layers("a feed of stations", shown)
            system_of_file(WGS84, tiles_crs, shown, otherwise=None)
            return stations.of_feed(document, shown, station_radius)
        return _from_json(document, form, shown, layer, tiles_crs)
    if form is Format.GEOPACKAGE:
        return geopackage.features(data, shown, layer, tiles_crs)
    if form is Format.GML:
        matched, returned = (_root_number(data, name) for name in (b"numberMatched", b"numberReturned"))
        geojson.check_page(matched, returned, shown)
    if form in _IN_CHILD:
        return in_child.features(data, shown, _IN_CHILD[form], layer, tiles_crs)
    if layer is not None:
        raise _no_layers("a table", shown)
    column = stations.shape_column(data, shown)
    if column is not None:
        return in_child.features(data, shown, in_child.table_of_shapes(column), None, tiles_crs)
    system_of_file(WGS84, tiles_crs, shown, otherwise=None)
    return stations.features(data, shown, station_radius)


def _root_number(data: bytes, attribute: bytes) -> int | None:
    """A whole number that the root of a GML document has as an attribute."""
    root = _PROLOG.match(data)
    tag = data[root.start("gml") : root.start("gml") + 2**16].partition(b">")[0] if root else b""
    found = re.search(rb"\s%b\s*=\s*[\"']([0-9]{1,12})[\"']" % attribute, tag)
    return int(found[1]) if found else None


def _from_json(
    document: object, form: Format, shown: str, layer: str | None, tiles_crs: str | None
) -> Features:
    """The features of parsed JSON: a topology says so itself, under either name that ends in .json."""
    if isinstance(document, dict) and document.get("type") == "Topology":
        return topojson.features(document, shown, layer, tiles_crs)
    if form is Format.TOPOJSON:
        raise TessellationError("this is not a Topology", shown, "Name the file .geojson if it is GeoJSON.")
    if layer is not None:
        raise _no_layers("GeoJSON", shown)
    return geojson.features(document, shown, tiles_crs)


def _no_layers(what: str, shown: str) -> TessellationError:
    return TessellationError(f"{what} has no layers", shown, "Leave the layer out.")


def _ids(
    features: Features, wanted: str | None, faults: list[TessellationError], *, merge_ids: bool
) -> list[str]:
    """The tile id of each feature. Where there is none, that is added to the faults, and a word stands in."""
    try:
        column = labels.id_column(features, wanted)
    except TessellationError as error:
        faults.append(error)
        return [f"feature {number:,}" for number in range(1, len(features.properties) + 1)]
    ids = []
    for number, row in enumerate(features.properties, 1):
        try:
            where = f"{features.source_name}, feature {number:,}, property {quoted(column)}"
            ids.append(labels.tile_id(row.get(column), where))
        except TessellationError as error:
            faults.append(error)
            ids.append(f"feature {number:,}")
    repeated = [tile for tile, features_with_it in Counter(ids).items() if features_with_it > 1]
    if repeated and not merge_ids:
        more = f" and {len(repeated) - 5:,} more" if len(repeated) > 5 else ""
        faults.append(
            TessellationError(
                f"several features have one tile id: {', '.join(map(quoted, repeated[:5]))}{more}",
                f"{features.source_name}, property {quoted(column)}",
                "If they are parts of one tile, join them with --merge-ids (in a notebook: merge_ids=True; on the Data page: "
                f"tiles with the same id are one tile). {labels.instead(features, column)}",
            )
        )
    return ids


_FRAME: Final = "data frame"
"""What messages call it. Its features go the way of GeoJSON."""


class TileFrame(Protocol):
    """The part of a GeoDataFrame that is used here, so that this package does not need geopandas."""

    @property
    def crs(self) -> object:
        """Its coordinate system; None if it has none."""

    def set_crs(self, crs: object, *, allow_override: bool) -> TileFrame:
        """The same coordinates in another system."""

    def to_json(self, **options: object) -> str:
        """Its rows as GeoJSON."""


def tessellation_of(
    frame: TileFrame,
    *,
    tile_id: str | None = None,
    merge_ids: bool = False,
    overlaps: str = "refuse",
    tiles_crs: str | None = None,
) -> Tessellation:
    """The checked tessellation of a GeoDataFrame with one row for each tile. The frame is not changed.

    All options as in ``read_tessellation``, and the frame goes the way of a GeoJSON file that declares its system: it is
    reprojected as files are, with a note, or refused as files are.
    Raises TessellationError for a frame without a coordinate system, and as for a file with these tiles.
    """
    system = system_of_crs(getattr(frame, "crs", None))  # a frame without shapes does not even have it
    if system is None and tiles_crs is None:
        raise TessellationError(
            "the tiles have no coordinate system",
            _FRAME,
            "State the system of its coordinates, for example with set_crs(4326).",
        )
    if system == UNKNOWN and tiles_crs is None:
        raise TessellationError(
            "the coordinate system is undefined or unknown",
            _FRAME,
            'If you know it, name it with tiles_crs=, such as tiles_crs="EPSG:25833".',
        )
    # An index without a name numbers rows and is not an id. Values that JSON cannot hold do not matter here and become text.
    rows: Any = frame
    if rows.index.name is not None and rows.index.name not in rows.columns:
        frame = rows.reset_index()
    bare = frame.set_crs(None, allow_override=True)  # else geopandas names a system that is alike
    text = bare.to_json(drop_id=True, na="null", default=str)
    if system is not None:
        named = json.dumps({"type": "name", "properties": {"name": ":".join(system)}})
        text = f'{text.removesuffix("}")}, "crs": {named}}}'
    return read_tessellation(
        text.encode(), _FRAME, tile_id=tile_id, merge_ids=merge_ids, overlaps=overlaps, tiles_crs=tiles_crs
    )
