"""The gap before each trip: from the end of the same person's trip before it, as ``bounding.TRIPS_WITH_GAPS`` says."""

from __future__ import annotations

from typing import Final

import numba as nb
import numpy as np

from dpcore.private.engine.compiled.compiling import PASS
from dpcore.private.engine.compiled.people import Longs, People

NO_GAP: Final = np.iinfo(np.int64).min
"""Stands for a gap that is not there."""
NO_TIME: Final = np.iinfo(np.int64).max
"""Stands for a time that is not known: last in order."""

_SHORT: Final = 16  # so few trips are sorted by putting each in its place


def gaps_before(people: People, start_us: Longs, end_us: Longs, rnd: Longs, missing: Longs) -> Longs:
    """The gap before each row in microseconds; unknown times are ``NO_TIME``, and what has no gap gets ``NO_GAP``.

    ``missing`` is one number for the empty fields of a row.
    """
    gaps = np.full(len(rnd), NO_GAP, np.int64)
    most = int(people.trips.max(initial=0))
    fill_gaps(people.order, people.starts, start_us, end_us, rnd, missing, most, gaps)
    return gaps


@nb.njit(**PASS)
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


@nb.njit(**PASS)
def sort_trips(  # noqa: PLR0917 -- plain arrays, compiled
    firsts: Longs, ends: Longs, rnds: Longs, missed: Longs, size: int, places: Longs, spare: Longs
) -> None:
    """Write the order of ``size`` trips into ``places``: n log n for any trips, linear for those in order."""
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


@nb.njit(**PASS)
def fill_gaps(  # noqa: PLR0917 -- plain arrays, compiled
    order: Longs,
    starts: Longs,
    start_us: Longs,
    end_us: Longs,
    rnd: Longs,
    missing: Longs,
    most: int,
    gaps: Longs,
) -> None:
    """Write the gap of each row that has one; ``most``: trips of the busiest person."""
    firsts, ends, rnds = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    missed, places, spare = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
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
            missed[i] = missing[row]
        sort_trips(firsts, ends, rnds, missed, size, places, spare)
        for i in range(1, size):
            row, before = order[begin + places[i]], ends[places[i - 1]]
            if start_us[row] != NO_TIME and before != NO_TIME:
                gaps[row] = start_us[row] - before
