"""Whole numbers as few bytes: small ones, of either sign, take one byte, larger ones two and more.

Sign first (zigzag: 0, -1, 1, -2 become 0, 1, 2, 3), then seven bits a byte, the lowest first; a byte of 128 or more says
that another follows.

Source: Protocol Buffers, "Encoding" (base 128 varints, ZigZag).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

_MOST: Final = 2**52
"""Larger numbers a browser would round."""


def varints(numbers: Integers) -> bytes:
    """The numbers one after another; raises ValueError for one that a browser could not hold exactly."""
    flat = np.ascontiguousarray(numbers, np.int64).ravel()
    if flat.size and not (flat.min() > -_MOST and flat.max() < _MOST):
        raise ValueError("a number is too large for a browser")
    left = ((flat << 1) ^ (flat >> 63)).astype(np.uint64)
    lengths = np.ones(len(left), np.int64)
    limit = 128
    while (longer := left >= limit).any():
        lengths += longer
        limit *= 128
    ends = np.cumsum(lengths)
    found = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    at = ends - lengths
    while len(left):
        more = left >= 128
        found[at] = (left & 127).astype(np.uint8) | (more.astype(np.uint8) << 7)
        left, at = left[more] >> np.uint64(7), at[more] + 1
    return found.tobytes()


def steps(numbers: Integers) -> Integers:
    """Each number less the one before it (the first less 0), along the first axis."""
    return np.diff(numbers, axis=0, prepend=np.zeros((1, *numbers.shape[1:]), np.int64))
