"""Prepared trips become rows of a stability histogram: where and when a trip starts, and where and when it ends.

The lists of places and times are public, so no text of a file is read. Unknown is a category of its own. A trip belongs to
the day on which it starts, or on which it ends if its start is unknown.

**Parts are disjoint for a trip.** The part of a row follows from its own day and its own attributes, so a trip lies in one part or
in none. A table of all parts changes by one count for one trip, as a table of one part does: parts cost nothing.

**Parts are not disjoint for a person**, who may be in all of them. So the trips of a person are bounded once, over all parts
together, after the rows in no part were left out. All parts together change by at most M counts of a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.kinds.stability.choices import DATE, listed_texts
from dpcore.kinds.stability.plan import UNKNOWN, Combination, StabilityPlan, Variant
from dpcore.kinds.stability.zones import must_be_of
from dpcore.measures.attribute import KEPT, Categories
from dpcore.private.bounding import must_have_users
from dpcore.private.sealed import Sealed
from dpcore.private.synthetic.bounding import smallest_ranks
from dpcore.private.synthetic.reading import (
    integers,
    must_be_counted_on,
    read_columns,
    seconds_of_day,
)
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation
from dpcore.tiles.tile_ids import must_not_be_a_place

Counts = NDArray[np.int64]

_STORED: Final = ("start_tile", "end_tile", "start_us", "end_us")
_ENDS: Final = {"on": "start", "off": "end"}
_PART: Final = "part"
_WIDE: Final = 2**62
_DENSE: Final = 4
"""A table with at most so many cells for each row is counted directly, a larger one by sorting."""


@dataclass(frozen=True, repr=False, eq=False)
class CodedColumn(Sealed):
    """A column as positions in a public list."""

    codes: NDArray[np.int32]
    texts: tuple[str, ...]
    """The list, sorted, so that the order of the codes is the order of the texts."""


@dataclass(frozen=True, repr=False, eq=False)
class TripEnds(Sealed):
    """The rows that count: within the listed parts, and bounded as the plan says."""

    plan: StabilityPlan
    part: NDArray[np.int64]
    """Number of the listed part of each row."""
    columns: Mapping[str, CodedColumn]


def trip_ends_of(trips: PrivateTrips, tessellation: Tessellation, plan: StabilityPlan) -> TripEnds:
    """The rows that count, bounded where people are protected.

    Raises PrivacyError for tiles other than those of the trips, for a tile named like the category unknown, and for
    protecting people if there are no users; InputError if there are more possible keys than can be numbered, for zones of other
    tiles, or if the trips lack an attribute that divides them.
    """
    must_be_countable(trips, tessellation, plan)
    coders = _attribute_coders(trips, plan)
    wanted = list(dict.fromkeys(column for one in plan.combinations for column in one.columns))
    lists = {name: listed_texts(name, plan, tessellation.tile_ids) for name in wanted}
    of_tile = _place_of_tile(plan, tessellation)

    def coded(batch: pa.RecordBatch) -> tuple[Counts, Mapping[str, NDArray[Any]]]:
        part = _part_numbers(batch, plan, trips.timezone, coders)
        rows = np.flatnonzero(part >= 0)
        columns = {name: _codes(batch, name, plan, trips.timezone, of_tile)[rows] for name in wanted}
        return rows, {_PART: part[rows]} | columns

    kinds = {_PART: np.int64} | dict.fromkeys(wanted, np.int32)
    bounds = plan.variant is Variant.USER
    stored = (*_STORED, *(KEPT + name for name in coders))
    read = read_columns(trips, stored, coded, kinds, users=bounds)
    columns = {name: read.columns[name] for name in (_PART, *wanted)}
    if bounds:
        content = [column.astype(np.int32) for column in columns.values()]
        keep = smallest_ranks(read.users, read.ranks, content, plan.bound.trips)
        columns = {name: column[keep] for name, column in columns.items()}
    found = TripEnds(plan, columns[_PART], {name: CodedColumn(columns[name], lists[name]) for name in wanted})
    for one in plan.combinations:
        _must_be_numbered(found, one)
    return found


def must_be_countable(trips: PrivateTrips, tessellation: Tessellation, plan: StabilityPlan) -> None:
    """Refuse what ``trip_ends_of`` refuses for what is public; looks at no trip."""
    must_be_counted_on(trips, tessellation)
    must_not_be_a_place(UNKNOWN, tessellation.tile_ids)
    must_be_of(tuple(plan.zones.items()), tessellation)
    must_have_users(trips, plan.bound)
    _attribute_coders(trips, plan)


def _attribute_coders(trips: PrivateTrips, plan: StabilityPlan) -> dict[str, Counts]:
    """For each attribute that divides the trips: the position in the plan of each stored value, -1 for one that is not listed."""
    known = {one.name: one for one in trips.attributes}
    found = {}
    for column, values in zip(plan.partition_by, plan.values, strict=True):
        if column == DATE:
            continue
        attribute = known.get(column)
        if not isinstance(attribute, Categories) or not {*values} <= {*attribute.words}:
            raise InputError(
                "the trips were loaded without this attribute or without one of its categories",
                f"attribute {column}",
                f"Load them with --attribute {column}=... (in a notebook: attributes) and at least the categories of the parts.",
            )
        place = {value: at for at, value in enumerate(values)}
        found[column] = np.array([place.get(label, -1) for label in attribute.labels], np.int64)
    return found


def _place_of_tile(plan: StabilityPlan, tessellation: Tessellation) -> NDArray[np.int32]:
    """The position of each tile, and last of no tile, in the public list of places."""
    listed = listed_texts("on_loc", plan, tessellation.tile_ids)
    place = {text: number for number, text in enumerate(listed)}
    named = [plan.zones.get(tile, UNKNOWN) if plan.zones else tile for tile in tessellation.tile_ids]
    return np.array([place[text] for text in (*named, UNKNOWN)], np.int32)


def _part_numbers(
    batch: pa.RecordBatch, plan: StabilityPlan, timezone: str, coders: Mapping[str, Counts]
) -> Counts:
    """The number of the listed part of each trip, -1 for none."""
    if not plan.partition_by:
        return np.zeros(len(batch), np.int64)
    return plan.parts_of(
        [
            coders[column][integers(batch[KEPT + column])]
            if column in coders
            else _days(batch, np.array(values, "datetime64[D]").astype(np.int64), timezone)
            for column, values in zip(plan.partition_by, plan.values, strict=True)
        ]
    )


def _days(batch: pa.RecordBatch, listed: Counts, timezone: str) -> Counts:
    """The position of the day of each trip among the listed ones, which ascend; -1 for none."""
    on, off = (seconds_of_day(batch[f"{end}_us"], timezone)[0] for end in _ENDS.values())
    day = np.where(_has_time(batch, "start"), on, off)
    known = _has_time(batch, "start") | _has_time(batch, "end")
    place = np.minimum(np.searchsorted(listed, day), len(listed) - 1)
    return np.where(known & (listed[place] == day), place, -1)


def _codes(
    batch: pa.RecordBatch, column: str, plan: StabilityPlan, timezone: str, of_tile: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The position of each row in the public list of a column."""
    side, _, kind = column.partition("_")
    end = _ENDS[side]
    if kind == "loc":
        return of_tile[integers(batch[f"{end}_tile"])]  # -1, in no tile, is the last entry
    minutes = plan.minutes[column]
    bins = seconds_of_day(batch[f"{end}_us"], timezone)[1] // (60 * minutes)
    return np.where(_has_time(batch, end), bins, 1_440 // minutes).astype(np.int32)  # the last code: unknown


def _has_time(batch: pa.RecordBatch, end: str) -> NDArray[np.bool_]:
    return np.asarray(batch[f"{end}_us"].is_valid())


def occupied(found: TripEnds, combination: Combination) -> tuple[Counts, Counts]:
    """The keys of a combination that occur, as ascending numbers (part first), and how often.

    Raises InputError if there are too many possible keys to number.
    """
    _must_be_numbered(found, combination)
    number = found.part
    for column in (found.columns[name] for name in combination.columns):
        number = number * len(column.texts) + column.codes
    if prod(key_shape(found, combination)) > _DENSE * len(number) + 1_000:
        return np.unique(number, return_counts=True)
    table = np.bincount(number, minlength=1)
    keys = np.flatnonzero(table)
    return keys, table[keys]


def _must_be_numbered(found: TripEnds, combination: Combination) -> None:
    if prod(key_shape(found, combination)) > _WIDE:
        raise InputError(
            "the columns have too many different values together", combination.name, "Use coarser bins."
        )


def key_shape(found: TripEnds, combination: Combination) -> tuple[int, ...]:
    """Number of parts, and number of listed texts of each column."""
    return (len(found.plan.partitions), *(len(found.columns[name].texts) for name in combination.columns))
