"""The rows of a shard as plain arrays, person by person, and which of them count under a bound.

Under a bound the first M trips of each person by keyed hash count, see ``dpcore.private.bounding``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.loops import loop
from dpcore.private.sealed import Sealed

Flags = NDArray[np.bool_]
Longs = NDArray[np.int64]
Marks = NDArray[np.uint8]


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """The same array, read-only. All arrays of compiled passes are, because each other mixture would be compiled anew."""
    values.flags.writeable = False
    return values


class Columns(Sealed):
    """The columns of a table, each of which has at most one chunk."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self._table.num_rows)

    def arrow(self, name: str) -> pa.Array:
        """A column as it is stored."""
        column = self._table[name]
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()

    def known(self, name: str) -> Flags | None:
        """Which rows are known; None if all are."""
        column = self.arrow(name)
        if not column.null_count:
            return None
        return frozen(column.is_valid().to_numpy(zero_copy_only=False))

    def filled(self, name: str, unknown: int) -> NDArray[Any]:
        """A column of whole numbers, with a given number in place of unknown values."""
        column = self.arrow(name)
        values = np.frombuffer(column.buffers()[1] or b"", column.type.to_pandas_dtype())
        values = values[column.offset : column.offset + len(column)]
        known = self.known(name)
        return frozen(values if known is None else np.where(known, values, values.dtype.type(unknown)))

    def flags(self, name: str) -> Flags:
        """A column of truth values; unknown becomes false."""
        column = self.arrow(name)
        if column.null_count:
            column = column.fill_null(False)
        return frozen(column.to_numpy(zero_copy_only=False))


@dataclass(frozen=True, repr=False, eq=False)
class People(Sealed):
    """The row numbers of all known people, one person after another. Rows without a user are not among them."""

    order: Longs
    """Row numbers, rising within each person."""
    starts: Longs
    """Where each person begins in ``order``, then where the last person ends."""

    @property
    def count(self) -> int:
        """Number of people."""
        return len(self.starts) - 1

    @property
    def trips(self) -> Longs:
        """Number of trips of each person."""
        return np.diff(self.starts)


def people(users: Longs, known: Flags | None) -> People:
    """Rows by person, from the hash of each row's user.

    It sorts whole numbers that hold the top of a hash and a row number, which is several times faster than sorting row
    numbers by their hashes. If two people share the top, the hashes themselves are sorted: only time is lost.
    """
    rows = None if known is None else np.flatnonzero(known)
    hashes = frozen(users if rows is None else users[rows])
    n = len(hashes)
    order, starts = np.empty(n, np.int64), np.empty(n + 1, np.int64)
    count = -1
    if n:
        low, high = int(hashes.min()), int(hashes.max())
        bits = n.bit_length()
        drop = max(0, (high - low).bit_length() + bits - 64)
        tops = (hashes.view(np.uint64) - np.uint64(low % 2**64)) >> np.uint64(drop)
        keys = (tops << np.uint64(bits)) | np.arange(n, dtype=np.uint64)
        keys.sort()
        count = number_of_people(keys, np.uint64(2**bits - 1), np.uint64(bits), hashes, order, starts)
    if count < 0:
        order = np.argsort(hashes, kind="stable")
        begins = np.flatnonzero(np.diff(hashes[order])) + 1
        starts = np.concatenate([[0], begins, [n]]) if n else np.zeros(1, np.int64)
        count = len(starts) - 1
    starts = starts[: count + 1].copy()
    return People(order if rows is None else rows[order], starts)


@loop
def number_of_people(  # noqa: PLR0917 -- plain arrays, compiled
    keys: NDArray[np.uint64], low: np.uint64, bits: np.uint64, hashes: Longs, order: Longs, starts: Longs
) -> int:
    """How many people sorted keys are of, with their row numbers and beginnings filled in; -1 if two share the top of a hash."""
    count = 0
    for i in range(len(keys)):
        row = np.int64(keys[i] & low)
        order[i] = row
        if i == 0 or hashes[row] != hashes[order[i - 1]]:
            if i > 0 and keys[i] >> bits == keys[i - 1] >> bits:
                return -1
            starts[count] = i
            count += 1
    starts[count] = len(keys)
    return count


_KEPT: Final = 1
_TIED: Final = 2


def kept_rows(
    people: People, rnd: Longs, max_trips: int, tie_columns: Callable[[Longs], Sequence[NDArray[Any]]]
) -> Longs:
    """Rising numbers of the rows that count.

    ``tie_columns`` gives, for some rows, the columns that order trips with the same hash, the most important first. It is
    called only if the last place of a person goes to one of several trips with the same hash.
    """
    flags, places = np.zeros(len(rnd), np.uint8), np.zeros(people.count, np.int64)
    if choose(people.order, people.starts, rnd, max_trips, flags, places, np.empty(max_trips, np.int64)):
        tied = people.order[flags[people.order] == _TIED]
        owners = np.repeat(np.arange(people.count), people.trips)[flags[people.order] == _TIED]
        order = np.lexsort((*reversed(tie_columns(tied)), owners))
        owners = owners[order]
        place = np.arange(len(owners)) - np.searchsorted(owners, owners)
        flags[tied[order[place < places[owners]]]] = _KEPT
    return np.flatnonzero(flags == _KEPT)


@loop
def sift(heap: Longs, size: int, value: int) -> None:
    """Replace the largest number of a heap by a smaller one."""
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


@loop
def last_kept(order: Longs, begin: int, end: int, rnd: Longs, heap: Longs) -> int:
    """The M-th smallest hash of a person with more than M trips; M is the length of the heap. It takes n log M."""
    for i in range(len(heap)):
        heap[i] = np.iinfo(np.int64).max
    for i in range(begin, end):
        value = rnd[order[i]]
        if value < heap[0]:
            sift(heap, len(heap), value)
    return heap[0]


@loop
def choose(  # noqa: PLR0917 -- plain arrays, compiled
    order: Longs, starts: Longs, rnd: Longs, max_trips: int, flags: Marks, places: Longs, heap: Longs
) -> bool:
    """Flag the rows that count, and those that tie for the last ``places`` of their person. Returns whether any tie."""
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
