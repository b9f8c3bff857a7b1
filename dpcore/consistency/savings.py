"""How much error agreement saves, exactly: from the rates of the noise alone, no matter what was drawn."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from dpcore.consistency.estimate import Consistent
from dpcore.measures import measure_named


@dataclass(frozen=True)
class Saving:
    """The error of one measure as drawn and after agreement. Estimates are unbiased, so error is variance."""

    measure: str
    cells: int
    """Number of listed cells."""
    before: float
    """Mean squared error of a cell as drawn, in squared counts."""
    after: float
    """Mean squared error of a cell after agreement, averaged over the cells (from the trace of the projection)."""
    total_before: float | None
    """Standard deviation of the sum of all cells as drawn, in counts; None where that sum means nothing."""
    total_after: float | None
    """The same after agreement."""

    @property
    def share(self) -> float:
        """Share of the squared error of a cell that is saved, 0 to 1."""
        return 1 - self.after / self.before

    @property
    def share_of_total(self) -> float | None:
        """Share of the squared error of the total that is saved, 0 to 1."""
        if self.total_before is None or self.total_after is None:
            return None
        return 1 - (self.total_after / self.total_before) ** 2


def savings(found: Consistent) -> tuple[Saving, ...]:
    """What agreement saves in each measure that was changed, in the order of the release."""
    return tuple(_saving(found, name) for name in found.names)


def _saving(found: Consistent, name: str) -> Saving:
    table = found.tables[name]
    before = found.stack.variance(name)
    cells = len(table.values)
    sums = measure_named(name).adds_up
    return Saving(
        measure=name,
        cells=cells,
        before=before,
        after=float(np.square(table.deviations).mean()),
        total_before=sqrt(cells * before) if sums else None,
        total_after=found.deviation_of_sum(name) if sums else None,
    )
