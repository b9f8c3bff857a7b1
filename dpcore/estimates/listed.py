"""The flows between pairs of tiles that are listed: the largest of those that the law and the drawn counts tell.

Where the flows of tiles were paid for and all pairs are listed, each pair is pulled from the law towards its noisy count
(``districts.two_way``). At last the flows are fitted to the starts and arrivals of each tile, and to the flows between districts.

A sparse table lists only the pairs that stand out of the noise. Each of them is pulled from the law towards its noisy value.
Not to be listed tells something too: the noisy value was below the threshold (``noisy.Below``). It lowers pairs that the law expects
to be large. The law tells all others, with the trips that are left.

Where the law alone tells a flow, its range goes from a fifth of it to three times it, and some trips more. That held for nine of ten
flows or more in built-in cities, on bikes and on taxis, but for trips within the tiles of taxis, whose lengths are not known.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.districts import two_way
from dpcore.estimates.law import Law
from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.posterior import FLOWS, Posterior, fitted, posterior, posterior_of, widened
from dpcore.estimates.raking import quotient
from dpcore.estimates.result import Ranged

LEAST: Final = 0.5
"""Flows below it are not listed."""
MOST: Final = 1_000_000
"""The most flows that are listed: the largest."""
_LOW: Final = 0.2
_HIGH: Final = 3.0
_FEW: Final = 2.0
_MORE: Final = 3.0
_TOLD: Final = 0.25  # of the threshold: of smaller flows it tells next to nothing that they are not listed
_STANDS_OUT: Final = 0.2  # standard deviations of the noise
_STIFF: Final = 0.02  # share of their variance with which flows that stand out are fitted to their sums
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

    A sparse table bends the law. ``district``: that of each place. ``between``: the estimated flows between districts, if any.
    """
    if law is None:
        return drawn_flows(table)
    if table is not None and table.cells is None:
        return _largest(law.places, *_counted(law, table, district, between))
    if table is None or table.cells is None or not len(table.cells):
        cells, values = _by_size(law)
        return cells, _modelled(values)
    seen, paid = _seen(law, table, table.cells)
    _tell_others(law, seen, paid.values, district, between)
    cells, values = _by_size(law)
    other, some = ~_among(cells, seen), paid.values >= LEAST
    parts = zip(_modelled(values[other]).columns, paid.at(some).columns, strict=True)
    cells = np.concatenate([cells[other], seen[some]])
    order = np.argsort(cells)
    return _cut(cells[order], *(np.concatenate(part)[order] for part in parts))


def _modelled(values: Numbers) -> Ranged:
    """Flows that the law alone tells, with the range that it is usually right within."""
    return Ranged(values, np.maximum(_LOW * values - _FEW, 0.0), _HIGH * values + _MORE)


def _seen(law: Law, table: Noisy, cells: Integers) -> tuple[Integers, Ranged]:
    """The pairs of which a sparse table tells something, ascending, and their flows.

    Those are the listed ones, and those that the law expects to be large and that are not listed. The flows out of a place, and into it,
    are at most what is known of it.
    """
    mean = np.maximum(law.flows(cells), _LEAST_MEAN)
    spreads = fitted(table.values, table.noise, mean, _BINS)
    parts: list[tuple[Integers, Ranged]] = [
        (cells, widened(posterior_of(table.values, table.noise, mean, spreads), table.noise))
    ]
    if table.below is not None:
        numbers, flows = (
            np.concatenate(part) for part in zip(*law.largest(_TOLD * table.threshold), strict=True)
        )
        some = ~_among(numbers, cells)
        expected = flows[some]
        at = np.full(len(expected), float(table.threshold))
        missing = posterior(at, table.below, expected, *spreads.at(expected), shape=FLOWS)
        # Of so many pairs the law expects too much of those that it expects most of: downwards it is no better than elsewhere.
        low = np.minimum(missing.low, _modelled(missing.values).low)
        parts.append((numbers[some], Ranged(missing.values, low, missing.high)))
    numbers = np.concatenate([one for one, _ in parts])
    order = np.argsort(numbers)
    numbers = numbers[order]
    found = Ranged(
        *(np.concatenate(column)[order] for column in zip(*(one.columns for _, one in parts), strict=True))
    )
    values = found.values
    for _ in range(_CAPS):
        for ends, most in zip(np.divmod(numbers, law.places), (law.out, law.into), strict=True):
            sums: Numbers = np.bincount(ends, values, minlength=law.places).astype(np.float64)
            values = values * np.minimum(quotient(most, sums), 1.0)[ends]
    return numbers, Ranged(values, np.minimum(found.low, values), np.maximum(found.high, values))


