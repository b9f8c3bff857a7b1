"""Contribution bounding of rows that are columns in memory: the M rows of each user with the smallest keyed hash.

The hash covers the user id and the row's own content. It never covers the number of the row, or any number that the presence
of somebody else could shift. So which rows of a user count depends on this user's rows alone (``dpcore.private.bounding``
explains why that matters). The code is that of the compiled engine, which is tested against the SQL that defines it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def smallest_ranks(
    users: NDArray[np.int64], ranks: NDArray[np.int64], content: Sequence[NDArray[np.int32]], most: int
) -> NDArray[np.int64]:
    """Row numbers to keep, ascending, at most ``most`` for each user. The keyed hashes were computed when trips were read.

    Args:
        users: number of each row's user. The number itself has no meaning.
        ranks: keyed hash of each row with its user's id.
        content: columns that order rows with equal hashes. Rows that are equal in them are equal for every table.
        most: M, 1 or more.

    """
    from dpcore.private.engine.compiled.people import (  # noqa: PLC0415 - numba takes long to load, and few releases need it
        frozen,
        kept_rows,
        people,
    )

    # Views, because the compiled passes make their arrays read-only, and these arrays belong to the caller.
    ranks = frozen(np.ascontiguousarray(ranks).view())
    return kept_rows(
        people(np.asarray(users, np.int64).view(), None),
        ranks,
        most,
        lambda rows: [column[rows] for column in content],
    )
