"""The loops of SipHash-2-4, compiled by numba. Plain arrays in, plain arrays out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.loops import loop

Word = np.uint64
Words = NDArray[np.uint64]
State = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@loop
def _rotate(v: Word, bits: int) -> Word:
    return (v << np.uint64(bits)) | (v >> np.uint64(64 - bits))


@loop
def _round(v0: Word, v1: Word, v2: Word, v3: Word) -> State:
    v0 += v1
    v1 = _rotate(v1, 13) ^ v0
    v0 = _rotate(v0, 32)
    v2 += v3
    v3 = _rotate(v3, 16) ^ v2
    v0 += v3
    v3 = _rotate(v3, 21) ^ v0
    v2 += v1
    v1 = _rotate(v1, 17) ^ v2
    v2 = _rotate(v2, 32)
    return v0, v1, v2, v3


@loop
def _start(k0: Word, k1: Word) -> State:
    return (
        k0 ^ np.uint64(0x736F6D6570736575),
        k1 ^ np.uint64(0x646F72616E646F6D),
        k0 ^ np.uint64(0x6C7967656E657261),
        k1 ^ np.uint64(0x7465646279746573),
    )


@loop
def _absorb(v0: Word, v1: Word, v2: Word, v3: Word, word: Word) -> State:
    v3 ^= word
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ word, v1, v2, v3


@loop
def _finish(v0: Word, v1: Word, v2: Word, v3: Word) -> Word:
    v2 ^= np.uint64(0xFF)
    for _ in range(4):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@loop
def fill_rows(words: Words, k0: Word, k1: Word, out: Words) -> None:
    """Write the hash of each column of ``words``."""
    columns, rows = words.shape
    length = np.uint64((columns * 8) & 255) << np.uint64(56)
    for i in range(rows):
        v0, v1, v2, v3 = _start(k0, k1)
        for j in range(columns):
            v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, words[j, i])
        v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, length)
        out[i] = _finish(v0, v1, v2, v3)


@loop
def fill_texts(offsets: NDArray[np.int64], data: NDArray[np.uint8], k0: Word, k1: Word, out: Words) -> None:
    """Write the hash of each text."""
    for i in range(len(out)):
        begin, end = offsets[i], offsets[i + 1]
        size = end - begin
        v0, v1, v2, v3 = _start(k0, k1)
        whole = begin + size // 8 * 8
        at = begin
        while at < whole:
            word = np.uint64(0)
            for b in range(8):
                word |= np.uint64(data[at + b]) << np.uint64(8 * b)
            v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, word)
            at += 8
        word = np.uint64(size & 255) << np.uint64(56)
        for b in range(end - at):
            word |= np.uint64(data[at + b]) << np.uint64(8 * b)
        v0, v1, v2, v3 = _absorb(v0, v1, v2, v3, word)
        out[i] = _finish(v0, v1, v2, v3)
