"""Five-number summaries of released histograms: the quantiles at 5, 25, 50, 75 and 95 %.

They cost nothing: released counts say how many values lie below each public edge, so they say between which edges a
quantile lies, at every rung. If a plan paid for them, there are also points of a finer public grid from the exponential
mechanism (``dpcore.noise.exponential``). The released counts then still say how far off these may be. All numbers here are
public.

**Intervals.** Let ``D_i = 20 C_i - k n`` with ``C_i`` the true number of values below edge ``i``. It rises with ``i``. The
quantile lies below edge ``i`` if ``D_i > 0`` and not below it if ``D_i < 0``. The noisy value of ``D_i`` is off by noise of
known law (``dpcore.noise.accuracy``). The upper end is the edge after the *last* edge at which the noise could hide that
the quantile lies above it. The upper end is too low only if the noise at one edge, the last one with ``D_i <= 0``, exceeds
its half width. So the number of edges does not matter: nothing multiplies. Each side may fail in half of 5 %, so the
interval holds the quantile in 95 of 100 cases whatever the data. Two ranks are added, so that it holds for all usual
definitions of a quantile, also those that lie between two values.

A purchased point misses by at most ``s`` ranks (``bought.most_missed``). The quantile lies below an edge if more than
``s`` values lie between the point and the edge, which the histogram tells up to its noise. It lies below another purchased
point if the levels of the two are further apart than that.

**Choice.** With few values or little epsilon a purchased number can be far worse than the free one. Each number gets the
interval on which the point and the counts agree. It is the same for both, unless a number lies outside of it. The number
with the narrower interval wins; if they are equal, the one whose rank is known to within fewer values. The choice looks at
noisy numbers, which does no harm: the counts alone fail in at most 25 of 1,000 cases and the point in another 25 (10 for
the five points, 10 for the counts beside a point, 5 for the number of values). So in 950 cases both hold, whichever is
taken. Numbers found in two ways can cross; then all five numbers of the measure come from one way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, isinf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures import GRIDS, measure_named
from dpcore.measures.bins import LEVELS, PARTS, Grid
from dpcore.measures.bought import BoughtQuantiles, most_missed, sensitivity
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width_of_sum, rank_half_widths, worst_rank

FREE: Final = "from the released histogram"
BOUGHT: Final = "exponential mechanism"
RANKS: Final = 2
"""The usual definitions of a quantile differ by at most this many ranks."""
BESIDE: Final = 0.99
"""Confidence that the noise hides no more values between a point and an edge than an interval allows for."""

_OWN_SUMS: Final = 24  # sums of up to this many cells have laws of their own
_STEP: Final = 1.2  # ratio of cells between one law and the next where sums borrow
_POINTS, _NUMBER, _BESIDE_BOUGHT = 0.99, 0.99, 0.975  # of the number only one side counts: 5 in 1,000


@dataclass(frozen=True)
class Quantile:
    """One number of a summary, with an interval that holds the true one in 95 of 100 cases."""

    measure: str
    statistic: str
    """Such as ``p25``."""
    value: float
    """In the unit of the measure."""
    low: float
    """``-inf`` if the lowest bin is open and no public end limits it."""
    high: float
    """``inf`` if the quantile may lie in an open last bin."""
    method: str

    @property
    def half_width(self) -> float:
        """The larger of the two sides of the interval; ``inf`` if it is open."""
        return max(self.value - self.low, self.high - self.value, 0.0)


def free(measurement: Measurement, rung: int) -> tuple[Quantile, ...]:
    """The five numbers of a released histogram at a rung, from its counts alone. They cost nothing.

    A value is interpolated linearly in the distribution of the noisy counts, which is made to rise. ValueError for a
    measure without bins.
    """
    seen = seen_from_edges(measurement, rung)
    return tuple(_free(seen, measurement.measure, statistic) for statistic in LEVELS)


def bought(measurement: Measurement, rung: int, quantiles: BoughtQuantiles) -> tuple[Quantile, ...]:
    """The purchased numbers of a measure. The released histogram at a rung gives intervals that hold in 975 of 1,000 cases.

    They may be worse than the free ones; see ``better``.
    """
    seen, grid = seen_from_edges(measurement, rung), GRIDS[measurement.measure]
    numbers = quantiles.values[measurement.measure]
    points = {statistic: grid.number(text) for statistic, text in numbers.items()}
    missed = _missed(measurement, quantiles, grid)
    least = sum(seen.counts) - half_width_of_sum(seen.rho, len(seen.counts), _NUMBER)
    found = []
    for statistic, point in points.items():
        low, high = around(seen, *_cell(grid, point), missed)
        for other, place in points.items():
            apart = (LEVELS[other] - LEVELS[statistic]) * least / PARTS
            if apart > missed:
                high = min(high, _cell(grid, place)[1])
            elif -apart > missed:
                low = max(low, _cell(grid, place)[0])
        value = float(numbers[statistic])
        found.append(
            _holding(low, Quantile(measurement.measure, statistic, value, value, value, BOUGHT), high)
        )
    return tuple(found)


def better(measurement: Measurement, rung: int, quantiles: BoughtQuantiles) -> tuple[Quantile, ...]:
    """For each statistic the purchased or the free number, whichever has the narrower interval. Closed beats open.

    If both are equal, the purchased number wins if it misses by fewer ranks than the noise and the bin of the free one hide.
    """
    seen, name = seen_from_edges(measurement, rung), measurement.measure
    paid = bought(measurement, rung, quantiles)
    unpaid = [_free(seen, name, one.statistic, _BESIDE_BOUGHT) for one in paid]
    missed = _missed(measurement, quantiles, GRIDS[name])
    noise = worst_rank(seen.rho, len(seen.counts))
    ways: dict[str, list[Quantile]] = {FREE: [], BOUGHT: []}
    chosen = []
    for pair in zip(paid, unpaid, strict=True):
        buy, keep = (_within_both(one, *pair) for one in pair)
        surer = missed <= noise + beside(seen, keep.value)
        ways[BOUGHT].append(buy)
        ways[FREE].append(keep)
        chosen.append(min((buy, keep) if surer else (keep, buy), key=_width))
    if [one.value for one in chosen] == sorted(one.value for one in chosen):
        return tuple(chosen)
    methods = [one.method for one in chosen]
    return tuple(ways[max(ways, key=methods.count)])


def _width(one: Quantile) -> tuple[int, float]:
    """Sort key: the number of open ends, then the width if both are closed."""
    ends = isinf(one.low) + isinf(one.high)
    return ends, 0.0 if ends else one.high - one.low


def _within_both(chosen: Quantile, one: Quantile, other: Quantile) -> Quantile:
    """A number with the intersection of two intervals. It keeps its own interval if they contradict, which is rare."""
    low, high = max(one.low, other.low), min(one.high, other.high)
    if low > high:
        return chosen
    return _holding(low, chosen, high)


def summaries(
    measurements: Mapping[str, Measurement], quantiles: BoughtQuantiles | None, epsilon: Fraction
) -> tuple[Quantile, ...]:
    """The five numbers of every histogram at the rung of a total epsilon, in the order of the measurements.

    Purchased numbers are used from the rung at which they were purchased, if they are better than the free ones
    (``better``). At lower rungs, which show stronger protection, all numbers come from the histogram.
    """
    found: list[Quantile] = []
    for name, measurement in measurements.items():
        if name in GRIDS:
            rung = measurement.rungs.index(epsilon)
            if quantiles is not None and name in quantiles.values and epsilon >= quantiles.at:
                found += better(measurement, rung, quantiles)
            else:
                found += free(measurement, rung)
    return tuple(found)


def columns(quantiles: tuple[Quantile, ...]) -> dict[str, list[str]]:
    """A table of summaries as texts: measure, statistic, value, half_width_95, low_95, high_95, method."""
    return {
        "measure": [one.measure for one in quantiles],
        "statistic": [one.statistic for one in quantiles],
        "value": [decimal(one.value) for one in quantiles],
        "half_width_95": [decimal(one.half_width) for one in quantiles],
        "low_95": [decimal(one.low) for one in quantiles],
        "high_95": [decimal(one.high) for one in quantiles],
        "method": [one.method for one in quantiles],
    }


def decimal(number: float) -> str:
    """At most nine decimals, without zeros at the end; ``inf`` for an open end.

    >>> decimal(12.5), decimal(-0.0), decimal(float("-inf"))
    ('12.5', '0', '-inf')
    """
    if number in {inf, -inf}:
        return str(number)
    text = f"{number + 0.0:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _free(seen: Histogram, measure: str, statistic: str, confidence: float = 0.95) -> Quantile:
    value = interpolated(seen, LEVELS[statistic], whole=measure_named(measure).whole)
    low, high = between(seen, LEVELS[statistic], confidence)
    return _holding(low, Quantile(measure, statistic, value, value, value, FREE), high)


def _holding(low: float, one: Quantile, high: float) -> Quantile:
    """A number with another interval, which is widened to hold the number."""
    return replace(one, low=min(low, one.value), high=max(high, one.value))


def _missed(measurement: Measurement, quantiles: BoughtQuantiles, grid: Grid) -> int:
    """Ranks by which each purchased number of a measure misses at most; true for all of them in 99 of 100 cases.

    It is the largest over the levels. Purchased numbers that crossed were sorted, and sorting never makes the worst miss
    worse.
    """
    measure = measure_named(measurement.measure)
    levels = [LEVELS[statistic] for statistic in quantiles.values[measurement.measure]]
    confidence = 1 - (1 - _POINTS) / len(levels)
    worst = max(sensitivity(measure, measurement.bound, level) for level in levels)
    return RANKS + most_missed(worst, quantiles.epsilon_of_one, grid.size, confidence)


def _cell(grid: Grid, point: int) -> tuple[float, float]:
    """Where the values lie that a point stands for. The first and the last point also stand for all values beyond the grid."""
    low = -inf if point == 0 else float(grid.points[point])
    high = inf if point == grid.size - 1 else float(grid.points[point + 1])
    return (
        max(low, -inf if grid.lowest is None else float(grid.lowest)),
        min(high, inf if grid.highest is None else float(grid.highest)),
    )


@dataclass(frozen=True)
class Histogram:
    """One released histogram at one rung, described by its edges."""

    edges: tuple[float, ...]
    """All edges, one more than bins. Those of open bins are their public limits, or infinite."""
    counts: tuple[int, ...]
    """Noisy counts of the bins."""
    rho: Fraction

    @property
    def below(self) -> NDArray[np.int64]:
        """The noisy number of values below each edge; 0 for the first edge."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    def hidden(self, cells: int) -> int:
        """Counts that noise may hide in so many cells beside a point; on one side it hides more in 5 of 1,000 cases."""
        return _hidden(self.rho, _lender(cells)) if cells else 0


