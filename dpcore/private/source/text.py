"""Text fields: white space around them stripped, missing ones told from the rest."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits

Mask = NDArray[np.bool_]

MISSING: Final = ("", "NULL", "\\N")
"""What a missing field looks like, quoted or not. ``NA``, ``null``, ``None`` and ``nan`` are values."""

_SPACE: Final = 0x20
_DELETE: Final = 0x7F
_MISSING: Final = pa.array(MISSING, pa.string())


def is_missing(column: pa.Array) -> Mask:
    """Which values are null."""
    if column.null_count == 0:
        return np.zeros(len(column), np.bool_)
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False), np.bool_)


def mask_of(condition: pa.Array) -> Mask:
    """A condition as a mask; null counts as no."""
    return np.asarray(pc.fill_null(condition, fill_value=False).to_numpy(zero_copy_only=False), np.bool_)


def without(column: pa.Array, mask: Mask) -> pa.Array:
    """The values with null where the mask is set."""
    return pc.if_else(pa.array(mask), pa.scalar(None, column.type), column)


def with_missing(column: pa.Array) -> pa.Array:
    """The texts with null for every way in which a missing field is written."""
    return without(column, mask_of(pc.is_in(column, _MISSING)))


def stripped(column: pa.Array) -> pa.Array:
    """The texts without white space around them; what is then missing is null.

    The only normalisation of ids: ``007``, ``7`` and ``7.0`` stay three, ``NA`` and ``nan`` are words.
    """
    if not len(column):
        return column
    every = letters(column)
    # neither white space nor anything beyond ASCII anywhere: the usual case, told at the speed of memory
    if ((every > _SPACE) & (every < _DELETE)).all():
        return column
    return with_missing(pc.utf8_trim_whitespace(column))


def too_long(column: pa.Array) -> Mask | None:
    """Which texts are longer than ``limits.MAX_FIELD_CHARACTERS``; None if none is."""
    if longest_bytes(column) <= limits.MAX_FIELD_CHARACTERS:
        return None
    return mask_of(pc.greater(pc.utf8_length(column), limits.MAX_FIELD_CHARACTERS))


def letters(column: pa.Array) -> NDArray[np.uint8]:
    """The bytes of all texts, one after the other."""
    if not len(column):
        return np.zeros(0, np.uint8)
    offsets, data = _buffers(column)
    return data[offsets[0] : offsets[-1]]


def longest_bytes(column: pa.Array) -> int:
    """Bytes of the longest text; 0 where there is none."""
    return int(np.diff(_buffers(column)[0]).max()) if len(column) else 0


def _buffers(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Where each text begins and ends, and the bytes of all texts."""
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return starts, np.frombuffer(data or b"", np.uint8)
