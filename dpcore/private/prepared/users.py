"""UserTable: the texts of all users so far, found by their keyed hash and compared in full.

All later steps tell users apart by a hash of 64 bits, so two ids with one hash must never pass. Every id is compared with
the text that its hash stands for. Texts are compared only here.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from dpcore.errors import InputError
from dpcore.private.sealed import Sealed
from dpcore.private.siphash import hash_texts

_ALL: Final = 2**64 - 1
_MANY: Final = 2**17


class SharedHashError(Exception):
    """Two ids have one hash. The error holds no id."""


class UserTable(Sealed):
    """Distinct users: an open-addressing table over one arena of texts. It grows with users, not with trips."""

    __slots__ = ("_arena", "_ends", "_hashes", "_key", "_mask", "_slots", "_state")

    def __init__(self, key: bytes, mask: int = _ALL) -> None:
        """A table without users. ``mask``: bits of the hash that count. Only tests use fewer than all, to make hashes equal."""
        self._key, self._mask = key, np.uint64(mask)
        self._slots = np.zeros((2**12, 2), np.uint64)  # hash; place in the arena and length + 1, or 0
        self._hashes, self._ends = np.zeros(2**11, np.uint64), np.zeros(2**11, np.int64)
        self._arena = np.zeros(2**15, np.uint8)
        self._state = np.zeros(2, np.int64)  # users, bytes of the arena in use

    @property
    def count(self) -> int:
        """Number of different users."""
        return int(self._state[0])

    def hashes(self, ids: pa.StringArray) -> pa.Array:
        """The hash of each id, int64; null for null. New ids are added.

        Raises SharedHashError if two different ids, now or before, have one hash.
        """
        from dpcore.private.prepared.kernel import AHEAD, add_rows  # noqa: PLC0415 - numba takes long to load, and known trips need no table

        if not len(ids) or ids.null_count == len(ids):
            return pa.nulls(len(ids), pa.int64())
        _, offsets, data = ids.buffers()
        starts = np.frombuffer(offsets, np.int32)[ids.offset : ids.offset + len(ids) + 1].astype(np.int64)
        text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
        known = np.ones(len(ids), np.bool_)
        if ids.null_count:
            known = ids.is_valid().to_numpy(zero_copy_only=False)
        hashes = hash_texts(starts, text, self._key) & self._mask
        spare, row = (np.empty(AHEAD, np.int64), np.empty(AHEAD, np.uint8)), 0
        while (
            row := add_rows(
                *(row, hashes, starts, text, known),
                *(self._slots, self._hashes, self._ends, self._arena, self._state, *spare),
            )
        ) < len(ids):
            if row < 0:
                raise SharedHashError
            self._grow(int(starts[row + 1] - starts[row]))
        return pa.array(hashes.view(np.int64), mask=None if known.all() else ~known)

    def users(self, rows: int) -> list[pa.RecordBatch]:
        """Hash and text of every user, in order of appearance, ``rows`` in each batch."""
        count, used = self.count, int(self._state[1])
        ends = np.append(0, self._ends[:count])
        hashes, text = self._hashes[:count].view(np.int64), self._arena[:used]
        batches = []
        for begin in range(0, count, rows):
            end = min(begin + rows, count)
            own = (ends[begin : end + 1] - ends[begin]).astype(np.int32)
            texts = pa.StringArray.from_buffers(
                end - begin, pa.py_buffer(own), pa.py_buffer(text[ends[begin] : ends[end]])
            )
            batches.append(pa.record_batch([pa.array(hashes[begin:end]), texts], schema=USERS))
        return batches

    def _grow(self, size: int) -> None:
        """Make room for one more text of at least ``size`` bytes."""
        from dpcore.private.prepared.kernel import move  # noqa: PLC0415 - as above

        count, used = self.count, int(self._state[1])
        if used + size > len(self._arena):
            self._arena = np.append(self._arena, np.zeros(max(len(self._arena), size), np.uint8))
        if count == len(self._hashes):
            more = (
                8 if count < _MANY else 2
            )  # to move all entries takes time, and a table that is too large takes memory
            self._hashes = np.append(self._hashes, np.zeros((more - 1) * count, np.uint64))
            self._ends = np.append(self._ends, np.zeros((more - 1) * count, np.int64))
            slots = np.zeros((more * len(self._slots), 2), np.uint64)
            move(self._slots, slots)
            self._slots = slots


USERS: Final = pa.schema([("user_id", pa.int64()), ("text", pa.string())])
"""Columns of the users of a part."""


def shared_hash(where: str) -> InputError:
    """The refusal of two ids that cannot be told apart."""
    return InputError(
        "two ids of users have the same keyed hash",
        where,
        "Set EPSILON_ATLAS_HOME to another folder, which gets another key. This is as rare as it sounds.",
    )
