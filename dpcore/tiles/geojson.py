"""Reads GeoJSON: plain JSON, then our own checks, then shapes. No format library sees the bytes.

A format library follows what it recognises: a document named ``tiles.geojson`` can be a virtual format that opens other
files of the server. This reader cannot open other files, because it opens none.

Source: RFC 7946. The ``crs`` member of the 2008 format is read only to refuse coordinates that are not WGS84.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from itertools import chain
from typing import Final, NoReturn

import numpy as np

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.features import FEATURE_ID, Features, Ring, ShapeBuilder, check_count

_WGS84: Final = frozenset(
    {
        "epsg:4326",
        "ogc:crs84",
        "crs84",
        "urn:ogc:def:crs:epsg::4326",
        "urn:ogc:def:crs:ogc::crs84",
        "urn:ogc:def:crs:ogc:1.3:crs84",
        "http://www.opengis.net/def/crs/epsg/0/4326",
        "http://www.opengis.net/def/crs/ogc/1.3/crs84",
        "https://www.opengis.net/def/crs/ogc/1.3/crs84",
    }
)
_TEXTS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))


def read(data: bytes, source_name: str) -> Features:
    """The features of a GeoJSON file in WGS84.

    ``data``: the whole file, UTF-8, with or without byte-order mark. Raises TessellationError that names the first wrong
    feature.
    """
    document = _parse(data, source_name)
    _check_crs(document, source_name)
    if not isinstance(document, dict) or document.get("type") != "FeatureCollection":
        raise TessellationError(
            "this is not a FeatureCollection", source_name, "Export the tiles as GeoJSON features."
        )
    features = document.get("features")
    if not isinstance(features, list):
        raise TessellationError("the list of features is missing", source_name, "Export the tiles again.")
    check_count(len(features), source_name)
    shapes = ShapeBuilder(source_name)
    properties = []
    for number, feature in enumerate(features, 1):
        where = f"{source_name}, feature {number:,}"
        if not isinstance(feature, dict) or feature.get("type") != "Feature":
            raise TessellationError("this is not a feature", where, "Export the tiles as GeoJSON features.")
        _check_crs(feature, where)
        shapes.add(_parts(feature.get("geometry"), where))
        properties.append(_properties(feature, where))
    return Features(source_name, tuple(properties), shapes.shapes())


def _parse(data: bytes, source_name: str) -> object:
    """The JSON value of the bytes, with limits on depth and on the number of coordinates."""
    # Every position opens a bracket, so this limits the memory of parsing before it begins.
    if data.count(b"[") > 2 * limits.MAX_CORNERS:
        raise TessellationError("too many coordinates", source_name, "Simplify the borders of the tiles.")
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        raise TessellationError("the text is not UTF-8", source_name, "Save the file as UTF-8.") from None
    if _depth(data) > limits.MAX_JSON_DEPTH:
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


def _depth(data: bytes) -> int:
    """How deep brackets are nested. It is counted before parsing, because parsing deep JSON uses up the stack."""
    deepest = _deepest(data)
    # Brackets inside texts do not count. Finding the texts is slow, so it is done only if the limit seems exceeded.
    return deepest if deepest <= limits.MAX_JSON_DEPTH else _deepest(_TEXTS.sub(b"", data))


def _deepest(data: bytes) -> int:
    brackets = np.frombuffer(data.translate(None, _NO_BRACKETS), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    return int(np.cumsum(steps).max(initial=0))


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(constant)


def _too_deep(source_name: str) -> TessellationError:
    return TessellationError(
        f"the JSON is nested deeper than {limits.MAX_JSON_DEPTH} levels",
        source_name,
        "Export the tiles again.",
    )


def _check_crs(member_of: object, where: str) -> None:
    """Refuse a ``crs`` member that names anything but WGS84. Coordinate systems are never guessed."""
    if not isinstance(member_of, dict) or "crs" not in member_of:
        return
    crs = member_of["crs"]
    properties = crs.get("properties") if isinstance(crs, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    if not isinstance(name, str) or name.strip().casefold() not in _WGS84:
        raise TessellationError(
            "the crs member names another coordinate system than WGS84",
            where,
            "Reproject the tiles to EPSG:4326; GeoJSON is always in WGS84 (RFC 7946).",
        )


def _properties(feature: Mapping[str, object], where: str) -> dict[str, object]:
    """The properties of a feature and its ``id`` member, if it has one."""
    found = feature.get("properties")
    if found is not None and not isinstance(found, dict):
        raise TessellationError("the properties are not an object", where, "Export the tiles again.")
    properties = dict(found or {})
    if "id" in feature:
        properties[FEATURE_ID] = feature["id"]
    return properties


def _parts(geometry: object, where: str) -> list[list[Ring]]:
    """The polygons of a geometry, each a list of rings. Only lists of lists are read."""
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    if not isinstance(geometry, dict) or kind not in ("Polygon", "MultiPolygon"):  # kind may be a list
        what = "the geometry is missing" if geometry is None else "the geometry is not a polygon"
        raise TessellationError(what, where, "A tile is a Polygon or a MultiPolygon.")
    _check_crs(geometry, where)
    coordinates = geometry.get("coordinates")
    polygons = [coordinates] if kind == "Polygon" else coordinates
    if not isinstance(polygons, list) or not all(isinstance(rings, list) for rings in polygons):
        raise _malformed(where)
    return [[_ring(ring, where) for ring in rings] for rings in polygons]


def _ring(ring: object, where: str) -> Ring:
    """The corners of one ring. Heights are dropped; texts and truth values are not numbers."""
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
