"""Reads GeoJSON: plain JSON, then our own checks, then shapes. No format library sees the bytes.

A format library follows what it recognises: a document named ``tiles.geojson`` can be a virtual format that opens other
files of the server. This reader cannot open other files, because it opens none.

Source: RFC 7946. The ``crs`` member of the 2008 format names another system than WGS84; no other member does.
"""

from __future__ import annotations

import codecs
import json
import re
from itertools import chain
from typing import Final, NoReturn

import numpy as np

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.exact_json import depth
from dpcore.tiles.faults import utf8_text
from dpcore.tiles.features import FEATURE_ID, Features, Ring, check_count, collected
from dpcore.tiles.projection import WGS84, Projection, System, system_of, system_of_file

_LINES: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:\x1e\s*+)?\{[^\r\n]*\}[ \t]*+(?:[\r\n]\s*+(?:\x1e\s*+)?\{|[\r\n]*+\x1e)"
)
_BETWEEN: Final = b" \t\x1e"


def features(document: object, source_name: str, tiles_crs: str | None = None) -> Features:
    """The features of a parsed GeoJSON document, in WGS84.

    ``tiles_crs``: system of the coordinates, where the document declares none. Raises TessellationError.
    """
    if not isinstance(document, dict) or document.get("type") != "FeatureCollection":
        raise TessellationError(
            "this is not a FeatureCollection", source_name, "Export the tiles as GeoJSON features."
        )
    features = document.get("features")
    if not isinstance(features, list):
        raise TessellationError("the list of features is missing", source_name, "Export the tiles again.")
    check_count(len(features), source_name)
    declared = _declared_system(document)
    system = system_of_file(declared, tiles_crs, source_name, otherwise=WGS84)

    def parts(feature: object, where: str) -> list[list[Ring]]:
        if not isinstance(feature, dict) or feature.get("type") != "Feature":
            raise TessellationError("this is not a feature", where, "Export the tiles as GeoJSON features.")
        geometry = feature.get("geometry")
        for member_of in (feature, geometry, *_members(geometry)):
            if _declared_system(member_of) not in {None, system}:
                raise TessellationError(
                    "the crs member names another coordinate system than the file",
                    where,
                    "Reproject the tiles to one system.",
                )
        return _parts(geometry, where)

    return collected(
        features, properties_of, parts, Projection.of(system, source_name), source_name, point_of=_point
    )


def _declared_system(member_of: object) -> System | None:
    """The system that a ``crs`` member names. None if there is no such member."""
    if not isinstance(member_of, dict) or "crs" not in member_of:
        return None
    crs = member_of["crs"]
    properties = crs.get("properties") if isinstance(crs, dict) else None
    return system_of(properties.get("name") if isinstance(properties, dict) else None)


def of_lines(data: bytes) -> bytes:
    """One document of a text with one feature a line (RFC 8142, or without its marks); other bytes as they are.

    A line that ends an object before a line that begins one is nowhere in JSON, so no document is taken for lines.
    """
    if not _LINES.match(data):
        return data
    features = [line for line in data.removeprefix(codecs.BOM_UTF8).splitlines() if line.strip(_BETWEEN)]
    return b'{"type": "FeatureCollection", "features": [%b]}' % b",\n".join(
        line.strip(_BETWEEN) for line in features
    )


def is_of_esri(document: object) -> bool:
    """Whether parsed JSON is a set of features as ArcGIS writes them."""
    return isinstance(document, dict) and "type" not in document and "geometryType" in document


def is_of_gbfs(document: object) -> bool:
    """Whether parsed JSON is a feed of the General Bikeshare Feed Specification: all have these members (2.3 and 3.0)."""
    return (
        isinstance(document, dict) and {"last_updated", "data"} <= document.keys() and "type" not in document
    )


def must_be_whole(document: object, source_name: str) -> None:
    """Refuse parsed JSON of which its server says that it is one page of several. Raises TessellationError."""
    if not isinstance(document, dict):
        return
    more, features = document.get("properties"), document.get("features")
    cut = any(isinstance(one, dict) and one.get("exceededTransferLimit") is True for one in (document, more))
    there = len(features) if isinstance(features, list) else None
    check_page(document.get("numberMatched"), there, source_name, cut=cut)


def check_page(matched: object, returned: object, source_name: str, *, cut: bool = False) -> None:
    """Refuse a page of an answer that has more, by the numbers that services of features write. Raises TessellationError."""
    if cut or (isinstance(matched, int) and isinstance(returned, int) and matched > returned):
        what = "the server gave only a part of the tiles"
        raise TessellationError(what, source_name, "Ask it for all of them, or join its pages into one file.")


