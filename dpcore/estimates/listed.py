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
from dpcore.estimates.law import Law, blocks
from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.raking import quotient
from dpcore.estimates.result import Ranged

LEAST: Final = 0.5
"""Flows below it are not listed."""
MOST: Final = 1_000_000
"""The most flows that are listed: the largest."""
_STANDS_OUT: Final = 0.2  # standard deviations of the noise
_STIFF: Final = 0.02  # share of their variance with which flows that stand out are fitted to their sums
_NORMAL: Final = 1.96
_BINS: Final = 8
_ROUNDS: Final = 60
_EXACT: Final = 1e-9


def listed_flows(
    law: Law | None, table: Noisy | None, district: Integers, between: Numbers | None
) -> tuple[Integers, Ranged]:
    """Numbers of the listed cells, ascending, and their flows.

    Ranges are NaN for what the law alone tells: nothing calibrates them. ``district``: that of each place.
    ``between``: the estimated flows between districts, if any.
    """
    if law is None:
        return drawn_flows(table)
    if table is not None and table.cells is None:
        return _largest(law.places, *_counted(law, table, district, between))
    cells, values = _by_blocks(law)
    unknown = np.full(len(values), np.nan)
    return cells, Ranged(values, unknown, unknown)


def _by_blocks(law: Law) -> tuple[Integers, Numbers]:
    """The largest flows of the law. Pairs are as many as the square of the tiles, so they are never held at once.

    Whenever many are found, the smallest of the largest so far is the least that the next must be.
    """
    least, held = LEAST, 0
    parts: list[tuple[Integers, Numbers]] = []
    for block in blocks(law.places, law.places):
        columns = law.reached(block, least)
        flows = law.rows(block, columns)
        row, column = np.nonzero(flows >= least)
        parts.append(((row + block.start) * law.places + columns[column], flows[row, column]))
        held += len(row)
        if held > 2 * MOST:
            parts = [_joined(parts)]
            held, least = MOST, float(parts[0][1].min())
    return _joined(parts)


def _joined(parts: list[tuple[Integers, Numbers]]) -> tuple[Integers, Numbers]:
    cells, values = (np.concatenate(side) for side in zip(*parts, strict=True))
    kept = _largest_of(values)
    return cells[kept], values[kept]


def _counted(
    law: Law, table: Noisy, district: Integers, between: Numbers | None
) -> tuple[Numbers, Numbers, Numbers]:
    """All flows and their ranges from the law and the noisy counts."""
    found = two_way(table.values, table.noise, law.rows(slice(None)), _BINS)
    both = found.values + found.values.T
    drawn = found.values * quotient(table.values + table.values.T, both)
    stands_out = found.values >= _STANDS_OUT * table.noise.variance**0.5
    values = found.values + np.where(stands_out, np.maximum(drawn - found.values, 0.0) / 2, 0.0)
    variance = np.where(stands_out, _STIFF, 1.0) * found.variance
    fitted = _settled(Flows(values, variance, found.low, found.high), law, district, between)
    reach = _NORMAL * (table.noise.variance / 2) ** 0.5  # of the noise of the mean of both directions
    low = np.where(stands_out, np.minimum(found.low, np.maximum(drawn - reach, 0.0)), found.low)
    high = np.where(stands_out, np.maximum(found.high, drawn + reach), found.high)
    return fitted, np.minimum(low, fitted), np.maximum(high, fitted)


def _settled(found: Flows, law: Law, district: Integers, between: Numbers | None) -> Numbers:
    """The flows changed as little as their variance allows, with the sums of places and of districts that are known."""
    member = np.zeros((law.places, int(district.max()) + 1))
    member[np.arange(law.places), district] = 1.0
    values, free = found.values, found.variance
    shared = np.maximum(member.T @ free @ member, 1e-12)
    for _ in range(4):
        if between is not None:
            missing = (between - member.T @ values @ member) / shared
            values = np.maximum(values + free * missing[district][:, district], 1e-9)
        for axis, target in ((1, law.out), (0, law.into)):
            off = (target - values.sum(axis=axis)) / np.maximum(free.sum(axis=axis), 1e-12)
            values = np.maximum(values + free * np.expand_dims(off, axis), 1e-9)
    for _ in range(_ROUNDS):
        if between is not None:
            values = values * quotient(between, member.T @ values @ member)[district][:, district]
        values = values * quotient(law.into, values.sum(axis=0))
        sums = values.sum(axis=1)
        values = values * quotient(law.out, sums)[:, None]
        if np.abs(sums - law.out).sum() <= _EXACT * law.out.sum():
            break
    return values


def _largest(places: int, values: Numbers, low: Numbers, high: Numbers) -> tuple[Integers, Ranged]:
    rows, columns = np.nonzero(values >= LEAST)
    cells = rows * places + columns
    return _cut(cells, values[rows, columns], low[rows, columns], high[rows, columns])


def _cut(cells: Integers, values: Numbers, low: Numbers, high: Numbers) -> tuple[Integers, Ranged]:
    """At most the largest ``MOST`` cells, in the order of their numbers."""
    kept = _largest_of(values)
    return cells[kept].astype(np.int64), Ranged(values[kept], low[kept], high[kept])


def _largest_of(values: Numbers) -> Integers:
    """Positions of at most the largest ``MOST`` values, ascending. Of equal ones the first are taken."""
    return np.sort(np.argsort(-values, kind="stable")[:MOST])


def drawn_flows(table: Noisy | None) -> tuple[Integers, Ranged]:
    """The flows as drawn, with the range of the noise; none if none were drawn."""
    if table is None:
        none = np.zeros(0)
        return _cut(np.zeros(0, np.int64), none, none, none)
    cells = table.keys.all_cells if table.cells is None else table.cells
    values = table.values.ravel()
    some = values >= LEAST
    width = np.log(20) / table.noise.rate
    return _cut(cells[some], values[some], np.maximum(values[some] - width, 0.0), values[some] + width)
