"""Places on the way of a trip become the sequence of tiles that it passes between its start and its end.

A point in the tile of the point before it adds nothing, and the start is the point before the first one; points in
the tile of the end right before it add nothing either. So ``start, via, end`` names each stay in a tile once, except
that start and end always stand, in one tile too: a trip without other tiles on its way is its two ends. Outside every
tile (-1) counts as a tile. Of a longer sequence the first ``MOST`` tiles are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.private.sealed import Sealed
from dpcore.private.siphash import Words, hash_rows, hash_texts
from dpcore.tessellation.index import TileIndex

VIA: Final = pa.list_(pa.int32())
MOST: Final = limits.MAX_POINTS_PER_TRIP - 2
"""Tiles that are kept between the start and the end of a trip."""


@dataclass(frozen=True, repr=False, eq=False)
class Via(Sealed):
    """The tiles on the way of some trips, one after another."""

    counts: NDArray[np.int64]
    """How many of each trip."""
    tiles: NDArray[np.int32]

    @property
    def lists(self) -> pa.ListArray:
        """One list for each trip; null for a trip without any, whatever its form."""
        if not len(self.tiles):
            return pa.nulls(len(self.counts), VIA)
        offsets = pa.array(self._offsets.astype(np.int32))
        return pa.ListArray.from_arrays(offsets, pa.array(self.tiles), mask=pa.array(self.counts == 0))

    def into(self, hashes: Words, key: bytes) -> Words:
        """The keyed hashes of the trips with the tiles on their way in them; those without any stay as they are."""
        some = self.counts > 0
        if not some.any():
            return hashes
        ends = self._offsets[1:][some] * 4
        tiles = self.tiles.astype("<i4").view(np.uint8)
        words = np.stack([hashes[some], hash_texts(np.append(0, ends), tiles, key)])
        mixed = hashes.copy()
        mixed[some] = hash_rows(words, key)
        return mixed

    @property
    def _offsets(self) -> NDArray[np.int64]:
        return np.append(0, np.cumsum(self.counts))


def no_via(trips: int) -> Via:
    """Trips with nothing on their way."""
    return Via(np.zeros(trips, np.int64), np.empty(0, np.int32))


def via_of(places: pa.ListArray, index: TileIndex, start: NDArray[np.int32], end: NDArray[np.int32]) -> Via:
    """The tiles on the ways of trips.

    Args:
        places: lists of ``lat`` and ``lng`` in order of time; null or empty where there are none.
        index: of the tessellation.
        start: tile of the start of each trip.
        end: tile of the end of each trip.

    """
    points = places.flatten()
    if not len(points):
        return no_via(len(places))
    counts = pc.fill_null(places.value_lengths(), 0).to_numpy()
    tiles = index.assign(points.field("lng").to_numpy(), points.field("lat").to_numpy())
    trip = np.repeat(np.arange(len(places), dtype=np.int32), counts)
    before = np.append(0, tiles[:-1])
    first = np.flatnonzero(np.diff(trip, prepend=-1))
    before[first] = start[trip[first]]
    trip, tiles = _those(tiles != before, trip, tiles)
    last = np.diff(trip, append=len(places)) != 0
    trip, tiles = _those(~last | (tiles != end[trip]), trip, tiles)
    counts = np.bincount(trip, minlength=len(places))
    if counts.max(initial=0) > MOST:
        place = np.arange(len(trip)) - np.repeat(np.cumsum(counts) - counts, counts)
        trip, tiles = _those(place < MOST, trip, tiles)
        counts = np.minimum(counts, MOST)
    return Via(counts, tiles)


def _those(
    kept: NDArray[np.bool_], trip: NDArray[np.int32], tiles: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return trip[kept], tiles[kept]
