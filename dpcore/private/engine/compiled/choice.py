"""Which rows count under a bound: the first M of each person by keyed hash, see ``dpcore.private.bounding``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numba as nb
import numpy as np
from numpy.typing import NDArray

from dpcore.private.engine.compiled.compiling import PASS
from dpcore.private.engine.compiled.people import Longs, People

Flags = NDArray[np.uint8]

_KEPT: Final = 1
_TIED: Final = 2


def kept_rows(
    people: People, rnd: Longs, max_trips: int, tie_columns: Callable[[Longs], Sequence[Longs]]
) -> Longs:
    """Rising numbers of the rows that count.

    ``tie_columns`` gives, for some rows, the columns by which trips of one hash are ordered, the first one first. It
    is asked only where the last place of a person goes to one of several trips with one hash.
    """
    flags, places = np.zeros(len(rnd), np.uint8), np.zeros(people.count, np.int64)
    if choose(people.order, people.starts, rnd, max_trips, flags, places):
        tied = people.order[flags[people.order] == _TIED]
        owners = np.repeat(np.arange(people.count), people.trips)[flags[people.order] == _TIED]
        order = np.lexsort((*reversed(tie_columns(tied)), owners))
        owners = owners[order]
        place = np.arange(len(owners)) - np.searchsorted(owners, owners)
        flags[tied[order[place < places[owners]]]] = _KEPT
    return np.flatnonzero(flags == _KEPT)


@nb.njit(**PASS)
def sift(heap: Longs, size: int, value: int) -> None:
    """Replace the largest of a heap by a smaller value."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = value


@nb.njit(**PASS)
def last_kept(order: Longs, begin: int, end: int, rnd: Longs, heap: Longs) -> int:
    """The M-th smallest hash of a person with more than M trips, M = length of the heap; n log M for any trips."""
    for i in range(len(heap)):
        heap[i] = np.iinfo(np.int64).max
    for i in range(begin, end):
        value = rnd[order[i]]
        if value < heap[0]:
            sift(heap, len(heap), value)
    return heap[0]


@nb.njit(**PASS)
def choose(  # noqa: PLR0917 -- plain arrays, compiled
    order: Longs, starts: Longs, rnd: Longs, max_trips: int, flags: Flags, places: Longs
) -> bool:
    """Flag the rows that count, and those that tie for the last ``places`` of their person; whether any tie."""
    heap = np.empty(max_trips, np.int64)
    ties = False
    for person in range(len(starts) - 1):
        begin, end = starts[person], starts[person + 1]
        last = np.iinfo(np.int64).max
        if end - begin > max_trips:
            last = last_kept(order, begin, end, rnd, heap)
        below = equal = 0
        for i in range(begin, end):
            value = rnd[order[i]]
            below += value < last
            equal += value == last
        tied = below + equal > max_trips
        for i in range(begin, end):
            value = rnd[order[i]]
            if value == last and tied:
                flags[order[i]] = _TIED
            elif value <= last:
                flags[order[i]] = _KEPT
        if tied:
            places[person] = max_trips - below
            ties = True
    return ties
