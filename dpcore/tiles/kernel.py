"""The loops of the tile index, compiled by numba. Plain arrays in, plain arrays out.

An edge is a row ``(x_low, y_low, x_high, y_high)`` of float64, oriented from its lower end (the western end if both are
equally low). Two tiles that share a border hold the same row bit for bit. So they compute the same crossing, and a point
on the border toggles both, in opposite sense.

"Cell units": x runs over 0..columns and y over 0..rows of the grid, measured from its south-west corner.
"Slot": one tile in one row of the grid. Its edges are ``edges[slot_start[slot]:slot_start[slot + 1]]``, side by side in
memory. An edge is listed once for each row that it meets.

No fastmath: reordering would let the two tiles of a border disagree about a point on it.
"""

# ruff: noqa: PLR0917 -- numba compiles plain positional arrays; a class to hold them would be compiled each time

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.loops import loop

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

BLOCK = 1024
"""Points looked up together: first the cells of all of them, so that the waits for memory overlap."""


@loop
def crossing(edges: Floats, edge: int, y: float) -> float:
    """Where an edge with ``y_low <= y < y_high`` crosses the height y, with the same bits for both of its tiles.

    The share of the way up is computed first. It stays in 0..1 even for edges that are almost level, so the result cannot
    overflow and is off by a few units in the last place of x only.
    """
    x_low, y_low = edges[edge, 0], edges[edge, 1]
    return x_low + (y - y_low) / (edges[edge, 3] - y_low) * (edges[edge, 2] - x_low)


@loop
def count_slot_edges(
    tile: Ints, low: Ints, high: Ints, first_row: Ints, first_slot: Longs, count: Longs
) -> None:
    """Count the edges of each slot into ``count``."""
    for edge in range(len(tile)):
        slot = first_slot[tile[edge]] - first_row[tile[edge]]
        for row in range(low[edge], high[edge] + 1):
            count[slot + row] += 1


@loop
def fill_slot_edges(
    tile: Ints, low: Ints, high: Ints, first_row: Ints, first_slot: Longs, free: Longs, edge_of: Ints
) -> None:
    """Write the edge numbers slot by slot. ``free`` holds the next free position of each slot and is changed."""
    for edge in range(len(tile)):
        slot = first_slot[tile[edge]] - first_row[tile[edge]]
        for row in range(low[edge], high[edge] + 1):
            edge_of[free[slot + row]] = edge
            free[slot + row] += 1


@loop
def fill_centres(
    centre: Ints,
    edges: Floats,
    slot_start: Longs,
    first_row: Ints,
    first_slot: Longs,
    columns: int,
    corner: Floats,
    cell: Floats,
    turns: NDArray[np.bool_],
) -> None:
    """Write into ``centre[row * columns + column]`` the tile that holds the middle of each cell.

    Even-odd scan lines run through the middles of the rows. The lowest tile wins where tiles overlap. The result is used
    only for cells that no border comes near, so rounding of the middle is harmless.

    ``turns``: all false, for whether the middles from a column on lie on the other side of a border than those before. Reading clears
    it. Sorting the crossings instead would take quadratic time on borders made for that purpose.
    """
    for tile in range(len(first_row) - 1, -1, -1):
        for slot in range(first_slot[tile], first_slot[tile + 1]):
            row = first_row[tile] + slot - first_slot[tile]
            y = corner[1] + (row + 0.5) * cell[1]
            west, east = columns, 0
            for edge in range(slot_start[slot], slot_start[slot + 1]):
                if edges[edge, 1] <= y < edges[edge, 3]:
                    column = int(np.ceil((crossing(edges, edge, y) - corner[0]) / cell[0] - 0.5))
                    column = min(max(column, 0), columns)
                    turns[column] = not turns[column]
                    west, east = min(west, column), max(east, column)
            inside = False
            for column in range(west, east + 1):
                inside ^= turns[column]
                turns[column] = False
                if inside and column < columns:
                    centre[row * columns + column] = tile


