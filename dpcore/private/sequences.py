"""Tile sequences of bounded trips, in no order: what a private synthesis learns from. They never leave the wall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.private.bounding import BoundedTrips
from dpcore.private.engine import duckdb as engine
from dpcore.private.sealed import Sealed


@dataclass(frozen=True, repr=False, eq=False)
class Sequences(Sealed):
    """Sequences of tile numbers, one after another; -1 is outside every tile, or a place that is not known.

    A complete trip is its start, the tiles on its way and its end, see ``private.via``; so it has two tiles or more,
    at most ``limits.MAX_POINTS_PER_TRIP``. An incomplete trip is its end alone.
    """

    tiles: NDArray[np.int32]
    offsets: NDArray[np.int64]
    """Where each sequence begins in ``tiles``, then where the last one ends: one number more than sequences."""

    @property
    def count(self) -> int:
        """How many sequences there are: exact, so for nobody outside."""
        return len(self.offsets) - 1


def sequences(bounded: BoundedTrips) -> Sequences:
    """The sequences of the trips that count under the bound; raises what counting raises."""
    lists = engine.tile_sequences(bounded)
    lengths = lists.value_lengths().to_numpy()
    return Sequences(lists.flatten().to_numpy(), np.append(0, np.cumsum(lengths, dtype=np.int64)))
