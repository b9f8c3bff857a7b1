"""A median of trip durations, drawn on a public grid, with the exact chance of every answer.

The score of a point is minus the number of ranks that it misses the middle by, in twentieths (``dpcore.measures.bought``). One
trip changes it by ``D`` at most. The exponential mechanism answers ``i`` with a chance proportional to
``p_i = exp((s_i - max s) / b)``, ``b = 2 D / epsilon``. This app adds exponential noise of mean ``b`` to every score and
takes the largest, which is its permute-and-flip form and misses by less:

    chance of i  =  p_i * integral over t from 0 to 1 of  prod over j != i of (1 - p_j t).

That is the chance that the noise of ``i`` lies above all others, with ``t`` for ``exp(-x / b)``. The product is a polynomial,
so a Gauss sum with half as many points as the grid has gives it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import PERCENT, line_table
from dpcore.measures.bins import LEVELS, PARTS
from dpcore.measures.bought import noise_scale, score_change
from dpcore.measures.choices import GRIDS
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.style import TRUE, VERMILION, Json

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


LEVEL: Final = LEVELS["p50"]
CHANGE: Final = score_change(1, 0, LEVEL)
"""The most that one trip changes a score by, in twentieths: half a rank."""
POINTS: Final[Floats] = np.array([float(point) for point in GRIDS["travel_time"].points])
"""The public grid, in minutes: every half minute up to an hour, then coarser, up to a day."""


@dataclass(frozen=True, eq=False)
class Trips:
    """Some trips of the demo city, by duration."""

    minutes: Floats
    """Rising, shape ``(trips,)``."""
    rows: Integers
    """Their rows in the city."""

    @property
    def median(self) -> float:
        """The true one: with an even number of trips the middle between two."""
        return float(np.median(self.minutes))

    def without(self, place: int) -> Trips:
        """The same with one trip less."""
        return Trips(np.delete(self.minutes, place), np.delete(self.rows, place))


@lru_cache(8)
def some_trips(number: int) -> Trips:
    """So many trips, from all over the list of people, the same for everybody."""
    rows = np.linspace(0, len(city().person) - 1, number).astype(np.int64)
    rows = rows[np.argsort(city().minutes[rows], kind="stable")]
    return Trips(city().minutes[rows], rows)


def scores(minutes: Floats) -> Integers:
    """The score of every point, in twentieths of a rank, 0 where the median is; each value counts at the point below it."""
    at = np.maximum(np.searchsorted(POINTS, minutes, side="right") - 1, 0)
    counts = np.bincount(at, minlength=len(POINTS))
    upto = np.cumsum(counts)
    rank = LEVEL * len(minutes)
    missed = np.maximum(PARTS * (upto - counts) - rank, rank - PARTS * upto)
    return np.asarray(-np.maximum(missed, 0))


def _exponents(score: Integers, epsilon: Fraction) -> Floats:
    return np.asarray((score - score.max()) / float(noise_scale(CHANGE, epsilon)))


def exponential(score: Integers, epsilon: Fraction) -> Floats:
    """The chance of every point by the exponential mechanism."""
    weights = np.exp(_exponents(score, epsilon))
    return np.asarray(weights / weights.sum())


def log_permute_and_flip(score: Integers, epsilon: Fraction) -> Floats:
    """The logarithm of the chance of every point by the permute-and-flip form, as this app draws it; no chance is 0."""
    exponents = _exponents(score, epsilon)
    nodes, parts = np.polynomial.legendre.leggauss(len(exponents) // 2 + 1)
    t = (nodes + 1) / 2
    lost = np.log1p(-np.outer(t, np.exp(exponents)))  # shape (nodes, points); each t is less than 1
    others = np.exp(lost.sum(axis=1, keepdims=True) - lost)
    return np.asarray(exponents + np.log(parts / 2 @ others))


@dataclass(frozen=True, eq=False)
class Law:
    """What can come out, and how likely."""

    score: Integers
    log_chance: Floats
    by_exponential: Floats

    @property
    def chance(self) -> Floats:
        """The chance of every point as this app draws; together 1."""
        chance = np.exp(self.log_chance)
        return np.asarray(chance / chance.sum())

    def within(self, median: float, minutes: float) -> float:
        """The chance of an answer at most so far from the true median."""
        return float(self.chance[np.abs(POINTS - median) <= minutes].sum())


@lru_cache(64)
def law(number: int, epsilon: Fraction) -> Law:
    """Score and chances of all points for so many trips."""
    score = scores(some_trips(number).minutes)
    return Law(score, log_permute_and_flip(score, epsilon), exponential(score, epsilon))


@lru_cache(64)
def most_told(number: int, epsilon: Fraction) -> float:
    """The most that any answer tells about the middle trip: the largest log ratio of its chances with it and without it."""
    trips = some_trips(number)
    fewer = log_permute_and_flip(scores(trips.without(number // 2).minutes), epsilon)
    return float(np.abs(law(number, epsilon).log_chance - fewer).max())


def draws(number: int, epsilon: Fraction, n: int, dice: Dice) -> Floats:
    """``n`` medians on the grid, in minutes."""
    return dice.floats.choice(POINTS, n, p=law(number, epsilon).chance)


_CHANCE: Final[Json] = charts.axis("chance", rangemode="tozero", **PERCENT)


def _beside_the_truth(
    table: pd.DataFrame, traces: Sequence[Json], median: float, y: Json, alt: str, *, legend: bool = False
) -> Chart:
    """A picture over minutes with the true median dashed."""
    ends = [float(table["minutes"].min()), float(table["minutes"].max())]
    truth = charts.upright(median, color=TRUE, dash="5px,3px")
    figure = charts.figure(
        traces, height=320, x=charts.axis("minutes", range=ends), y=y, legend=legend, shapes=[truth]
    )
    return Chart(table, figure, alt)


def missed_chart(ranks: Floats, median: float, high: float) -> Chart:
    """Ranks by which each point of the grid up to ``high`` misses the middle; the true median dashed."""
    seen = high >= POINTS
    table = pd.DataFrame({"minutes": POINTS[seen], "missed": ranks[seen]})
    says = "%{x} minutes: misses the middle by %{y:,} trips"
    line = charts.line(table["minutes"], table["missed"], says, width=2.5)
    y = charts.axis("misses the middle by (trips)", rangemode="tozero")
    alt = "Points far from the median miss the middle by many trips, those at it by none"
    return _beside_the_truth(table, [line], median, y, alt)


def chances_chart(found: Law, median: float, window: tuple[float, float]) -> Chart:
    """How likely each point of the grid within a window comes out, in two forms of the mechanism."""
    seen = (window[0] <= POINTS) & (window[1] >= POINTS)
    lines = {"as this app draws": found.chance[seen], "exponential mechanism": found.by_exponential[seen]}
    shares = {name: 100 * chance for name, chance in lines.items()}
    traces = charts.lines(POINTS[seen], shares, "%{x} minutes: chance %{y:.3~r} %")
    alt = "The chance of a point is largest near the true median and falls on both sides; it is nowhere zero"
    table = line_table(POINTS[seen].tolist(), lines, "minutes", "chance")
    return _beside_the_truth(table, traces, median, _CHANCE, alt, legend=True)


def among_chart(values: Floats, chance: Floats, median: float, window: tuple[float, float]) -> Chart:
    """How likely each value of the data within a window comes out where only these can: one stick for each trip."""
    seen = (values >= window[0]) & (values <= window[1])
    table = pd.DataFrame({"minutes": values[seen], "chance": chance[seen]})
    high, zero = 100 * table["chance"], np.zeros(len(table))
    heads = charts.dots(
        table["minutes"], high, "%{x:.6~r} minutes: chance %{y:.3~r} %", color=VERMILION, size=3
    )
    sticks = charts.intervals(heads, zero, high, color=VERMILION, thickness=1.6)
    alt = "Only values of somebody's trip can come out: a stick for each of them, and nothing between"
    return _beside_the_truth(table, [sticks], median, _CHANCE, alt)
