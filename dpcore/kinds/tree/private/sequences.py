"""The trajectories that a tree counts: from prepared trips to sequences of tile numbers, made, bounded and written out.

The package proves what the bounding ensures. An owner looks at ``trajectory_lengths`` before choosing a height and an
interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.tree.choices import Source, TreeChoices
from dpcore.kinds.tree.paths import Ending, Paths
from dpcore.kinds.tree.plan import MAX_HEIGHT
from dpcore.kinds.tree.private.entries import Entries, entries
from dpcore.kinds.tree.private.positions import Positions, positions_of_days, positions_of_trips, trip_rows
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounding_key, must_have_users
from dpcore.private.sealed import Sealed
from dpcore.private.siphash import hash_rows
from dpcore.private.synthetic.bounding import smallest_ranks
from dpcore.private.synthetic.reading import must_be_counted_on
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TileSequences:
    """Trajectory i is ``symbols[offsets[i]:offsets[i + 1]]``. Private.

    The contributions of each person were bounded before: at most M trajectories.
    """

    symbols: NDArray[np.int32]
    """Tile numbers from 0, repeated if somebody stayed."""
    offsets: NDArray[np.int64]
    """Where each trajectory begins, and the end of the last; shape ``(n + 1,)``."""

    def __post_init__(self) -> None:
        # A fault here is a fault of the program, so it is a ValueError without any value.
        ends = len(self.offsets) and self.offsets[0] == 0 and self.offsets[-1] == len(self.symbols)
        if not ends or bool((np.diff(self.offsets) < 0).any()):
            raise ValueError("offsets of trajectories rise from 0 to the number of symbols")

    @classmethod
    def of(cls, trajectories: Iterable[Sequence[int]]) -> TileSequences:
        """From lists of tile numbers; for small data."""
        listed = [np.asarray(one, np.int32) for one in trajectories]
        offsets = np.zeros(len(listed) + 1, np.int64)
        np.cumsum([len(one) for one in listed], out=offsets[1:])
        return cls(np.concatenate([np.zeros(0, np.int32), *listed]), offsets)

    def check(self, tiles: int) -> None:
        """Raise ValueError if a symbol is not a tile number below ``tiles``."""
        if len(self.symbols) and not 0 <= int(self.symbols.min()) <= int(self.symbols.max()) < tiles:
            raise ValueError("a trajectory holds a number that is not a tile")

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tiles of each trajectory."""
        return np.diff(self.offsets)

    def paths(self, height: int, tiles: int) -> Paths:
        """The exact paths that a tree of this height would hold without noise. Its answers are compared with them.

        Equal trajectories are one path with their number as weight. Empty ones are left out.
        """
        rows = np.flatnonzero(self.lengths)
        symbols = np.full((len(rows), height), -1, np.int32)
        for place in range(height):
            here = np.flatnonzero(self.lengths[rows] > place)
            symbols[here, place] = self.symbols[self.offsets[rows[here]] + place]
        ending = np.where(self.lengths[rows] > height, Ending.CUT, Ending.COMPLETE).astype(np.int8)
        return Paths(tiles, symbols, ending, np.ones(len(rows))).merged()


def day_ranks(positions: Positions, key: bytes) -> Integers:
    """Ranks of days: a keyed hash of the day and of the smallest hash of its trips, which covers the person's id."""
    words = np.stack([positions.rank.view(np.uint64), positions.day.view(np.uint64)])
    return hash_rows(words, key).view(np.int64)


def counting(made: Entries, user: Integers, rank: Integers, bound: ContributionBound, key: bytes) -> Integers:
    """Numbers of the trajectories that count, ascending: those with an entry in the at most M slots of each person.

    A trajectory without an entry keeps its slot. Otherwise another one would come in its place.

    Args:
        made: all trajectories.
        user: person of each trajectory.
        rank: rank of each, which depends on that person's rows alone.
        bound: M. At trip level there is no bound, and all trajectories count.
        key: 16 secret bytes.

    """
    lengths = made.lengths
    if bound.max_trips is None:
        return np.flatnonzero(lengths)
    ranks = _apart(user, rank, bound.max_trips, key)
    slots = smallest_ranks(user, ranks, [], bound.max_trips)
    return slots[lengths[slots] > 0]


