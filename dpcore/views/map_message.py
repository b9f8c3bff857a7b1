"""A whole map as one message: tiles, every rung of their noisy counts, and flows between them.

The browser gets all rungs at once and recolours by itself while epsilon is dragged, so no movement of the
slider reaches the server. Equal input gives equal bytes: neither the chosen rung nor a time nor a counter
is inside, and an unchanged map is not sent a second time.

A message holds what it is given and nothing else. True counts are an optional part of their own, which only
an owner's page has; a map of a release is packed without it.

Layout, all numbers little-endian and each part a multiple of four bytes long::

    u32 length of the header, the header as JSON padded with spaces
    the geometry (``pack_geometry``): u32 length, JSON padded, then
        u32 first corner of each ring and the end     rings + 1
        u32 tile of each ring                         rings
        f32 label point of each tile, lng lat         tiles x 2
        f32 corners, lng lat                          corners x 2
      where positions are offsets from the ``origin`` in the JSON
    i32 noisy counts, one row a rung                  rungs x tiles   (if the header has "tiles")
    i32 true counts                                   tiles           (if "tiles" has "truth")
    u32 origins, u32 destinations                     flows each      (if the header has "flows")
    i32 noisy flows, one row a rung                   rungs x flows
    i32 true flows                                    flows           (if "flows" has "truth")
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final, Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.privacy import decimal_text

VERSION: Final = 1
"""Raised when the layout changes; the browser refuses another one."""

MAX_DRAWN_CORNERS: Final = 400_000
"""Tessellations with more corners are simplified for drawing (never for counting)."""

Counts = NDArray[np.int64]
Mode = Literal["noisy", "true", "difference"]

_CANDIDATES = 256  # corners of a ring looked at together when a hole is joined to it


@dataclass(frozen=True)
class TileCounts:
    """Noisy counts of all tiles at every rung, with what is needed to colour them."""

    values: Counts
    """Noisy counts, shape (rungs, tiles); may be negative."""
    half_widths: Sequence[int]
    """95 % half width of the noise of one tile, for each rung."""
    grey_below: Sequence[int]
    """For each rung the smallest noisy count that stands out of the noise; tiles below it are grey."""
    breaks: Sequence[int]
    """Rising colour breaks, seven for eight classes; the same at every rung."""
    truth: Counts | None = None
    """True counts, shape (tiles,). Owner pages and lessons only: whoever sees the message sees them."""
    difference_breaks: Sequence[int] = ()
    """Rising sizes that part differences into classes, the same above and below 0; needed with ``truth``."""


@dataclass(frozen=True)
class FlowCounts:
    """Noisy counts of a fixed choice of flows at every rung; the choice does not follow the rung."""

    origins: Sequence[int] | Counts
    """Tile number of each flow's origin."""
    destinations: Sequence[int] | Counts
    """Tile number of each flow's destination; a flow within one tile is not drawn."""
    values: Counts
    """Noisy counts, shape (rungs, flows); may be negative."""
    half_widths: Sequence[int]
    """95 % half width of the noise of one flow, for each rung."""
    grey_below: Sequence[int]
    """For each rung the smallest noisy count that stands out; flows below it are dashed and grey."""
    truth: Counts | None = None
    """True counts, shape (flows,). Owner pages and lessons only."""


@dataclass(frozen=True)
class MapTexts:
    """The words of a map; shown as plain text."""

    alt: str
    """What the picture shows and where the same numbers stand as a table, for those who cannot see it."""
    counts: str = "visits"
    """What a tile's number counts."""
    flow_counts: str = "trips"
    """What a flow's number counts."""
    privacy: str = ""
    """Unit and bound, shown under epsilon: ``per person, at most 8 trips``."""
    banner: str = ""
    """Mark on the picture itself, so that every screenshot carries it: ``Demo data``."""
    sentences: Sequence[str] = ()
    """For each rung what its epsilon means in one sentence; spoken as the value of the slider."""


