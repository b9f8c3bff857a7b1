"""The tile index: a grid over the tessellation that answers for most points, and tests borders for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from shapely.geometry.base import BaseGeometry

CELLS_PER_EDGE: Final = 16
FEWEST_CELLS: Final = 2_000_000
MOST_CELLS: Final = 40_000_000
MOST_PAIRS: Final = 16_000_000
"""Limit of pairs of edges and further cells that they cross. A comb of a million long teeth then gets a coarser grid
instead of using up all memory."""
MARGIN: Final = 1e-6
"""In cells. A cell counts as free of borders only if no border comes nearer than this."""
FINEST_CELL: Final = 1024
"""Smallest cell, in units of the last place of the largest coordinate."""


_NUMBERS: Final = ("_rows", "_columns", "_margin")
_COLUMNS: Final = (
    "_corner",
    "_cell",
    "_per_degree",
    "_slot_start",
    "_grid",
    "_candidate_tile",
    "_candidate_start",
    "_candidate_slot",
)


class _Placed(NamedTuple):
    """The edges of all tiles, each with its position in the grid."""

    edges: NDArray[np.float64]
    """Ends in degrees, shape (edges, 4)."""
    units: NDArray[np.float64]
    """The same in cell units."""
    tile: NDArray[np.int32]
    """Tile of each edge."""
    low: NDArray[np.int32]
    """Lowest row each edge comes near."""
    high: NDArray[np.int32]
    """Highest row each edge comes near."""


class TileIndex:
    """Puts every point into exactly one tile, or outside all tiles, by a rule that never depends on rounding.

    Rule: a tile owns its west and south border, not its east and north border. A point on a shared border lies in the
    eastern or northern tile, and a shared corner in the tile north-east of it. A point on the outer west or south border
    of all tiles is inside; one on the outer east or north border is outside. Formally: a point is in a tile if an odd
    number of the tile's edges with ``y_low <= y < y_high`` cross its height strictly right of it. Holes, parts and gaps
    need no rule of their own.

    Polygons are in WGS84, x = longitude, y = latitude. Tile numbers are their positions. ``assign`` gives one number for
    each point, whatever the polygons look like (overlaps included), so no point can ever count twice. The index holds
    plain arrays only and can be pickled.

    Source: even-odd rule with half-open edges, Haines, "Point in Polygon Strategies", Graphics Gems IV, 1994.
    """

    def __init__(self, polygons: Sequence[BaseGeometry] | NDArray[np.object_]) -> None:
        shapes = np.asarray(polygons, dtype=object)
        edges, tile = _edges(shapes)
        self._lay_grid(edges, shapely.bounds(shapes).reshape(-1, 4))
        # Differences of nearby floats are exact or off by one unit in their own last place. So cell units are right to
        # about columns * 5e-16 < 2e-8 cells, which is at most a fiftieth of MARGIN.
        units = (edges - np.tile(self._corner, 2)) * np.tile(self._per_degree, 2)
        low = np.clip(np.floor(units[:, 1] - self._margin), 0, self._rows - 1).astype(np.int32)
        high = np.clip(np.floor(units[:, 3] + self._margin), 0, self._rows - 1).astype(np.int32)
        placed = _Placed(edges, units, tile, low, high)
        first_row, first_slot = self._list_edges(len(shapes), placed)
        self._fill_grid(placed, first_row, first_slot)

    def assign(self, lng: ArrayLike, lat: ArrayLike) -> NDArray[np.int32]:
        """The tile number of each point, -1 outside every tile; int32, shape of the input.

        ``lng`` and ``lat``: degrees WGS84, one dimension, equally long. NaN and infinities are outside. Raises ValueError
        for other shapes. Releases the GIL.
        """
        from dpcore.tiles import kernel  # noqa: PLC0415 - numba takes long to load, and many commands look up no point

        x, y = _columns(lng, lat)
        out = np.empty(len(x), np.int32)
        kernel.assign_points(
            x,
            y,
            out,
            self._grid,
            self._candidate_start,
            self._candidate_tile,
            self._candidate_slot,
            self._edges,
            self._slot_start,
            self._columns,
            self._rows,
            self._corner,
            self._per_degree,
            *(np.empty(kernel.BLOCK, np.int64), np.empty(kernel.BLOCK, np.int64), np.empty(kernel.BLOCK)),
        )
        return out

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays of the index by name, so that it can be stored."""
        return {name: np.atleast_1d(value) for name, value in vars(self).items()}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> TileIndex:
        """The index from these arrays, flat or in their shapes. Raises KeyError if one is missing."""
        index = cls.__new__(cls)
        numbers = {name: arrays[name].item() for name in _NUMBERS}
        vars(index).update({name: arrays[name] for name in _COLUMNS} | numbers)
        vars(index)["_edges"] = arrays["_edges"].reshape(-1, 4)
        return index

    @property
    def nbytes(self) -> int:
        """Bytes of memory the index holds."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def _lay_grid(self, edges: NDArray[np.float64], boxes: NDArray[np.float64]) -> None:
        """Choose the cells: about square, a few for each edge, and never so many that memory could run out."""
        ends = edges.reshape(-1, 2) if len(edges) else np.zeros((1, 2))
        south_west, north_east = ends.min(axis=0), ends.max(axis=0)
        # The frame keeps the outer border of the tiles away from the border of the grid.
        frame = (north_east - south_west) * 1e-9 + 1e-12
        self._corner = south_west - frame
        size = north_east + frame - self._corner
        last_place = np.spacing(np.abs(ends).max(axis=0) + 1.0)
        # A cell must be far wider than the spacing of floats. Otherwise rounding alone would decide a point's cell.
        most = np.maximum(size / (FINEST_CELL * last_place), 1.0)
        span = np.abs(edges[:, 2:] - edges[:, :2]).sum(axis=0) / size
        # A tile is listed in every row between its lowest and its highest part.
        span[1] += np.nansum(boxes[:, 3] - boxes[:, 1]) / size[1]
        cells = min(max(len(edges) * CELLS_PER_EDGE, FEWEST_CELLS), MOST_CELLS)
        while True:
            rows = np.clip(np.sqrt(cells * size[1] / size[0]), 1.0, min(most[1], cells))
            columns = np.clip(cells / rows, 1.0, min(most[0], cells))
            if span[0] * columns + span[1] * rows <= MOST_PAIRS or cells <= 1:
                break
            cells //= 2
        self._rows, self._columns = int(rows), int(columns)
        self._cell = size / (self._columns, self._rows)
        self._per_degree = 1.0 / self._cell
        # A computed crossing is off by a few units in the last place of the coordinate.
        self._margin = float(MARGIN + 8 * (last_place / self._cell).max())

    def _list_edges(self, tiles: int, placed: _Placed) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """List the edges of every tile in every row of the grid. Returns first row and first slot of each tile."""
        from dpcore.tiles import kernel  # noqa: PLC0415 - as above

        tile, low, high = placed.tile, placed.low, placed.high
        first_row = np.full(tiles, self._rows, np.int32)
        last_row = np.full(tiles, -1, np.int32)
        np.minimum.at(first_row, tile, low)
        np.maximum.at(last_row, tile, high)
        slots = np.maximum(last_row.astype(np.int64) - first_row + 1, 0)
        first_slot = np.concatenate(([0], np.cumsum(slots)))
        count = np.zeros(first_slot[-1], np.int64)
        kernel.count_slot_edges(tile, low, high, first_row, first_slot, count)
        self._slot_start = np.concatenate(([0], np.cumsum(count)))
        edge_of = np.empty(self._slot_start[-1], np.int32)
        free = self._slot_start[:-1].copy()
        kernel.fill_slot_edges(tile, low, high, first_row, first_slot, free, edge_of)
        self._edges = placed.edges[edge_of]
        return first_row, first_slot

    def _fill_grid(
        self, placed: _Placed, first_row: NDArray[np.int32], first_slot: NDArray[np.int64]
    ) -> None:
        """Give every cell its tile, or the list of tiles to test if a border comes near."""
        from dpcore.tiles import kernel  # noqa: PLC0415 - as above

        self._grid = np.full(self._columns * self._rows, -1, np.int32)
        kernel.fill_centres(
            self._grid,
            self._edges,
            self._slot_start,
            first_row,
            first_slot,
            self._columns,
            self._corner,
            self._cell,
            np.zeros(self._columns + 1, np.bool_),
        )
        touched = np.zeros(len(self._grid), np.bool_)
        arguments = (placed.units, placed.low, placed.high, placed.tile, self._columns, self._margin, touched)
        packed = np.empty(kernel.touched_cells(*arguments, np.empty(0, np.int64)), np.int64)
        kernel.touched_cells(*arguments, packed)
        mixed = np.flatnonzero(touched)
        # The tile of the cell's middle is a candidate too: a tile that fills the whole cell has no edge in it.
        filled = mixed[self._grid[mixed] >= 0]
        packed = np.concatenate((packed, filled << 32 | self._grid[filled]))
        packed.sort()  # np.unique would hash first, which takes five times as long on so many numbers
        packed = packed[np.concatenate(([True], packed[1:] != packed[:-1]))[: len(packed)]]
        cell = packed >> 32
        self._candidate_tile = (packed & 0xFFFFFFFF).astype(np.int32)
        self._candidate_start = np.concatenate((np.searchsorted(cell, mixed), [len(cell)])).astype(np.int32)
        slot = first_slot[self._candidate_tile] + cell // self._columns - first_row[self._candidate_tile]
        self._candidate_slot = slot.astype(np.int32)
        self._grid[mixed] = -2 - np.arange(len(mixed), dtype=np.int32)


class PlainIndex(TileIndex):
    """The same answers by the rule itself, without a grid and without compiled code.

    For few tiles, and points that are looked up once: each point is compared with all edges of the tiles whose box it lies in.
    """

    def __init__(self, polygons: Sequence[BaseGeometry] | NDArray[np.object_]) -> None:
        shapes = np.asarray(polygons, dtype=object)
        edges, tile = _edges(shapes)
        self._of_tile = np.split(edges, np.searchsorted(tile, np.arange(1, len(shapes))))

    def assign(self, lng: ArrayLike, lat: ArrayLike) -> NDArray[np.int32]:
        """As ``TileIndex.assign``, but it holds the GIL."""
        x, y = _columns(lng, lat)
        out = np.full(len(x), -1, np.int32)
        for tile in range(len(self._of_tile) - 1, -1, -1):  # the lowest tile wins where tiles overlap
            edges = self._of_tile[tile]
            if not len(edges):
                continue
            # West or east of all crossings their number is even. A computed crossing is off by a few units in the last place.
            off = 8 * np.spacing(np.abs(edges).max())
            west, east = edges[:, [0, 2]].min() - off, edges[:, [0, 2]].max() + off
            south, north = edges[:, 1].min(), edges[:, 3].max()
            near = np.flatnonzero((x >= west) & (x < east) & (y >= south) & (y < north))
            for begin in range(0, len(near), step := max(1, _COMPARED // len(edges))):
                some = near[begin : begin + step]
                out[some[_odd_crossings(x[some], y[some], edges)]] = tile
        return out


_COMPARED: Final = 2**18
"""Pairs of a point and an edge that are held at a time."""


def _odd_crossings(
    x: NDArray[np.float64], y: NDArray[np.float64], edges: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether an odd number of edges crosses the height of each point strictly right of it: ``kernel.odd_crossings``.

    The operations are those of ``kernel.crossing`` in their order, so that they give the same bits.
    """
    x_low, y_low, x_high, y_high = edges.T
    point, edge = np.nonzero((y_low <= y[:, np.newaxis]) & (y[:, np.newaxis] < y_high))
    low = y_low[edge]
    crossing = x_low[edge] + (y[point] - low) / (y_high[edge] - low) * (x_high[edge] - x_low[edge])
    odd: NDArray[np.bool_] = np.bincount(point[x[point] < crossing], minlength=len(x)) % 2 == 1
    return odd


def _columns(lng: ArrayLike, lat: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Longitudes and latitudes as arrays. ValueError unless they are two equally long columns."""
    x, y = (np.ascontiguousarray(column, np.float64) for column in (lng, lat))
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError("longitudes and latitudes must be two equally long columns")
    return x, y


def _edges(polygons: NDArray[np.object_]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """All ring segments, from their lower to their upper end, and the tile of each."""
    parts, tile_of_part = shapely.get_parts(polygons, return_index=True)
    rings, part_of_ring = shapely.get_rings(parts, return_index=True)
    corners, ring = shapely.get_coordinates(rings, return_index=True)
    joined = ring[1:] == ring[:-1]
    edges = np.hstack((corners[:-1], corners[1:]))[joined]
    tile = tile_of_part[part_of_ring][ring[:-1][joined]].astype(np.int32)
    level = edges[:, 1] == edges[:, 3]
    turned = (edges[:, 1] > edges[:, 3]) | (level & (edges[:, 0] > edges[:, 2]))
    edges[turned] = edges[turned][:, [2, 3, 0, 1]]
    return np.ascontiguousarray(edges), tile
