"""Sums of counts over chosen places, each with a range of its own.

**One cell** keeps what is known of it: its estimate with its likely range, or its released count with the noise of one cell.

**A sum of several cells** is the sum of their released counts. Its noise is the sum of as many independent draws, whose law is
known exactly (``noise.accuracy.half_width_of_sum``). So 95 % of the ranges of areas hold, if the areas were chosen without
looking at the numbers.

**A sum of estimates** of a release has the range of its joint draws (``estimates.draws``), which bundles hold too: errors of
single cells depend on each other, and no formula says how much. Where there are no draws, as in a preview, it is the released sum,
scaled by the share of trips that count. Its range is then that of noise, share and sample (``estimates.all_trips``), as for
merged tiles, and wider.

**Where no counts were released for each cell** (flows that follow from other tables, lists of the largest flows) a sum of
estimates has no known range.

The ends of ranges are never added.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimates, Ranged
from dpcore.estimates.all_trips import scaled_up, scaling_of_table
from dpcore.estimates.draws import MEASURES
from dpcore.estimates.noisy import Integers
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width_of_sum, stands_out_from
from dpcore.release.draws import draws_at
from dpcore.release.estimates import estimates_to_show
from dpcore.release.release import Release
from dpcore.views.ground.shown import ranged

Cells = NDArray[np.int64]
VISITS: Final = "visits_per_tile"
FLOWS: Final = "od_flows"
DISTRICT_FLOWS: Final = "od_districts"
ARRIVALS: Final = "visits_per_time_tile"
"""Arrivals in each tile by windows of the day."""
_USUAL: Final = 0.95
_ENDS: Final = (0.5 - _USUAL / 2, 0.5 + _USUAL / 2)
_MADE: WeakKeyDictionary[Release, dict[int, Mapping[str, Integers]]] = WeakKeyDictionary()
_SUREST: Final = 0.999999


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers that a page shows now: those of a release, or of an owner's preview, at one stop."""

    plan: Plan
    measurements: Mapping[str, Measurement]
    estimates: Estimates
    released: bool
    """Whether released counts are shown and not the estimates."""
    draws: Callable[[], Mapping[str, Integers]] = dict
    """Joint draws of the estimates by table, made when a sum asks for them; a table without has none."""

    @property
    def rung(self) -> int:
        """Number of the stop."""
        return self.estimates.rung


def numbers_of(release: Release, estimates: Estimates, *, released: bool) -> Numbers:
    """The numbers of a release at the stop of some estimates, whose sums have the ranges of its draws."""
    return Numbers(
        release.plan, release.measurements, estimates, released, partial(draws_of, release, estimates.rung)
    )


def draws_of(release: Release, rung: int) -> Mapping[str, Integers]:
    """The joint draws of a stop, made once; none where there can be none."""
    kept = _MADE.setdefault(release, {})
    if rung not in kept:
        made = draws_at(release, estimates_to_show(release, rung, of={*MEASURES} & {*release.measurements}))
        kept[rung] = {} if made is None else made.tables
    return kept[rung]


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of cells by group."""

    shown: Ranged
    """The sums with their ranges: of the noise for released counts, likely ones for estimates; NaN where none is known."""
    readable: NDArray[np.bool_]
    """Which of them can be told from none. A sum without a range counts as readable: nobody knows what hides it."""

    def at(self, group: int) -> tuple[float, float, float]:
        """The sum of one group, and the ends of its range."""
        return self.shown.cell(group)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which cells of a table are added up together. It is told by a rule: flows between many tiles have too many cells to list."""

    of: Callable[[Cells], Cells]
    """The group of each of some cell numbers, negative for those of no group."""
    sizes: Cells
    """How many cells of the key set each group has, listed or not."""


def grouped(group: Cells, count: int) -> Grouping:
    """A grouping whose groups are given for every cell."""
    return Grouping(lambda cells: group[cells], np.bincount(group[group >= 0], minlength=count))


def measure_between(measurements: Collection[str]) -> str:
    """The table that tells flows between districts: their own, else the flows between tiles."""
    return DISTRICT_FLOWS if DISTRICT_FLOWS in measurements else FLOWS


