"""The public tiles as one message of few bytes, sent once for all maps of a page and all their counts.

Neighbours share their borders, so every corner of the map stands in it once, and rings are lists of corners. What is
drawn may be simpler than what is counted on: the tiles of a data set are never changed here.

Layout (numbers as ``dpcore.views.varints``; "steps": each less the one before)::

    16 characters: digest of what follows, by which a map names its tiles
    u32 length of the header, little-endian, the header as JSON
    corners of each ring                          rings
    tile of each ring, steps                      rings
    label point of each tile, lng lat, steps      tiles x 2
    vertices, lng lat, steps                      vertices x 2
    vertex of each corner, steps                  corners
    a bit for each corner, the lowest first: whether the edge from it is drawn as a border
    corners from which a bridge goes, steps       bridges

Positions are counted in ``step`` degrees from the ``origin`` of the header. A bridge is an edge of no width that joins a
hole to the outside.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.views.sewn_rings import rings
from dpcore.views.varints import steps, varints

GEOMETRY_VERSION: Final = 2
"""Raised when the layout changes; the browser refuses another one."""

MAX_DRAWN_CORNERS: Final = 400_000
"""Tessellations with more corners are simplified for drawing (never for counting)."""

DIGEST_BYTES: Final = 16
"""Characters of the digest with which the bytes begin."""

_STEP: Final = 1e-6  # degrees: a tenth of a metre
_FINEST: Final = 2.0**-29  # of the width of the map
_METRES: Final = 111_320  # of a degree of latitude

Integers = NDArray[np.int64]


def pack_geometry(
    tile_ids: Sequence[str],
    names: Sequence[str],
    polygons: Sequence[shapely.Geometry] | NDArray[Any],
    label_points: NDArray[np.float64] | None = None,
) -> bytes:
    """The public tiles as bytes, to be made once and used by many maps; equal tiles give equal bytes.

    Args:
        tile_ids: id of each tile, in the order of the counts.
        names: name of each tile; empty or equal to the id where it has none.
        polygons: polygon or multipolygon of each tile in WGS84 degrees (lng, lat); holes are kept.
        label_points: where flows start and end, shape (tiles, 2), lng lat; by default a point inside.
    """
    tiles = np.asarray(polygons, dtype=object)
    if not len(tile_ids) == len(names) == len(tiles) > 0:
        raise ValueError("ids, names and polygons of a map disagree")
    drawn, tolerance = _drawable(tiles)
    outlines, owners = rings(drawn)
    corners = np.concatenate(outlines)
    sizes = np.array([len(ring) for ring in outlines])
    west, south = corners.min(axis=0)
    east, north = corners.max(axis=0)
    step = _step(drawn, max(east - west, north - south))
    origin = np.array([west, south])
    shape = _Shape.of(np.rint((corners - origin) / step).astype(np.int64), sizes)
    if label_points is None:
        label_points = shapely.get_coordinates(shapely.point_on_surface(tiles))
    labels = np.rint((np.asarray(label_points, dtype=np.float64) - origin) / step).astype(np.int64)
    named = [name if name != tile_id else "" for tile_id, name in zip(tile_ids, names, strict=True)]
    header = packed_json(
        {
            "version": GEOMETRY_VERSION,
            "n": len(tile_ids),
            "rings": len(sizes),
            "corners": len(corners),
            "vertices": len(shape.vertices),
            "bridges": len(shape.bridges),
            "origin": origin.tolist(),
            "step": step,
            "bounds": [float(west), float(south), float(east), float(north)],
            "simplified": round(tolerance * _METRES, 1),
            "ids": list(tile_ids),
            "names": named if any(named) else [],
        }
    )
    body = b"".join(
        [
            header,
            varints(sizes),
            varints(steps(owners)),
            varints(steps(labels)),
            varints(steps(shape.vertices)),
            varints(steps(shape.corners)),
            np.packbits(shape.borders, bitorder="little").tobytes(),
            varints(steps(shape.bridges)),
        ]
    )
    return sha256(body).hexdigest()[:DIGEST_BYTES].encode() + body


def digest_of(geometry: bytes) -> str:
    """The name of the tiles in the messages of their maps."""
    return geometry[:DIGEST_BYTES].decode("ascii")


def tile_count(geometry: bytes) -> int:
    """How many tiles ``pack_geometry`` packed."""
    (length,) = struct.unpack_from("<I", geometry, DIGEST_BYTES)
    begin = DIGEST_BYTES + 4
    count: int = json.loads(geometry[begin : begin + length])["n"]
    return count


def packed_json(content: Mapping[str, object]) -> bytes:
    """Length and text."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return struct.pack("<I", len(text)) + text


