"""Points and lines in one column: WKT, GeoJSON or WKB -> degrees of the first and the last point, field by field.

GEOS parses WKT and WKB in this process. That is safe because little reaches it: WKT of points and lines, WKB of one point or
one line, and nothing with more than ``limits.MAX_GEOMETRY_CHARACTERS`` characters or bytes. These kinds are flat: coordinates,
or a list of points or lines, and no collection that could hold itself again. So memory and time grow with the length of the
field alone. Shapes are asked for their coordinates and nothing else. They are not repaired, intersected or kept. GeoJSON is read
by Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from numpy.typing import NDArray

from dpcore import limits
from dpcore.private.source.batch import Mask
from dpcore.private.source.fields import (
    Axis,
    Checked,
    any_of,
    is_missing,
    mask_of,
    outside_of,
    stripped,
    without,
)
from dpcore.private.source.report import NOT_A_LINE, NOT_A_POINT, Rule, too_long_for

Coordinates = NDArray[np.float64]

_CRS84: Final = r"^(?i:SRID=4326;)\s*"
# Nothing nested reaches the parser, and nothing without coordinates.
_WKT: Final = r"^(?i:POINT|LINESTRING|MULTIPOINT|MULTILINESTRING)\s*(?i:Z|M|ZM)?\s*\("
_AXES: Final[tuple[tuple[int, Axis], ...]] = ((1, "lat"), (0, "lng"))
_FLAT_WKB: Final = frozenset({1, 2})  # a point and a line; others hold further geometries


def first_and_last(
    column: pa.Array, *, line: bool, lat_first: bool = False
) -> tuple[Checked[np.float64], ...]:
    """Latitude and longitude of the first point of each field, then of the last. Each field is read by itself.

    Coordinates are longitude, latitude, WGS84. A point is its own first and last point, but no line: where lines are asked
    for, a single point is bad.

    Args:
        column: text, or WKB of a Parquet file.
        line: whether each field must hold a line, or several points; otherwise one point.
        lat_first: whether the owner declares that the latitude stands first, as in POINT (52.5 13.4).

    """
    rule = NOT_A_LINE if line else NOT_A_POINT
    bad: list[tuple[Rule, Mask]] = []
    if pa.types.is_string(column.type):
        column = stripped(column)
        long = mask_of(pc.greater(pc.utf8_length(column), limits.MAX_GEOMETRY_CHARACTERS))
        if long.any():
            bad.append((too_long_for(limits.MAX_GEOMETRY_CHARACTERS), long))
            column = without(column, long)
        first, last, count = _of_text(column, lat_first=lat_first)
    else:
        first, last, count = _of_shapes(_of_wkb(column), lat_first=lat_first)
    missing = is_missing(column)
    wrong = ~missing & ((count < 2) if line else (count != 1))
    if wrong.any():
        bad.append((rule, wrong))
    unknown = missing | wrong
    missing &= ~any_of(bad, len(missing))
    return tuple(
        Checked(pairs[:, which], missing, (*bad, *outside_of(pairs[:, which], axis, unknown)))
        for pairs in (first, last)
        for which, axis in _AXES
    )


def _of_text(column: pa.Array, *, lat_first: bool) -> tuple[Coordinates, Coordinates, NDArray[np.int64]]:
    """First and last pair of each text, and how many pairs it has; 0 if it is neither WKT nor GeoJSON."""
    plain = pc.replace_substring_regex(column, _CRS84, "")
    wkt = mask_of(pc.match_substring_regex(plain, _WKT))
    shapes: NDArray[Any] = np.full(len(column), None, object)
    if wkt.any():
        texts = without(plain, ~wkt).to_numpy(zero_copy_only=False)
        shapes[wkt] = shapely.from_wkt(texts[wkt], on_invalid="ignore")
    first, last, count = _of_shapes(shapes, lat_first=lat_first)
    document = mask_of(pc.match_substring_regex(column, r"^\{"))
    for at in np.flatnonzero(document).tolist():
        pairs = _pairs(column[at].as_py(), lat_first=lat_first)
        if pairs:
            first[at], last[at], count[at] = pairs[0], pairs[-1], len(pairs)
    return first, last, count


def _of_wkb(column: pa.Array) -> NDArray[Any]:
    shapes: NDArray[Any] = np.full(len(column), None, object)
    for at, value in enumerate(column.to_pylist()):
        if value is not None and len(value) >= 5 and value[0] < 2:
            kind = int.from_bytes(value[1:5], "little" if value[0] else "big") & 0xFFFF
            if kind % 1_000 in _FLAT_WKB and len(value) <= limits.MAX_GEOMETRY_CHARACTERS:
                shapes[at] = value
    known = np.array([shape is not None for shape in shapes], np.bool_)
    if known.any():
        shapes[known] = shapely.from_wkb(shapes[known], on_invalid="ignore")
    return shapes


def _of_shapes(
    shapes: NDArray[Any], *, lat_first: bool
) -> tuple[Coordinates, Coordinates, NDArray[np.int64]]:
    pairs, of = shapely.get_coordinates(shapes, return_index=True)
    pairs = pairs[:, ::-1] if lat_first else pairs
    count = np.bincount(of, minlength=len(shapes)).astype(np.int64)
    first, last = np.full((len(shapes), 2), np.nan), np.full((len(shapes), 2), np.nan)
    ends = np.cumsum(count)
    some = count > 0
    first[some], last[some] = pairs[(ends - count)[some]], pairs[ends[some] - 1]
    return first, last, count


def _pairs(text: str, *, lat_first: bool) -> list[tuple[float, float]]:
    """The points of a GeoJSON text, longitude first; none if it is something else."""
    try:
        return [*_points(json.loads(text), lat_first=lat_first)]
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError):
        return []


def _points(value: Any, *, lat_first: bool) -> Iterator[tuple[float, float]]:  # noqa: ANN401 - whatever JSON holds
    """The points of a feature, several features, a geometry, or a place such as {"lat": 52.5, "lng": 13.4}."""
    if not isinstance(value, dict):
        raise TypeError
    if isinstance(value.get("features"), list):
        for feature in value["features"]:
            yield from _points(feature, lat_first=lat_first)
    elif isinstance(value.get("geometry"), dict):
        yield from _points(value["geometry"], lat_first=lat_first)
    elif "lat" in value:
        yield _number(value["lng"] if "lng" in value else value["lon"]), _number(value["lat"])
    else:
        flat = {"Point": 0, "LineString": 1, "MultiPoint": 1, "MultiLineString": 2}[value["type"]]
        parts = [value["coordinates"]]
        for _ in range(flat):
            parts = [pair for part in parts for pair in part]
        for pair in parts:
            yield _number(pair[lat_first]), _number(pair[not lat_first])


def _number(value: Any) -> float:  # noqa: ANN401 - whatever JSON holds
    """A JSON number; raises TypeError for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)
