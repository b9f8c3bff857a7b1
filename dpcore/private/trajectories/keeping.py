"""Bounding of trajectories: the slots of each person with the smallest ranks. The package proves what that is good for."""

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


def kept(made: Entries, user: Integers, rank: Integers, bound: ContributionBound, key: bytes) -> Integers:
    """Numbers of the trajectories that count, ascending: those with an entry in the at most M slots of each person.

    A trajectory without an entry keeps its slot: otherwise another one would come where somebody's ends at once.

    Args:
        made: all trajectories.
        user: person of each.
        rank: of each, by that person's rows alone.
        bound: M; None of it at trip level, where all count.
        key: 16 secret bytes.

    """
    lengths = made.lengths
    if bound.max_trips is None:
        return np.flatnonzero(lengths)
    ranks = _apart(user, rank, bound.max_trips, key)
    slots = smallest_ranks(user, ranks, [], bound.max_trips)
    return slots[lengths[slots] > 0]


def _apart(user: Integers, rank: Integers, most: int, key: bytes) -> Integers:
    """Ranks in which equal ones of a person, which are of equal trips, are apart: the second is hashed again, and so on.

    Which of equal trips is the second does not matter: they have equal entries.
    """
    rows = np.flatnonzero((np.bincount(user, minlength=1) > most)[user])  # of the others all are kept
    order = rows[np.lexsort((rank[rows], user[rows]))]
    if not len(order):
        return rank
    begins = np.append(True, (np.diff(user[order]) != 0) | (np.diff(rank[order]) != 0))
    place = np.arange(len(order))
    number = place - np.maximum.accumulate(np.where(begins, place, 0))
    again, found = order[number > 0], rank.copy()
    words = np.stack([rank[again].view(np.uint64), number[number > 0].astype(np.uint64)])
    found[again] = hash_rows(words, key).view(np.int64)
    return found
