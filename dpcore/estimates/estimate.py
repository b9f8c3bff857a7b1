"""The whole estimate of a plan's measurements at one rung, step by step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

import numpy as np

from dpcore.estimates.result import Estimated, Estimates, Ranged, Share
from dpcore.measures.choices import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import PrivacyUnit
from dpcore.tiles import Tessellation


def estimate(
    plan: Plan,
    measurements: Mapping[str, Measurement],
    tiles: Tessellation,
    rung: int = -1,
    *,
    of: Collection[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Estimates:
    """What the measurements of a plan tell together at a rung. Equal input gives equal output.

    Args:
        plan: the plan of the measurements.
        measurements: noisy counts by measure.
        tiles: the public tessellation of their keys.
        rung: number of the rung; negative numbers count from the finest.
        of: the tables that are wanted; None for all. Fewer tables take less time.
        progress: called with the share that is done, 0 to 1.

    """
    del progress
    at = rung % len(plan.rungs)
    by_trip = plan.bound.unit is PrivacyUnit.TRIP
    tables = {}
    for name, drawn in measurements.items():
        if of is not None and name not in of:
            continue
        value, wide = np.maximum(drawn.values[at], 0).astype(np.float64), drawn.half_widths[at]
        counted = Ranged(value, np.maximum(value - wide, 0.0), value + wide)
        tables[name] = Estimated(
            name, drawn.counts, drawn.keys, drawn.cells, counted, counted if by_trip else None
        )
    if "visits_per_tile" in measurements and "od_flows" not in tables and (of is None or "od_flows" in of):
        tables["od_flows"] = _flows(tables, plan, tiles, by_trip=by_trip)
    share = Share(1.0, 1.0, 1.0) if by_trip else None
    why = "" if by_trip else "The release does not say how many trips there are in all."
    return Estimates(at, share, why, MappingProxyType(tables))


def _flows(tables: Mapping[str, Estimated], plan: Plan, tiles: Tessellation, *, by_trip: bool) -> Estimated:
    """Flows that nobody paid for, by visits alone; no range is known."""
    measure = measure_named("od_flows", plan.choices)
    visits = np.zeros(len(tiles.tile_ids) + 1)
    found = tables["visits_per_tile"]
    visits[found.cell_numbers] = found.counted.values
    flows = (np.outer(visits, visits) / max(visits.sum(), 1.0) / 2).ravel()
    cells = np.flatnonzero(flows >= 0.5)[:1000]
    unknown = np.full(len(cells), np.nan)
    counted = Ranged(flows[cells], unknown, unknown)
    return Estimated(
        measure.name,
        measure.counts,
        measure.keys(tiles.tile_ids),
        cells,
        counted,
        counted if by_trip else None,
    )
