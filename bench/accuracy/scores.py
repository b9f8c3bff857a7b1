"""Errors of a picture, and how often ranges hold the truth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bench.accuracy.pictures import MOST_PAIRS, NEAR, Numbers, Picture, filled
from dpcore.estimates import Estimates

Scores = dict[str, float]

READABLE = 10
"""Flows of so many trips or more are compared one by one."""
SMALL = (
    "trips_per_hour",
    "trips_over_time",
    "trips_per_weekday",
    "jump_length",
    "travel_time",
    "trips_per_user",
    "user_time_delta",
    "radius_of_gyration",
    "user_tile_count",
    "mobility_entropy",
)
RANGED = ("visits_per_tile", "visits_per_time_tile", "od_districts", "od_flows")
"""Tables whose ranges are judged."""


def wape(found: Numbers, truth: Numbers) -> float:
    """Sum of the errors over the sum of the counts."""
    return float(np.abs(found - truth).sum() / max(1.0, truth.sum()))


def errors(found: Picture, truth: Picture) -> Scores:
    """Every error that a picture can be judged by. Drawn values count as they are; only flows below 0 read as 0."""
    scores: Scores = {}
    if "visits_per_tile" in found:
        scores["visits"] = wape(found["visits_per_tile"][:-1], truth["visits_per_tile"][:-1])
    if "visits_per_time_tile" in found:
        scores["windows"] = wape(found["visits_per_time_tile"], truth["visits_per_time_tile"])
    for name, table in (("district flows", "od_districts"), (NEAR, NEAR)):
        if table in found and table in truth:
            scores[name] = wape(np.maximum(found[table], 0), truth[table])
    if "od_flows" in found and "od_flows" in truth:
        scores |= of_flows(found["od_flows"], truth["od_flows"])
    scores |= {name: wape(found[name], truth[name]) for name in SMALL if name in found and name in truth}
    if "total_trips" in found and "total_trips" in truth:
        scores["total_trips"] = wape(found["total_trips"], truth["total_trips"])
    return scores


def of_flows(found: Numbers, truth: Numbers) -> Scores:
    """Flows of ten trips or more: their symmetric relative error, and whether the same pairs are named."""
    found = np.maximum(found, 0)
    large, said = truth >= READABLE, found >= READABLE
    each = 2 * np.abs(found - truth)[large] / (found + truth)[large]
    return {
        "flows": wape(found, truth),
        "flows SMAPE": float(each.mean()) if large.any() else np.nan,
        "flows F1": 2 * float((large & said).sum()) / max(1, large.sum() + said.sum()),
    }


def held(found: Estimates, truth: Picture, *, all_trips: bool) -> Mapping[str, Scores]:
    """By measure, how often ranges hold the truth, in all and in the largest tenth, and how wide they are.

    A range is rounded outwards to whole numbers before it is judged, because counts are whole. Its width is the one before.
    """
    scores = {}
    for name, one in found.tables.items():
        ranged = one.all_trips if all_trips else one.counted
        if name not in truth or one.keys.size > MOST_PAIRS or ranged is None or np.isnan(ranged.low).all():
            continue
        values, low, high = (filled(one.keys, one.cell_numbers, part) for part in ranged.columns)
        if one.cells is not None:  # a cell that is not listed has no range
            unlisted = np.ones(one.keys.size, bool)
            unlisted[one.cells] = False
            low[unlisted.reshape(low.shape)] = np.nan
        scores[name] = holding(values, low, high, truth[name])
    return scores


def holding(values: Numbers, low: Numbers, high: Numbers, truth: Numbers) -> Scores:
    """Coverage and width of the ranges of one table."""
    known = ~np.isnan(low)
    values, low, high, truth = (part[known] for part in (values, low, high, truth))
    inside: NDArray[np.bool_] = (np.floor(low + 1e-9) <= truth) & (truth <= np.ceil(high - 1e-9))
    large = truth >= np.quantile(truth, 0.9)
    spread = float(np.sqrt(((values - truth) ** 2).mean()))
    return {
        "held": float(inside.mean()),
        "held, largest tenth": float(inside[large].mean()),
        "width": float((high - low).mean()) / (3.92 * spread) if spread else np.nan,
    }