@dataclass(frozen=True)
class MapOptions:
    """Which controls a map has and how it starts."""

    start_rung: int = 0
    """Rung at the first look. Fixed for a page: the rung that a visitor chose must not come in here."""
    slider: bool = True
    """Whether this map owns a slider; without one it follows the map it is linked to."""
    link: str = ""
    """Maps with the same link move together and remember their epsilon while other pages are looked at."""
    modes: Sequence[Mode] = ("noisy", "true", "difference")
    """Pictures to choose from; those that need true counts are left out where there are none."""
    mode: Mode = "noisy"
    """Picture at the first look."""
    flows_toggle: bool = True
    """Whether a button shows and hides the flows, if there are any."""
    flows_shown: bool = False
    """Whether the flows are drawn at the first look."""
    steered: bool = False
    """Whether a slider and a list of tiles elsewhere on the page steer this map; it then says epsilon no second time."""


def pack_geometry(
    tile_ids: Sequence[str],
    names: Sequence[str],
    polygons: Sequence[shapely.Geometry] | NDArray[Any],
    label_points: NDArray[np.float64] | None = None,
) -> bytes:
    """The public tiles as bytes, to be made once and used in the messages of many maps.

    Args:
        tile_ids: id of each tile, in the order of the counts.
        names: name of each tile; empty or equal to the id where it has none.
        polygons: polygon or multipolygon of each tile in WGS84 degrees (lng, lat); holes are kept.
        label_points: where flows start and end, shape (tiles, 2), lng lat; by default a point inside.
    """
    tiles = np.asarray(polygons, dtype=object)
    if not len(tile_ids) == len(names) == len(tiles) > 0:
        raise ValueError("ids, names and polygons of a map disagree")
    drawn = _drawable(tiles)
    rings, owners = _rings(drawn)
    starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])]).astype("<u4")
    corners = np.concatenate(rings)
    west, south = corners.min(axis=0)
    east, north = corners.max(axis=0)
    origin = np.array([(west + east) / 2, (south + north) / 2])
    if label_points is None:
        label_points = shapely.get_coordinates(shapely.point_on_surface(tiles))
    named = [name if name != tile_id else "" for tile_id, name in zip(tile_ids, names, strict=True)]
    header = _json(
        {
            "n": len(tile_ids),
            "rings": len(rings),
            "corners": len(corners),
            "origin": origin.tolist(),
            "bounds": [float(west), float(south), float(east), float(north)],
            "ids": list(tile_ids),
            "names": named if any(named) else [],
        }
    )
    # Offsets from the middle keep centimetres in four bytes; degrees themselves would keep a metre.
    return b"".join(
        [
            header,
            starts.tobytes(),
            owners.astype("<u4").tobytes(),
            (np.asarray(label_points, dtype=np.float64) - origin).astype("<f4").tobytes(),
            (corners - origin).astype("<f4").tobytes(),
        ]
    )


