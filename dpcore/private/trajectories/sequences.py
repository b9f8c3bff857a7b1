"""The trajectories that a tree counts, from prepared trips to tile numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.of_trips import must_be_counted_on, must_have_users
from dpcore.private.trajectories.entries import Entries, entries
from dpcore.private.trajectories.keeping import day_ranks, kept
from dpcore.private.trajectories.positions import positions_of_days, positions_of_trips, trip_rows
from dpcore.private.tree.sequences import TileSequences
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import Source, TreeChoices


@dataclass(frozen=True, repr=False, eq=False)
class MadeTrajectories(Sealed):
    """Every trajectory that the trips give, before anybody is bounded; those without an entry too."""

    entries: Entries
    counted: NDArray[np.int64]
    """Numbers of those that count under the bound, ascending."""


def sequences_of(
    trips: PrivateTrips, tessellation: Tessellation, choices: TreeChoices, key: bytes
) -> TileSequences:
    """The trajectories that count, as the package defines them; of one longer than the height its first h + 1 entries.

    A person more changes at most M of them; a trip more takes at most one away and brings at most one.

    Args:
        trips: prepared trips.
        tessellation: the tiles that they were assigned to; numbers are places in its ``tile_ids``, and one more is
            outside, where that is a place.
        choices: source, interval, outside, height, bound and period.
        key: 16 secret bytes, those with which the trips were prepared.

    Raises:
        PrivacyError: other tiles, or people to be protected where there are no users.

    """
    made = made_trajectories(trips, tessellation, choices, key)
    return tile_sequences(made.entries.of(made.counted), choices.height)


def tile_sequences(made: Entries, height: int) -> TileSequences:
    """Trajectories as the tree reads them."""
    return TileSequences(*made.written_out(height + 1))


def made_trajectories(
    trips: PrivateTrips, tessellation: Tessellation, choices: TreeChoices, key: bytes
) -> MadeTrajectories:
    """All trajectories, and which of them count; raises what ``sequences_of`` raises."""
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
    return MadeTrajectories(found, kept(found, positions.user, rank, bound, key))
