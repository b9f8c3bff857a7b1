"""The flows between pairs of tiles that are listed: the largest of those that the law and the drawn counts tell.

Where the flows of tiles were paid for and all pairs are listed, each pair is pulled from the law towards its noisy count
(``districts.two_way``). Shrinking errs least on average, but it makes most flows of middling size too small. So a flow that
stands out goes half of the way back to the noisy value of both directions together, if that is more. At last the flows are fitted to the starts and
arrivals of each tile, and to the flows between districts.

A sparse table lists only the pairs that stand out of the noise. Each of them is pulled from the law towards its noisy value
and goes half of the rest of the way, because it was listed for being large. The law tells the others, with the trips that
are left. So only pairs of the sparse table have ranges there.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.estimates.districts import two_way
from dpcore.estimates.law import Law, blocks
from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.posterior import Posterior, fitted, posterior_of
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
_CAPS: Final = 5  # rounds that bring the flows of a sparse table below what is known of their ends
_LEFT_ROUNDS: Final = 10
_LEAST_MEAN: Final = 1e-6


def listed_flows(
    law: Law | None, table: Noisy | None, district: Integers, between: Numbers | None
) -> tuple[Integers, Ranged]:
    """Numbers of the listed cells, ascending, and their flows.

    Ranges are NaN for what the law alone tells: nothing calibrates them. A sparse table bends the law. ``district``: that of each place.
    ``between``: the estimated flows between districts, if any.
    """
    if law is None:
        return drawn_flows(table)
    if table is not None and table.cells is None:
        return _largest(law.places, *_counted(law, table, district, between))
    if table is None or table.cells is None or not len(table.cells):
        cells, values = _by_blocks(law)
        return cells, Ranged.without_range(values)
    paid = _paid(law, table, table.cells)
    _tell_others(law, table.cells, paid.values, district, between)
    cells, values = _by_blocks(law)
    other, some = ~np.isin(cells, table.cells), paid.values >= LEAST
    parts = zip(Ranged.without_range(values[other]).columns, paid.at(some).columns, strict=True)
    cells = np.concatenate([cells[other], table.cells[some]])
    order = np.argsort(cells)
    return _cut(cells[order], *(np.concatenate(part)[order] for part in parts))


def _paid(law: Law, table: Noisy, cells: Integers) -> Ranged:
    """The flows of the pairs of a sparse table. Those out of a place, and into it, are at most what is known of it."""
    mean = np.maximum(_of_pairs(law, cells), _LEAST_MEAN)
    found = posterior_of(table.values, table.noise, mean, fitted(table.values, table.noise, mean, _BINS))
    values = found.values + np.maximum(table.values - found.values, 0.0) / 2
    for _ in range(_CAPS):
        for ends, most in zip(np.divmod(cells, law.places), (law.out, law.into), strict=True):
            sums: Numbers = np.bincount(ends, values, minlength=law.places).astype(np.float64)
            values = values * np.minimum(quotient(most, sums), 1.0)[ends]
    reach = table.noise.half_width
    low = np.minimum(found.low, np.maximum(table.values - reach, 0.0))
    high = np.maximum(found.high, table.values + reach)
    return Ranged(values, np.minimum(low, values), np.maximum(high, values))


def _tell_others(
    law: Law, cells: Integers, paid: Numbers, district: Integers, between: Numbers | None
) -> None:
    """Bend the law until the pairs that are not listed have what the listed ones leave of each sum.

    The law tells some flow for a listed pair too, and nobody reads it. It is added to what is left, round by round.
    """
    origin, destination = np.divmod(cells, law.places)
    pair = (district[origin], district[destination])
    out, into = law.out, law.into
    for _ in range(_LEFT_ROUNDS):
        more = _of_pairs(law, cells) - paid
        law.out = np.maximum(out + np.bincount(origin, more, minlength=law.places), 0.0)
        law.into = np.maximum(into + np.bincount(destination, more, minlength=law.places), 0.0)
        law.balance(3)
        if between is not None:
            left = between.copy()
            np.add.at(left, pair, more)
            law.to_districts(np.maximum(left, 0.0), district, 1)


def _of_pairs(law: Law, cells: Integers) -> Numbers:
    """What the law tells of some pairs."""
    origin, destination = np.divmod(cells, law.places)
    shape = law.kernel[law.node[origin], law.node[destination]].astype(np.float64)
    found: Numbers = shape * law.origin[origin] * law.destination[destination]
    return found


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
    fitted = _settled(Posterior(values, found.low, found.high, variance), law, district, between)
    reach = _NORMAL * (table.noise.variance / 2) ** 0.5  # of the noise of the mean of both directions
    low = np.where(stands_out, np.minimum(found.low, np.maximum(drawn - reach, 0.0)), found.low)
    high = np.where(stands_out, np.maximum(found.high, drawn + reach), found.high)
    return fitted, np.minimum(low, fitted), np.maximum(high, fitted)


def _settled(found: Posterior, law: Law, district: Integers, between: Numbers | None) -> Numbers:
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
    width = table.noise.half_width
    return _cut(cells[some], values[some], np.maximum(values[some] - width, 0.0), values[some] + width)
