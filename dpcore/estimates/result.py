"""What an estimate is: values with likely ranges, for the trips that count and for all trips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
