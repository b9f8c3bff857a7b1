"""Prepared trips become rows of a stability histogram: a tap on where a trip starts, a tap off where it ends.

The lists of places and times are public, so no text of a file is looked at; what is not known is a category of its own.
A trip belongs to the day on which it starts, or ends where its start is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.bounding import smallest_ranks
from dpcore.private.synthesis.of_trips import (
    batches_of,
    integers,
    must_be_counted_on,
    must_have_users,
    numbered,
    seconds_of_day,
)
from dpcore.private.synthesis.taps import CodedColumn, Taps, must_be_numbered
from dpcore.private.trips import PrivateTrips
from dpcore.synthesis.place_names import must_not_be_a_place
from dpcore.synthesis.stability.choices import listed_texts
from dpcore.synthesis.stability.plan import UNKNOWN, StabilityPlan, Variant
from dpcore.tessellation import Tessellation

Integers = NDArray[np.int64]

_COLUMNS: Final = ("start_tile", "end_tile", "start_us", "end_us")
_ENDS: Final = {"on": "start", "off": "end"}


def taps_of(trips: PrivateTrips, tessellation: Tessellation, plan: StabilityPlan) -> Taps:
    """The rows that count, bounded where people are protected.

    Raises PrivacyError for other tiles than those of the trips, for a tile that is called as places are that are not
    known, and where people are protected and there are no users; InputError where there would be more possible keys than numbers.
    """
    must_be_counted_on(trips, tessellation)
    must_not_be_a_place(UNKNOWN, tessellation.tile_ids)
    must_have_users(trips, plan.bound)
    wanted = list(dict.fromkeys(column for one in plan.combinations for column in one.columns))
    lists = {name: listed_texts(name, plan, tessellation.tile_ids) for name in wanted}
    coder = _Coder(plan, tessellation.tile_ids, trips.timezone, lists)
    parts: list[Integers] = [np.zeros(0, np.int64)]
    users, ranks = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    codes: dict[str, list[NDArray[np.int32]]] = {name: [np.zeros(0, np.int32)] for name in wanted}
    for batch in batches_of(trips, _COLUMNS):
        part = _parts(batch, plan, trips.timezone)
        rows = np.flatnonzero(part >= 0)
        parts.append(part[rows])
        for name in wanted:
            codes[name].append(coder.codes(name, batch)[rows])
        if plan.variant is Variant.USER:
            users.append(integers(batch["user_id"])[rows])
            ranks.append(integers(batch["rnd"])[rows])
    part = np.concatenate(parts)
    columns = {name: np.concatenate(pieces) for name, pieces in codes.items()}
    if plan.variant is Variant.USER:
        content = [part.astype(np.int32), *columns.values()]
        keep = smallest_ranks(numbered(users), np.concatenate(ranks), content, plan.bound.trips)
        part, columns = part[keep], {name: column[keep] for name, column in columns.items()}
    found = Taps(plan, part, {name: CodedColumn(column, lists[name]) for name, column in columns.items()})
    for one in plan.combinations:
        must_be_numbered(found, one)
    return found


def _parts(batch: pa.RecordBatch, plan: StabilityPlan, timezone: str) -> Integers:
    """The number of the listed day of each trip, -1 for none."""
    if not plan.partition_by:
        return np.zeros(len(batch), np.int64)
    on, off = (seconds_of_day(batch[f"{end}_us"], timezone)[0] for end in _ENDS.values())
    day = np.where(_known(batch, "start"), on, off)
    known = _known(batch, "start") | _known(batch, "end")
    first = np.datetime64(plan.partitions[0][0], "D").astype(np.int64)
    part = day - first
    return np.where(known & (part >= 0) & (part < len(plan.partitions)), part, -1)


@dataclass(frozen=True, repr=False, eq=False)
class _Coder(Sealed):
    """Codes of the rows on the public lists."""

    plan: StabilityPlan
    tile_ids: tuple[str, ...]
    timezone: str
    lists: Mapping[str, tuple[str, ...]]

    def codes(self, column: str, batch: pa.RecordBatch) -> NDArray[np.int32]:
        """The position of each row in the list of a column."""
        side, _, kind = column.partition("_")
        end, texts = _ENDS[side], self.lists[column]
        if kind == "loc":
            place = {text: number for number, text in enumerate(texts)}
            of_tile = np.array([place[tile] for tile in (*self.tile_ids, UNKNOWN)], np.int32)
            return of_tile[integers(batch[f"{end}_tile"])]  # -1, in no tile, is the last one
        second = seconds_of_day(batch[f"{end}_us"], self.timezone)[1]
        bins = second // (60 * self.plan.minutes[column])
        return np.where(_known(batch, end), bins, len(texts) - 1).astype(np.int32)


def _known(batch: pa.RecordBatch, end: str) -> NDArray[np.bool_]:
    return np.asarray(batch[f"{end}_us"].is_valid())
