"""Numbers of people that all of their trips give, by the formulas of ``dpcore.measures.people``."""

from __future__ import annotations

import math

import numba as nb
import numpy as np
from numpy.typing import NDArray

from dpcore.private.engine.compiled.compiling import PASS
from dpcore.private.engine.compiled.people import Longs, People

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def tiles_and_entropies(
    people: People, start_tile: Ints, end_tile: Ints, complete: Flags, width: int
) -> tuple[Longs, Floats]:
    """Different tiles of each person, and entropy in thousandths; ``width``: one more than the largest tile."""
    tiles, entropies = np.zeros(people.count, np.int64), np.zeros(people.count, np.float64)
    fill_entropies(people.order, people.starts, start_tile, end_tile, complete, width, tiles, entropies)
    return tiles, entropies


@nb.njit(**PASS)
def fill_entropies(  # noqa: PLR0917 -- plain arrays, compiled
    order: Longs,
    starts: Longs,
    start_tile: Ints,
    end_tile: Ints,
    complete: Flags,
    width: int,
    tiles: Longs,
    entropies: Floats,
) -> None:
    """Count the points of each person in each tile; a list of the tiles found keeps it linear in the trips."""
    points, found = np.zeros(width, np.int64), np.empty(width, np.int32)
    for person in range(len(starts) - 1):
        many = 0
        for i in range(starts[person], starts[person + 1]):
            row = order[i]
            for tile in (end_tile[row], start_tile[row] if complete[row] else np.int32(-1)):
                if tile >= 0:
                    if points[tile] == 0:
                        found[many] = tile
                        many += 1
                    points[tile] += 1
        total, spread = 0, 0.0
        for i in range(many):
            here = points[found[i]]
            points[found[i]] = 0
            total += here
            if here > 1:
                spread += here * math.log(here)
        tiles[person] = many
        if many >= 2:
            # as in SQL: a little more, so that rounding puts nobody below an edge
            entropies[person] = 1000 * (math.log(total) - spread / total) / math.log(many) + 1e-7


@nb.njit(**PASS)
def fill_radii(  # noqa: PLR0917 -- plain arrays, compiled
    order: Longs,
    starts: Longs,
    start_lat: Ints,
    start_lng: Ints,
    end_lat: Ints,
    end_lng: Ints,
    start_known: Flags,
    end_known: Flags,
    radii: Floats,
) -> None:
    """Radius of gyration in metres; NaN for whom no place is known."""
    for person in range(len(starts) - 1):
        lat_sum, lng_sum, points = 0, 0, 0
        for i in range(starts[person], starts[person + 1]):
            row = order[i]
            if start_known[row]:
                lat_sum += start_lat[row]
                lng_sum += start_lng[row]
                points += 1
            if end_known[row]:
                lat_sum += end_lat[row]
                lng_sum += end_lng[row]
                points += 1
        if points == 0:
            radii[person] = np.nan
            continue
        lat, lng = math.radians(lat_sum / points / 1e7), math.radians(lng_sum / points / 1e7)
        level, total = math.cos(lat), 0.0
        for i in range(starts[person], starts[person + 1]):
            row = order[i]
            if start_known[row]:
                total += squared(start_lat[row], start_lng[row], lat, lng, level)
            if end_known[row]:
                total += squared(end_lat[row], end_lng[row], lat, lng, level)
        radii[person] = math.sqrt(total / points)


@nb.njit(**PASS)
def squared(lat: int, lng: int, centre_lat: float, centre_lng: float, level: float) -> float:
    """Squared distance in square metres of a place in 1e-7 degrees from a centre in radians, on the same sphere as SQL."""
    there = math.radians(lat / 1e7)
    north = math.sin((there - centre_lat) / 2)
    east = math.sin((math.radians(lng / 1e7) - centre_lng) / 2)
    half = north * north + level * math.cos(there) * (east * east)
    distance = 12742017.6 * math.asin(math.sqrt(min(1.0, half)))
    return distance * distance