def seen_from_edges(measurement: Measurement, rung: int) -> Histogram:
    """The histogram of a measurement at a rung. ValueError for a measure without bins."""
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
    """Where the rising distribution passes the level. Whole for whole numbers; at the finite edge of an open bin."""
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
    """Values of its bin that may lie between an interpolated number and the true one: half of the bin, all of an open one."""
    number = min(max(int(np.searchsorted(seen.edges, value, side="right")) - 1, 0), len(seen.counts) - 1)
    width = seen.edges[number + 1] - seen.edges[number]
    return max(0, seen.counts[number]) * (1.0 if width == inf else 0.5)


def around(seen: Histogram, low: float, high: float, missed: int) -> tuple[float, float]:
    """The interval of a quantile that lies at most ``missed`` ranks from the values between ``low`` and ``high``."""
    last, sums = len(seen.edges) - 1, seen.below
    after = next((i for i, edge in enumerate(seen.edges) if edge >= high), last)
    before = next((i for i in range(last, -1, -1) if seen.edges[i] <= low), 0)
    reached = [i for i in range(after, last) if sums[i] - sums[after] <= missed + seen.hidden(i - after)]
    back = [i for i in range(1, before + 1) if sums[before] - sums[i] <= missed + seen.hidden(before - i)]
    top = seen.edges[max(reached) + 1] if reached else seen.edges[last]
    bottom = seen.edges[min(back) - 1] if back else seen.edges[0]
    return bottom, top


def _lender(cells: int) -> int:
    """A number of cells, not smaller, whose law is borrowed for ``cells`` cells, so that many bins need few laws.

    It is never too narrow: the noise of a cell is symmetric and a sum of cells unimodal, so more cells have wider noise.
    """
    lender = _OWN_SUMS
    while lender < cells:
        lender = ceil(_STEP * lender)
    return cells if cells <= _OWN_SUMS else lender


@lru_cache(maxsize=10_000)
def _hidden(rho: Fraction, cells: int) -> int:
    return half_width_of_sum(rho, cells, BESIDE)
