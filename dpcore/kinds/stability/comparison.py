"""What can be compared of large counts: the combinations, on the cells that both sides list."""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.comparison.tables import CountTable, Side
from dpcore.kinds.stability.choices import COLUMNS
from dpcore.kinds.stability.plan import Combination, StabilityHistogram
from dpcore.measures.measure import Kind, Layout
from dpcore.release import AnyRelease

_NOTE: Final = "Large counts are compared on the cells that both list. A cell that is not listed is below its threshold, which is not zero."


def side(release: AnyRelease, name: str) -> Side:
    """The listed counts of each combination."""
    tables: StabilityHistogram = release.drawn.tables
    found = [_table(tables, one) for one in tables.plan.combinations]
    return Side(name, {one.measure: one for one in found}, notes=(_NOTE,))


def _table(tables: StabilityHistogram, one: Combination) -> CountTable:
    """One combination. The order of its columns makes no difference, so it gets one order."""
    plan, listed = tables.plan, tables.columns(one.name)
    columns = sorted(one.columns, key=COLUMNS.index)
    keys = (*plan.partition_by, *columns)
    return CountTable(
        "+".join(columns),
        {key: np.array(listed[key], np.str_) for key in keys},
        np.array(listed["count"], np.float64),
        rate=plan.rho(one),
        meaning={
            "parts": (plan.partition_by, plan.partitions),
            "bins of times": tuple(plan.minutes[column] for column in columns if column.endswith("_time")),
        },
        threshold=tables.large[one.name].threshold,
        own=Layout(Kind.FLOWS, keys),
    )
