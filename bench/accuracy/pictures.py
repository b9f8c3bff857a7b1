"""Tables of one draw, of one estimate or of the truth, as arrays of one shape.

A picture holds an array by the name of each measure: visits (tiles and ``outside``), arrivals (12, tiles + 1), flows
(tiles + 1, tiles + 1), and so on. A cell that is not listed is 0. ``NEAR`` are flows between the same public groups of about
twenty tiles in every plan, so that plans with other districts can be compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from bench.accuracy.sets import Loaded
from dpcore import limits
from dpcore.estimates import Estimates
from dpcore.measures.choices import KeyChoices, measure_named
from dpcore.measures.keys import Districts, KeySet
from dpcore.measures.measure import Measure
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.mechanisms import measured
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers, exact_answers
from dpcore.tiles.districts import halved

Numbers = NDArray[np.float64]
Picture = Mapping[str, Numbers]
Cells = NDArray[np.int64]

NEAR = "flows of about twenty tiles"
MOST_PAIRS = 5_000_000
"""Beyond so many pairs of tiles flows are not compared one by one."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Exact answers of some trips under a bound, on any key set."""

    data: Loaded
    bound: ContributionBound
    answers: ExactAnswers
    near: Districts

    @classmethod
    def of(cls, data: Loaded, bound: ContributionBound, plans: Iterable[Plan]) -> Truth:
        """All that the plans ask, counted once. Plans that are counted together have one cap of the total."""
        asked = {measure.name: measure for plan in plans for measure in plan.measures}
        near = halved(data.tiles, min(max(2, len(data.tiles.tile_ids) // 20), limits.MAX_DISTRICTS))
        return cls(data, bound, exact_answers(bounded(data.trips, bound), asked.values()), near)

    def cells(self, measure: Measure, keys: KeySet) -> tuple[Cells, Cells]:
        """Numbers and counts of the cells that occur."""
        return self.answers.on(measure, keys)

    def drawn(self, plan: Plan, wanted: Collection[str] | None = None) -> dict[str, Measurement]:
        """A new draw of every measure of the plan, or of some, with the noise of the product."""
        found = {}
        for measure in plan.measures:
            if wanted is not None and measure.name not in wanted:
                continue
            keys = measure.keys(self.data.trips.tile_ids)
            found[measure.name] = measured(measure, keys, *self.cells(measure, keys), plan, origin="preview")
        return found

    def picture(self, choices: KeyChoices) -> dict[str, Numbers]:
        """The truth of every measure that was counted, on the keys of some choices."""
        found = {}
        for name in self.answers.answers:
            measure = measure_named(name, choices)
            if measure.needs_districts and choices.districts is None:
                continue
            keys = measure.keys(self.data.trips.tile_ids)
            if keys.size <= MOST_PAIRS:
                found[name] = filled(keys, *self.cells(measure, keys))
        return with_near(found, self.near, choices)

    @property
    def trips(self) -> int:
        """The number of trips."""
        return int(self.answers.answers["trips_over_time"][-1].sum())


def filled(keys: KeySet, cells: Cells, values: NDArray[np.generic]) -> Numbers:
    """The table in its own shape; bins of a histogram are one axis."""
    table = np.zeros(prod(keys.shape))
    table[cells] = values
    return table.reshape(keys.shape)


def of_draw(drawn: Mapping[str, Measurement], near: Districts, choices: KeyChoices) -> dict[str, Numbers]:
    """The drawn values of the finest rung."""
    found = {
        name: filled(one.keys, one.cell_numbers, one.values[-1])
        for name, one in drawn.items()
        if one.keys.size <= MOST_PAIRS
    }
    return with_near(found, near, choices)


def of_estimate(
    found: Estimates, near: Districts, choices: KeyChoices, *, all_trips: bool
) -> dict[str, Numbers]:
    """The estimates, for all trips or for those that count; empty if there is none for all trips."""
    if all_trips and any(one.all_trips is None for one in found.tables.values()):
        return {}
    tables = {
        name: filled(one.keys, one.cell_numbers, one.of(all_trips).values)
        for name, one in found.tables.items()
        if one.keys.size <= MOST_PAIRS
    }
    return with_near(tables, near, choices)


def with_near(found: dict[str, Numbers], near: Districts, choices: KeyChoices) -> dict[str, Numbers]:
    """With flows of about twenty tiles, and with flows between districts where only those of tiles are there."""
    flows = found.get("od_flows")
    if flows is not None:
        found[NEAR] = summed(flows, near)
        if "od_districts" not in found and choices.districts is not None:
            found["od_districts"] = summed(flows, choices.districts)
    return found


def summed(flows: Numbers, districts: Districts) -> Numbers:
    """Flows between tiles, added up between districts; ``outside`` is the last of both."""
    labels = np.array((*districts.of_tiles, len(districts.names)))
    size = len(districts.names) + 1
    rows = np.zeros((size, flows.shape[1]))
    np.add.at(rows, labels, flows)
    columns = np.zeros((size, size))
    np.add.at(columns.T, labels, rows.T)
    return columns