def _tell_others(
    law: Law, cells: Integers, paid: Numbers, district: Integers, between: Numbers | None
) -> None:
    """Bend the law until the other pairs have what those of which the table tells something leave of each sum."""
    law.forget(cells)
    origin, destination = np.divmod(cells, law.places)
    law.out = np.maximum(law.out - np.bincount(origin, paid, minlength=law.places), 0.0)
    law.into = np.maximum(law.into - np.bincount(destination, paid, minlength=law.places), 0.0)
    law.into *= law.out.sum() / max(float(law.into.sum()), 1e-300)
    left = None
    if between is not None:
        left = between.copy()
        np.add.at(left, (district[origin], district[destination]), -paid)
        left = np.maximum(left, 0.0)
    for _ in range(_LEFT_ROUNDS):
        law.balance(3)
        if left is not None:
            law.to_districts(left, district, 1)


def _among(cells: Integers, ascending: Integers) -> NDArray[np.bool_]:
    """Which cells are among some others. ``np.isin`` takes ten times as long."""
    at = np.minimum(np.searchsorted(ascending, cells), len(ascending) - 1)
    found: NDArray[np.bool_] = ascending[at] == cells
    return found


def _by_size(law: Law) -> tuple[Integers, Numbers]:
    """The largest flows of the law. Whenever many are found, the smallest of the largest so far is the least that the next must be."""
    least, held = LEAST, 0
    parts: list[tuple[Integers, Numbers]] = []
    for cells, flows in law.largest(LEAST):
        some = flows >= least
        parts.append((cells[some], flows[some]))
        held += int(some.sum())
        if held > 2 * MOST:
            parts = [_joined(parts)]
            held, least = MOST, float(parts[0][1].min())
    cells, values = _joined(parts)
    order = np.argsort(cells)
    return cells[order], values[order]


def _joined(parts: list[tuple[Integers, Numbers]]) -> tuple[Integers, Numbers]:
    cells, values = (np.concatenate(side) for side in zip(*parts, strict=True))
    kept = _largest_of(values)
    return cells[kept], values[kept]


def _counted(
    law: Law, table: Noisy, district: Integers, between: Numbers | None
) -> tuple[Numbers, Numbers, Numbers]:
    """All flows and their ranges from the law and the noisy counts."""
    found = two_way(table.values, table.noise, law.table(), _BINS, shape=FLOWS)
    stands_out = found.values >= _STANDS_OUT * table.noise.variance**0.5
    stiff = replace(found, variance=np.where(stands_out, _STIFF, 1.0) * found.variance)
    fitted = _settled(stiff, law, district, between)
    return fitted, np.minimum(found.low, fitted), np.maximum(found.high, fitted)


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
            values *= quotient(between, member.T @ values @ member)[district][:, district]
        values *= quotient(law.into, values.sum(axis=0))
        sums = values.sum(axis=1)
        values *= quotient(law.out, sums)[:, None]
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
    if len(values) <= MOST:
        return np.arange(len(values))
    least = np.partition(values, len(values) - MOST)[len(values) - MOST]
    larger = values > least
    larger[np.flatnonzero(values == least)[: MOST - int(larger.sum())]] = True
    return np.flatnonzero(larger)


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
