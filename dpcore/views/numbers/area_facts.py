"""What is said of an area of tiles or districts: its visits with the range of the sum, its rank, its arrivals by time of day."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Ranged
from dpcore.estimates.words import likely
from dpcore.measures.keys import Axis, Districts, KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import PrivacyUnit
from dpcore.views.charts import plots
from dpcore.views.charts.charts import Chart, as_high
from dpcore.views.ground.plain import noise_range, number, rounded
from dpcore.views.ground.selection import Selection, tiles_of
from dpcore.views.ground.shown import Shown, counted_of, released_numbers, spoken_of
from dpcore.views.numbers.area import ARRIVALS, VISITS, Cells, Grouping, Numbers, grouped, sums_of
from dpcore.views.numbers.estimated import about_of, rank_said

_OF_A_SUM: Final = (
    "The range is that of the sum: the noise of several counts partly cancels. It is narrower than the ranges of the single "
    "tiles added up. It holds for tiles that were not chosen for their numbers."
)
"""Beside the sum of an area."""
_LOW: Final = 150  # pixels of a chart


@dataclass(frozen=True)
class AreaFacts:
    """Plain texts about an area."""

    estimate: str
    """Its visits with the likely range; empty where there is no estimate."""
    drawn: str
    """The released counts added up, with the range of the noise of the sum."""
    counted: str
    """What its visits count, and how a sum's range is meant."""
    rank: str
    """Rank of a district among the districts; empty for others."""


def area_facts(
    chosen: Selection, numbers: Numbers, districts: Districts | None, called: str = "released count"
) -> AreaFacts | None:
    """What is known of the visits of an area; None where visits were not released. ``called``: what one drawn value is called."""
    drawn = numbers.measurements.get(VISITS)
    if drawn is None:
        return None
    tiles = tiles_of(chosen, districts)
    group = np.full(drawn.keys.size, -1, np.int64)
    group[tiles] = 0
    both = {
        released: sums_of(replace(numbers, released=released), VISITS, grouped(group, 1))
        for released in (False, True)
    }
    guess, sums = both[False], both[True]
    if sums is None:
        return None
    value, low, high = sums.at(0)
    wide = int(high - value)
    middle, first, last = (number(rounded(int(end), wide)) for end in (value, low, high))
    of = f"{drawn.counts} of the trips that count" if drawn.bound.unit is PrivacyUnit.USER else drawn.counts
    what = called.capitalize() if len(tiles) == 1 else f"Sum of {len(tiles):,} {called}s"
    estimate = ""
    if guess is not None:
        table = numbers.estimates.tables[VISITS]
        estimate = f"{likely(*guess.at(0), counted_of(table.counts, spoken_of(table)))}."
    return AreaFacts(
        estimate,
        f"{what}: about {middle} {of} ({noise_range(first, last)}).",
        visit_words(numbers.plan, several=len(tiles) > 1),
        _rank(chosen, numbers, districts, called),
    )


def visit_words(plan: Plan, *, several: bool = False) -> str:
    """What visits count; of a sum also what it counts more than once, and what its range means."""
    cap = plan.choices.visits_cap
    said, again = "A visit is a start or an end of a trip.", "So a trip within the area counts twice."
    if cap not in {None, 2}:
        said = f"Visits are the start, the end and the tiles between them, at most {cap} of a trip."
        again = "So one trip may count several times in a sum."
    return f"{said} {again} {_OF_A_SUM}" if several else said


def _rank(chosen: Selection, numbers: Numbers, districts: Districts | None, called: str) -> str:
    """The rank of one district by its visits, and the ranks that the ranges leave open."""
    if not chosen.districts or districts is None or len(chosen.places) != 1:
        return ""
    group = np.append(np.array(districts.of_tiles, np.int64), -1)
    sums = sums_of(numbers, VISITS, grouped(group, len(districts.names)))
    if sums is None:
        return ""
    table = None if numbers.released else numbers.estimates.tables.get(VISITS)
    by = f"{called}s of visits" if table is None else f"the estimate of visits of {spoken_of(table)}"
    return rank_said(sums.shown, chosen.places[0], f"districts by {by}")


def area_windows(chosen: Selection, numbers: Numbers, districts: Districts | None) -> tuple[Chart, ...]:
    """Arrivals by time of day in an area: weekdays, then weekends, on one scale; none where they were not released."""
    arrivals = numbers.measurements.get(ARRIVALS)
    if arrivals is None or arrivals.cells is not None:
        return ()
    summed = _area_arrivals(arrivals, tiles_of(chosen, districts), numbers)
    pictures = plots.tile_windows(summed, 0)
    limits = summed.limits(np.concatenate([plot.cells for plot in pictures]))
    return tuple(as_high(plots.chart(plot, summed, clipped=True, fixed=limits), _LOW) for plot in pictures)


def _area_arrivals(arrivals: Measurement, tiles: Cells, numbers: Numbers) -> Shown:
    """The arrivals of an area as a table of one place."""
    *times, places = arrivals.keys.axes
    size = len(places.labels)
    keys = KeySet((*times, Axis("tile_id", ("area",), after="others")))
    inside = np.zeros(size, np.bool_)
    inside[tiles] = True
    grouping = _by_time(inside, arrivals.keys.size)
    shown = {}
    for rung in range(len(arrivals.rungs)):
        at = replace(numbers, released=True, estimates=replace(numbers.estimates, rung=rung))
        shown[rung] = sums_of(at, ARRIVALS, grouping)
    found = [sums.shown for sums in shown.values() if sums is not None]
    values = np.stack([_spread_numbers(sums.values) for sums in found]).astype(np.int64)
    widths = tuple(int((sums.high - sums.values).max()) for sums in found)
    summed = replace(arrivals, keys=keys, values=values, half_widths=widths)
    guess = None if numbers.released else sums_of(numbers, ARRIVALS, grouping)
    released = released_numbers(summed, numbers.rung)
    if guess is None:
        return released
    spread = Ranged(*(_spread_numbers(part) for part in guess.shown.columns))
    return released.guessed(spread, about_of(numbers.estimates))


def _by_time(inside: NDArray[np.bool_], cells: int) -> Grouping:
    """Cells of chosen tiles by their time: day type and window."""
    size = len(inside)
    group = np.where(np.tile(inside, cells // size), np.arange(cells, dtype=np.int64) // size, -1)
    return grouped(group, cells // size)


def _spread_numbers(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers of the area, each followed by a 0 for the other tiles, which are not shown."""
    return np.stack([numbers, np.zeros(len(numbers))], axis=1).ravel()
