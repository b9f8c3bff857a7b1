"""What a bound on trips does to three tables of the demo city: it leaves trips out, and it makes the noise narrower.

At most ``M`` trips of each person count. Of a count of ``c`` trips ``k`` are left. The error ``k - c`` stays,
however little noise there is. The noise has the rate ``epsilon / (s M)`` for a person who changes the table by ``s M`` at most.
The mean squared error of a count is the sum of the two,

    error(M)^2 = mean((k - c)^2) + variance of the noise,   the latter about  2 (s M / epsilon)^2.

A release keeps the trips with the smallest secret hash. Here a public shuffle, the same for everybody, stands in for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import demo
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import EPSILONS, line_table, marked
from dpcore.measures import measure_named
from dpcore.noise.accuracy import standard_deviation
from dpcore.privacy import ContributionBound
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.style import Json

Integers = NDArray[np.int64]


TABLES: Final = ("visits_per_tile", "od_flows", "trips_per_hour")
"""Names of the measures; hours here are those of the whole week, starts before ends."""
BOUNDS: Final = (1, 2, 3, 5, 8, 12, 20, 30, 50, 75, 100, 150, 200, 300, 490)
"""Bounds to choose among; nobody in the city made more trips than the last."""
HOURS: Final = 24


@dataclass(frozen=True)
class Error:
    """How far a count of a table is off, in counts: roots of means over all of its counts."""

    max_trips: int
    cut: float
    """By trips that do not count."""
    noise: float
    """By noise: its standard deviation."""

    @property
    def both(self) -> float:
        """By both: squares add up, because the noise does not depend on what was cut."""
        return sqrt(self.cut**2 + self.noise**2)


@lru_cache(1)
def _places() -> Integers:
    """The place of each trip among those of its person, from 0, after the public shuffle."""
    here = city()
    shuffle = Dice(demo.DEMO_SEED).floats.random(len(here.person))
    order = np.lexsort([shuffle, here.person])
    places = np.empty(len(order), np.int64)
    places[order] = here.number
    return places


def share_kept(max_trips: int) -> float:
    """The share of all trips that count, exactly: each person keeps all, or ``max_trips`` of them."""
    trips = city().trips_per_person
    return float(np.minimum(trips, max_trips).sum() / trips.sum())


def size(table: str) -> int:
    """How many counts a table has; places outside every tile share one more."""
    places = city().tiles + 1
    return {"visits_per_tile": places, "od_flows": places**2, "trips_per_hour": 2 * HOURS}[table]


def counts_of(table: str, rows: slice | Integers) -> Integers:
    """The exact counts of a table over some trips of the city, by their rows."""
    here = city()
    start, end = (np.where(at < 0, here.tiles, at) for at in (here.start[rows], here.end[rows]))
    if table == "visits_per_tile":
        cells = np.concatenate([start, end])
    elif table == "od_flows":
        cells = start * (here.tiles + 1) + end
    else:
        cells = np.concatenate([here.hour[rows], HOURS + here.end_hour[rows]])
    return np.bincount(cells, minlength=size(table))


@lru_cache(64)
def counts(table: str, max_trips: int | None = None) -> Integers:
    """The exact counts of a table if so many trips of each person count; None: all."""
    return counts_of(table, slice(None) if max_trips is None else np.flatnonzero(_places() < max_trips))


def sensitivity(table: str, max_trips: int) -> int:
    """The most that one person changes a table by, all counts added: what ``dpcore.measures`` proves."""
    return measure_named(table).sensitivity(ContributionBound.per_user(max_trips))


def rate(table: str, max_trips: int, epsilon: Fraction) -> Fraction:
    """The rate of the noise of each count; ``epsilon``: of the whole table, for a person."""
    return epsilon / sensitivity(table, max_trips)


@lru_cache(64)
def _cut_error(table: str, max_trips: int) -> float:
    lost = counts(table, max_trips) - counts(table)
    return float(np.sqrt(np.mean(lost.astype(np.float64) ** 2)))


def error(table: str, max_trips: int, epsilon: Fraction) -> Error:
    """Cut and noise of a table at a bound."""
    return Error(max_trips, _cut_error(table, max_trips), standard_deviation(rate(table, max_trips, epsilon)))


def errors(table: str, epsilon: Fraction) -> tuple[Error, ...]:
    """Cut and noise at every one of ``BOUNDS``."""
    return tuple(error(table, bound, epsilon) for bound in BOUNDS)


def best(table: str, epsilon: Fraction) -> Error:
    """The bound with the least error of both."""
    return min(errors(table, epsilon), key=lambda one: one.both)


def draw_once(table: str, max_trips: int, epsilon: Fraction, dice: Dice) -> float:
    """How far one noisy table is off the truth of all trips: root of the mean square over its counts."""
    cut = counts(table, max_trips)
    noisy = cut + dice.discrete_laplace(rate(table, max_trips, epsilon), len(cut))
    return float(np.sqrt(np.mean((noisy - counts(table)).astype(np.float64) ** 2)))


_BOUNDS: Final[Json] = {"type": "log", "tickvals": [1, 3, 10, 30, 100, 300]}


def errors_chart(curve: Sequence[Error], chosen: int) -> Chart:
    """How far a count is off at each bound: by cut trips, by noise, and by both."""
    lines = {
        "trips cut": [one.cut for one in curve],
        "noise": [one.noise for one in curve],
        "both together": [one.both for one in curve],
    }
    at = [one.max_trips for one in curve]
    # the largest bound cuts nothing, and 0 has no logarithm
    seen = {name: np.where(np.array(off) > 0, off, np.nan) for name, off in lines.items()}
    ends = charts.log_range(max(1.0, min(lines["noise"])), 1.2 * max(map(max, lines.values())))
    x = charts.axis("M: trips of each person that count", **_BOUNDS)
    y = charts.axis("a count is off by (trips)", type="log", range=ends, dtick="D2", tickformat=",~r")
    figure = marked(charts.lines(at, seen, "M = %{x}: a count is off by %{y:,.3~r} trips"), x, y, chosen)
    alt = "With a larger bound the error by cut trips falls and the noise grows; together they are least in between"
    return Chart(line_table(at, lines, "M", "off"), figure, alt)


def optima_chart(epsilons: Sequence[float], best_bounds: Mapping[str, Sequence[int]], chosen: float) -> Chart:
    """The best bound at each epsilon, for every table."""
    drawn = charts.lines(epsilons, best_bounds, "ε = %{x}: best M = %{y}")
    x = charts.axis("ε of the table, for a person", **EPSILONS)
    y = charts.axis("best M", **_BOUNDS)
    figure = marked([charts.dotted(line) for line in drawn], x, y, chosen)
    alt = "The best bound grows with epsilon, and it is smaller for flows than for the map and the hours"
    return Chart(line_table(epsilons, best_bounds, "epsilon", "M"), figure, alt)
