"""The flows between pairs of tiles that are listed: the largest of those that the law and the drawn counts tell.

Where the flows of tiles were paid for and all pairs are listed, each pair is pulled from the law towards its noisy count
(``districts.two_way``). Shrinking errs least on average, but it makes most flows of middling size too small. So a flow that
stands out goes half of the way back to the noisy value of both directions together, if that is more. At last the flows are fitted to the starts and
arrivals of each tile, and to the flows between districts.

A sparse table lists only the pairs that stand out of the noise, so there the drawn values of listed pairs are kept as they
are, and the law tells the others.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.estimates.districts import Flows, two_way
from dpcore.estimates.law import Law
from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.raking import quotient
from dpcore.estimates.result import Ranged

LEAST: Final = 0.5
"""Flows below it are not listed."""
MOST: Final = 1_000_000
"""The most flows that are listed: the largest."""
_STANDS_OUT: Final = 0.2  # standard deviations of the noise
_STIFF: Final = 0.02  # share of their variance with which flows that stand out are fitted to their sums
_BINS: Final = 8


def listed_flows(law: Law | None, table: Noisy | None, district: Integers) -> tuple[Integers, Ranged]:
    """Numbers of the listed cells, ascending, and their flows.

    Ranges are NaN for what the law alone tells: nothing calibrates them. ``district``: that of each place.
    """
    if law is None:
        return _as_drawn(table)
    if table is not None and table.cells is None:
        return _largest(law.places, *_counted(law, table, district))
    cells, values = [], []
    for block in law.blocks():
        flows = law.rows(block)
        rows, columns = np.nonzero(flows >= LEAST)
        cells.append((rows + block.start) * law.places + columns)
        values.append(flows[rows, columns])
    found = np.concatenate(cells), np.concatenate(values)
    unknown = np.full(len(found[1]), np.nan)
    return _cut(*found, unknown, unknown)


def _counted(law: Law, table: Noisy, district: Integers) -> tuple[Numbers, Numbers, Numbers]:
    """All flows and their ranges from the law and the noisy counts."""
    found = two_way(table.values, table.noise, law.rows(slice(None)), _BINS)
    both = found.values + found.values.T
    drawn = found.values * quotient(table.values + table.values.T, both)
    stands_out = found.values >= _STANDS_OUT * table.noise.variance**0.5
    values = found.values + np.where(stands_out, np.maximum(drawn - found.values, 0.0) / 2, 0.0)
    variance = np.where(stands_out, _STIFF, 1.0) * found.variance
    fitted = _settled(Flows(values, variance, found.low, found.high), law, district)
    return fitted, np.minimum(found.low, fitted), np.maximum(found.high, fitted)


def _settled(found: Flows, law: Law, district: Integers) -> Numbers:
    """The flows changed as little as their variance allows, with the sums of places and of districts that the law has."""
    member = np.zeros((law.places, int(district.max()) + 1))
    member[np.arange(law.places), district] = 1.0
    between = law.between(district)
    values, free = found.values, found.variance
    shared = member.T @ free @ member
    for _ in range(4):
        missing = (between - member.T @ values @ member) / np.maximum(shared, 1e-12)
        values = np.maximum(values + free * missing[district][:, district], 1e-9)
        for axis, target in ((1, law.out), (0, law.into)):
            off = (target - values.sum(axis=axis)) / np.maximum(free.sum(axis=axis), 1e-12)
            values = np.maximum(values + free * np.expand_dims(off, axis), 1e-9)
    for _ in range(30):
        values = values * quotient(between, member.T @ values @ member)[district][:, district]
        values = values * quotient(law.into, values.sum(axis=0))
        sums = values.sum(axis=1)
        values = values * quotient(law.out, sums)[:, None]
        if np.abs(sums - law.out).sum() <= 1e-9 * law.out.sum():
            break
    return values


def _largest(places: int, values: Numbers, low: Numbers, high: Numbers) -> tuple[Integers, Ranged]:
    rows, columns = np.nonzero(values >= LEAST)
    cells = rows * places + columns
    return _cut(cells, values[rows, columns], low[rows, columns], high[rows, columns])


def _cut(cells: Integers, values: Numbers, low: Numbers, high: Numbers) -> tuple[Integers, Ranged]:
    """At most the largest ``MOST`` cells, in the order of their numbers."""
    kept = np.arange(len(cells))
    if len(cells) > MOST:
        kept = np.sort(np.argsort(-values, kind="stable")[:MOST])
    return cells[kept].astype(np.int64), Ranged(values[kept], low[kept], high[kept])


def _as_drawn(table: Noisy | None) -> tuple[Integers, Ranged]:
    """The flows as drawn, where nothing is known of the places."""
    if table is None:
        none = np.zeros(0)
        return _cut(np.zeros(0, np.int64), none, none, none)
    cells = table.keys.all_cells if table.cells is None else table.cells
    values = table.values.ravel()
    some = values >= LEAST
    width = np.log(20) / table.noise.rate
    return _cut(cells[some], values[some], np.maximum(values[some] - width, 0.0), values[some] + width)
