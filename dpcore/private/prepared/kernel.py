"""The loops of prepared rows, compiled by numba: the table of users, and checksums. Plain arrays in, plain arrays out."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.loops import byte_at, loop, word_at
from dpcore.private.siphash import Words

AHEAD: Final = 64
"""Rows that are looked up together."""


@loop
def add_rows(  # noqa: C901, PLR0917 - one loop, as fast as it can be; compiled code takes its arrays one by one
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
    ahead: NDArray[np.int64],
    touched: NDArray[np.uint8],
) -> int:
    """Look up rows from ``row`` on. Returns the first row that needs more room; their number at the end; -1 for a shared hash.

    A slot holds a hash, then the place of the text in the arena and its length + 1, which has 20 bits. A text is much
    shorter, see ``limits.MAX_FIELD_CHARACTERS``.
    """
    last = np.uint64(len(slots) - 1)
    bits = np.uint64(20)
    size_of = np.uint64(2**20 - 1)
    for i in range(row, len(hashes)):
        if (i - row) % AHEAD == 0:
            fetch(hashes, i, slots, arena, ahead, touched)
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


@loop
def fetch(  # noqa: PLR0917 - as above
    hashes: Words,
    begin: int,
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    ahead: NDArray[np.int64],
    touched: NDArray[np.uint8],
) -> None:
    """Touch the slots and the texts of some rows, all slots before all texts, so that the waits for memory overlap."""
    last = np.uint64(len(slots) - 1)
    many = min(AHEAD, len(hashes) - begin)
    for i in range(many):
        slot = hashes[begin + i] & last
        ahead[i] = np.int64(slots[slot, 1] >> np.uint64(20))
    for i in range(many):
        touched[i] = arena[min(ahead[i], len(arena) - 1)]


@loop
def move(old: NDArray[np.uint64], new: NDArray[np.uint64]) -> None:
    """Copy all entries of a table into an empty one."""
    last = np.uint64(len(new) - 1)
    for i in range(len(old)):
        if old[i, 1] != 0:
            slot = old[i, 0] & last
            while new[slot, 1] != 0:
                slot = (slot + np.uint64(1)) & last
            new[slot, 0] = old[i, 0]
            new[slot, 1] = old[i, 1]


@loop
def fill_checksums(starts: Words, sizes: NDArray[np.int64], columns: NDArray[np.int64], sums: Words) -> None:
    """Add the bytes at some addresses to the checksums of their columns, in order."""
    for i in range(len(starts)):
        sums[columns[i]] = checksum(starts[i], sizes[i], sums[columns[i]])


@loop
def checksum(start: np.uint64, size: int, total: np.uint64) -> np.uint64:
    """The checksum of some bytes, eight at a time. Every step is one-to-one in its word, so that no single damaged word goes unnoticed."""
    prime, word = np.uint64(0x9E3779B97F4A7C15), np.uint64(8)
    one, two, three, four = total, total + prime, total ^ prime, ~total
    words = size // 8
    whole = words // 4 * 4
    for i in range(0, whole, 4):
        at = start + np.uint64(i) * word
        one = (one ^ word_at(at)) * prime
        two = (two ^ word_at(at + word)) * prime
        three = (three ^ word_at(at + np.uint64(16))) * prime
        four = (four ^ word_at(at + np.uint64(24))) * prime
        one ^= one >> np.uint64(29)
        two ^= two >> np.uint64(29)
        three ^= three >> np.uint64(29)
        four ^= four >> np.uint64(29)
    for i in range(whole, words):
        one = (one ^ word_at(start + np.uint64(i) * word)) * prime
        one ^= one >> np.uint64(29)
    for i in range(words * 8, size):
        one = (one ^ byte_at(start + np.uint64(i))) * prime
    for lane in (two, three, four):
        one = (one ^ lane) * prime
        one ^= one >> np.uint64(29)
    return one ^ np.uint64(size)
