"""Cities on paper for tests of estimates: true counts that agree with one another, and noise on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

import numpy as np

from dpcore import limits
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts, Period
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width
from dpcore.privacy import ContributionBound
from dpcore.tiles import Box, Tessellation, square_grid

PERIOD = Period(date(2024, 3, 4), date(2024, 3, 31))
OF_BEFORE = (
    "ds_statistics",
    "trips_over_time",
    "trips_per_weekday",
    "trips_per_hour",
    "visits_per_tile",
    "visits_per_time_tile",
    "od_flows",
    "travel_time",
    "jump_length",
    "trips_per_user",
    "user_time_delta",
    "radius_of_gyration",
    "user_tile_count",
    "mobility_entropy",
)
"""The measures of the default plan before there were flows between districts."""
OF_NOW = ("od_districts", "total_trips", "incomplete_trips", *OF_BEFORE[1:2], *OF_BEFORE[3:6], *OF_BEFORE[7:])
"""Those of a default plan at user level."""


def grid(side: int) -> Tessellation:
    """So many tiles in a row, and so many rows."""
    return square_grid(Box(9.0, 54.0, 9.0 + 0.01 * side, 54.0 + 0.006 * side), 600 if side > 1 else 3000)


@dataclass(frozen=True)
class City:
    """True flows between places (the last is outside), and the trips that begin nowhere."""

    flows: np.ndarray
    incomplete: np.ndarray
    """Incomplete trips by the place of their end."""
    hours: np.ndarray
    """Shares of the 48 hours of both day types."""


def city(places: int, trips: int, seed: int, incomplete: float = 0.0) -> City:
    """A city whose places differ in size, with as many trips there as back on average."""
    rng = np.random.default_rng(seed)
    size = rng.lognormal(0, 1, places)
    mean = np.outer(size, size) * rng.lognormal(0, 0.5, (places, places))
    mean = (mean + mean.T) * trips / (2 * mean.sum())
    alone = rng.poisson(incomplete * mean.sum(axis=0))
    return City(rng.poisson(mean), alone, rng.dirichlet(np.full(48, 3.0)))


def truth(made: City, measure: str, choices: KeyChoices, size: int, seed: int) -> np.ndarray:
    """The true cells of a measure. What the flows do not tell is spread at random."""
    rng = np.random.default_rng(seed)
    into, complete = made.flows.sum(axis=0) + made.incomplete, int(made.flows.sum())
    trips = complete + int(made.incomplete.sum())
    if measure == "visits_per_tile":
        return made.flows.sum(axis=1) + into
    if measure == "visits_per_time_tile":
        cells = size // len(into)
        return np.stack([rng.multinomial(n, np.full(cells, 1 / cells)) for n in into], axis=1).ravel()
    known = {"od_flows": made.flows, "total_trips": [2 * trips], "incomplete_trips": [trips - complete]}
    known["ds_statistics"] = [trips // 5, trips, trips + complete, complete, trips - complete][-size:]
    if measure in known:
        return np.ravel(known[measure])
    if measure == "od_districts":
        of = np.append(choices.districts.of_tiles, len(choices.districts.names))
        member = np.eye(of.max() + 1, dtype=np.int64)[of]
        return (member.T @ made.flows @ member).ravel()
    if measure == "trips_per_hour":
        return np.concatenate([rng.multinomial(n, made.hours) for n in (complete, trips)])
    whole = complete if measure in {"travel_time", "jump_length"} else trips
    return rng.multinomial(whole, rng.dirichlet(np.full(size, 1.0)))


def plan(
    names: Sequence[str], tiles: Tessellation, epsilon: str = "1", trips: int | None = 8, **choices: object
) -> Plan:
    """A plan with equal shares; ``trips``: the bound M, None at trip level. With two districts, if there are two tiles."""
    bound = ContributionBound.per_trip() if trips is None else ContributionBound.per_user(trips)
    found = KeyChoices(period=PERIOD, **choices)  # type: ignore[arg-type]
    count = len(tiles.tile_ids)
    if count > 1:
        half = tuple(int(number >= count / 2) for number in range(count))
        found = replace(found, districts=Districts(("east", "west"), half))
    weights = {name: 1 for name in names if name != "od_districts" or count > 1}
    return Plan(bound, weights, (Fraction(epsilon),), found)


def measured(asked: Plan, tiles: Tessellation, made: City, seed: int = 0) -> Mapping[str, Measurement]:
    """Measurements of a city. The noise has the right law but comes from an ordinary generator: for tests alone."""
    sizes = {name: measure_named(name, asked.choices).keys(tiles.tile_ids).size for name in asked.weights}
    exact = {name: truth(made, name, asked.choices, size, seed) for name, size in sizes.items()}
    return with_noise(asked, tiles, exact, np.random.default_rng(seed))


def with_noise(
    asked: Plan, tiles: Tessellation, exact: Mapping[str, np.ndarray], rng: np.random.Generator
) -> Mapping[str, Measurement]:
    """Measurements of exact counts, with such noise."""
    found = {}
    for name in asked.weights:
        measure = measure_named(name, asked.choices)
        keys = measure.keys(tiles.tile_ids)
        share, sensitivity = asked.share(name), measure.sensitivity(asked.bound)
        rho = asked.rho(name, asked.rungs[-1])
        stop = -np.expm1(-float(rho))
        values = exact[name] + rng.geometric(stop, keys.size) - rng.geometric(stop, keys.size)
        cells = None
        if keys.size > limits.MAX_DENSE_CELLS:
            cells = np.flatnonzero(values >= 12 / float(rho))
            values = values[cells]
        found[name] = Measurement(
            origin="release",
            measure=name,
            counts=measure.counts,
            keys=keys,
            bound=asked.bound,
            sensitivity=sensitivity,
            rungs=asked.rungs,
            share=share,
            half_widths=(half_width(rho),),
            values=values[None],
            cells=cells,
            threshold=None if cells is None else int(12 / float(rho)),
            listed_at=None if cells is None else asked.rungs[-1],
        )
    return found
