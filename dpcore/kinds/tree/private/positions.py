"""Where trips were, and when: positions in order of time, one trajectory after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.measures.keys import Period
from dpcore.private.sealed import Sealed
from dpcore.private.synthetic.reading import integers, read_columns
from dpcore.private.trips import PrivateTrips

Integers = NDArray[np.int64]

_STORED: Final = (
    "start_tile", "end_tile", "start_hour", "end_hour", "complete", "start_us", "end_us", "via",
)  # fmt: skip
_KINDS: Final = {
    "start_tile": np.int32, "end_tile": np.int32, "start_us": np.int64, "end_us": np.int64,
    "day": np.int64, "positions": np.int64, "via": np.int32,
}  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class TripRows(Sealed):
    """Some trips as columns, one row each. Without users the columns ``user`` and ``rank`` are 0."""

    start_tile: NDArray[np.int32]
    """Tile of the start, -1 in none; the end's of an incomplete trip."""
    end_tile: NDArray[np.int32]
    start_us: Integers
    """Microseconds; the end's of an incomplete trip."""
    end_us: Integers
    day: Integers
    """Days since 1970 on the city's clock, of the start; of the end of an incomplete trip."""
    positions: Integers
    """How many: 1 of an incomplete trip, else 2 and those on the way."""
    via: NDArray[np.int32]
    """Tiles on the ways, one trip after another."""
    user: Integers
    """Number of the person: it only tells people apart."""
    rank: Integers
    """Keyed hash of the trip with the id of its person."""

    def at(self, rows: Integers) -> TripRows:
        """These trips in this order."""
        tiles = self.via
        if len(tiles):
            between = np.maximum(self.positions - 2, 0)
            first = np.cumsum(between) - between
            tiles = tiles[ranges(first[rows], between[rows])]
        others = {name: column[rows] for name, column in vars(self).items() if name != "via"}
        return TripRows(**others, via=tiles)

    def tiles(self) -> NDArray[np.int32]:
        """The tiles of all positions, one trip after another; -1 for none."""
        after = np.cumsum(self.positions)
        found = np.empty(int(after[-1]) if len(after) else 0, np.int32)
        if len(self.via):
            between = np.ones(len(found), np.bool_)
            between[after - self.positions] = between[after - 1] = False
            found[between] = self.via
        found[after - self.positions] = self.start_tile
        found[after - 1] = self.end_tile
        return found

    def times(self) -> Integers:
        """The times of all positions; those on the way are spread evenly, rounded down to a microsecond."""
        steps = np.maximum(self.positions - 1, 1)
        place = ranges(np.zeros(len(steps), np.int64), self.positions)
        # a century in microseconds times a thousand positions fits 64 bits
        length, steps, start = (
            np.repeat(one, self.positions) for one in (self.end_us - self.start_us, steps, self.start_us)
        )
        moments: Integers = start + length * place // steps
        return moments


def ranges(first: Integers, sizes: Integers) -> Integers:
    """The numbers ``first, first + 1, ..``, as many as each size says, one range after another."""
    before = np.cumsum(sizes) - sizes
    numbers: Integers = np.arange(int(sizes.sum())) + np.repeat(first - before, sizes)
    return numbers


def trip_rows(trips: PrivateTrips, period: Period | None) -> TripRows:
    """The trips that belong to the days of a period, or all."""

    def coded(batch: pa.RecordBatch) -> tuple[Integers, Mapping[str, NDArray[Any]]]:
        return _rows(batch, period)

    read = read_columns(trips, _STORED, coded, _KINDS, users=trips.has_users)
    return TripRows(**read.columns, user=read.users, rank=read.ranks)


def _rows(batch: pa.RecordBatch, period: Period | None) -> tuple[Integers, Mapping[str, NDArray[Any]]]:
    complete = np.asarray(batch["complete"])
    day = np.where(complete, integers(batch["start_hour"], 0), integers(batch["end_hour"], 0)) // 24
    keep = np.asarray(batch["end_us"].is_valid())
    if period is not None:
        first, last = (np.datetime64(one, "D").astype(np.int64) for one in (period.first, period.last))
        keep &= (day >= first) & (day <= last)
    rows = np.flatnonzero(keep)
    if not keep.all():
        batch, complete, day = batch.filter(pa.array(keep)), complete[keep], day[keep]
    start_tile, end_tile, start_us, end_us = (
        integers(batch[name]) for name in ("start_tile", "end_tile", "start_us", "end_us")
    )
    between = integers(pc.fill_null(batch["via"].value_lengths(), 0))
    return rows, {
        "start_tile": np.where(complete, start_tile, end_tile).astype(np.int32),
        "end_tile": end_tile.astype(np.int32),
        "start_us": np.where(complete, start_us, end_us),
        "end_us": end_us,
        "day": day,
        "positions": np.where(complete, between + 2, 1),
        "via": np.asarray(batch["via"].flatten().to_numpy(zero_copy_only=False), np.int32),
    }


@dataclass(frozen=True, repr=False, eq=False)
class Positions(Sealed):
    """Positions of trajectories, one after another, each in order of time."""

    tile: NDArray[np.int32]
    """-1 in no tile."""
    moment: Integers | None
    """Microseconds; None where nobody asks for times."""
    sizes: Integers
    """How many positions each trajectory has, 1 or more."""
    user: Integers
    """Of each trajectory."""
    rank: Integers
    """Of each trajectory; of a day before it is hashed again, see ``day_ranks``."""
    day: Integers
    """Of each trajectory."""


def positions_of_trips(rows: TripRows, *, timed: bool) -> Positions:
    """Each trip is a trajectory."""
    moment = rows.times() if timed else None
    return Positions(rows.tiles(), moment, rows.positions, rows.user, rows.rank, rows.day)


def positions_of_days(rows: TripRows) -> Positions:
    """All that a person did on a day is a trajectory; which trip stands first in the file does not matter."""
    if len(rows.day) == 0:
        return positions_of_trips(rows, timed=True)
    span = int(rows.day.max() - rows.day.min()) + 1
    group = rows.user * span + (rows.day - rows.day.min())
    order = np.lexsort((rows.rank, rows.end_us, rows.start_us, group))
    rows, group = rows.at(order), group[order]
    first = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    sizes = np.add.reduceat(rows.positions, first)
    tile, moment = rows.tiles(), rows.times()
    whose = np.repeat(np.arange(len(first)), sizes)
    overlap = (np.diff(moment) < 0) & (np.diff(whose) == 0)
    if overlap.any():
        order = np.lexsort((moment, whose))  # stable: at one instant in order of the trips
        tile, moment = tile[order], moment[order]
    return Positions(
        tile, moment, sizes, rows.user[first], np.minimum.reduceat(rows.rank, first), rows.day[first]
    )