@loop
def touched_cells(
    units: Floats,
    low: Ints,
    high: Ints,
    tile: Ints,
    columns: int,
    margin: float,
    touched: NDArray[np.bool_],
    packed: Longs,
) -> int:
    """Mark every cell to which an edge comes closer than ``margin``. Returns the number of (edge, cell) pairs.

    ``units`` are the edges in cell units. With a ``packed`` of that length the pairs are also written, as
    ``cell << 32 | tile``.

    Why no cell is missed: conversion to cell units shifts each end of an edge by less than 2e-8 cells. In each row, the
    part of the edge between ``row - margin`` and ``row + 1 + margin`` is walked. An end shifted by so much less than
    ``margin`` cannot leave that strip, however level the edge is. Along the part, x lies between the two ends of the part,
    again widened by ``margin``.
    """
    pairs = 0
    for edge in range(len(tile)):
        x_low, y_low, x_high, y_high = units[edge, 0], units[edge, 1], units[edge, 2], units[edge, 3]
        for row in range(low[edge], high[edge] + 1):
            enter, leave = 0.0, 1.0
            if y_high > y_low:
                enter = max(0.0, (row - margin - y_low) / (y_high - y_low))
                leave = max(enter, min(1.0, (row + 1 + margin - y_low) / (y_high - y_low)))
            one = x_low + enter * (x_high - x_low)
            other = x_low + leave * (x_high - x_low)
            west = max(int(np.floor(min(one, other) - margin)), 0)
            east = min(int(np.floor(max(one, other) + margin)), columns - 1)
            for column in range(west, east + 1):
                cell = row * columns + column
                touched[cell] = True
                if len(packed) > 0:
                    packed[pairs] = np.int64(cell) << 32 | tile[edge]
                pairs += 1
    return pairs


@loop
def odd_crossings(x: float, y: float, edges: Floats, begin: int, end: int) -> bool:
    """Whether an odd number of the edges crosses the height y strictly right of x."""
    odd = False
    for edge in range(begin, end):
        if edges[edge, 1] <= y < edges[edge, 3] and x < crossing(edges, edge, y):
            odd = not odd
    return odd


@loop
def assign_points(
    lng: Floats,
    lat: Floats,
    out: Ints,
    grid: Ints,
    candidate_start: Ints,
    candidate_tile: Ints,
    candidate_slot: Ints,
    edges: Floats,
    slot_start: Longs,
    columns: int,
    rows: int,
    corner: Floats,
    per_degree: Floats,
    pending: Longs,
    ahead: Longs,
    touched: Floats,
) -> None:
    """Write the tile of each point into ``out``, -1 for none.

    ``grid`` holds the tile of a cell that no border comes near (-1: none), or ``-2 - k`` for the k-th mixed cell. The
    candidates of a mixed cell are tested in order of their number. The first that holds the point is the answer, so a
    point gets one tile even where tiles overlap.
    """
    for begin in range(0, len(lng), BLOCK):
        mixed = 0
        for i in range(begin, min(begin + BLOCK, len(lng))):
            column = (lng[i] - corner[0]) * per_degree[0]
            row = (lat[i] - corner[1]) * per_degree[1]
            found = -1
            # NaN fails every comparison, and an infinity fails one of them. So both stay outside.
            if 0 <= column < columns and 0 <= row < rows:
                found = grid[int(row) * columns + int(column)]
            out[i] = found
            pending[mixed] = i
            mixed += found < -1  # without a branch, which a processor could not predict
        # The first edges of all mixed cells are fetched together, step by step, so that these waits overlap too.
        for j in range(mixed):
            ahead[j] = candidate_start[-2 - out[pending[j]]]
        for j in range(mixed):
            ahead[j] = slot_start[candidate_slot[ahead[j]]]
        for j in range(mixed):
            touched[j] = edges[min(ahead[j], len(edges) - 1), 1]
        for j in range(mixed):
            i = pending[j]
            k = -2 - out[i]
            row = int((lat[i] - corner[1]) * per_degree[1])  # the same operations as above: the same row
            found = -1
            for c in range(candidate_start[k], candidate_start[k + 1]):
                slot = candidate_slot[c]
                if odd_crossings(lng[i], lat[i], edges, slot_start[slot], slot_start[slot + 1]):
                    found = candidate_tile[c]
                    break
            out[i] = found
