"""SipHash-2-4 (Aumasson and Bernstein 2012) over columns: a keyed hash as fast as reading.

64-bit words are little-endian. The top byte of the last word holds the length in bytes modulo 256.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


def key_words(key: bytes) -> tuple[np.uint64, np.uint64]:
    """The two words of a 16-byte key. ValueError for another length."""
    if len(key) != 16:
        raise ValueError("a SipHash key has 16 bytes")
    low, high = np.frombuffer(key, "<u8")
    return np.uint64(low), np.uint64(high)


def hash_rows(words: Words, key: bytes) -> Words:
    """SipHash-2-4 of each column of ``words`` (shape: words of a message, messages)."""
    from dpcore.private.siphash_kernel import fill_rows  # noqa: PLC0415 - numba takes long to load, and known trips need no hash

    out = np.empty(words.shape[1], np.uint64)
    fill_rows(np.ascontiguousarray(words), *key_words(key), out)
    return out


def hash_columns(columns: Sequence[Words], key: bytes) -> Words:
    """``hash_rows`` of messages whose words stand in columns."""
    blocks = range(0, len(columns[0]), _BLOCK)
    return np.concatenate(
        [
            np.empty(0, np.uint64),
            *(hash_rows(np.stack([one[begin : begin + _BLOCK] for one in columns]), key) for begin in blocks),
        ]
    )


_BLOCK: Final = 8_192
"""Messages that are put together at a time, so that they stay in the cache of the processor."""


def hash_texts(offsets: NDArray[np.int64], data: NDArray[np.uint8], key: bytes) -> Words:
    """SipHash-2-4 of each text; text i is ``data[offsets[i]:offsets[i + 1]]``, UTF-8 bytes."""
    from dpcore.private.siphash_kernel import fill_texts  # noqa: PLC0415 - as above

    out = np.empty(len(offsets) - 1, np.uint64)
    fill_texts(offsets, data, *key_words(key), out)
    return out
