"""How long trajectories are: what an owner looks at before choosing a height and an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.private.bounding import bounding_key
from dpcore.private.sealed import Sealed
from dpcore.private.trajectories.sequences import made_trajectories
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.plan import MAX_HEIGHT


@dataclass(frozen=True, repr=False, eq=False)
class TrajectoryLengths(Sealed):
    """Exact numbers of trajectories by length, for the owner only."""

    complete: NDArray[np.int64]
    """Trajectories that count, of 0, 1, .. up to ``MAX_HEIGHT`` tiles; none has 0."""
    longer: int
    """Of more tiles."""
    empty: int
    """Left out: nothing of them lies in a tile."""
    not_counted: int
    """Left out by the bound on what one person adds."""

    @property
    def total(self) -> int:
        """Trajectories that count."""
        return int(self.complete.sum()) + self.longer

    def cut(self, height: int) -> float:
        """The share of those that count which a tree of this height, 0 to ``MAX_HEIGHT``, cuts; 0 without any."""
        beyond = int(self.complete[height + 1 :].sum()) + self.longer
        return beyond / self.total if self.total else 0.0


def trajectory_lengths(
    trips: PrivateTrips, tessellation: Tessellation, choices: TreeChoices
) -> TrajectoryLengths:
    """The exact lengths of the trajectories that choices make; the height does not matter. Never a release.

    Raises:
        PrivacyError: other tiles, or people to be protected where there are no users.

    """
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
