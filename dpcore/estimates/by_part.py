"""Estimates of tables that are split: each part as a release of that part alone, from the tables of that part.

A part of a released table is what a release of trips of that category alone would have drawn, with the same noise. So every
step of ``estimate`` holds for it. Tables that are not split (of people) are estimated together, apart from the parts.

*All trips.* At trip level every trip counts. At user level nothing tells which share of the trips of a category counts:
``total_trips`` counts all categories together, and people who travel much may take the bus more than others. So there is no
estimate for all trips of a part, and ``why_not_all`` says this.

*Many parts.* With more than ``MOST_PARTS`` the counts of a part are too small to tell much together, and each part takes as
long as a release. Then the drawn counts stand with the range of the noise. All are lowered alike, so that none is negative and the
total of the table stays: moved up to 0 one by one they would add up to several times as much.
Flows that were not drawn are then not estimated: ``estimated_measures`` says which tables are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from dpcore.estimates.all_trips import EVERYTHING, only
from dpcore.estimates.estimate import estimate as estimate_whole
from dpcore.estimates.noisy import noise_of
from dpcore.estimates.raking import lowered
from dpcore.estimates.result import Estimated, Estimates, Ranged
from dpcore.estimates.series import alone
from dpcore.estimates.words import AS_DRAWN, MANY_PARTS, NO_SHARE_OF_PARTS
from dpcore.measures.choices import names_of_sums
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.split import parts_of
from dpcore.privacy import PrivacyUnit
from dpcore.tiles import Tessellation

MOST_PARTS: Final = 64
_VISITS: Final = "visits_per_tile"
_FLOWS: Final = "od_flows"


def estimated_measures(plan: Plan) -> tuple[str, ...]:
    """The measures that estimates of a plan hold: its own tables of counts, and flows wherever they follow from visits."""
    sums = names_of_sums(plan.choices)
    follow = _VISITS in plan.weights and _FLOWS not in plan.weights and not _has_many_parts(plan)
    return (*(name for name in plan.weights if name not in sums), *((_FLOWS,) if follow else ()))


def _has_many_parts(plan: Plan) -> bool:
    return len(parts_of(plan.choices.splits)) > MOST_PARTS


def why_as_drawn(plan: Plan, measure: str) -> str:
    """Why drawn values stand in the place of the estimates of a measure."""
    return MANY_PARTS if _has_many_parts(plan) and plan.measure(measure).splits else AS_DRAWN


def estimate(
    plan: Plan,
    measurements: Mapping[str, Measurement],
    tiles: Tessellation,
    rung: int = -1,
    *,
    of: Collection[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Estimates:
    """What the measurements of a plan tell together at a rung, whether its tables are split or not; see ``estimate_whole``."""
    splits = plan.choices.splits
    if not splits:
        return estimate_whole(plan, measurements, tiles, rung, of=of, progress=progress)
    parts, at, by_trip = len(parts_of(splits)), rung % len(plan.rungs), plan.bound.unit is PrivacyUnit.TRIP
    own = {name: one for name, one in measurements.items() if not plan.measure(name).splits}
    split = {name: one for name, one in measurements.items() if name not in own}
    tables: dict[str, Estimated] = {}
    as_drawn: set[str] = set()
    if own:
        found = estimate_whole(plan.only(own), own, tiles, at, of=of)
        tables |= found.tables
        as_drawn |= {*found.as_drawn}
    if split and _has_many_parts(plan):
        wanted = [name for name in split if of is None or name in of]
        tables |= {name: _as_drawn(split[name], at, all_trips=by_trip) for name in wanted}
        as_drawn |= {*wanted}
    elif split and (of is None or len(of)):
        unsplit = plan.of_parts
        each = []
        for number in range(parts):
            part = {
                name: one.part(unsplit.measure(name).keys(tiles.tile_ids), number)
                for name, one in split.items()
            }
            each.append(estimate_whole(unsplit, part, tiles, at, of=of))
            as_drawn |= {*each[-1].as_drawn}
            if progress is not None:
                progress((number + 1) / parts)
        for name in each[0].tables:
            keys = plan.measure(name).keys(tiles.tile_ids)
            tables[name] = _together([one.tables[name] for one in each], keys=keys)
    ordered = MappingProxyType({name: tables[name] for name in [*measurements, *tables] if name in tables})
    why = "" if by_trip else NO_SHARE_OF_PARTS
    return Estimates(at, EVERYTHING if by_trip else None, why, ordered, tuple(sorted(as_drawn)))


def _together(parts: list[Estimated], keys: KeySet) -> Estimated:
    """The estimates of all parts as one table, in the order of its cells."""
    first = parts[0]
    sizes = keys.size // len(parts)
    dense = all(one.cells is None for one in parts)
    cells = [one.cell_numbers + number * sizes for number, one in enumerate(parts)]
    return replace(
        first,
        keys=keys,
        cells=None if dense else np.concatenate(cells),
        counted=_joined([one.counted for one in parts]),
        all_trips=None if first.all_trips is None else _joined([one.of(all_trips=True) for one in parts]),
    )


def _joined(parts: list[Ranged]) -> Ranged:
    return Ranged(*(np.concatenate(columns) for columns in zip(*(one.columns for one in parts), strict=True)))


def _as_drawn(measurement: Measurement, rung: int, *, all_trips: bool) -> Estimated:
    """The drawn values with the range of the noise, lowered alike so that none is negative and the total stays."""
    values = measurement.values[rung].astype(np.float64)
    found = alone(values, noise_of(measurement, rung))
    # A list that leaves out small counts tells no total, and what it lists is large.
    kept = lowered(values, float(values.sum())) if measurement.cells is None else found.values
    counted = only(Ranged(kept, found.low, found.high))
    return Estimated(
        measurement.measure,
        measurement.counts,
        measurement.keys,
        measurement.cells,
        counted,
        counted if all_trips else None,
    )
