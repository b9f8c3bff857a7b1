"""Intermediate results that several measures read of one shard. Each is computed once, and only if it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.privacy import ContributionBound
from dpcore.private.engine.compiled.people import Columns, Flags, Longs, People, frozen, kept_rows, people
from dpcore.private.engine.compiled.values import (
    NO_GAP,
    NO_TIME,
    Floats,
    Ints,
    fill_radii,
    gaps_before,
    tiles_and_entropies,
)
from dpcore.private.sealed import Sealed

_MISSING: Final = ("missing_lat", "missing_lng", "missing_time")
TIE_COLUMNS: Final = (
    *("start_tile", "end_tile", "start_hour", "end_hour", "complete", "start_us", "end_us", "jump_m"),
    *_MISSING,
)
"""Columns that order trips with the same hash, see ``bounding.KEPT_TRIPS``."""

_SHORT: Final = 2**16  # numbers below it are sorted in linear time
_NO_VALUE: Final = np.iinfo(np.int32).max  # beyond every value of an attribute
_LAST: Final = np.iinfo(np.int64).max  # nulls go last


class BoundedShard(Sealed):
    """One shard under a bound: all of its rows, those that count, and its people."""

    def __init__(
        self, table: pa.Table, bound: ContributionBound, *, gaps: bool, attributes: Sequence[str] = ()
    ) -> None:
        self.columns = Columns(table)
        self._table = table
        self._max_trips = bound.max_trips
        self._gaps = gaps
        self._attributes = attributes

    @cached_property
    def people(self) -> People:
        """All known people."""
        return people(self.columns.filled("user_id", 0), self.columns.known("user_id"))

    @cached_property
    def kept(self) -> Longs | None:
        """Rising numbers of the rows that count; None if all do."""
        if self._max_trips is None:
            return None
        rnd = self.columns.filled("rnd", 0)
        return kept_rows(self.people, rnd, self._max_trips, self._tie_columns)

    @property
    def count(self) -> int:
        """Number of trips that count."""
        return self.columns.rows if self.kept is None else len(self.kept)

    @cached_property
    def complete(self) -> Flags:
        """Which of the counted trips are complete."""
        return self.of_kept(self.columns.flags("complete"))

    @cached_property
    def start_tile(self) -> Ints:
        """Tile of each complete trip's start, -1 for none."""
        return self.of_complete(self.column("start_tile", -1))

    @cached_property
    def end_tile(self) -> Ints:
        """Tile of each trip's end, -1 for none."""
        return self.column("end_tile", -1)

    @cached_property
    def gaps(self) -> Longs:
        """The gap before each trip of the shard; ``NO_GAP`` if it has none."""
        start_us, end_us = (self.columns.filled(name, NO_TIME) for name in ("start_us", "end_us"))
        code = np.zeros(self.columns.rows if self._attributes else 0, np.int64)
        # The categories of all splits together are fewer than 2**12, an amount less than 2**32: all fit into one number.
        for name in self._attributes:
            values = self.columns.filled(name, _NO_VALUE).astype(np.int64)
            values -= values.min(initial=0)
            code = code * (int(values.max(initial=0)) + 1) + values
        empty = [self.columns.filled(name, 3) for name in _MISSING]
        return gaps_before(self._groups, start_us, end_us, self.columns.filled("rnd", 0), code, *empty)

    def parts(
        self, columns: Sequence[str], read: Sequence[str]
    ) -> Iterator[tuple[tuple[int, ...], BoundedShard]]:
        """The counted trips by the numbers in some columns: each combination that occurs, and its trips as a shard of their own.

        Every trip of such a shard counts, with the gap that it has among all trips. ``read``: the columns that it has.
        """
        numbers = [self.column(name, 0) for name in columns]
        sizes = [int(one.max(initial=0)) + 1 for one in numbers]
        code = np.ravel_multi_index(numbers, sizes).astype(
            np.uint16 if np.prod(sizes) <= _SHORT else np.int64
        )
        order = np.argsort(code, kind="stable")
        rows = order if self.kept is None else self.kept[order]
        table = self._table.select([*read]).take(pa.array(rows)).combine_chunks()
        gaps = self.gaps[rows] if self._gaps else None
        begins = np.append(0, np.cumsum(np.bincount(code)))
        for number in np.flatnonzero(np.diff(begins)).tolist():
            begin, end = int(begins[number]), int(begins[number + 1])
            part = BoundedShard(table[begin:end], ContributionBound.per_trip(), gaps=self._gaps)
            if gaps is not None:
                part.gaps = frozen(gaps[begin:end])
            yield tuple(int(one) for one in np.unravel_index(number, sizes)), part

    def of_kept(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values of the counted trips."""
        return frozen(values if self.kept is None else values[self.kept])

    def of_complete(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values of the complete ones among the counted trips."""
        return frozen(values if self.complete.all() else values[self.complete])

    def column(self, name: str, unknown: int) -> NDArray[Any]:
        """A column of the counted trips, with a given number in place of unknown values."""
        return self.of_kept(self.columns.filled(name, unknown))

    @cached_property
    def tiles_and_entropies(self) -> tuple[Longs, Floats]:
        """Number of different tiles and entropy of each person, over all trips."""
        start, end = (self.columns.filled(name, -1) for name in ("start_tile", "end_tile"))
        width = int(max(start.max(initial=-1), end.max(initial=-1))) + 1
        return tiles_and_entropies(self.people, start, end, self.columns.flags("complete"), width)

    @cached_property
    def radii(self) -> Floats:
        """Radius of gyration of each person with a known place, in metres, over all trips."""
        places = [self.columns.filled(name, 0) for name in ("start_lat", "start_lng", "end_lat", "end_lng")]
        start, end = (self.columns.known(name) for name in ("start_lat", "end_lat"))
        complete, radii = self.columns.flags("complete"), np.empty(self.people.count, np.float64)
        start = complete if start is None else complete & start
        end = np.ones(self.columns.rows, np.bool_) if end is None else end
        fill_radii(self.people.order, self.people.starts, *places, frozen(start), frozen(end), radii)
        return radii[~np.isnan(radii)]

    @property
    def _groups(self) -> People:
        """All people, and all rows without a user as one more group, as windows of SQL have them."""
        known = self.columns.known("user_id")
        if known is None:
            return self.people
        order = np.append(self.people.order, np.flatnonzero(~known))
        return People(order, np.append(self.people.starts, len(order)))

    def _tie_columns(self, rows: Longs) -> list[Longs]:
        columns = {
            name: self.columns.filled(name, 0) if name != "complete" else self.columns.flags(name)
            for name in (*TIE_COLUMNS, *self._attributes)
        }
        found = {}
        for name, values in columns.items():
            known = self.columns.known(name)
            found[name] = values[rows].astype(np.int64)
            if known is not None:
                found[name][~known[rows]] = _LAST
        start, end = found.pop("start_us"), found["end_us"]
        unknown = (start == _LAST) | (end == _LAST)
        found["end_us"] = np.where(unknown, _LAST, end - start)  # the duration
        if self._gaps:
            gaps = self.gaps[rows]
            found["gap_us"] = np.where(gaps == NO_GAP, _LAST, gaps)
        return [*found.values()]
