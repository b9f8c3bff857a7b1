"""Five-number summaries of released histograms: 5, 25, 50, 75 and 95 % of all values lie below them.

They are there for free: released counts say how many values lie below each public edge, so they say between which edges a
quantile lies, at every rung. Where a plan paid for them, the exponential mechanism gave points of a finer public grid as
well (``dpcore.quantiles``), and the released counts still say how far off these may be. Public numbers only.

**Intervals.** Those of free numbers follow from the counts alone, see ``dpcore.histogram_ranks``.

A bought point misses by at most ``s`` ranks (``rank_scores.most_missed``). The quantile lies below an edge if more than
``s`` values lie between the point and the edge, which the histogram tells up to its noise; and below another bought point if
the levels of the two are more than that apart. What the counts say without the point holds as well. Of 1,000 cases these
fail in 50 at most: 20 for the five points, 10 for the counts beside a point, 5 for the number of values, 15 for the counts
alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Final

from dpcore.accuracy import half_width_of_sum
from dpcore.bought_quantiles import BoughtQuantiles
from dpcore.errors import PrivacyError
from dpcore.histogram_ranks import RANKS, Histogram, around, between, interpolated, seen_from_edges
from dpcore.measurement import Measurement
from dpcore.measures import measure_named
from dpcore.privacy import decimal_text
from dpcore.quantile_grids import GRIDS, LEVELS, PARTS, Grid
from dpcore.rank_noise import rank_half_width
from dpcore.rank_scores import most_missed, sensitivity

if TYPE_CHECKING:
    from dpcore.release import Release

FREE: Final = "from the released histogram"
BOUGHT: Final = "exponential mechanism"
ENOUGH: Final = 0.01
"""A free number is good enough if noise moves its rank by no more than this share of all values (95 of 100 times)."""

_POINTS, _NUMBER, _ALONE = 0.98, 0.99, 0.985  # of the number only one side counts: 5 in 1,000


@dataclass(frozen=True)
class Quantile:
    """One number of a summary with where the true one lies in 95 of 100 cases."""

    measure: str
    statistic: str
    """Such as ``p25``."""
    value: float
    """In the unit of the measure."""
    low: float
    """``-inf`` where the lowest bin is open and nothing public bounds it."""
    high: float
    """``inf`` where it may lie in an open last bin."""
    method: str

    @property
    def half_width(self) -> float:
        """The larger of the two sides of the interval; ``inf`` where it is open."""
        return max(self.value - self.low, self.high - self.value, 0.0)


def free(measurement: Measurement, rung: int) -> tuple[Quantile, ...]:
    """The five numbers of a released histogram at a rung, from its counts alone; they cost nothing.

    The value is interpolated linearly in the distribution of the noisy counts, made to rise. ValueError for a measure
    that has no bins.
    """
    seen = seen_from_edges(measurement, rung)
    return tuple(_free(seen, measurement.measure, statistic) for statistic in LEVELS)


def rank_error(measurement: Measurement, rung: int) -> float:
    """Share of all values by which noise moves the rank of a free number, at most, in 95 of 100 cases; ``inf`` for none.

    Taken at the edge and the level where it is largest, over the noisy number of all values.
    """
    seen = seen_from_edges(measurement, rung)
    bins, total = len(seen.counts), sum(seen.counts)
    if total <= 0:
        return inf
    worst = max(  # the variance is a straight line in the number of cells below
        rank_half_width(seen.rho, below, bins - below, level)
        for level in LEVELS.values()
        for below in (1, bins - 1)
    )
    return worst / (PARTS * total)


def large_enough(measurement: Measurement, rung: int) -> bool:
    """Whether the free numbers are as good as any: noise moves no rank by more than 1 % of all values."""
    return rank_error(measurement, rung) <= ENOUGH


def bought(measurement: Measurement, rung: int, quantiles: BoughtQuantiles) -> tuple[Quantile, ...]:
    """The bought numbers of a measure, with intervals that the released histogram at a rung gives them."""
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
        least_low, most_high = between(seen, LEVELS[statistic], _ALONE)
        if max(low, least_low) <= min(high, most_high):  # else one of the two is among the few that fail
            low, high = max(low, least_low), min(high, most_high)
        value = float(numbers[statistic])
        found.append(
            Quantile(measurement.measure, statistic, value, min(low, value), max(high, value), BOUGHT)
        )
    return tuple(found)


def summaries(
    measurements: Mapping[str, Measurement], quantiles: BoughtQuantiles | None, epsilon: Fraction
) -> tuple[Quantile, ...]:
    """The five numbers of every histogram at the rung of a total epsilon, in the order of the measurements.

    Bought numbers stand from the rung on at which they were bought; at lower rungs, which show what stronger protection
    would look like, the numbers come from the histogram.
    """
    found: list[Quantile] = []
    for name, measurement in measurements.items():
        if name in GRIDS:
            rung = measurement.rungs.index(epsilon)
            if quantiles is not None and name in quantiles.values and epsilon >= quantiles.at:
                found += bought(measurement, rung, quantiles)
            else:
                found += free(measurement, rung)
    return tuple(found)


def five_numbers(release: Release, epsilon: Fraction | None = None) -> tuple[Quantile, ...]:
    """The five-number summaries of a release at a revealed rung (None: the finest), see ``summaries``.

    PrivacyError where that rung was not revealed.
    """
    wanted = release.plan.epsilon if epsilon is None else epsilon
    if wanted not in release.plan.rungs:
        revealed = ", ".join(decimal_text(rung) for rung in release.plan.rungs)
        raise PrivacyError(
            "this release does not hold that rung",
            f"epsilon {decimal_text(wanted)}",
            f"Choose one that was revealed: {revealed}.",
        )
    return summaries(release.measurements, release.five_numbers, wanted)


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
    """At most nine decimals, without zeros at the end; ``inf`` where there is no end.

    >>> decimal(12.5), decimal(-0.0), decimal(float("-inf"))
    ('12.5', '0', '-inf')
    """
    if number in {inf, -inf}:
        return str(number)
    text = f"{number + 0.0:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _free(seen: Histogram, measure: str, statistic: str) -> Quantile:
    value = interpolated(seen, LEVELS[statistic], whole=measure_named(measure).whole)
    low, high = between(seen, LEVELS[statistic], 0.95)
    return Quantile(measure, statistic, value, min(low, value), max(high, value), FREE)


def _missed(measurement: Measurement, quantiles: BoughtQuantiles, grid: Grid) -> int:
    """Ranks by which each of the bought numbers of a measure misses at most, all together in 98 of 100 cases.

    The largest over the levels: numbers that came out crossed were sorted, and sorting never makes the worst miss worse.
    """
    measure = measure_named(measurement.measure)
    levels = [LEVELS[statistic] for statistic in quantiles.values[measurement.measure]]
    confidence = 1 - (1 - _POINTS) / len(levels)
    worst = max(sensitivity(measure, measurement.bound, level) for level in levels)
    return RANKS + most_missed(worst, quantiles.epsilon_of_one, grid.size, confidence)


def _cell(grid: Grid, point: int) -> tuple[float, float]:
    """Where values lie that a point stands for; the first and the last stand for all beyond the grid as well."""
    low = -inf if point == 0 else float(grid.points[point])
    high = inf if point == grid.size - 1 else float(grid.points[point + 1])
    return (
        max(low, -inf if grid.lowest is None else float(grid.lowest)),
        min(high, inf if grid.highest is None else float(grid.highest)),
    )