def pack_map(
    geometry: bytes,
    *,
    rungs: Sequence[Fraction],
    texts: MapTexts,
    tiles: TileCounts | None = None,
    flows: FlowCounts | None = None,
    options: MapOptions | None = None,
) -> bytes:
    """The message of one map; the same input gives the same bytes.

    Args:
        geometry: what ``pack_geometry`` gave.
        rungs: epsilon of each rung, rising.
        texts: the words on and around the picture.
        tiles: counts that colour the tiles; without them the tiles are plain.
        flows: flows between tiles, if the map has any.
        options: controls and first look.
    """
    count = _tile_count(geometry)
    options = options or MapOptions()
    if not 0 <= options.start_rung < len(rungs):
        raise ValueError("the start rung of a map is not one of its rungs")
    if texts.sentences and len(texts.sentences) != len(rungs):
        raise ValueError("a map needs a sentence for each rung")
    parts: list[bytes] = [geometry]
    header: dict[str, object] = {
        "version": VERSION,
        "rungs": [decimal_text(rung) for rung in rungs],
        "geometry": len(geometry),
        "digest": sha256(geometry).hexdigest()[:16],
        "texts": _fields(texts),
        "options": _fields(options) | {"modes": _modes(options, tiles, flows)},
    }
    if tiles is not None:
        _check_shapes("tiles", tiles, len(rungs), count)
        if tiles.truth is not None and not tiles.difference_breaks:
            raise ValueError("a map with true counts needs breaks of differences")
        header["tiles"] = {
            "half_widths": _whole(tiles.half_widths),
            "grey_below": _whole(tiles.grey_below),
            "breaks": _whole(tiles.breaks),
            "difference_breaks": _whole(tiles.difference_breaks),
            "truth": tiles.truth is not None,
        }
        parts += [_int32(tiles.values), *([] if tiles.truth is None else [_int32(tiles.truth)])]
    if flows is not None:
        _check_shapes("flows", flows, len(rungs), len(flows.origins))
        ends = np.array([flows.origins, flows.destinations], dtype=np.int64).reshape(2, -1)
        if ends.size and not (ends.min() >= 0 and ends.max() < count):
            raise ValueError("a flow of a map leaves its tiles")
        header["flows"] = {
            "count": ends.shape[1],
            "half_widths": _whole(flows.half_widths),
            "grey_below": _whole(flows.grey_below),
            "truth": flows.truth is not None,
        }
        parts += [ends.astype("<u4").tobytes(), _int32(flows.values)]
        parts += [] if flows.truth is None else [_int32(flows.truth)]
    return b"".join([_json(header), *parts])


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


def _rings(tiles: NDArray[Any]) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
    """One open ring for each polygon of each tile, and the tile it belongs to."""
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


def _drawable(tiles: NDArray[Any]) -> NDArray[Any]:
    """The tiles with few enough corners to draw; common borders stay common."""
    corners = int(shapely.get_num_coordinates(tiles).sum())
    if corners <= MAX_DRAWN_CORNERS:
        return tiles
    west, south, east, north = shapely.total_bounds(tiles)
    tolerance = max(east - west, north - south) / 8_000  # a quarter of a pixel of a large picture
    simpler = tiles
    for _ in range(6):
        simpler = np.asarray(shapely.coverage_simplify(tiles, tolerance), dtype=object)
        if int(shapely.get_num_coordinates(simpler).sum()) <= MAX_DRAWN_CORNERS:
            break
        tolerance *= 2
    # A tile too small to survive keeps its own shape.
    return np.where(shapely.is_empty(simpler), tiles, simpler)


def _modes(options: MapOptions, tiles: TileCounts | None, flows: FlowCounts | None) -> list[str]:
    """The pictures that there are counts for; those with the truth only where the truth was given."""
    truth = any(part is not None and part.truth is not None for part in (tiles, flows))
    found: list[str] = [mode for mode in options.modes if truth or mode == "noisy"]
    if options.mode not in found:
        raise ValueError("the first picture of a map is not among its modes")
    return found


def _check_shapes(name: str, counts: TileCounts | FlowCounts, rungs: int, cells: int) -> None:
    shapes = {len(counts.half_widths), len(counts.grey_below), rungs}
    truth = (cells,) if counts.truth is None else counts.truth.shape
    if counts.values.shape != (rungs, cells) or shapes != {rungs} or truth != (cells,):
        raise ValueError(f"shapes of the {name} of a map disagree")


def _tile_count(geometry: bytes) -> int:
    (length,) = struct.unpack_from("<I", geometry)
    count: int = json.loads(geometry[4 : 4 + length])["n"]
    return count


def _json(content: Mapping[str, object]) -> bytes:
    """Length and text, padded so that the numbers after it are aligned."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text


def _int32(values: Counts) -> bytes:
    limit = np.iinfo(np.int32)
    if values.size and not (values.min() >= limit.min and values.max() <= limit.max):
        raise ValueError("a count of a map does not fit into 32 bits")
    return np.ascontiguousarray(values, dtype="<i4").tobytes()


def _whole(numbers: Sequence[int]) -> list[int]:
    return [int(number) for number in numbers]


def _fields(words: MapTexts | MapOptions) -> dict[str, object]:
    return {
        name: value if isinstance(value, str | int) else list(value) for name, value in vars(words).items()
    }
