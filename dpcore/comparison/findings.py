"""What a release surely says: where most is, how uneven it is, and when the day begins and ends. Each holds with a range.

A finding is told only if it is more than chance: the chance that a release tells any false one is at most 5 %. The level is shared by
the kinds of findings that the measures of a release allow, which is public. Within each kind it is shared by all cells that could be told.
Of one part of a release nothing is told: each part would have the whole level, and a reader sees many parts.

* *Largest*, of places and as *peak* of hours. The largest count is tested against every other one (``comparison.chance``). The finding
  names it and every count that it does not exceed by more than chance, if these are few. Only the test against the place that is truly
  largest can make this false, and each test has the level of one among all.
* *Most uneven.* The noise of the k busiest of n places is at most that of the worst k. Of the ``n choose k`` sums of k, one passes Q
  with a chance of at most ``(n choose k) exp(-t Q) E[exp(t V)]**k`` for every t (Chernoff), of which the least counts.
* *Earliest and latest.* Every hour is tested against the average hour. The first hour that may be busier and the first that surely
  is hold the true first one between them.

Where people are hidden and the release says how many trips there are, findings are of all trips: errors then hold the sample and what
scaling cannot repair, as for estimates (``estimates.all_trips``). Otherwise they are of the trips that count.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, lgamma, log, sqrt
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.comparison.all_trips import Scaled, counts_all
from dpcore.comparison.chance import FALSE, Law, Numbers
from dpcore.estimates.all_trips import scaling_of_table
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import standard_deviation
from dpcore.noise.expected_estimates import ALIKE, VISITS
from dpcore.privacy import PrivacyUnit
from dpcore.release import Release

Kind = Literal["largest", "most uneven", "peak", "earliest", "latest"]

FIRST_HOUR: Final = 4
"""Where a day begins: a day of trips ends in the night."""
_DISTRICTS: Final = "od_districts"
_HOURS: Final = "trips_per_hour"
_PART: Final = 10  # one tenth of the tiles
_UNEVEN: Final = 1.5  # times its even share that the busiest tenth must surely have
_WIDEST: Final = 4  # hours between which the day may begin
_AMONG: Final = 3  # places of which one is the largest
_FEWEST: Final = 20  # tiles of which a tenth means something


@dataclass(frozen=True)
class Finding:
    """One finding: the claim that was tested."""

    kind: Kind
    measure: str
    low: float
    """The ends of its range: of a count, a share, or an hour's place in a day that begins at ``FIRST_HOUR``."""
    high: float
    cells: tuple[int, ...] = ()
    """The cell that is largest, or those of which one is."""


def findings(release: Release) -> tuple[Finding, ...]:
    """What a release surely says at its highest epsilon, in reading order; empty where noise hides everything, and for one part."""
    held = {} if release.part else release.measurements
    dense = [name for name in (VISITS, _DISTRICTS, _HOURS) if name in held and held[name].cells is None]
    kinds = len(dense) + (VISITS in dense) + (_HOURS in dense)  # each of them tells two
    return tuple(found for name in dense for found in _WAYS[name](_Table(release, held[name], FALSE / kinds)))


def busiest_part(tiles: int) -> int:
    """How many of so many tiles are the busiest tenth."""
    return ceil(tiles / _PART)


def hours_of_weekdays(keys: KeySet) -> list[int]:
    """The cells of starts on weekdays by hour, from midnight on."""
    labels = keys.labels(keys.all_cells)
    both = enumerate(zip(labels["kind"], labels["day_type"], strict=True))
    return [at for at, of in both if of == ("start", "weekday")]


class _Table:
    """One table at the highest epsilon, and the errors of its counts. Counts are of the trips that count until they are told."""

    def __init__(self, release: Release, drawn: Measurement, level: float) -> None:
        self.release, self.drawn, self.level = release, drawn, level
        self.of_all = counts_all(release)
        self.scaled = Scaled(release, of_all=self.of_all)
        self.rate = float(drawn.rho(len(drawn.rungs) - 1))
        self.deviation = standard_deviation(drawn.rho(len(drawn.rungs) - 1))
        self.left_out = (
            1 - self.scaled.share if release.plan.bound.unit is PrivacyUnit.USER and self.of_all else 0.0
        )
        self.scaling = scaling_of_table(drawn.keys)
        self.values: Numbers = drawn.values[-1].astype(np.float64)

    def spread(self, values: Numbers) -> Numbers:
        """Variance that is no noise: the sample, and what scaling cannot repair."""
        held = np.maximum(values, 0.0) + self.deviation
        found: Numbers = self.left_out * (
            (ALIKE + self.scaling.repeated) * held + (self.scaling.unlike * held) ** 2
        )
        return found

    def exceeds(self, value: float, others: Numbers, level: float) -> NDArray[np.bool_]:
        """Where a count is more than others, by more than chance."""
        one = np.ones((2, len(others)))
        sigma = np.sqrt(self.spread(others) + self.spread(np.array([value])))
        law = Law(one, self.rate * one, sigma)
        return (value > others) & (law.tail(np.maximum(value - others, 0.0)) <= level)

    def told(self, value: float, level: float) -> tuple[float, float, float]:
        """A count of all trips with the ends of its range."""
        y = np.array([value])
        found, _, law = self.scaled.laws(y, np.array([self.rate]), np.ones(1), people=False)
        left = self.left_out * (self.scaling.repeated * found + (self.scaling.unlike * found) ** 2)
        wide = Law(law.weights, law.rates, np.sqrt(law.sigma**2 + left)).half_width(level)
        return float(found[0]), max(float(found[0] - wide[0]), 0.0), float(found[0] + wide[0])


