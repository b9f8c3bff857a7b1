"""The flows of pairs of tiles that are listed: the largest of those that the law and the drawn counts tell."""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.estimates.law import Law
from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.result import Ranged

LEAST: Final = 0.5
"""Flows below it are not listed."""
MOST: Final = 1_000_000
"""The most flows that are listed: the largest."""


def listed_flows(law: Law | None, table: Noisy | None) -> tuple[Integers, Ranged]:
    """Numbers of the listed cells, ascending, and their flows. Ranges are NaN: nothing calibrates those of the law."""
    if law is None:
        return _drawn(table)
    cells, values = [], []
    for block in law.blocks():
        flows = law.rows(block)
        rows, columns = np.nonzero(flows >= LEAST)
        cells.append((rows + block.start) * law.places + columns)
        values.append(flows[rows, columns])
    return _largest(np.concatenate(cells), np.concatenate(values))


def _largest(cells: Integers, values: Numbers) -> tuple[Integers, Ranged]:
    if len(cells) > MOST:
        kept = np.sort(np.argsort(-values, kind="stable")[:MOST])
        cells, values = cells[kept], values[kept]
    unknown = np.full(len(cells), np.nan)
    return cells.astype(np.int64), Ranged(values, unknown, unknown.copy())


def _drawn(table: Noisy | None) -> tuple[Integers, Ranged]:
    """The flows as drawn, where nothing else is known of the places."""
    if table is None:
        return _largest(np.zeros(0, np.int64), np.zeros(0))
    cells = table.keys.all_cells if table.cells is None else table.cells
    values = table.values.ravel()
    some = values >= LEAST
    return _largest(cells[some], values[some])
