"""Numbers that follow from all trips of a person: the gap before each trip, and radius, tiles and entropy.

Gaps run from the end of the same person's trip before it, as in ``bounding.TRIPS_WITH_GAPS``. Radius, tiles and entropy
follow the formulas of ``dpcore.measures.people``.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.loops import loop
from dpcore.private.engine.compiled.people import Longs, People

NO_GAP: Final = np.iinfo(np.int64).min
"""Stands for a missing gap."""
NO_TIME: Final = np.iinfo(np.int64).max
"""Stands for an unknown time, which is last in order."""

Bytes = NDArray[np.int8]

_SHORT: Final = 16  # up to so many trips are sorted by insertion


_NONE: Final = np.empty(0, np.int8)


def gaps_before(  # noqa: PLR0917 -- the columns of rows
    people: People,
    start_us: Longs,
    end_us: Longs,
    rnd: Longs,
    missing: Longs,
    lat: Bytes = _NONE,
    lng: Bytes = _NONE,
    time: Bytes = _NONE,
) -> Longs:
    """The gap before each row in microseconds, ``NO_GAP`` if it has none. Unknown times are ``NO_TIME``.

    ``missing`` decides between trips with the same times and hash, then the numbers of empty fields, each below 4. Either may be left out.
    """
    gaps = np.full(len(rnd), NO_GAP, np.int64)
    most = int(people.trips.max(initial=0))
    spare = [np.empty(most, np.int64) for _ in range(6)]
    fill_gaps(people.order, people.starts, start_us, end_us, rnd, missing, lat, lng, time, gaps, *spare)
    return gaps


@loop
def precedes(  # noqa: PLR0917 -- plain arrays, compiled
    firsts: Longs, ends: Longs, rnds: Longs, missed: Longs, one: int, other: int
) -> bool:
    """Whether one trip comes before another of the same person."""
    if firsts[one] != firsts[other]:
        return firsts[one] < firsts[other]
    if ends[one] != ends[other]:
        return ends[one] < ends[other]
    if rnds[one] != rnds[other]:
        return rnds[one] < rnds[other]
    return missed[one] < missed[other]


@loop
def sort_trips(  # noqa: PLR0917 -- plain arrays, compiled
    firsts: Longs, ends: Longs, rnds: Longs, missed: Longs, size: int, places: Longs, spare: Longs
) -> None:
    """Write the order of ``size`` trips into ``places``. It takes n log n for any trips, and is linear for sorted ones."""
    for begin in range(0, size, _SHORT):
        for i in range(begin, min(begin + _SHORT, size)):
            j = i
            while j > begin and precedes(firsts, ends, rnds, missed, i, places[j - 1]):
                places[j] = places[j - 1]
                j -= 1
            places[j] = i
    width = _SHORT
    while width < size:
        for begin in range(0, size, 2 * width):
            middle, end = min(begin + width, size), min(begin + 2 * width, size)
            if middle == end or not precedes(firsts, ends, rnds, missed, places[middle], places[middle - 1]):
                continue
            for i in range(begin, middle):
                spare[i] = places[i]
            left, right, out = begin, middle, begin
            while left < middle:
                if right < end and precedes(firsts, ends, rnds, missed, places[right], spare[left]):
                    places[out] = places[right]
                    right += 1
                else:
                    places[out] = spare[left]
                    left += 1
                out += 1
        width *= 2


@loop
def fill_gaps(  # noqa: PLR0917 -- plain arrays, compiled
    order: Longs,
    starts: Longs,
    start_us: Longs,
    end_us: Longs,
    rnd: Longs,
    missing: Longs,
    lat: Bytes,
    lng: Bytes,
    time: Bytes,
    gaps: Longs,
    firsts: Longs,
    ends: Longs,
    rnds: Longs,
    missed: Longs,
    places: Longs,
    spare: Longs,
) -> None:
    """Write the gap of each row that has one. The last six arrays have room for the trips of the busiest person."""
    for person in range(len(starts) - 1):
        begin = starts[person]
        size = starts[person + 1] - begin
        if size < 2:
            continue
        for i in range(size):
            row = order[begin + i]
            firsts[i] = start_us[row] if start_us[row] != NO_TIME else end_us[row]
            ends[i] = end_us[row]
            rnds[i] = rnd[row]
            missed[i] = missing[row] if len(missing) else 0
            if len(lat):
                missed[i] = missed[i] * 64 + lat[row] * 16 + lng[row] * 4 + time[row]
        sort_trips(firsts, ends, rnds, missed, size, places, spare)
        for i in range(1, size):
            row, before = order[begin + places[i]], ends[places[i - 1]]
            if start_us[row] != NO_TIME and before != NO_TIME:
                gaps[row] = start_us[row] - before


Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def tiles_and_entropies(
    people: People, start_tile: Ints, end_tile: Ints, complete: Flags, width: int
) -> tuple[Longs, Floats]:
    """Number of different tiles of each person, and entropy in thousandths. ``width``: one more than the largest tile."""
    tiles, entropies = np.zeros(people.count, np.int64), np.zeros(people.count, np.float64)
    points, found = np.zeros(width, np.int64), np.empty(width, np.int32)
    fill_entropies(
        people.order, people.starts, start_tile, end_tile, complete, tiles, entropies, points, found
    )
    return tiles, entropies


@loop
def fill_entropies(  # noqa: PLR0917 -- plain arrays, compiled
    order: Longs,
    starts: Longs,
    start_tile: Ints,
    end_tile: Ints,
    complete: Flags,
    tiles: Longs,
    entropies: Floats,
    points: Longs,
    found: Ints,
) -> None:
    """Count the points of each person in each tile: in ``points``, all 0. The list ``found`` keeps the time linear in the trips."""
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
            # as in the SQL: a tiny amount is added, so that rounding puts nobody below an edge
            entropies[person] = 1000 * (math.log(total) - spread / total) / math.log(many) + 1e-7


@loop
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
    """Radius of gyration in metres; NaN for people without a known place."""
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


@loop
def squared(lat: int, lng: int, centre_lat: float, centre_lng: float, level: float) -> float:
    """Squared distance in square metres between a place (1e-7 degrees) and a centre (radians), on the sphere of the SQL."""
    there = math.radians(lat / 1e7)
    north = math.sin((there - centre_lat) / 2)
    east = math.sin((math.radians(lng / 1e7) - centre_lng) / 2)
    half = north * north + level * math.cos(there) * (east * east)
    distance = 12742017.6 * math.asin(math.sqrt(min(1.0, half)))
    return distance * distance
