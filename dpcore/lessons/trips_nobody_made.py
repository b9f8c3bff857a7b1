"""Synthetic trips of the demo city: what the noisy tables hold survives. What no table joins is lost at any epsilon.

Which noise can have made Figure 1 (c) of Roy, Kantarcioglu and Sweeney? The expected share of the busiest days.

The article counts stations by dates and hours, adds noise, sets what is negative to 0, and draws each station's dates
from what is left. On invented trips of the same size (``dpcore.kinds.roy.hubway``) this follows from the law of the noise:
with ``q = exp(-rate)`` a cell of c trips shows ``c + q**(c + 1) / (1 - q**2)`` on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, prod
from typing import Final

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from dpcore import demo
from dpcore.kinds.roy import hubway
from dpcore.kinds.roy.consistency import on_simplex
from dpcore.kinds.roy.domain import Group, Stations, TripColumns, TripDomain, durations_counted
from dpcore.kinds.roy.sampling import synthetic_trips
from dpcore.kinds.roy.trip_model import TripModel, fitted
from dpcore.kinds.roy.workload import NoisyTables, SynthesisPlan, groups
from dpcore.lessons import broken
from dpcore.lessons.city import city, ends_in
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import PERCENT, line_table, parts
from dpcore.privacy import ContributionBound
from dpcore.views.charts import charts
from dpcore.views.ground.style import GREY, NOISY, TRUE, VERMILION

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


DISTRICTS: Final = 60
"""The city is cut into so few that a model is fitted while one waits."""
EVENT: Final = "Stadium Park"
"""A place that is busy on one date only."""


@dataclass(frozen=True)
class Question:
    """A table that somebody may want from synthetic trips."""

    name: str
    axes: tuple[str, ...]
    group: str


ALONE: Final = "one thing alone"
TOGETHER: Final = "joined by a noisy table"
APART: Final = "joined by no table"
QUESTIONS: Final = (
    Question("start", ("start",), ALONE),
    Question("hour", ("hour",), ALONE),
    Question("date", ("date",), ALONE),
    Question("duration", ("duration",), ALONE),
    Question("start and end", ("start", "end"), TOGETHER),
    Question("start and hour", ("start", "hour"), TOGETHER),
    Question("date and hour", ("date", "hour"), APART),
    Question("end and date", ("end", "date"), APART),
    Question("end and hour", ("end", "hour"), APART),
)


@lru_cache(1)
def domain() -> TripDomain:
    """The public domain: districts as stations, each at a point in it, and the dates of the period."""
    districts, _, _ = ends_in(DISTRICTS)
    points = shapely.point_on_surface(districts.polygons)
    places = Stations(
        tuple(districts.ids), tuple(shapely.get_y(points).tolist()), tuple(shapely.get_x(points).tolist())
    )
    return TripDomain(places, demo.DEMO_PERIOD)


@lru_cache(1)
def true_trips() -> TripColumns:
    """The true trips within the domain; public, as they are the demo city's. By their start, dates by their end."""
    here = city()
    _, start, end = ends_in(DISTRICTS)
    seconds = np.rint(here.minutes * 60).astype(np.int64)
    listed = (start >= 0) & (end >= 0) & (here.day < len(demo.DEMO_PERIOD.days)) & durations_counted(seconds)

    def column(codes: Integers) -> NDArray[np.int32]:
        return codes[listed].astype(np.int32)

    return TripColumns(
        column(start), column(end), column(here.day), column(here.hour * 3_600), column(seconds)
    )


def table(trips: TripColumns, axes: tuple[str, ...]) -> Integers:
    """Counts of all combinations of some attributes, in the shape of their sizes; a trip adds 1 to one of them."""
    shape = tuple(domain().sizes[axis] for axis in axes)
    cells = np.ravel_multi_index(tuple(trips.codes(domain(), axis) for axis in axes), shape)
    return np.bincount(cells, minlength=prod(shape)).reshape(shape)


@lru_cache(16)
def true_table(axes: tuple[str, ...]) -> Integers:
    """The same of the true trips."""
    return table(true_trips(), axes)


def plan(epsilon: Fraction) -> SynthesisPlan:
    """What is measured, for one trip."""
    return SynthesisPlan(domain(), ContributionBound.per_trip(), epsilon)


def apart(one: Integers, other: Integers) -> float:
    """Share of trips that must be changed until two tables agree: half the sum of differences of shares."""
    return float(np.abs(one / max(one.sum(), 1) - other / max(other.sum(), 1)).sum() / 2)


@dataclass(frozen=True, eq=False)
class Made:
    """Synthetic trips, looked at."""

    trips: int
    """How many were made: the noisy total."""
    changed: tuple[float, ...]
    """For each of ``QUESTIONS``, the share of trips that would have to be changed."""
    event: Integers
    """Trips to ``EVENT`` by date."""