def parse(data: bytes, source_name: str) -> object:
    """The JSON value of a file, with limits on depth and on the number of coordinates. Raises TessellationError."""
    # Every position opens a bracket, so this limits the memory of parsing before it begins.
    if data.count(b"[") > 2 * limits.MAX_CORNERS:
        raise TessellationError("too many coordinates", source_name, "Simplify the borders of the tiles.")
    text = utf8_text(data, source_name)
    if depth(data) > limits.MAX_JSON_DEPTH:
        raise _too_deep(source_name)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise _too_deep(source_name) from None
    except json.JSONDecodeError as error:
        where = f"{source_name}, line {error.lineno:,}, column {error.colno:,}"
        raise TessellationError("this is not JSON", where, "Export the tiles again as GeoJSON.") from None
    except ValueError:  # NaN and Infinity, or an integer of thousands of digits
        raise TessellationError(
            "a number is NaN, infinite or too long", source_name, "JSON has no such numbers. Correct them."
        ) from None


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


def _too_deep(source_name: str) -> TessellationError:
    return TessellationError(
        f"the JSON is nested deeper than {limits.MAX_JSON_DEPTH} levels",
        source_name,
        "Export the tiles again.",
    )


def properties_of(feature: object, where: str) -> dict[str, object]:
    """The properties of a feature and its ``id`` member, if it has one."""
    if not isinstance(feature, dict):  # its geometry tells that fault
        return {}
    found = feature.get("properties")
    if found is not None and not isinstance(found, dict):
        raise TessellationError("the properties are not an object", where, "Export the tiles again.")
    properties = dict(found or {})
    if "id" in feature:
        properties[FEATURE_ID] = feature["id"]
    return properties


def _parts(geometry: object, where: str) -> list[list[Ring]]:
    """The polygons of a geometry, each a list of rings. Only lists of lists are read.

    Of a collection they are those of its members. Where areas were cut with each other, the lines and points in which they
    touch stand beside them, and hold no place.
    """
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if kind == "GeometryCollection":
        areas = [one for one in _members(geometry) if _is_area(one)]
        if areas:
            return [polygon for one in areas for polygon in _parts(one, where)]
    if not isinstance(geometry, dict) or not _is_area(geometry):
        what = "the geometry is missing" if geometry is None else "the geometry is not a polygon"
        raise TessellationError(what, where, "A tile is a Polygon or a MultiPolygon.")
    coordinates = geometry.get("coordinates")
    polygons = [coordinates] if kind == "Polygon" else coordinates
    if not isinstance(polygons, list) or not all(isinstance(rings, list) for rings in polygons):
        raise _malformed(where)
    return [[positions(ring, where) for ring in rings] for rings in polygons]


def _point(feature: object) -> Ring | None:
    """The place of a feature that is a point, or several at one place of which the list holds one; None for any other."""
    geometry = feature.get("geometry") if isinstance(feature, dict) else None
    if not isinstance(geometry, dict) or geometry.get("type") not in ("Point", "MultiPoint"):
        return None
    at = geometry.get("coordinates")
    listed = [at] if geometry["type"] == "Point" else at
    try:
        found = positions(listed, "")
    except TessellationError:
        return None
    return found if len(found) == 1 and np.isfinite(found).all() else None


def _members(geometry: object) -> list[object]:
    """The geometries of a collection."""
    members = geometry.get("geometries") if isinstance(geometry, dict) else None
    return members if isinstance(members, list) else []


def _is_area(geometry: object) -> bool:
    return isinstance(geometry, dict) and geometry.get("type") in (
        "Polygon",
        "MultiPolygon",
    )  # it may be a list


def positions(ring: object, where: str) -> Ring:
    """The corners of a list of positions. Heights are dropped; texts and truth values are not numbers."""
    if not isinstance(ring, list) or not ring or set(map(type, ring)) != {list}:
        raise _malformed(where)
    widths = set(map(len, ring))
    if not widths <= {2, 3, 4} or not set(map(type, chain.from_iterable(ring))) <= {int, float}:
        raise _malformed(where)
    if widths != {2}:
        ring = [position[:2] for position in ring]
    try:
        return np.array(ring, np.float64)
    except OverflowError:  # an integer too large for a float
        raise _malformed(where) from None


def _malformed(where: str) -> TessellationError:
    return TessellationError(
        "the coordinates are not lists of rings of [longitude, latitude]", where, "Export the tiles again."
    )
