"""The loop that looks up ids of users in an open-addressing table: see ``user_table``."""

# ruff: noqa: PLR0917 - compiled code takes its arrays one by one

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from dpcore.private.siphash import Words


@nb.njit(nogil=True, cache=True)
def added(  # noqa: C901 - one loop, as fast as it can be
    row: int,
    hashes: Words,
    starts: NDArray[np.int64],
    text: NDArray[np.uint8],
    known: NDArray[np.bool_],
    slots: NDArray[np.uint64],
    own: Words,
    ends: NDArray[np.int64],
    arena: NDArray[np.uint8],
    state: NDArray[np.int64],
) -> int:
    """Look up rows from ``row`` on: the first that needs more room, their number at the end, -1 for a shared hash.

    A slot holds a hash, then the place of the text in the arena and its length + 1, which has 20 bits: a text is far
    shorter, see ``limits.MAX_FIELD_CHARACTERS``.
    """
    last = np.uint64(len(slots) - 1)
    bits = np.uint64(20)
    size_of = np.uint64(2**20 - 1)
    for i in range(row, len(hashes)):
        if not known[i]:
            continue
        own_hash, begin = hashes[i], starts[i]
        size = starts[i + 1] - begin
        slot = own_hash & last
        while True:
            held = slots[slot, 1]
            if held == 0:
                count, used = state[0], state[1]
                if count == len(own) or used + size > len(arena):
                    return i
                for b in range(size):
                    arena[used + b] = text[begin + b]
                slots[slot, 0] = own_hash
                slots[slot, 1] = (np.uint64(used) << bits) | np.uint64(size + 1)
                own[count] = own_hash
                ends[count] = used + size
                state[0], state[1] = count + 1, used + size
                break
            if slots[slot, 0] == own_hash:
                place = np.int64(held >> bits)
                if np.int64(held & size_of) != size + 1:
                    return -1
                for b in range(size):
                    if arena[place + b] != text[begin + b]:
                        return -1
                break
            slot = (slot + np.uint64(1)) & last
    return len(hashes)


@nb.njit(nogil=True, cache=True)
def move(old: NDArray[np.uint64], new: NDArray[np.uint64]) -> None:
    """Put all that a table holds into an empty one."""
    last = np.uint64(len(new) - 1)
    for i in range(len(old)):
        if old[i, 1] != 0:
            slot = old[i, 0] & last
            while new[slot, 1] != 0:
                slot = (slot + np.uint64(1)) & last
            new[slot, 0] = old[i, 0]
            new[slot, 1] = old[i, 1]
