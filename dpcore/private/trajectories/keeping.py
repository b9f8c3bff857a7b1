"""Bounding of trajectories: those of each person with the smallest ranks. The package proves what that is good for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.privacy import ContributionBound
from dpcore.private.siphash import hash_rows
from dpcore.private.synthesis.bounding import smallest_ranks
from dpcore.private.trajectories.entries import Entries
from dpcore.private.trajectories.positions import Positions

Integers = NDArray[np.int64]


def day_ranks(positions: Positions, key: bytes) -> Integers:
    """Ranks of days: a keyed hash of the day and of the smallest hash of its trips, with the person's id in it."""
    words = np.stack([positions.rank.view(np.uint64), positions.day.view(np.uint64)])
    return hash_rows(words, key).view(np.int64)


def kept(made: Entries, user: Integers, rank: Integers, bound: ContributionBound) -> Integers:
    """Numbers of the trajectories that count, ascending: with an entry, and at most M of each person.

    Args:
        made: all trajectories.
        user: person of each.
        rank: of each, by that person's rows alone.
        bound: M; None of it at trip level, where all count.

    """
    lengths = made.lengths
    rows = np.flatnonzero(lengths)
    if bound.max_trips is None:
        return rows
    # Of equal ranks, which are of equal trips but for a chance of 2**-64, any may be kept: they have equal entries.
    first = made.tile[np.searchsorted(made.whose, rows)]
    chosen = smallest_ranks(user[rows], rank[rows], [first, lengths[rows].astype(np.int32)], bound.max_trips)
    return rows[chosen]
