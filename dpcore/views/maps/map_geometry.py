"""The public tiles as one message of few bytes, sent once for all maps of a page and all their counts.

Neighbours share their borders, so every corner of the map stands in it once, and rings are lists of corners. What is
drawn may be simpler than what is counted on: the tiles of a data set are never changed here.

Layout (numbers as ``varints`` writes them; "steps": each less the one before)::

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
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

Integers = NDArray[np.int64]


GEOMETRY_VERSION: Final = 2
"""Raised when the layout changes; the browser refuses another one."""

MAX_DRAWN_CORNERS: Final = 400_000
"""Tessellations with more corners are simplified for drawing (never for counting)."""

DIGEST_BYTES: Final = 16
"""Characters of the digest with which the bytes begin."""

_STEP: Final = 1e-6  # degrees: a tenth of a metre
_FINEST: Final = 2.0**-29  # of the width of the map
_METRES: Final = 111_320  # of a degree of latitude


def pack_geometry(
    tile_ids: Sequence[str],
    names: Sequence[str],
    polygons: Sequence[shapely.Geometry] | NDArray[Any],
    label_points: NDArray[np.float64] | None = None,
) -> bytes:
    """The public tiles as bytes, to be made once and used by many maps; equal tiles give equal bytes.

    ``names``: empty or equal to the id where a tile has none; ``polygons``: polygons or multipolygons in WGS84 degrees (lng,
    lat), holes are kept; ``label_points``: where flows start and end, shape (tiles, 2); by default a point inside.
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
    shape = Shape.of(np.rint((corners - origin) / step).astype(np.int64), sizes)
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
class Shape:
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
    def of(cls, places: Integers, sizes: Integers) -> Shape:
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


_CANDIDATES: Final = 256  # corners of a ring looked at together when a hole is joined to it


def rings(tiles: NDArray[Any]) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
    """One open ring for each polygon of each tile, and the tile it belongs to; raises ValueError for other shapes."""
    polygons, owners = shapely.get_parts(tiles, return_index=True)
    polygons = shapely.orient_polygons(shapely.force_2d(polygons))
    drawable = (shapely.get_type_id(polygons) == shapely.GeometryType.POLYGON) & ~shapely.is_empty(polygons)
    if not drawable.all() or len(np.unique(owners)) != len(tiles):
        raise ValueError("a tile of a map is not a polygon")
    coordinates, numbers = shapely.get_coordinates(shapely.get_exterior_ring(polygons), return_index=True)
    last = np.flatnonzero(np.diff(numbers, append=-1))  # a ring repeats its first corner as its last
    outer = np.split(np.delete(coordinates, last, axis=0), (last - np.arange(len(last)))[:-1])
    with_holes = np.flatnonzero(shapely.get_num_interior_rings(polygons))
    for number in with_holes:
        outer[number] = _without_holes(polygons[number])
    return outer, np.asarray(owners, dtype=np.int64)


@dataclass
class _Ring:
    """An outer ring into which holes are sewn: out along a bridge, around the hole, and back."""

    shape: shapely.Polygon
    corners: NDArray[np.float64]
    bridges: list[shapely.LineString] = field(default_factory=list)

    def sew(self, hole: NDArray[np.float64]) -> None:
        """Join a hole given from its rightmost corner."""
        at = self._seen_from(hole[0])
        self.bridges.append(shapely.LineString([hole[0], self.corners[at]]))
        self.corners = np.concatenate([self.corners[: at + 1], hole, hole[:1], self.corners[at:]])

    def _seen_from(self, point: NDArray[np.float64]) -> int:
        """Nearest corner that a straight bridge reaches inside the polygon without touching another bridge.

        Holes come from the right, so there always is a corner in sight; one that already carries a bridge is
        taken only if no other is.
        """
        order = np.argsort(((self.corners - point) ** 2).sum(axis=1), kind="stable")
        taken = shapely.MultiLineString(self.bridges)
        second_best: int | None = None
        for first in range(0, len(order), _CANDIDATES):
            some = order[first : first + _CANDIDATES]
            ends = np.stack([np.broadcast_to(point, (len(some), 2)), self.corners[some]], axis=1)
            lines = shapely.linestrings(ends)
            inside = shapely.covers(self.shape, lines)
            free = inside & ~shapely.intersects(lines, taken)
            if free.any():
                return int(some[free.argmax()])
            beside = inside & ~shapely.crosses(lines, taken)
            if second_best is None and beside.any():
                second_best = int(some[beside.argmax()])
        return int(order[0]) if second_best is None else second_best


def _without_holes(polygon: shapely.Polygon) -> NDArray[np.float64]:
    """One open ring that covers the polygon; its holes are sewn to the outside by bridges of no width.

    The browser's triangulation of plain rings is the fast one, and it does not know holes.
    """
    shapely.prepare(polygon)
    ring = _Ring(polygon, shapely.get_coordinates(polygon.exterior)[:-1])
    holes = [shapely.get_coordinates(hole)[:-1] for hole in polygon.interiors]
    for hole in sorted(holes, key=lambda corners: -float(corners[:, 0].max())):
        ring.sew(np.roll(hole, -int(hole[:, 0].argmax()), axis=0))
    return ring.corners


_MOST: Final = 2**52
"""Larger numbers a browser would round."""


def varints(numbers: Integers) -> bytes:
    """The numbers one after another; raises ValueError for one that a browser could not hold exactly.

    Small ones, of either sign, take one byte, larger ones two and more. Sign first (zigzag: 0, -1, 1, -2 become 0, 1, 2, 3),
    then seven bits a byte, the lowest first; a byte of 128 or more says that another follows. Source: Protocol Buffers,
    "Encoding" (base 128 varints, ZigZag).
    """
    flat = np.ascontiguousarray(numbers, np.int64).ravel()
    if flat.size and not (flat.min() > -_MOST and flat.max() < _MOST):
        raise ValueError("a number is too large for a browser")
    left = ((flat << 1) ^ (flat >> 63)).astype(np.uint64)
    lengths = np.ones(len(left), np.int64)
    limit = 128
    while (longer := left >= limit).any():
        lengths += longer
        limit *= 128
    ends = np.cumsum(lengths)
    found = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    at = ends - lengths
    while len(left):
        more = left >= 128
        found[at] = (left & 127).astype(np.uint8) | (more.astype(np.uint8) << 7)
        left, at = left[more] >> np.uint64(7), at[more] + 1
    return found.tobytes()


def steps(numbers: Integers) -> Integers:
    """Each number less the one before it (the first less 0), along the first axis."""
    return np.diff(numbers, axis=0, prepend=np.zeros((1, *numbers.shape[1:]), np.int64))
