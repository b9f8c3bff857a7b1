"""Tables of invented trips, and quick noise of the right law: thousands of draws for one test."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction

import numpy as np

from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from tests.cities import DISTRICTS, PLACES, Trip, private

WEIGHTS = {
    "ds_statistics": 3,
    "total_trips": 1,
    "incomplete_trips": 1,
    "trips_over_time": 2,
    "trips_per_weekday": 1,
    "trips_per_hour": 4,
    "visits_per_tile": 6,
    "visits_per_time_tile": 9,
    "od_flows": 8,
    "od_districts": 4,
    "travel_time": 2,
    "jump_length": 1,
    "trips_per_user": 1,
    "user_time_delta": 1,
    "radius_of_gyration": 1,
    "user_tile_count": 2,
    "mobility_entropy": 1,
}
CHOICES = KeyChoices(period=Period(date(2024, 4, 3), date(2024, 4, 9)), districts=DISTRICTS)
TILES = tuple(sorted(PLACES.keys() - {"outside"}))


def made_plan(
    *,
    epsilon: str = "1",
    bound: ContributionBound | None = None,
    weights: Mapping[str, int] = WEIGHTS,
    choices: KeyChoices = CHOICES,
) -> Plan:
    return Plan.up_to(bound or ContributionBound.per_user(3), weights, Fraction(epsilon), choices)


def made_trips(seed: int, number: int = 200) -> list[Trip]:
    """Trips of all kinds: incomplete, outside, over midnight, before and after the period, by busy and lazy people."""
    rng = np.random.default_rng(seed)
    places = [*PLACES]
    trips = []
    for _ in range(number):
        start = datetime(2024, 4, 1) + timedelta(minutes=int(rng.integers(0, 12 * 24 * 60)))
        end = start + timedelta(minutes=int(rng.exponential(90)))
        origin = None if rng.random() < 0.2 else places[rng.integers(len(places))]
        user = f"u{int(rng.exponential(12))}"
        trips.append(
            Trip(user, origin, places[rng.integers(len(places))], start.isoformat(" "), end.isoformat(" "))
        )
    return trips


def true_tables(trips: list[Trip], plan: Plan) -> dict[str, np.ndarray]:
    """The exact counts of all cells, from the engine."""
    answers = exact_answers(bounded(private(trips), plan.bound), plan.measures)
    return {measure.name: answers.dense(measure, measure.keys(TILES)) for measure in plan.measures}


def noisy(truth: Mapping[str, np.ndarray], plan: Plan, seed: int, tiles=TILES) -> dict[str, Measurement]:
    """Measurements of the truth at every rung; the noise of the rungs is drawn apart, which no test here minds."""
    rng = np.random.default_rng(seed)
    found = {}
    for measure in plan.measures:
        sensitivity, share = measure.sensitivity(plan.bound), plan.share(measure.name)
        rhos = [plan.rho(measure.name, rung) for rung in plan.rungs]
        keys = measure.keys(tiles)
        found[measure.name] = Measurement(
            origin="release",
            measure=measure.name,
            counts=measure.counts,
            keys=keys,
            bound=plan.bound,
            sensitivity=sensitivity,
            rungs=plan.rungs,
            share=share,
            half_widths=tuple(half_width(rho) for rho in rhos),
            values=np.stack([truth[measure.name] + laplace(rng, rho, keys.size) for rho in rhos]),
        )
    return found


def laplace(rng: np.random.Generator, rho: Fraction, cells: int) -> np.ndarray:
    p = -np.expm1(-float(rho))
    return rng.geometric(p, cells) - rng.geometric(p, cells)
