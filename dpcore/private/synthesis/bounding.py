"""Contribution bounding of rows that are columns in memory: the M rows of each user with the smallest keyed hash.

The hash covers the user id and the row's own content, never the number of the row or any number that the presence of
somebody else could shift. So what is kept of a user depends on this user's rows alone (``dpcore.private.bounding``
explains why that matters). The choice is that of the compiled engine, which is held against the SQL that defines it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.engine.compiled.people import frozen, kept_rows, people
from dpcore.private.siphash import Words, hash_rows, hash_texts

_TOP_BIT: Final = np.uint64(2**63)


def smallest_hashes(
    users: pa.Array | Sequence[str], content: Sequence[Words], most: int, key: bytes
) -> NDArray[np.int64]:
    """Row numbers to keep, ascending: at most ``most`` rows of each user.

    Args:
        users: user id of each row, text, none missing.
        content: words of each row's own values, one array for each column.
        most: M, 1 or more.
        key: 16 secret bytes, the same for all data of an installation.

    """
    coded = pa.array(users, pa.large_string()).dictionary_encode()
    user = np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64)
    if len(user) == 0:
        return np.zeros(0, np.int64)
    rank = hash_rows(np.stack([hashed_texts(coded.dictionary, key)[user], *content]), key)
    # Rows of one user with one hash have one content, so it does not matter which of them comes first.
    # Ranks are signed: with the top bit turned over they stand in the order of the hashes.
    return smallest_ranks(user, (rank ^ _TOP_BIT).view(np.int64), [], most)


def smallest_ranks(
    users: NDArray[np.int64], ranks: NDArray[np.int64], content: Sequence[NDArray[np.int32]], most: int
) -> NDArray[np.int64]:
    """Row numbers to keep, ascending: the same for prepared trips, whose keyed hash was worked out when they were read.

    Args:
        users: number of each row's user; which number it is means nothing.
        ranks: keyed hash of each row with its user's id.
        content: columns that order rows of one hash; rows that are equal in them are equal to every table.
        most: M, 1 or more.

    """
    # Views: what the compiled passes read is frozen, and these arrays are not ours.
    ranks = frozen(np.ascontiguousarray(ranks).view())
    return kept_rows(
        people(np.asarray(users, np.int64).view(), None),
        ranks,
        most,
        lambda rows: [column[rows] for column in content],
    )


def hashed_texts(texts: pa.Array, key: bytes) -> Words:
    """Keyed hash of each text of an array of large strings without nulls."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return hash_texts(
        starts, np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8), key
    )