def _synthetic_trips(model: TripModel, seed: int) -> Made:
    found = synthetic_trips(model, seed)
    return Made(
        len(found),
        tuple(apart(true_table(one.axes), table(found, one.axes)) for one in QUESTIONS),
        by_date(found),
    )


def by_date(trips: TripColumns) -> Integers:
    """Trips to the place of the event by date."""
    place = ends_in(DISTRICTS)[0].names.index(EVENT)
    arrivals: Integers = table(trips, ("end", "date"))[place]
    return arrivals


def synthesised(epsilon: Fraction, dice: Dice) -> Made:
    """Noise on every cell of every table, a model of them, and trips drawn from it."""
    mine = plan(epsilon)

    def noisy(group: Group) -> Integers:
        noise = dice.discrete_laplace(mine.rho(group), mine.cells(group))
        return true_table(group.axes) + noise.reshape(mine.shape(group))

    measured = {group.name: noisy(group) for group in mine.groups}
    return _synthetic_trips(fitted(NoisyTables(mine, measured, "preview")), int(dice.floats.integers(2**62)))


@lru_cache(1)
def without_noise() -> Made:
    """The same model of the exact tables shows what is lost without any noise. Drawn once, from a seed."""
    mine = plan(Fraction(10))  # only says how the tables weigh against each other; they agree anyhow
    exact = {group.name: true_table(group.axes) for group in mine.groups}
    return _synthetic_trips(fitted(NoisyTables(mine, exact, "preview")), demo.DEMO_SEED)


_OF: Final = ("synthetic trips at this ε", "the same model without any noise")


def survival_chart(made: Made) -> charts.Chart:
    """For each of ``QUESTIONS`` the share of trips that must be changed: at an epsilon, and without any noise."""
    asked = [one.name for one in QUESTIONS]
    kinds = [one.group for one in QUESTIONS]
    table = pd.concat(
        [
            pd.DataFrame({"table": asked, "kind": kinds, "changed": [*values], "of": of})
            for of, values in zip(_OF, (made.changed, without_noise().changed), strict=True)
        ]
    )
    traces = [
        charts.dots(
            100 * part["changed"],
            part["table"],
            f"%{{y}}: %{{x:.1f}} % of the trips<br>{of}",
            name=of,
            color=color,
            symbol=symbol,
            size=11,
        )
        for (of, part), color, symbol in zip(
            parts(table, "of"), (NOISY, VERMILION), ("circle", "diamond"), strict=True
        )
    ]
    x = charts.axis("trips that must be changed to agree", rangemode="tozero", nticks=6, **PERCENT)
    figure = charts.figure(traces, height=390, x=x, y=charts.rows(asked), legend=True)
    alt = "Single attributes are near 0 at any ε, measured tables get near with a larger ε, tables that were not measured stay off"
    return charts.Chart(table, figure, alt)


def one_date_chart(synthetic: Integers) -> charts.Chart:
    """Trips to ``EVENT`` by date: synthetic ones as a line, true ones dashed."""
    truth, dates = by_date(true_trips()), [day.isoformat() for day in demo.DEMO_PERIOD.days]
    lines, says = {"synthetic": synthetic, "true": truth}, f"%{{x|%Y-%m-%d}}: %{{y:,}} trips to {EVENT}"
    drawn = charts.lines(dates, lines, says, colors=(NOISY, TRUE), dashes=("solid", "6px,3px"))
    x = charts.axis(type="date", tickformat="%m-%d", nticks=5)
    y = charts.axis(f"trips to {EVENT}", rangemode="tozero", **charts.WHOLE)
    figure = charts.figure(drawn, height=340, x=x, y=y, legend=True)
    table = line_table(dates, lines, "date", "trips")
    alt = f"{EVENT}: one day has up to {truth.max():,} true trips and {synthetic.max():,} synthetic ones"
    return charts.Chart(table, figure, alt)


EPSILON: Final = Fraction(9, 10)
"""Of the figure."""
PRINTED: Final = (0.52, 0.54)
"""Per cent: what the figure prints for the synthetic share of each of the five busiest days."""
_TOP: Final = 5
_HOURS: Final = 24


@dataclass(frozen=True, eq=False)
class Emptiness:
    """How full the table of stations, dates and hours is."""

    cells: Integers
    """How many cells of each station have 0, 1, 2, ... trips: shape ``(2, stations, counts)``, first on the busiest days."""
    days: Integers
    """Trips of each date."""

    @property
    def size(self) -> int:
        """Cells of the table."""
        return int(self.cells.sum())

    @property
    def empty(self) -> int:
        """Cells without a trip."""
        return int(self.cells[:, :, 0].sum())

    @property
    def trips(self) -> int:
        """How many there are."""
        return int(self.days.sum())

    @property
    def busiest(self) -> Integers:
        """The numbers of the five busiest dates."""
        return np.argsort(-self.days, kind="stable")[:_TOP]

    @property
    def true_share(self) -> float:
        """Mean share of the busiest days in per cent."""
        return 100 * float(self.days[self.busiest].mean()) / self.trips


