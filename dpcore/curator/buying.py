"""Quantiles that a plan pays for are drawn here: after the reservation, and only on the way to a bundle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dpcore.measures import GRIDS
from dpcore.measures.bins import LEVELS
from dpcore.measures.bought import BoughtQuantiles, Draw, draws_of_five_numbers, draws_of_ranges, sensitivity
from dpcore.measures.plan import Plan
from dpcore.noise.exponential import winner
from dpcore.private.bounding import bounded
from dpcore.private.trips import PrivateTrips
from dpcore.private.values import on_grids

Values = Mapping[str, NDArray[np.int64]]


def values_of(trips: PrivateTrips, plan: Plan) -> Values:
    """Exact counts on the public grid of every measure of which a plan buys a quantile; empty where it buys none."""
    draws = (*draws_of_five_numbers(plan), *draws_of_ranges(plan))
    names = list(dict.fromkeys(draw.measure for draw in draws))
    return on_grids(bounded(trips, plan.bound), names) if names else {}


def bought_ranges(plan: Plan, values: Values) -> BoughtQuantiles | None:
    """Fresh draws of the ranges that a plan buys."""
    draws = draws_of_ranges(plan)
    return BoughtQuantiles(plan.epsilon, plan.ranges, _drawn(plan, draws, values)) if draws else None


def bought_five_numbers(plan: Plan, values: Values) -> BoughtQuantiles | None:
    """Fresh draws of the five-number summaries that a plan buys."""
    draws = draws_of_five_numbers(plan)
    if not draws:
        return None
    return BoughtQuantiles(plan.epsilon, plan.five_numbers_share, _drawn(plan, draws, values))


def _drawn(plan: Plan, draws: Sequence[Draw], values: Values) -> dict[str, dict[str, str]]:
    """One draw for each quantile. Those of a measure that came out crossed are sorted; drawing again would cost more."""
    found: dict[str, list[int]] = {}
    for draw in draws:
        change = sensitivity(plan.measure(draw.measure), plan.bound, draw.level)
        number = winner(values[draw.measure], draw.level, sensitivity=change, epsilon=draw.epsilon)
        found.setdefault(draw.measure, []).append(number)
    bought = {}
    for measure, numbers in found.items():
        statistics = [draw.statistic for draw in draws if draw.measure == measure]
        bought[measure] = {
            statistic: GRIDS[measure].texts[number]
            for statistic, number in zip(
                sorted(statistics, key=LEVELS.__getitem__), sorted(numbers), strict=True
            )
        }
    return bought
