"""The rows of a shard, person by person."""

from __future__ import annotations

from dataclasses import dataclass

import numba as nb
import numpy as np
from numpy.typing import NDArray

from dpcore.private.engine.compiled.columns import frozen
from dpcore.private.engine.compiled.compiling import PASS
from dpcore.private.sealed import Sealed

Longs = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class People(Sealed):
    """Row numbers of everybody who is known, one person after another; rows without a user are not among them."""

    order: Longs
    """Row numbers; those of one person rise."""
    starts: Longs
    """Where each person begins in ``order``, then where the last one ends."""

    @property
    def count(self) -> int:
        """How many people there are."""
        return len(self.starts) - 1

    @property
    def trips(self) -> Longs:
        """Trips of each."""
        return np.diff(self.starts)


def people(users: Longs, known: NDArray[np.bool_] | None) -> People:
    """Rows by person, from the hash of each row's user.

    Sorting whole numbers that hold the top of a hash and a row number is several times faster than sorting row numbers
    by their hashes. Should two people share the top, then nothing is lost but time: the hashes themselves are sorted.
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
        count = grouped(keys, np.uint64(2**bits - 1), np.uint64(bits), hashes, order, starts)
    if count < 0:
        order = np.argsort(hashes, kind="stable")
        begins = np.flatnonzero(np.diff(hashes[order])) + 1
        starts = np.concatenate([[0], begins, [n]]) if n else np.zeros(1, np.int64)
        count = len(starts) - 1
    starts = starts[: count + 1].copy()
    return People(order if rows is None else rows[order], starts)


@nb.njit(**PASS)
def grouped(  # noqa: PLR0917 -- plain arrays, compiled
    keys: NDArray[np.uint64], low: np.uint64, bits: np.uint64, hashes: Longs, order: Longs, starts: Longs
) -> int:
    """Take sorted keys apart into row numbers and beginnings of people; -1 where two people share the top of a hash."""
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
