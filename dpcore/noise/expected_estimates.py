"""How good the estimates of a plan will be, before anything is spent: from declared facts alone.

``forecast`` says what noise does to a drawn value. A reader sees the estimate for all trips, whose error has four parts:

* *Noise.* The estimate pulls a noisy count towards what district and neighbours tell. So its error is about that of two
  measurements together: the noisy count, and a guess that is off by ``_GUESS`` of the count.
* *Sampling.* The trips that count are a sample of all trips. Trips of one person go to few places, so the sample varies
  ``ALIKE`` times as much as one of single trips.
* *What scaling cannot repair.* People who travel a lot do not go exactly where others go, nor when. The allowance is
  ``unlike * sqrt(1 - share)`` of a count, and of flows also a variance (``scaling_of``), where ``share`` is the share of trips that counts.
* *The total.* The share itself comes from ``total_trips``, which has noise and cuts the trips of the busiest people.

The constants were chosen on the synthetic city, whose truth is public. Of its exact counts the scaled ones are off by 8.8,
7.9, 7.0 and 5.6 % (M = 2, 4, 8, 16), and the formula gives 9.1, 7.4, 5.9 and 4.2 %. Bikes of a real city come close to it.
Check-ins and posts of real people are off by two to three times as much: the formula is a hope for such data.

*A range, not a number.* How many tiles will be known depends on how trips are spread, and nobody knows that beforehand. So
``VisitsForecast`` holds the least and the most of what is expected of some ``_CITIES``. Of 50 releases (the synthetic city,
rented bikes, taxis, check-ins; a person or a trip; epsilon 0.1 to 5) 47 had as many known tiles as it says, and no fewer the share
of visits (``bench.accuracy.known``). The typical city alone was up to five times too high, where most tiles have no trip at all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log, pi, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measure import Measure
from dpcore.measures.plan import Plan
from dpcore.measures.split import parts_of
from dpcore.noise.accuracy import standard_deviation
from dpcore.noise.forecast import (
    LIKELY,
    Facts,
    expected_total,
    listed_from,
    number_of_cells,
    share_counted,
    spread_counts,
    spread_counts_at,
    trips_counted,
)
from dpcore.privacy import ContributionBound, PrivacyUnit

CERTAIN: Final = 0.25
"""A count is known if its likely range reaches at most so large a part of it to either side: one rule for forecasts and pages."""

VISITS: Final = "visits_per_tile"
FLOWS: Final = "od_flows"
FIRST_FLOWS: Final = 20
"""Flows at the top of a list, of which a forecast says how many will be known."""
TOTAL: Final = "total_trips"

_GUESS: Final = 0.9
ALIKE: Final = 2.0
"""Variance of a sample of trips of people over that of a sample of single trips."""
CLOCKS: Final = frozenset({"hour", "window"})
"""Key columns that tell the time of day."""


@dataclass(frozen=True)
class Scaling:
    """Errors that scaling leaves in a table of all trips, for the share of trips that was left out.

    Measured on exact tables of four built-in cities (seeds 5, 7, 77 and 131), scaled, at bounds of 2 to 16.
    """

    unlike: float
    """Over the count and the root of that share: people who travel a lot go elsewhere."""
    repeated: float
    """Variance over the count and that share: few people make a flow, and make it often, so it hangs on who they are."""


_HOURS: Final = 0.17
"""``unlike`` where cells tell the time of day: people who travel a lot differ more in when they travel than in where."""
_TILES: Final = Scaling(0.1, 0.0)
_PAIRS: Final = Scaling(0.06, 20.0)
"""Of pairs of tiles: .92 of the 20 largest flows of the four cities and .98 of the 200 largest lie within the ranges that follow, before noise."""
_DISTRICTS: Final = Scaling(0.06, 45.0)
"""Of pairs of districts, where long ways of the same people add up: .88 of all pairs, before noise, and all of the 20 largest."""


def scaling_of(columns: Collection[str], *, districts: bool = False) -> Scaling:
    """What scaling leaves in a table with these key columns; ``districts``: whether its places are districts."""
    found = _TILES if "origin" not in columns else _DISTRICTS if districts else _PAIRS
    return found if CLOCKS.isdisjoint(columns) else Scaling(_HOURS, found.repeated)


_Z: Final = 1.96  # of a 95 % range
_ABSOLUTE: Final = sqrt(2 / pi)  # mean absolute value of a normal number over its standard deviation
_EVEN: Final = np.array([NormalDist().inv_cdf((place + 0.5) / 101) for place in range(101)])
"""Normal numbers, each as likely as the others."""
_ENDS: Final = 2  # tiles in which a trip counts, unless more of its points do
_TELL_TRIPS: Final = frozenset(
    (
        "trips_over_time", "trips_per_weekday", "trips_per_hour", "visits_per_time_tile", "od_districts", "travel_time",
        "jump_length", "ds_statistics",
    )
)  # fmt: skip
_A_TRIP: Final = 0.5  # a cell that is expected to hold less is taken as empty
_SERVED: Final = 0.125
_UNEVEN_AT: Final = 430  # tiles
_WITHIN: Final = 1.3
_LEAST_UNEVEN: Final = 1.3
_HARDLY: Final = 0.5  # fewer flows are told as none


@dataclass(frozen=True)
class _City:
    """How a city may differ from the typical one."""

    served: float = 1.0
    """Share of the tiles that have trips at all."""
    spread: float = 0.0
    """What is added to the spread of the law of places."""
    errors: float = 1.0
    """Errors of estimates over those of the formula."""


_CITIES: Final = (
    _City(),
    _City(served=_SERVED),
    _City(spread=0.6),
    _City(spread=-0.4),
    _City(errors=1.5),
    _City(errors=0.7),
)


@dataclass(frozen=True)
class VisitsForecast:
    """What the estimates of visits are expected to be; of tables that are split those of a part with an average number of trips."""

    of: int
    """Number of the tiles."""
    of_part: bool
    """Whether the tables are split, so that this is of one part alone."""

    share: float
    """Expected share of all trips that counts, 0 to 1."""
    of_all: bool
    """Whether the estimates are for all trips. Without a paid total, or a table that adds up to the trips that count, they are for those."""
    error: float
    """Mean absolute error of a tile over its mean count: 0.1 for 10 %."""
    readable: float
    """Expected number of known tiles in a typical city."""
    hidden: float
    """Expected number of tiles of a typical city whose likely range holds 0: nearly empty, or hidden by noise."""
    tiles: tuple[float, float]
    """The least and the most known tiles that are expected of cities in which trips are spread in other ways."""
    visits: tuple[float, float]
    """The same for the share of the visits that lie in known tiles, 0 to 1."""
    regions: float
    """Expected number of readable places if neighbouring tiles are merged until each place is readable."""

    @property
    def known_tiles(self) -> str:
        """How many tiles are expected to be known, such as ``3 to 64``."""
        return _range(*self.tiles)

    @property
    def known_visits(self) -> str:
        """How many of 100 visits are expected to lie in known tiles, such as ``24 to 98``."""
        return _range(*(100 * share for share in self.visits))

    @property
    def words(self) -> str:
        """Both in a line, for confirmations and receipts."""
        part = "in an average part, " if self.of_part else ""
        return f"{part}{self.known_tiles} of {self.of:,} tiles known; of 100 visits, {self.known_visits} lie in them"


def _range(least: float, most: float) -> str:
    low, high = round(least), round(most)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def visits_forecast(plan: Plan, facts: Facts) -> VisitsForecast | None:
    """What the estimates of visits are expected to be at the highest epsilon of a plan.

    Of tables that are split those of a part with an average number of trips: a total of all trips tells nothing of it. None if the
    plan has no visits, or if numbers that it needs were not declared: trips, and people under a bound on users.
    """
    parts = len(parts_of(plan.choices.splits))
    facts = _of_a_part(facts, parts)
    share = expected_share(plan.bound, facts)
    if VISITS not in plan.weights or share is None:
        return None
    visits = plan.measure(VISITS)
    rho = plan.rho(VISITS, plan.epsilon)
    of_all, of_total = _scaled(plan, facts)
    found = [
        _tiles(visits, plan.bound, rho, facts, share=share if of_all else 1.0, of_total=of_total, city=city)
        for city in _CITIES
    ]
    known = [_known(counts, errors) for counts, errors in found]
    tiles = [facts.tiles * city.served * of_tiles for city, (of_tiles, _) in zip(_CITIES, known, strict=True)]
    visited = [of_visits for _, of_visits in known]
    return VisitsForecast(
        facts.tiles,
        parts > 1,
        share,
        of_all,
        _mean_error(*found[0]),
        tiles[0],
        _hidden(*found[0]) * facts.tiles,
        (min(tiles), max(tiles)),
        (min(visited), max(visited)),
        _regions(*found[0]) * facts.tiles,
    )


def _of_a_part(facts: Facts, parts: int) -> Facts:
    """What is declared, divided by the number of parts."""
    if parts == 1 or facts.trips is None:
        return facts
    people = None if facts.users is None else max(1, min(facts.users // parts, facts.trips // parts))
    return replace(facts, trips=facts.trips // parts, users=people if facts.trips >= parts else None)


@dataclass(frozen=True)
class FlowsForecast:
    """What a list of flows between tiles is expected to hold; of tables that are split that of a part with an average number of trips."""

    known: float
    """Expected number of known flows between two different tiles."""
    pairs: int
    """Number of the pairs of different tiles."""

    @property
    def first(self) -> int:
        """How many are expected to be known of the ``FIRST_FLOWS`` strongest."""
        return min(round(self.known), FIRST_FLOWS, self.pairs)

    @property
    def words(self) -> str:
        """Both in a line.

        >>> FlowsForecast(41.7, 22_350).words
        'about 42 flows between tiles known, of the 20 strongest about 20'
        >>> FlowsForecast(0.3, 22_350).words
        'hardly a flow between tiles known'
        """
        if self.known < _HARDLY:
            return "hardly a flow between tiles known"
        strongest = min(FIRST_FLOWS, self.pairs)
        flows = "flow" if round(self.known) == 1 else "flows"
        return f"about {round(self.known):,} {flows} between tiles known, of the {strongest} strongest about {self.first}"


def flows_forecast(plan: Plan, facts: Facts) -> FlowsForecast | None:
    """How many flows between tiles are expected to be known at the highest epsilon of a plan.

    A flow counts as known if 1.96 expected errors of its estimate are at most ``CERTAIN`` of it, and if it is large enough to be listed.
    Where not all trips count, most of such an error is not noise. Three laws say how large flows are. They were chosen on the
    synthetic city with 60 to 2,000 tiles, and on no data of any owner:

    * Of n tiles, ``1.3 / sqrt(n)`` of the trips stay within their tile.
    * Flows between two tiles follow the law of places of ``forecast``, with ``exp(s**2)`` the mean square of all flows over the squared
      mean (so it is for a log-normal law).
    * That number is ``unevenness`` of the measure on ``_UNEVEN_AT`` tiles, and grows with the power 3/5 of their number: finer tiles
      have many more pairs without trips. So it is for the 60 to 600 largest flows. The few largest are larger than the law says.

    None if the plan has no flows, or if numbers that it needs were not declared.
    """
    counted = None
    if FLOWS in plan.weights:
        counted = trips_counted(plan.bound, _of_a_part(facts, len(parts_of(plan.choices.splits))))
    if counted is None:
        return None
    measure, tiles, rho = plan.measure(FLOWS), facts.tiles, plan.rho(FLOWS, plan.epsilon)
    pairs, cells = tiles * (tiles - 1), number_of_cells(measure, tiles, plan.choices)
    if not pairs:
        return FlowsForecast(0.0, 0)
    uneven = max(measure.unevenness * (tiles / _UNEVEN_AT) ** 0.6, _LEAST_UNEVEN)
    between = max(1 - _WITHIN / sqrt(tiles), 0.0)
    flows = spread_counts(counted * between / pairs, sqrt(log(uneven)))
    of_all, of_total = _scaled(plan, facts)
    share = (expected_share(plan.bound, facts) or 1.0) if of_all else 1.0
    counts, errors = _for_all_trips(flows, rho, share=share, of_total=of_total, scaling=_PAIRS)
    known = (_Z * errors <= CERTAIN * counts) & (flows >= (listed_from(cells, rho, plan.false_flows) or 1))
    return FlowsForecast(float(LIKELY[known].sum()) * pairs, pairs)


def _scaled(plan: Plan, facts: Facts) -> tuple[bool, float]:
    """Whether the estimates of tables of trips are for all trips, and the relative error that the total of all trips adds."""
    if plan.bound.unit is PrivacyUnit.TRIP:
        return True, 0.0
    of_all = TOTAL in plan.weights and not plan.choices.splits and _tells_trips(plan)
    return of_all, _error_of_total(plan, facts) if of_all else 0.0


def _known(counts: NDArray[np.float64], errors: NDArray[np.float64]) -> tuple[float, float]:
    """Shares of the tiles with trips, and of the visits, that are known."""
    known = _Z * errors <= CERTAIN * counts
    visits = float(LIKELY @ counts)
    return float(LIKELY[known].sum()), float(LIKELY[known] @ counts[known]) / visits if visits else 0.0


def _hidden(counts: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """The share of the tiles whose likely range holds 0."""
    return float(LIKELY[counts - _Z * errors < _A_TRIP].sum())


def _tells_trips(plan: Plan) -> bool:
    """Whether a table adds up to the trips that count, as ``estimates.totals`` needs it for the share of all trips."""
    return (plan.choices.visits_cap or _ENDS) == _ENDS or not _TELL_TRIPS.isdisjoint(plan.weights)


def expected_error(measure: Measure, bound: ContributionBound, rho: Fraction, facts: Facts) -> float | None:
    """Expected mean absolute error of an estimate of visits over the mean count, against all trips.

    The total is taken as known. ``rho`` is epsilon over sensitivity of the measure. None if a number was not declared.
    """
    share = expected_share(bound, facts)
    return (
        None if share is None else _mean_error(*_tiles(measure, bound, rho, facts, share=share, of_total=0.0))
    )


def typical_errors(plan: Plan, name: str, trips: float, share: float, tiles: int) -> tuple[float, ...]:
    """How far a typical count of a table is expected to be off at each rung, as a share of the count: half are off by more.

    Estimates for all trips are meant, and counts that are not 0. The total is taken as known.

    Args:
        plan: with the measure, at whatever rungs.
        name: a measure of the plan whose cells add up to trips or their ends.
        trips: number of all trips.
        share: share of them that counts under the bound, more than 0.
        tiles: number of tiles.

    """
    measure = plan.measure(name)
    cells = number_of_cells(measure, tiles, plan.choices)
    counted = spread_counts_at(_EVEN, trips * share * measure.cells_per_trip / cells, measure.spread)
    counted = counted[counted >= min(_A_TRIP, counted.max())]
    if not counted.any():
        return (float("nan"),) * len(plan.rungs)
    found = []
    for epsilon in plan.rungs:
        rho = plan.rho(name, epsilon)
        scaling = scaling_of(measure.layout.columns, districts=measure.needs_districts)
        counts, errors = _for_all_trips(counted, rho, share=share, of_total=0.0, scaling=scaling)
        found.append(float(np.median(np.abs(_EVEN)[:, None] * errors / counts)))
    return tuple(found)


def expected_share(bound: ContributionBound, facts: Facts) -> float | None:
    """The share of all trips that is expected to count; 1 at trip level, None if a number was not declared."""
    if not facts.trips:
        return None
    if bound.unit is PrivacyUnit.TRIP:
        return 1.0
    return None if facts.users is None else share_counted(facts.trips / facts.users, bound.trips)


def _tiles(
    measure: Measure,
    bound: ContributionBound,
    rho: Fraction,
    facts: Facts,
    *,
    share: float,
    of_total: float,
    city: _City = _CITIES[0],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts of typical tiles for all trips (or those that count), and the standard deviations of their estimates.

    ``LIKELY`` says which share of the tiles each of them stands for.
    """
    total = expected_total(measure, bound, facts) or 0.0
    counted = spread_counts(total / (city.served * facts.tiles + 1), max(measure.spread + city.spread, 0.0))
    counts, errors = _for_all_trips(counted, rho, share=share, of_total=of_total)
    return counts, city.errors * errors


