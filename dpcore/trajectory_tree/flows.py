"""Where trajectories begin and end, and how long they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.paths import Ending, Paths, added

Floats = NDArray[np.float64]


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


def _complete(paths: Paths) -> Paths:
    return paths.some(np.flatnonzero(paths.ending == Ending.COMPLETE))


def _last(paths: Paths) -> NDArray[np.int32]:
    return paths.symbols[np.arange(len(paths)), paths.lengths - 1]
