"""Where a quantile lies, as the noisy counts of a released histogram tell it. Public numbers only.

**Intervals.** Let ``D_i = 20 C_i - k n`` with ``C_i`` the true number of values below edge ``i``; it rises with ``i``, the
quantile lies below edge ``i`` if ``D_i > 0`` and not below it if ``D_i < 0``. Its noisy value is off by a noise of known law
(``dpcore.quantiles.rank_noise``). The upper end is the edge after the *last* one at which noise could hide that the quantile lies
above: it is too low only if the noise at one edge, the last true one, exceeds its half width. So five edges or fifty,
nothing multiplies, and with half of 5 % on each side the interval holds the quantile in 95 of 100 cases whatever the data.
Two ranks are added, so that it holds any of the usual definitions of a quantile, those between two values included.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.accuracy import half_width_of_sum
from dpcore.measurement import Measurement
from dpcore.quantiles.grids import GRIDS, PARTS
from dpcore.quantiles.rank_noise import rank_half_widths

RANKS: Final = 2
"""Ranks by which the usual definitions of a quantile differ, at most."""
BESIDE: Final = 0.99
"""How surely noise hides no more between a point and an edge than an interval allows for."""

_OWN_SUMS: Final = 24  # sums of so many cells have laws of their own
_STEP: Final = 1.2  # from one law to the next where sums borrow, in cells


@dataclass(frozen=True)
class Histogram:
    """One released histogram at one rung, seen from its edges."""

    edges: tuple[float, ...]
    """All edges, those of the open bins as their public limits or infinite; one more than there are bins."""
    counts: tuple[int, ...]
    """Noisy counts of the bins."""
    rho: Fraction

    @property
    def below(self) -> NDArray[np.int64]:
        """The noisy number of values below each edge, 0 below the first."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    def hidden(self, cells: int) -> int:
        """How much noise may hide in so many cells beside a point, on one side in 5 of 1,000 cases."""
        return _hidden(self.rho, _lender(cells)) if cells else 0


def seen_from_edges(measurement: Measurement, rung: int) -> Histogram:
    """The histogram of a measurement at a rung; ValueError for a measure that has no bins."""
    grid = GRIDS.get(measurement.measure)
    if grid is None:
        raise ValueError("only histograms have quantiles")
    inner = [float(edge) for edge in measurement.keys.axes[0].ends[:-1]]
    low = -inf if grid.lowest is None else min(float(grid.lowest), inner[0])
    high = inf if grid.highest is None else max(float(grid.highest), inner[-1])
    counts = tuple(int(count) for count in measurement.values[rung])
    return Histogram((low, *inner, high), counts, measurement.rho(rung))


def between(seen: Histogram, level: int, confidence: float) -> tuple[float, float]:
    """The edges between which a quantile lies, from the counts alone."""
    bins, below = len(seen.counts), seen.below
    off = (PARTS * below - level * below[-1])[1:bins]
    widths = np.array(rank_half_widths(seen.rho, bins, level, confidence), np.int64) + PARTS * RANKS
    may_be_above, may_be_below = np.flatnonzero(off <= widths) + 1, np.flatnonzero(off >= -widths) + 1
    first, last = min(may_be_below, default=bins), max(may_be_above, default=0)
    return seen.edges[first - 1], seen.edges[last + 1]


def interpolated(seen: Histogram, level: int, *, whole: bool) -> float:
    """Where the rising distribution passes the level, of whole numbers a whole one; at the finite edge of an open bin."""
    below = seen.below.astype(float)
    rising = (np.maximum.accumulate(below) + np.minimum.accumulate(below[::-1])[::-1]) / 2
    rising = np.maximum.accumulate(np.clip(rising, 0.0, max(0.0, float(rising[-1]))))
    rank = level / PARTS * rising[-1]
    number = min(max(int(np.searchsorted(rising, rank, side="left")) - 1, 0), len(seen.counts) - 1)
    low, high = seen.edges[number], seen.edges[number + 1]
    if low == -inf or high == inf:
        return high if low == -inf else low
    count = rising[number + 1] - rising[number]
    value = float(low + (high - low) * ((rank - rising[number]) / count if count > 0 else 0.0))
    return min(float(floor(value)), high - 1) if whole else value  # a bin from 4 to 6 holds 4 and 5


def beside(seen: Histogram, value: float) -> float:
    """Values that may lie between an interpolated number and the true one within its bin: half of the bin, all of an open one."""
    number = min(max(int(np.searchsorted(seen.edges, value, side="right")) - 1, 0), len(seen.counts) - 1)
    width = seen.edges[number + 1] - seen.edges[number]
    return max(0, seen.counts[number]) * (1.0 if width == inf else 0.5)


def around(seen: Histogram, low: float, high: float, missed: int) -> tuple[float, float]:
    """The interval of a quantile that lies at most so many ranks from the values between ``low`` and ``high``."""
    last, sums = len(seen.edges) - 1, seen.below
    after = next((i for i, edge in enumerate(seen.edges) if edge >= high), last)
    before = next((i for i in range(last, -1, -1) if seen.edges[i] <= low), 0)
    reached = [i for i in range(after, last) if sums[i] - sums[after] <= missed + seen.hidden(i - after)]
    back = [i for i in range(1, before + 1) if sums[before] - sums[i] <= missed + seen.hidden(before - i)]
    top = seen.edges[max(reached) + 1] if reached else seen.edges[last]
    bottom = seen.edges[min(back) - 1] if back else seen.edges[0]
    return bottom, top


def _lender(cells: int) -> int:
    """A number of cells, not smaller, whose law so many cells borrow: few laws for many bins, and never too narrow.

    The noise of more cells is wider: each is symmetric, and their sum unimodal.
    """
    lender = _OWN_SUMS
    while lender < cells:
        lender = ceil(_STEP * lender)
    return cells if cells <= _OWN_SUMS else lender


@lru_cache(maxsize=10_000)
def _hidden(rho: Fraction, cells: int) -> int:
    return half_width_of_sum(rho, cells, BESIDE)
