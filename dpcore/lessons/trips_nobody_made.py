"""Synthetic trips of the demo city: what the noisy tables hold survives, what no table joins does not, at any epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore import demo
from dpcore.lessons.city import city, ends_in
from dpcore.lessons.dice import Dice
from dpcore.privacy import ContributionBound
from dpcore.synthesis.domain import Stations, TripColumns, TripDomain, durations_counted
from dpcore.synthesis.model import TripModel, fitted
from dpcore.synthesis.sampling import synthetic_trips
from dpcore.synthesis.workload import Group, NoisyTables, SynthesisPlan

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


def _drawn(model: TripModel, seed: int) -> Made:
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
    return _drawn(fitted(NoisyTables(mine, measured, "preview")), int(dice.floats.integers(2**62)))


@lru_cache(1)
def without_noise() -> Made:
    """The same model of the exact tables: what is lost although nothing is hidden. Drawn once, from a seed."""
    mine = plan(Fraction(10))  # only says how the tables weigh against each other; they agree anyhow
    exact = {group.name: true_table(group.axes) for group in mine.groups}
    return _drawn(fitted(NoisyTables(mine, exact, "preview")), demo.DEMO_SEED)