@lru_cache(1)
def emptiness(trips: int = hubway.TRIPS) -> Emptiness:
    """The table of the invented trips, by how many cells have how many trips."""
    made = hubway.hubway(trips)
    stations, dates = made.domain.sizes["start"], made.domain.sizes["date"]
    days = np.bincount(made.trips.date, minlength=dates)
    cell = (made.trips.codes(made.domain, "start") * dates + made.trips.date) * _HOURS
    counts = np.bincount(
        cell + made.trips.codes(made.domain, "hour"), minlength=stations * dates * _HOURS
    ).reshape(stations, dates, _HOURS)
    top = np.zeros(dates, bool)
    top[np.argsort(-days, kind="stable")[:_TOP]] = True
    most = int(counts.max()) + 1
    row = np.arange(stations)[:, None, None] * most

    def histogram(which: NDArray[np.bool_]) -> Integers:
        here = (row + counts[:, which]).ravel()
        return np.bincount(here, minlength=stations * most).reshape(stations, most)

    return Emptiness(np.stack([histogram(top), histogram(~top)]), days)


def expected_shown(most: int, rate: Fraction) -> Floats:
    """What a cell of 0, 1, ..., ``most - 1`` trips shows on average, noise and cutting at 0 included."""
    q, counts = exp(-float(rate)), np.arange(most)
    return np.asarray(counts + q ** (counts + 1) / (1 - q * q))


@dataclass(frozen=True)
class Variant:
    """One way to noise the table."""

    name: str
    occupied_only: bool
    rate: Fraction
    share: float
    """Mean share of the five busiest days in per cent, expected."""
    phantoms: float
    """Trips that noise adds, expected."""


def variants(found: Emptiness, epsilon: Fraction) -> tuple[Variant, ...]:
    """The four ways: all cells or occupied ones, with the scale that the article names or half of it."""
    stations = (found.cells @ np.arange(found.cells.shape[2])).sum(axis=0)
    result = []
    for occupied_only in (False, True):
        for scale in (2, 1):
            rate = epsilon / scale
            shown = expected_shown(found.cells.shape[2], rate)
            if occupied_only:
                shown = broken.occupied_kept(shown)
            top, rest = found.cells @ shown
            share = 100 / _TOP * float((stations / found.trips * top / (top + rest)).sum())
            name = f"{'occupied cells only' if occupied_only else 'all cells'}, scale {scale}/ε"
            result.append(Variant(name, occupied_only, rate, share, float((top + rest).sum()) - found.trips))
    return tuple(result)


def by_dates_alone(found: Emptiness, epsilon: Fraction, dice: Dice) -> float:
    """The same share from the sound model: one noisy table of dates, with its part of epsilon. Drawn, not expected."""
    plan = SynthesisPlan(hubway.hubway(1).domain, ContributionBound.per_trip(), epsilon)
    rate = next(plan.rho(group) for group in groups(plan.domain) if group.axes == ("date",))
    noisy = found.days + dice.discrete_laplace(rate, len(found.days))
    law = on_simplex(noisy.astype(np.float64), float(noisy.sum()))
    return 100 * float(law[found.busiest].mean() / law.sum())


def shares_chart(ways: Sequence[str], shares: Sequence[float], truth: float) -> charts.Chart:
    """Share of the busiest days by what the noise was added to. A band shows what the article prints, a dashed line the truth."""
    low, high = PRINTED
    table = pd.DataFrame({"noise on": [*ways], "share": [*shares]})
    lines = [way.replace(", ", ",<br>") for way in ways]
    bars = charts.lying(charts.bars(lines, shares, "%{y}: %{x:.3f} %"))
    printed = {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "layer": "below"}
    figure = charts.figure(
        [{**bars, "texttemplate": "<b>%{x:.3f}</b>", "textposition": "inside", "textangle": 0}],
        height=300,
        x=charts.axis("busiest days, mean share", range=[0, 0.6], **PERCENT),
        y=charts.rows(lines),
        shapes=[
            {**printed, "fillcolor": charts.faded(GREY, 0.35), "line": {"width": 0}},
            charts.upright(truth, color=TRUE, dash="5px,3px", width=2),
        ],
        bargap=0.5,
    )
    alt = f"The article prints {low} to {high}, a band; only noise on occupied cells comes near it"
    return charts.Chart(table, figure, alt)