@dataclass(frozen=True)
class _Shape:
    """Rings as lists of shared corners."""

    vertices: Integers
    """Places that occur, in the order of their first corner; shape (vertices, 2)."""
    corners: Integers
    """Vertex of each corner of all rings."""
    borders: NDArray[np.bool_]
    """For each corner whether the edge to the next one is drawn: every border once, though two tiles share it."""
    bridges: Integers
    """Corners from which a bridge goes."""

    @classmethod
    def of(cls, places: Integers, sizes: Integers) -> _Shape:
        """The shape of rings given as whole places, ring after ring."""
        _, first, which = np.unique(places[:, 0] << 31 | places[:, 1], return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        corners = rank[which]
        ends = np.cumsum(sizes)
        following = np.arange(1, len(corners) + 1)
        following[ends - 1] = ends - sizes
        there = corners[following]
        low, high = np.minimum(corners, there), np.maximum(corners, there)
        edges, begins, edge = np.unique(low * len(order) + high, return_index=True, return_inverse=True)
        ring = np.repeat(np.arange(len(sizes)), sizes)
        # An edge that one ring walks twice is no border: it joins a hole to the outside.
        walks, walked = np.unique(edge * len(sizes) + ring, return_counts=True)
        bridge = np.zeros(len(edges), np.bool_)
        bridge[walks[walked > 1] // len(sizes)] = True
        borders = np.zeros(len(corners), np.bool_)
        borders[begins] = ~bridge & (low != high)[begins]
        return cls(places[first[order]], corners, borders, np.flatnonzero(bridge[edge]))


def _step(tiles: NDArray[Any], extent: float) -> float:
    """Degrees that positions are rounded to: small beside the smallest tile."""
    west, south, east, north = shapely.bounds(tiles).T
    smallest = float(np.maximum(east - west, north - south).min())
    return max(min(_STEP, smallest / 64), extent * _FINEST)


def _drawable(tiles: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """The tiles with few enough corners to draw, common borders still common; and the tolerance in degrees, 0 for none."""
    if int(shapely.get_num_coordinates(tiles).sum()) <= MAX_DRAWN_CORNERS:
        return tiles, 0.0
    west, south, east, north = shapely.total_bounds(tiles)
    extent = max(east - west, north - south)
    # A quarter of a pixel of a large picture; more where so few corners are left for each of many tiles that a second
    # pass, as slow as the first, would surely follow.
    each = MAX_DRAWN_CORNERS / len(tiles)
    tolerance = max(extent / 8_000, 7 / each**2 * extent / np.sqrt(len(tiles)))
    simpler = np.asarray(shapely.coverage_simplify(tiles, tolerance), dtype=object)
    for _ in range(5):
        if int(shapely.get_num_coordinates(simpler).sum()) <= MAX_DRAWN_CORNERS:
            break
        tolerance *= 2
        simpler = np.asarray(shapely.coverage_simplify(simpler, tolerance), dtype=object)
    # A tile too small to survive keeps its own shape.
    return np.where(shapely.is_empty(simpler), tiles, simpler), float(tolerance)
