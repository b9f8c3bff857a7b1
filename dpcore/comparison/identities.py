"""Which sums of different tables are equal, whatever the trips: linear identities, each with its proof.

*Kept* is the list of trips that count: all of them at trip level, at most M of each person under a bound. It is one list for
all measures (``private/bounding.py``), and every measure of trips below is a grouping of it. Each kept trip has exactly one
end. A complete trip also has exactly one start, and an incomplete one has none.

=========================  ==============================================================================================
identity                   proof
=========================  ==============================================================================================
arrivals by window         ``trips_per_hour`` (ends) and ``visits_per_time_tile`` put every kept trip into one cell each.
                           Day type and hour come from the same whole hour of the end (``end_hour``) in both. A window is a
                           set of hours, and the windows divide the 24 hours. The tile axis ends with ``outside``, so every
                           trip is in a tile. So for each day type and window, the hours of that window and the tiles of it
                           have the same sum.
trips by day type          ``trips_per_weekday`` takes the weekday of the same ``end_hour``: Saturday and Sunday are the
                           day type weekend. So the sums of five and of two of its cells are the ends by day type.
trips                      Every kept trip is in one cell of each of these: ``trips_over_time`` (with ``before`` and
                           ``after``), ``trips_per_weekday``, ends of ``trips_per_hour``, ``visits_per_time_tile``; and it
                           is either complete or incomplete in ``ds_statistics``.
complete trips             The starts of ``trips_per_hour``, ``od_flows``, ``od_districts``, ``travel_time`` and
                           ``jump_length`` group the same rows: the complete trips. Bins are open at both sides, and a flow
                           may begin or end outside, so no trip is left out.
flows between districts    Every tile lies in one district, and ``outside`` is one of its own. So each cell of
                           ``od_districts`` is the sum of the cells of ``od_flows`` between its tiles.
incomplete trips           Every kept trip is complete or incomplete: ``incomplete_trips`` plus complete trips are all trips.
visits of a tile           ``visits_per_tile`` counts the starts of complete trips and the ends of all. The starts in a
                           tile are the row of that tile in ``od_flows``, the ends its cells of ``visits_per_time_tile``.
records                    One for each end and one for each start: trips plus complete trips. ``visits_per_tile`` counts
                           the same points, and ``outside`` is one of its cells.
people                     ``trips_per_user``, ``user_tile_count``, ``mobility_entropy`` and the cell ``users`` use all
                           trips, kept or not. Everybody with a trip has an end, so everybody is in one bin of each.
=========================  ==============================================================================================

These look like identities but are not, so they are not used:

* *Columns of the flows and arrivals of a tile.* Incomplete trips arrive and have no flow. Their number in a tile is unknown,
  so the two have nothing in common beyond their totals.
* *Weekdays and dates.* ``before`` and ``after`` hold any number of trips on unknown weekdays. So whatever the dates say,
  every table of weekdays with the same total is possible. Only the totals are equal.
* *Visits as all points of a trip* (``visits_cap``): the number of points of a trip is unknown.
* *Radius of gyration*: people without a known place are in no bin. *Time between trips*: first trips have no gap.
  *Empty fields* share nothing with the other tables.
* *Trips of all people* (``total_trips``): how many trips the bound leaves out is unknown.
* *Sparse tables*: cells that are not listed have no value, so their sums are not measured.

Of many districts only the total is used: their pairs would need a matrix of too many rows.

No row below follows from the others, so the matrix has full rank (``tests/consistency`` tries all sets of measures).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpcore.measures import MEASURES, Each
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import standard_deviation

Numbers = NDArray[np.float64]
Cells = NDArray[np.int64]
Rows = sparse.csr_array
"""Sums of cells, one in each row, over all cells of the stack. An entry says how often a cell counts."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Measurements at one rung that list all of their cells, in the given order."""

    measurements: Mapping[str, Measurement]
    rung: int

    @cached_property
    def starts(self) -> Mapping[str, int]:
        """Where the cells of each measure begin."""
        sizes = [one.keys.size for one in self.measurements.values()]
        return dict(zip(self.measurements, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of all cells."""
        return sum(one.keys.size for one in self.measurements.values())

    @property
    def values(self) -> Numbers:
        """The noisy counts as drawn, shape (cells,)."""
        drawn = [one.values[self.rung] for one in self.measurements.values()]
        return np.concatenate(drawn).astype(np.float64) if drawn else np.zeros(0)

    def variance(self, measure: str) -> float:
        """Variance of the noise of one cell of a measure, in squared counts."""
        return standard_deviation(self.measurements[measure].rho(self.rung)) ** 2

    @cached_property
    def variances(self) -> Numbers:
        """Variance of the noise of each cell, shape (cells,). The noise of different cells is independent."""
        each = [np.full(one.keys.size, self.variance(name)) for name, one in self.measurements.items()]
        return np.concatenate(each) if each else np.zeros(0)

    def part(self, measure: str) -> slice:
        """Where the cells of a measure are."""
        first = self.starts[measure]
        return slice(first, first + self.measurements[measure].keys.size)

    def positions(self, measure: str) -> tuple[Cells, ...]:
        """The position of each cell of a measure on each of its axes."""
        keys = self.measurements[measure].keys
        return tuple(np.unravel_index(keys.all_cells, keys.shape))

    def sums(self, measure: str, row_of: Cells, rows: int) -> Rows:
        """Sums of cells of one measure. ``row_of`` says in which row each cell counts, -1 for none."""
        counted = np.flatnonzero(row_of >= 0)
        entries = (np.ones(len(counted)), (row_of[counted], counted + self.starts[measure]))
        return sparse.csr_array(entries, shape=(rows, self.size))

    def total(self, measure: str) -> Rows:
        """The sum of all cells of a measure, as one row."""
        return self.sums(measure, np.zeros(self.measurements[measure].keys.size, np.int64), 1)

    def noise(self, rows: Rows) -> float:
        """Variance of the noise of some sums as drawn, added up over the rows."""
        return float((rows.power(2) @ self.variances).sum())


_BY_CELLS: Final = (
    "ds_statistics",
    "trips_per_weekday",
    "trips_per_hour",
    "visits_per_tile",
    "visits_per_time_tile",
    "incomplete_trips",
)
_MOST_PAIRS: Final = 2_500  # of districts, that are tied one by one
LINKED: Final = Each(lambda measure: measure.name in _BY_CELLS or bool(measure.adds_to) or None)
"""Measures that share totals with others."""


@dataclass(frozen=True, eq=False)
class Identity:
    """Sums that are 0 for every list of trips, one in each row."""

    name: str
    """What they say, in words."""
    rows: Rows


@dataclass(frozen=True, eq=False)
class Identities:
    """All known identities, and the sums that have names."""

    known: tuple[Identity, ...]
    totals: Mapping[str, Rows]
    """One row for each of ``trips``, ``complete_trips``, ``records``, ``users``, as far as the tables tell them."""


def identities(stack: Stack, choices: KeyChoices) -> Identities:
    """The identities between the measures of a stack (only those of ``LINKED`` matter)."""
    held = stack.measurements
    found: list[Identity] = []
    ends = _ends(stack, choices, found)
    statistics = _statistics(stack)
    trips = [*ends, *_totals(stack, "trips")]
    by_pair = {"od_districts", "od_flows"} <= held.keys() and held["od_districts"].keys.size <= _MOST_PAIRS
    if by_pair:
        found.append(Identity("flows between districts", _flows_of_districts(stack)))
    complete = _totals(stack, "complete_trips", without="od_districts" if by_pair else "")
    if "trips_per_hour" in held:
        kind, _, _ = stack.positions("trips_per_hour")
        complete.append(stack.sums("trips_per_hour", np.where(kind == 0, 0, -1), 1))
    if statistics:
        trips += [statistics["trips"], statistics["complete_trips"] + statistics["incomplete_trips"]]
        complete.append(statistics["complete_trips"])
    by_tile = {"visits_per_tile", "visits_per_time_tile", "od_flows"} <= held.keys()
    if by_tile:
        found.append(Identity("visits of each tile", _visits_of_tiles(stack)))
    records = [statistics["records"]] if statistics else []
    if "visits_per_tile" in held and not by_tile:  # otherwise the rows of the tiles add up to it
        records.append(stack.total("visits_per_tile"))
    if trips and complete:
        records.append(_least_noisy(stack, trips) + _least_noisy(stack, complete))
    if "incomplete_trips" in held and trips and complete:
        rest = _least_noisy(stack, trips) - _least_noisy(stack, complete)
        found.append(Identity("incomplete trips", stack.total("incomplete_trips") - rest))
    people = _totals(stack, "users")
    people += [statistics["users"]] if "users" in statistics else []
    totals = {}
    for name, sums in (
        ("trips", trips),
        ("complete_trips", complete),
        ("records", records),
        ("users", people),
    ):
        if sums:
            totals[name] = _least_noisy(stack, sums)
            found += _equal(stack, f"number of {name.replace('_', ' ')}", sums)
    return Identities(tuple(found), totals)


def _ends(stack: Stack, choices: KeyChoices, found: list[Identity]) -> list[Rows]:
    """Ties the measures of when trips end. Returns the sum of all ends, once, if one of them is there."""
    held = stack.measurements
    by_window, by_day_type = [], []
    windows = len(choices.windows)
    if "trips_per_hour" in held:
        kind, day_type, hour = stack.positions("trips_per_hour")
        window = day_type * windows + window_of_hours(choices.windows)[hour]
        by_window.append(stack.sums("trips_per_hour", np.where(kind == 1, window, -1), 2 * windows))
        by_day_type.append(stack.sums("trips_per_hour", np.where(kind == 1, day_type, -1), 2))
    if "visits_per_time_tile" in held:
        day_type, window, _ = stack.positions("visits_per_time_tile")
        by_window.append(stack.sums("visits_per_time_tile", day_type * windows + window, 2 * windows))
        by_day_type.append(stack.sums("visits_per_time_tile", day_type, 2))
    found += _equal(stack, "arrivals by day type and time window", by_window)
    by_day_type = [_least_noisy(stack, by_day_type)] if by_day_type else []  # the windows tie the other one
    if "trips_per_weekday" in held:
        (weekday,) = stack.positions("trips_per_weekday")
        by_day_type.append(stack.sums("trips_per_weekday", (weekday >= 5).astype(np.int64), 2))
    found += _equal(stack, "trips by day type", by_day_type)
    return [_all(_least_noisy(stack, by_day_type))] if by_day_type else []


def _visits_of_tiles(stack: Stack) -> Rows:
    """Visits minus starts minus ends of each tile."""
    (tile,) = stack.positions("visits_per_tile")
    origin, _ = stack.positions("od_flows")
    _, _, end = stack.positions("visits_per_time_tile")
    tiles = len(tile)
    starts, ends = stack.sums("od_flows", origin, tiles), stack.sums("visits_per_time_tile", end, tiles)
    nothing: Rows = stack.sums("visits_per_tile", tile, tiles) - starts - ends
    return nothing


def _flows_of_districts(stack: Stack) -> Rows:
    """Flows between two districts minus the flows between their tiles, for each pair."""
    keys = stack.measurements["od_districts"].keys
    ends = [
        axis.positions(np.where(tile < len(axis.of_tiles), tile, -1))
        for axis, tile in zip(keys.axes, stack.positions("od_flows"), strict=True)
    ]
    pairs = stack.sums("od_districts", keys.all_cells, keys.size)
    nothing: Rows = pairs - stack.sums("od_flows", np.ravel_multi_index(ends, keys.shape), keys.size)
    return nothing


def _statistics(stack: Stack) -> Mapping[str, Rows]:
    """The cells of ``ds_statistics`` by name; empty without it."""
    if "ds_statistics" not in stack.measurements:
        return {}
    (cell,) = stack.positions("ds_statistics")
    return {
        name: stack.sums("ds_statistics", np.where(cell == number, 0, -1), 1)
        for number, name in enumerate(stack.measurements["ds_statistics"].keys.axes[0].inside)
    }


def window_of_hours(starts: Sequence[int]) -> NDArray[np.int64]:
    """The number of the time window of each hour of a day, shape (24,). Hours before the first start are in the last one.

    >>> window_of_hours((2, 6, 22)).tolist()
    [2, 2, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2]
    """
    number = np.searchsorted(np.array(starts), np.arange(24), side="right") - 1
    return np.where(number < 0, len(starts) - 1, number)


def _all(rows: Rows) -> Rows:
    """The sum of some rows, as one row."""
    return Rows(sparse.csr_array(np.ones((1, rows.shape[0]))) @ rows)


def _totals(stack: Stack, number: str, without: str = "") -> list[Rows]:
    """The sums of the tables whose cells all together are that number; ``without``: a table that is tied otherwise."""
    return [
        stack.total(name)
        for name, measure in MEASURES.items()
        if measure.adds_to == number and name in stack.measurements and name != without
    ]


def _least_noisy(stack: Stack, sums: Sequence[Rows]) -> Rows:
    return min(sums, key=stack.noise)


def _equal(stack: Stack, name: str, sums: Sequence[Rows]) -> Iterator[Identity]:
    """Each of some sums equals the least noisy of them. Another choice would say the same with less accuracy."""
    best = min(range(len(sums)), key=lambda i: stack.noise(sums[i]), default=0)
    for number, one in enumerate(sums):
        if number != best:
            yield Identity(name, one - sums[best])
