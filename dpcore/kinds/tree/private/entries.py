"""Positions become the entries of trajectories: sampled regularly or not, with outside handled and repeats removed.

The package says what an entry is. Entries are stored as runs, so that a month at a place costs no more than a minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.tree.choices import Making, Outside
from dpcore.kinds.tree.private.positions import Positions
from dpcore.private.sealed import Sealed

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

_MINUTE_US: Final = 60_000_000


@dataclass(frozen=True, repr=False, eq=False)
class Entries(Sealed):
    """Runs of equal entries, in order. Some trajectories may have none."""

    trajectories: int
    """Number of trajectories, with and without entries."""
    whose: Integers
    """Number of the trajectory of each run, ascending."""
    tile: NDArray[np.int32]
    """Tile number of each run."""
    times: Integers
    """Number of entries in each run, 1 or more."""

    @property
    def lengths(self) -> Integers:
        """Number of entries of each trajectory."""
        after = np.append(0, np.cumsum(self.times))
        edges = np.searchsorted(self.whose, np.arange(self.trajectories + 1))
        return np.diff(after[edges])

    def of(self, rows: Integers) -> Entries:
        """These trajectories alone, with new numbers. ``rows`` must ascend."""
        number = np.full(self.trajectories, -1)
        number[rows] = np.arange(len(rows))
        whose = number[self.whose]
        return _those(self, whose >= 0, trajectories=len(rows), whose=whose)

    def written_out(self, most: int) -> tuple[NDArray[np.int32], Integers]:
        """Tiles of all entries, and where each trajectory begins and the last one ends; at most ``most`` of each."""
        lengths = self.lengths
        before = np.cumsum(self.times) - self.times
        within = before - (np.cumsum(lengths) - lengths)[self.whose]
        times = np.clip(most - within, 0, self.times)
        return np.repeat(self.tile, times), np.append(0, np.cumsum(np.minimum(lengths, most)))


def entries(positions: Positions, making: Making, outside: int) -> Entries:
    """The entries of each trajectory. With an interval, positions need times.

    ``outside``: number of the place outside, if it is a place.
    """
    whose = np.repeat(np.arange(len(positions.sizes)), positions.sizes)
    found = Entries(len(positions.sizes), whose, positions.tile, np.ones(len(whose), np.int64))
    if making.minutes is not None:
        found = _last_entries(found, positions, making.minutes * _MINUTE_US)
    found = _outside(found, making.outside, outside)
    return found if making.minutes is not None else _moves(found)


def _last_entries(found: Entries, positions: Positions, step: int) -> Entries:
    """How often each position is the last one at a regular instant."""
    if positions.moment is None:
        raise ValueError("an interval needs times")
    begun = np.cumsum(positions.sizes) - positions.sizes
    since = positions.moment - positions.moment[begun][found.whose]
    number = -(-since // step)  # of the first instant that is not before the position
    following = np.append(number[1:], 0)
    last = begun + positions.sizes - 1
    following[last] = number[last] + 1
    times = following - number
    return _those(found, times > 0, times=times)


def _outside(found: Entries, rule: Outside, place: int) -> Entries:
    away = found.tile < 0
    if not away.any():
        return found
    if rule is Outside.PLACE:
        tile = np.where(away, np.int32(place), found.tile)
        return Entries(found.trajectories, found.whose, tile, found.times)
    if rule is Outside.LEAVE_OUT:
        return _those(found, ~away)
    ended = np.append(0, np.cumsum(away))  # number of runs outside before each run, in any trajectory
    begun = np.searchsorted(found.whose, found.whose)
    return _those(found, ended[1:] == ended[begun])


def _moves(found: Entries) -> Entries:
    """One entry for each move to another tile."""
    moved = np.ones(len(found.whose), np.bool_)
    moved[1:] = (np.diff(found.tile) != 0) | (np.diff(found.whose) != 0)
    return _those(found, moved)


def _those(
    found: Entries,
    keep: Mask,
    *,
    trajectories: int | None = None,
    whose: Integers | None = None,
    times: Integers | None = None,
) -> Entries:
    """Some runs, with other numbers if they are given."""
    return Entries(
        found.trajectories if trajectories is None else trajectories,
        (found.whose if whose is None else whose)[keep],
        found.tile[keep],
        (found.times if times is None else times)[keep],
    )
