"""Releases of trips in memory, with their real plan, a fresh sample of each person's trips and real noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from itertools import count

import numpy as np
from numpy.typing import NDArray

from dpcore.demo import city_tiles, city_trips
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts
from dpcore.noise.mechanisms import measured
from dpcore.planning.default_plan import default_plan
from dpcore.privacy import ContributionBound
from dpcore.release.release import Release, Tables
from dpcore.tiles import Tessellation
from tests.release.made_releases import made_release

Integers = NDArray[np.int64]
APRIL = Period(date(2024, 4, 1), date(2024, 4, 28))
_numbers = count(1)


@dataclass(frozen=True, eq=False)
class Trips:
    """People, and the tiles and hours of their trips."""

    tiles: Tessellation
    person: Integers
    start: Integers
    end: Integers
    hour: Integers

    def __len__(self) -> int:
        return len(self.person)

    def only(self, kept: NDArray[np.bool_]) -> Trips:
        """Some of the trips."""
        return Trips(self.tiles, self.person[kept], self.start[kept], self.end[kept], self.hour[kept])

    def sample(self, most: int, random: np.random.Generator) -> Trips:
        """At most so many trips of each person, chosen at random."""
        order = np.lexsort((random.random(len(self)), self.person))
        firsts = np.searchsorted(self.person[order], self.person[order])
        kept = np.zeros(len(self), bool)
        kept[order] = np.arange(len(self)) - firsts < most
        return self.only(kept)

    def capped(self, most: int) -> int:
        """How many trips there are, of each person at most so many."""
        return int(np.minimum(np.bincount(self.person), most).sum())

    def visits(self) -> Integers:
        """Exact visits of each tile; the last number is that of the outside."""
        return np.bincount(np.concatenate([self.start, self.end]), minlength=len(self.tiles.tile_ids) + 1)


@cache
def city(trips: int = 60_000, tiles: int = 145, seed: int = 7) -> Trips:
    """The built-in city."""
    made, table = city_tiles(tiles, seed), city_trips(trips, seed)
    shapes = Tessellation.of(made.ids, made.names, [*made.polygons], "city")
    ends = {
        side: shapes.index.assign(*(table[f"{side}_{axis}"].to_numpy() for axis in ("lng", "lat"))).astype(
            np.int64
        )
        for side in ("start", "end")
    }
    outside = len(shapes.tile_ids)
    start, end = (np.where(ends[side] < 0, outside, ends[side]) for side in ("start", "end"))
    person = np.unique(table["user_id"].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    hour = table["started_at"].to_numpy().astype("datetime64[h]").astype(np.int64) % 24
    return Trips(shapes, person, start, end, hour)


def plan_of(trips: Trips, epsilon: str, most: int | None, period: Period | None = APRIL) -> Plan:
    """The default plan, for which the number of trips and of people was declared roughly. ``most``: M; None at trip level."""
    bound = ContributionBound.per_trip() if most is None else ContributionBound.per_user(most)
    people = len(np.unique(trips.person))
    facts = Facts(tiles=len(trips.tiles.tile_ids), trips=round(len(trips), -3), users=round(people, -2))
    return default_plan(bound, epsilon, trips.tiles, facts, KeyChoices(period))


def released(trips: Trips, plan: Plan, random: np.random.Generator, **changes: object) -> Release:
    """A release of visits, hours, flows between districts and the total, with the shares that they have in the plan."""
    bound, tiles = plan.bound, trips.tiles
    kept = trips if bound.max_trips is None else trips.sample(bound.max_trips, random)
    size = len(tiles.tile_ids) + 1
    counted = {
        "visits_per_tile": kept.visits(),
        "od_flows": np.bincount(kept.start * size + kept.end, minlength=size**2),
    }
    counted["trips_per_hour"] = np.zeros((2, 2, 24), np.int64)
    for kind in range(2):
        counted["trips_per_hour"][kind, 0] = np.bincount(kept.hour, minlength=24)
    if plan.choices.districts is not None:
        lying = plan.choices.districts
        of = np.append(lying.of_tiles, len(lying.names))
        many = len(lying.names) + 1
        counted["od_districts"] = np.bincount(of[kept.start] * many + of[kept.end], minlength=many**2)
    if "total_trips" in plan.weights:
        counted["total_trips"] = np.array([trips.capped(plan.choices.most_trips)])
    measurements = {}
    for name in plan.weights:
        if name in counted:
            measure = plan.measure(name)
            keys, exact = measure.keys(tiles.tile_ids), counted[name].ravel()
            cells = np.flatnonzero(exact)
            measurements[name] = measured(measure, keys, cells, exact[cells], plan, origin="release")
    drawn: dict[str, object] = {"plan": plan, "drawn": Tables(measurements), "tessellation": tiles}
    base = _base(bound.unit.value)
    return replace(base, **{"id": f"made-{next(_numbers)}", **drawn, **changes})


def finest(plan: Plan) -> Plan:
    """The plan with its highest epsilon alone: drawing the others takes time and tells no more."""
    return replace(plan, rungs=(plan.epsilon,))


@cache
def _base(unit: str) -> Release:
    return made_release(unit=unit)
