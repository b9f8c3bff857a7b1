"""A measurement: the result of a mechanism for one measure, at every rung of its ladder.

It holds public values only: noisy integers, public keys, and the width of the noise. Views, exports and releases read
measurements. Nothing here can reach the exact counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.keys import KeySet
from dpcore.measures.plan import USUAL_FALSE_FLOWS
from dpcore.privacy import ContributionBound, noise_rate

Origin = Literal["preview", "release"]


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy counts of one measure on its public keys. Each row is a rung."""

    origin: Origin
    """Whether it is a preview for the owner's eyes, which is thrown away, or was paid for. Only the latter may be published."""
    measure: str
    """Name of the measure, such as ``visits_per_tile``."""
    counts: str
    """What one unit of a cell is, such as ``visits``."""
    keys: KeySet
    """The public keys, in the order of the cells."""
    bound: ContributionBound
    """Privacy unit and contribution bound under which trips were counted."""
    sensitivity: int
    """The most that one privacy unit can change, summed over all cells (L1)."""
    rungs: tuple[Fraction, ...]
    """Total epsilon of the plan at each rung, coarsest first."""
    share: Fraction
    """Share of the total epsilon that this measure gets."""
    half_widths: tuple[int, ...]
    """95 % half width of the noise of one cell, at each rung. It holds for a cell that is chosen in advance. The noise of
    a cell that is listed because its noisy count is large (sparse tables, rankings) is more often positive."""
    values: NDArray[np.int64]
    """Noisy counts, shape (rungs, cells). They may be negative: clipping them would bias every total."""
    cells: NDArray[np.int64] | None = None
    """Numbers of the listed cells, ascending; None if all cells are listed."""
    threshold: int | None = None
    """For a sparse measurement: cells that are absent had a noisy count below this value when the listing was decided."""
    listed_at: Fraction | None = None
    """For a sparse measurement: total epsilon of the rung that decided the listing."""
    expected_false: Fraction = USUAL_FALSE_FLOWS
    """For a sparse measurement: expected number of empty cells that are listed by chance, at most. It fixes the threshold."""

    def __post_init__(self) -> None:
        """Shapes must agree. A fault here is a fault of this program."""
        listed = self.keys.size if self.cells is None else len(self.cells)
        if self.values.shape != (len(self.rungs), listed) or len(self.half_widths) != len(self.rungs):
            raise ValueError("shapes of a measurement disagree")
        object.__setattr__(self, "values", _sealed(self.values))
        if self.cells is not None:
            object.__setattr__(self, "cells", _sealed(self.cells))

    def __repr__(self) -> str:
        """One line with names and sizes, without values."""
        listed = (
            f"{self.values.shape[1]:,} of {self.keys.size:,}"
            if self.cells is not None
            else f"{self.keys.size:,}"
        )
        return f"<Measurement {self.measure}: {listed} cells, {len(self.rungs)} rungs, {self.origin}>"

    def part(self, keys: KeySet, number: int) -> Measurement:
        """One part of a split table as a table of its own, with the same noise.

        Args:
            keys: those of the table that is not split.
            number: of the part, in the order of ``split.parts_of``.

        """
        rows, begin = self.rows_of_part(keys, number), number * keys.size
        cells = None if self.cells is None else self.cells[rows] - begin
        return replace(self, keys=keys, values=self.values[:, rows], cells=cells)

    def rows_of_part(self, keys: KeySet, number: int) -> slice:
        """Which of the listed cells lie in a part; ``keys`` and ``number`` as for ``part``."""
        begin, end = number * keys.size, (number + 1) * keys.size
        if self.cells is None:
            return slice(begin, end)
        first, last = np.searchsorted(self.cells, (begin, end)).tolist()
        return slice(first, last)

    @property
    def cell_numbers(self) -> NDArray[np.int64]:
        """The cell number of each listed value."""
        return self.keys.all_cells if self.cells is None else self.cells

    def epsilon(self, rung: int) -> Fraction:
        """The cost of this measure alone at a rung: its share of the total."""
        return self.share * self.rungs[rung]

    def rho(self, rung: int) -> Fraction:
        """The rate of the noise at a rung: epsilon of this measure over its sensitivity."""
        return self.rho_at(self.rungs[rung])

    def rho_at(self, epsilon: Fraction) -> Fraction:
        """The same where the whole release costs ``epsilon``."""
        return noise_rate(self.share, epsilon, self.sensitivity)


def _sealed(array: NDArray[np.int64]) -> NDArray[np.int64]:
    """A read-only copy."""
    own = array.copy()
    own.flags.writeable = False
    return own