def _for_all_trips(
    counted: NDArray[np.float64], rho: Fraction, *, share: float, of_total: float, scaling: Scaling = _TILES
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Counts of all trips, and the standard deviations of their estimates; ``counted``: of the trips that count."""
    noise = standard_deviation(rho) ** 2
    guess = (_GUESS * counted) ** 2 + counted
    shrunk = noise * guess / (noise + guess)
    counts = counted / share
    sampling = (ALIKE / share + scaling.repeated) * counts * (1 - share)
    of_all = (scaling.unlike**2 * (1 - share) + of_total**2) * counts**2
    return counts, np.sqrt(shrunk / share**2 + sampling + of_all)


def _mean_error(counts: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    return float(_ABSOLUTE * (LIKELY @ errors) / (LIKELY @ counts))


def _error_of_total(plan: Plan, facts: Facts) -> float:
    """Expected relative error of ``total_trips``: its noise and what its cap cuts."""
    total = plan.measure(TOTAL)
    cap = total.sensitivity(plan.bound)
    trips, users = facts.trips or 1, facts.users or 1
    noise = standard_deviation(plan.rho(TOTAL, plan.epsilon)) / trips
    return sqrt(noise**2 + (1 - share_counted(trips / users, cap)) ** 2)


def _regions(counts: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """Places for each tile after merging: readable tiles, and groups of the others.

    The errors of the tiles of a place average out. A place may have the error ``CERTAIN`` over the count, and p places
    share the counts and the squared errors of all tiles that are not readable alone.
    """
    alone = _Z * errors <= CERTAIN * counts
    count, square = LIKELY[~alone] @ counts[~alone], LIKELY[~alone] @ errors[~alone] ** 2
    merged = (CERTAIN * count / _Z) ** 2 / square if square else 0.0
    return float(LIKELY[alone].sum() + min(merged, LIKELY[~alone].sum()))
