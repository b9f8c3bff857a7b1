"""The cells of several measures side by side, as one long vector with one variance for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import standard_deviation

Numbers = NDArray[np.float64]
Cells = NDArray[np.int64]
Rows = sparse.csr_array
"""Sums of cells, one a row over all cells of the stack; an entry says how often a cell counts."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Measurements whose every cell is listed, at one rung, in the order in which they are given."""

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
        """Variance of the noise of each cell, shape (cells,); the noise of no two cells hangs together."""
        each = [np.full(one.keys.size, self.variance(name)) for name, one in self.measurements.items()]
        return np.concatenate(each) if each else np.zeros(0)

    def part(self, measure: str) -> slice:
        """Where the cells of a measure stand."""
        first = self.starts[measure]
        return slice(first, first + self.measurements[measure].keys.size)

    def positions(self, measure: str) -> tuple[Cells, ...]:
        """The position of each cell of a measure on each of its axes."""
        keys = self.measurements[measure].keys
        return tuple(np.unravel_index(keys.all_cells, keys.shape))

    def sums(self, measure: str, row_of: Cells, rows: int) -> Rows:
        """Sums of cells of one measure: ``row_of`` says in which row each of them counts, -1 in none."""
        counted = np.flatnonzero(row_of >= 0)
        entries = (np.ones(len(counted)), (row_of[counted], counted + self.starts[measure]))
        return sparse.csr_array(entries, shape=(rows, self.size))

    def total(self, measure: str) -> Rows:
        """The sum of all cells of a measure, as one row."""
        return self.sums(measure, np.zeros(self.measurements[measure].keys.size, np.int64), 1)

    def noise(self, rows: Rows) -> float:
        """Variance of the noise of some sums as drawn, added up over the rows."""
        return float((rows.power(2) @ self.variances).sum())