def sums_of(numbers: Numbers, measure: str, grouping: Grouping) -> Sums | None:
    """Cells of a table added up by group; None where the page has no such numbers."""
    drawn, table = numbers.measurements.get(measure), numbers.estimates.tables.get(measure)
    if numbers.released:
        return None if drawn is None else _released(drawn, numbers.rung, grouping)
    if table is None:
        return None
    group, shown = grouping.of(table.cell_numbers), ranged(table)
    inside = np.flatnonzero(group >= 0)
    found = Ranged.without_range(_group_sums(shown.values[inside], group[inside], grouping.sizes))
    several = measure in MEASURES and bool((grouping.sizes > 1).any())
    made = numbers.draws().get(measure) if several else None
    if made is not None:
        _take_range_of_draws(found, made[table.cell_numbers[inside]], group[inside])
    elif drawn is not None and drawn.cells is None:
        found = _scaled_sums(drawn, numbers, grouping)
    found.values[grouping.sizes == 1] = 0  # what is not listed as an estimate is below one half
    for part in (found.low, found.high):
        part[grouping.sizes == 1] = np.nan
    alone = inside[grouping.sizes[group[inside]] == 1]
    for to, part in zip(found.columns, shown.columns, strict=True):
        to[group[alone]] = part[alone]
    half = (found.high - found.low) / 2
    return Sums(found, (found.values >= 0.5) & ~(half >= found.values))


def _take_range_of_draws(found: Ranged, made: Integers, group: Cells) -> None:
    """Give sums the range of their draws, which holds the sum. ``made``: of the cells that are in a group, one row each."""
    sums = np.zeros((len(found.values), made.shape[1]))
    np.add.at(sums, group, made)
    low, high = np.quantile(sums, _ENDS, axis=1)
    np.minimum(low, found.values, out=found.low)
    np.maximum(high, found.values, out=found.high)


def _scaled_sums(drawn: Measurement, numbers: Numbers, grouping: Grouping) -> Ranged:
    """Sums of released counts, scaled to all trips."""
    values, wide = _released_sums(drawn, numbers.rung, grouping)
    counted = Ranged(*(np.maximum(part, 0.0) for part in (values, values - wide, values + wide)))
    share = numbers.estimates.share
    scaled = counted if share is None else scaled_up(counted, share, scaling_of_table(drawn.keys))
    return Ranged(*(part.copy() for part in scaled.columns))


def _released(drawn: Measurement, rung: int, grouping: Grouping) -> Sums:
    """Released counts added up, with the range of the noise; of lists of the largest cells sums have no range."""
    if drawn.cells is None:
        values, wide = _released_sums(drawn, rung, grouping)
        return Sums(
            Ranged(values, values - wide, values + wide),
            values >= sums_stand_out_from(drawn.rho(rung), grouping.sizes),
        )
    group = grouping.of(drawn.cell_numbers)
    inside = np.flatnonzero(group >= 0)
    found = Ranged.without_range(_group_sums(drawn.values[rung][inside], group[inside], grouping.sizes))
    alone = inside[grouping.sizes[group[inside]] == 1]
    one, at = drawn.half_widths[rung], group[alone]
    found.low[at], found.high[at] = found.values[at] - one, found.values[at] + one
    told = found.values >= stands_out_from(drawn.rho(rung), drawn.keys.size, drawn.threshold)
    return Sums(found, np.where(np.isnan(found.low), found.values > 0, told))


def _released_sums(
    drawn: Measurement, rung: int, grouping: Grouping
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of released counts of which every cell is listed, and the half widths of their noise."""
    group = grouping.of(drawn.keys.all_cells)
    inside = group >= 0
    values = _group_sums(drawn.values[rung][inside], group[inside], grouping.sizes)
    return values, _half_widths(drawn.rho(rung), grouping.sizes, _USUAL)


def _group_sums(values: NDArray[Any], group: Cells, sizes: Cells) -> NDArray[np.float64]:
    return np.bincount(group, values, minlength=len(sizes)).astype(np.float64)


def sums_stand_out_from(rho: Fraction, sizes: Cells) -> NDArray[np.float64]:
    """From which value on each sum of so many cells stands out: of all these sums at most about one empty one would, by chance.

    ``rho``: rate of the noise of a cell.
    """
    sure = min(max(_USUAL, 1 - 1 / max(1, int((sizes > 0).sum()))), _SUREST)
    return np.where(sizes > 0, _half_widths(rho, sizes, sure) + 1, np.inf)


def _half_widths(rho: Fraction, sizes: Cells, confidence: float) -> NDArray[np.float64]:
    """The half width of the noise of each sum, 0 for a sum of nothing."""
    some, which = np.unique(sizes, return_inverse=True)
    wide = [_wide(rho, int(size), confidence) if size else 0 for size in some]
    return np.array(wide, np.float64)[which]


@lru_cache(maxsize=10_000)
def _wide(rho: Fraction, cells: int, confidence: float) -> int:
    return half_width_of_sum(rho, cells, confidence)
