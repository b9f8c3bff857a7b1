"""Columns of stored rows, and which bucket a row belongs to."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.prepare import PREPARED
from dpcore.private.source.extras import ROLE

VERSION: Final = "7"
"""Of prepared and stored rows: raise it when reading, preparing or storing gives other rows or other files."""

STORED: Final = PREPARED.set(0, pa.field("user_id", pa.int64()))
"""``PREPARED`` with the keyed hash of the id's text as ``user_id``; null where the form has no users."""

BUCKETS: Final = 256
"""Groups of people that rows are ordered by."""

TILES_A_ROW: Final = 16
"""So many tiles on the ways of trips take at most the room of one row without any, stored and while they are counted."""

_TOP: Final = np.uint64(56)


def extra_columns(extras: tuple[str, ...]) -> list[pa.Field]:
    """The columns that stored rows have for some attributes: text, null where a trip has none."""
    return [pa.field(ROLE + name, pa.string()) for name in extras]


def user_key(key: bytes) -> bytes:
    """The key under which ids of users are hashed, derived from the bounding key for this purpose alone."""
    return blake2b(b"user ids of stored rows", key=key, digest_size=16).digest()


def buckets_of(batch: pa.RecordBatch) -> NDArray[np.uint8]:
    """The bucket of each row: the top 8 bits of the user's hash, or of ``rnd`` where there is no user."""
    users = batch["user_id"]
    if users.null_count == len(users):
        return _top(batch["rnd"].to_numpy())
    if not users.null_count:
        return _top(users.to_numpy())
    known = users.is_valid().to_numpy(zero_copy_only=False)
    return np.where(known, _top(users.fill_null(0).to_numpy()), _top(batch["rnd"].to_numpy()))


def sizes(rows: NDArray[np.int64], tiles: NDArray[np.int64]) -> NDArray[np.int64]:
    """The room that rows take with the tiles on their ways, in rows without any."""
    return rows + tiles // TILES_A_ROW


def _top(words: NDArray[np.int64]) -> NDArray[np.uint8]:
    return (words.view(np.uint64) >> _TOP).astype(np.uint8)