def _largest(table: _Table, cells: NDArray[np.int64]) -> tuple[tuple[int, ...], float, float] | None:
    """The few of some cells that may be the largest, by their counts, with the range of the largest; None if there are more."""
    if len(cells) <= 1:
        return None
    values = table.values[cells]
    order = np.argsort(-values, kind="stable")
    top = float(values[order[0]])
    level = table.level / len(cells) / 2  # half for the ranges
    maybe = order[1:][~table.exceeds(top, values[order[1:]], level)]
    if len(maybe) >= min(_AMONG, len(cells) - 1):
        return None
    ends = [table.told(float(values[at]), level) for at in (order[0], *maybe)]
    return tuple(int(cells[at]) for at in (order[0], *maybe)), ends[0][1], max(high for _, _, high in ends)


def _largest_place(table: _Table, cells: NDArray[np.int64]) -> list[Finding]:
    """The largest of some places, or the few of which one is."""
    found = _largest(table, cells)
    return [] if found is None else [Finding("largest", table.drawn.measure, found[1], found[2], found[0])]


def _of_visits(table: _Table) -> list[Finding]:
    tiles = np.arange(len(table.release.tessellation.tile_ids))
    uneven = _uneven(table, tiles)
    return [*_largest_place(table, tiles), *([] if uneven is None else [uneven])]


def _of_districts(table: _Table) -> list[Finding]:
    names = len(table.drawn.keys.axes[0].inside)
    origin, destination = np.unravel_index(table.drawn.keys.all_cells, table.drawn.keys.shape)
    between = (origin != destination) & (origin < names) & (destination < names)
    return _largest_place(table, np.flatnonzero(between))


def _uneven(table: _Table, tiles: NDArray[np.int64]) -> Finding | None:
    """How much the busiest tenth of the tiles holds."""
    values, many = table.values[tiles], len(tiles)
    if many < _FEWEST:
        return None
    first = busiest_part(many)
    busiest = float(np.sort(values)[-first:].sum())
    spread = np.sort(table.spread(values))
    off = _worst_of(first, many, table.rate, float(spread[-first:].sum()), table.level / 4)
    off_total = _worst_of(many, many, table.rate, float(spread.sum()), table.level / 4)
    total = float(values.sum())
    if total <= off_total:
        return None
    low, high = (busiest - off) / (total + off_total), min((busiest + off) / (total - off_total), 1.0)
    if low < _UNEVEN * first / many:
        return None
    return Finding("most uneven", VISITS, low, high)


def _worst_of(first: int, many: int, rate: float, spread: float, level: float) -> float:
    """A bound on one side: the errors of any ``first`` of ``many`` cells add up to more with a chance of at most ``level``.

    The moment generating function of the noise is ``(1 - q)**2 / ((1 - q exp(t)) (1 - q exp(-t)))`` with ``q = exp(-rate)``.
    """
    sets = lgamma(many + 1) - lgamma(first + 1) - lgamma(many - first + 1)
    t = rate * np.linspace(0.001, 0.999, 999)
    noise = 2 * np.log(-np.expm1(-rate)) - np.log(-np.expm1(t - rate)) - np.log(-np.expm1(-t - rate))
    return float(((sets - log(level) + first * noise + t * t * spread / 2) / t).min())


def _of_hours(table: _Table) -> list[Finding]:
    """The hour of weekdays in which most trips start, and the first and the last one with more starts than the average hour."""
    wanted = hours_of_weekdays(table.drawn.keys)
    found = []
    peak = _largest(table, np.array(wanted))
    if peak is not None:
        among, low, high = peak
        found.append(Finding("peak", _HOURS, low, high, among))
    hours = np.roll(table.values[wanted], -FIRST_HOUR)
    many = len(hours)
    others = sqrt((many - 1) / many**2) * table.deviation
    sigma = np.sqrt(table.spread(hours) + others**2)
    law = Law(np.full((1, many), 1 - 1 / many), np.full((1, many), table.rate), sigma)
    change = hours - hours.mean()
    sure = law.tail(np.abs(change)) <= table.level / many
    above, maybe = np.flatnonzero(sure & (change > 0)), np.flatnonzero(~(sure & (change < 0)))
    if not len(above):
        return found
    ends: tuple[tuple[Kind, int, int], ...] = (
        ("earliest", int(maybe[0]), int(above[0])),
        ("latest", int(above[-1]), int(maybe[-1])),
    )
    return [
        *found,
        *(
            Finding(kind, _HOURS, float(low), float(high))
            for kind, low, high in ends
            if high - low < _WIDEST and (low, high) != (0, many - 1)
        ),
    ]


_WAYS: Final = {VISITS: _of_visits, _DISTRICTS: _of_districts, _HOURS: _of_hours}
