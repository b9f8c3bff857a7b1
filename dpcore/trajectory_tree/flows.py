"""Where trajectories begin and end, how long they are, and from which tile they go to which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.paths import Ending, Paths, added

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Flows:
    """Counts of pairs of tiles; pairs that do not occur are left out. Ascending by origin, then destination."""

    origin: NDArray[np.int64]
    destination: NDArray[np.int64]
    count: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """How many trajectories have how many tiles."""

    complete: Floats
    """Of 0, 1, ... up to height tiles, shape ``(height + 1,)``; none has 0."""
    longer: float
    """Cut: more tiles than the height."""
    unknown: Floats
    """Of at least so many tiles, shape ``(height + 1,)``."""


def starts(paths: Paths) -> Floats:
    """Trajectories by first tile, shape ``(tiles,)``."""
    return added(paths.symbols[:, 0], paths.weight, paths.locations)


def ends(paths: Paths) -> Floats:
    """Trajectories by last tile, shape ``(tiles,)``; of complete ones only, as the end of others is not known."""
    known = _complete(paths)
    return added(_last(known), known.weight, paths.locations)


def lengths(paths: Paths) -> Lengths:
    """Trajectories by number of tiles."""
    size, tiles = paths.height + 1, paths.lengths

    def counted(ending: Ending) -> Floats:
        of = paths.ending == ending
        return added(tiles[of], paths.weight[of], size)

    return Lengths(counted(Ending.COMPLETE), float(counted(Ending.CUT).sum()), counted(Ending.UNKNOWN))


def transitions(paths: Paths) -> Flows:
    """Steps from one tile to the next, each counted as often as it is made."""
    path, place = np.nonzero(paths.symbols[:, 1:] >= 0)
    return _flows(
        paths.locations, paths.symbols[path, place], paths.symbols[path, place + 1], paths.weight[path]
    )


def origins_and_destinations(paths: Paths) -> Flows:
    """First and last tile of complete trajectories."""
    known = _complete(paths)
    return _flows(paths.locations, known.symbols[:, 0], _last(known), known.weight)


def _complete(paths: Paths) -> Paths:
    return paths.some(np.flatnonzero(paths.ending == Ending.COMPLETE))


def _last(paths: Paths) -> NDArray[np.int32]:
    return paths.symbols[np.arange(len(paths)), paths.lengths - 1]


def _flows(
    locations: int, origin: NDArray[np.int32], destination: NDArray[np.int32], weight: Floats
) -> Flows:
    pairs, where = np.unique(origin.astype(np.int64) * locations + destination, return_inverse=True)
    first, second = np.divmod(pairs, locations)
    return Flows(first, second, added(where, weight, len(pairs)))
