"""What an estimate is: values with likely ranges, for the trips that count and for all trips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.measures.keys import KeySet

Numbers = NDArray[np.float64]
Cells = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ranged:
    """Estimated counts with likely ranges: of many cells, 95 % of the ranges hold the true count. Arrays of one shape.

    A range is NaN at both ends where nothing calibrates it.
    """

    values: Numbers
    """Never negative. Not whole numbers, so that sums agree."""
    low: Numbers
    high: Numbers

    @classmethod
    def without_range(cls, values: Numbers) -> Ranged:
        """Estimates of which no range is known."""
        return Ranged(values, np.full(values.shape, np.nan), np.full(values.shape, np.nan))

    @property
    def columns(self) -> tuple[Numbers, Numbers, Numbers]:
        """Values, low ends and high ends."""
        return self.values, self.low, self.high

    @property
    def is_ranged(self) -> bool:
        """Whether a range is known of every cell."""
        return bool(np.isfinite(self.low).all() and np.isfinite(self.high).all())

    def at(self, cells: slice | Cells | NDArray[np.bool_]) -> Ranged:
        """The estimates of some cells."""
        return Ranged(self.values[cells], self.low[cells], self.high[cells])

    def cell(self, at: int) -> tuple[float, float, float]:
        """The estimate of one cell, and the ends of its range."""
        return float(self.values[at]), float(self.low[at]), float(self.high[at])


@dataclass(frozen=True)
class Share:
    """The share of all trips that counts, 0 to 1, with a 95 % range. At trip level it is 1 exactly.

    "All trips" are at most C of each person (``total_trips``), so the share is an upper bound of the true one.
    """

    value: float
    low: float
    high: float

    @property
    def doubtful(self) -> bool:
        """Whether so few trips count that the assumption behind the estimates must be read first."""
        return self.value < 0.3


@dataclass(frozen=True, eq=False)
class Estimated:
    """One table, estimated."""

    measure: str
    counts: str
    """What one unit of a cell is, such as ``visits``."""
    keys: KeySet
    cells: Cells | None
    """Numbers of the listed cells, ascending; None if all are listed."""
    counted: Ranged
    """Of the trips that count."""
    all_trips: Ranged | None
    """Of all trips; None if the release does not say how many there are (``Estimates.why_not_all``)."""

    @property
    def cell_numbers(self) -> Cells:
        """The cell number of each listed value."""
        return self.keys.all_cells if self.cells is None else self.cells

    def part(self, keys: KeySet, number: int) -> Estimated:
        """The estimates of one part of a table, as ``Measurement.part`` has it."""
        first, last = np.searchsorted(
            self.cell_numbers, (number * keys.size, (number + 1) * keys.size)
        ).tolist()
        some = slice(first, last)
        return replace(
            self,
            keys=keys,
            cells=None if self.cells is None else self.cells[some] - number * keys.size,
            counted=self.counted.at(some),
            all_trips=None if self.all_trips is None else self.all_trips.at(some),
        )

    def of(self, all_trips: bool) -> Ranged:
        """The estimate for all trips, or for those that count. ValueError if there is none for all trips."""
        if not all_trips:
            return self.counted
        if self.all_trips is None:
            raise ValueError("this release does not say how many trips there are")
        return self.all_trips


@dataclass(frozen=True, eq=False)
class Estimates:
    """All estimates of a release at one rung."""

    rung: int
    """Number of the rung whose values were used."""
    share: Share | None
    """None if the release does not say how many trips there are."""
    why_not_all: str
    """Why there is no estimate for all trips, as a sentence; empty if there is one."""
    tables: Mapping[str, Estimated]
    """By measure: every measure of the plan, and ``od_flows`` wherever visits were released."""
    as_drawn: tuple[str, ...] = ()
    """Sorted names of tables whose estimate could not be computed: the drawn values, moved up to 0, with the range of the noise."""


def must_be_sound(found: Estimated, *, without_ranges: bool) -> None:
    """Refuse, with a ValueError, numbers that are no estimate: not finite, too large, or not one for each cell.

    ``without_ranges``: whether the ranges of counted trips may be unknown. Those of all trips may be.
    """
    for numbers in (found.counted, found.all_trips):
        if numbers is None:
            continue
        ends = np.stack(numbers.columns)
        if ends.shape[1:] != found.cell_numbers.shape:
            raise ValueError("there is not one estimate for each cell")
        optional = without_ranges or numbers is not found.counted
        known = np.where(np.isnan(ends[1:]), 0.0, ends[1:]) if optional else ends[1:]
        for part in (ends[0], known):
            if not (np.abs(part) <= limits.MAX_BUNDLE_VALUE).all():
                raise ValueError("an estimate is no number that a bundle can hold")