def _apart(user: Integers, rank: Integers, most: int, key: bytes) -> Integers:
    """Ranks in which equal ones of a person, which belong to equal trips, differ: the second is hashed again, and so on.

    Which of equal trips is the second does not matter, because they have equal entries.
    """
    rows = np.flatnonzero((np.bincount(user, minlength=1) > most)[user])  # the others keep all
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


@dataclass(frozen=True, repr=False, eq=False)
class MadeTrajectories(Sealed):
    """Every trajectory that the trips give, before anybody is bounded, also those without an entry."""

    entries: Entries
    counted: NDArray[np.int64]
    """Numbers of those that count under the bound, ascending."""


def sequences_of(
    trips: PrivateTrips, tessellation: Tessellation, choices: TreeChoices, key: bytes
) -> TileSequences:
    """The trajectories that count, as the package defines them. Of one longer than the height, its first h + 1 entries.

    One person more changes at most M of them. One trip more takes at most one away and brings at most one.

    Numbers are positions in the ``tile_ids`` of the tessellation; the next number is outside, if that is a place. ``key``
    is the key with which the trips were prepared. Raises PrivacyError for tiles other than those of the trips, and for
    protecting people if there are no users.
    """
    made = made_trajectories(trips, tessellation, choices, key)
    return tile_sequences(made.entries.of(made.counted), choices.height)


def tile_sequences(made: Entries, height: int) -> TileSequences:
    """Trajectories as the tree reads them."""
    return TileSequences(*made.written_out(height + 1))


def made_trajectories(
    trips: PrivateTrips, tessellation: Tessellation, choices: TreeChoices, key: bytes
) -> MadeTrajectories:
    """All trajectories, and which of them count. Raises what ``sequences_of`` raises."""
    making, bound = choices.making, choices.bound
    must_be_counted_on(trips, tessellation)
    must_have_users(trips, bound)
    rows = trip_rows(trips, choices.period)
    if making.source is Source.TRIP:
        positions = positions_of_trips(rows, timed=making.minutes is not None)
        rank = positions.rank
    else:
        positions = positions_of_days(rows)
        rank = day_ranks(positions, key)
    found = entries(positions, making, len(tessellation.tile_ids))
    return MadeTrajectories(found, counting(found, positions.user, rank, bound, key))


@dataclass(frozen=True, repr=False, eq=False)
class TrajectoryLengths(Sealed):
    """Exact numbers of trajectories by length, for the owner only."""

    complete: NDArray[np.int64]
    """Number of counted trajectories with 0, 1, .. up to ``MAX_HEIGHT`` tiles; none has 0."""
    longer: int
    """Number of counted trajectories with more tiles."""
    empty: int
    """Number left out because nothing of them lies in a tile."""
    not_counted: int
    """Number left out by the bound on what one person adds."""

    @property
    def total(self) -> int:
        """Number of trajectories that count."""
        return int(self.complete.sum()) + self.longer

    def cut(self, height: int) -> float:
        """The share of the counted trajectories that a tree of this height, 0 to ``MAX_HEIGHT``, cuts; 0 without any."""
        beyond = int(self.complete[height + 1 :].sum()) + self.longer
        return beyond / self.total if self.total else 0.0


def trajectory_lengths(
    trips: PrivateTrips, tessellation: Tessellation, choices: TreeChoices
) -> TrajectoryLengths:
    """The exact lengths of the trajectories of some choices. Raises as ``sequences_of``. The height does not matter."""
    made = made_trajectories(trips, tessellation, choices, bounding_key())
    lengths = made.entries.lengths
    counted = np.bincount(np.minimum(lengths[made.counted], MAX_HEIGHT + 1), minlength=MAX_HEIGHT + 2)
    empty = int((lengths == 0).sum())
    return TrajectoryLengths(
        complete=counted[:-1],
        longer=int(counted[-1]),
        empty=empty,
        not_counted=len(lengths) - empty - len(made.counted),
    )
