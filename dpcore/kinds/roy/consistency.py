"""Make noisy tables of the same trips agree: least squares in closed form. Post-processing, no data.

**Margins.** Each margin that tables share is estimated once. The estimate is the mean of the tables' margins, weighted by inverse
variance, and is moved, by least squares again, to add up to the estimated total. Then each table moves to these margins by
the smallest change in the sum of squares, ``A' (A A')^+ (margins - A table)``, where A adds up the cells of each label. If the
labels are axes of the table, this spreads each gap evenly over its cells, as is well known. Labels that are not axes of their
own (day type and month of a date, distance band of a pair) are solved for together.

**Negative cells.** Last, each table is projected to cells of 0 or more with the same total, or with the same margins
(``on_simplex``, ``with_margins``). Setting negative cells to 0 would add about half of all noise to the total. On a table of mostly
empty cells that makes more phantom trips than there are real ones. A projection takes the same amount off every cell that stays.
But with the total alone, quiet rows keep some of their noise at the expense of busy ones: nights gain trips, stations lose
them. The sum of a row is known much better than its cells. So each row, column and distance band keeps its own sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.roy.domain import Group, TripDomain
from dpcore.kinds.roy.workload import NoisyTables

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

_OF_DATE: Final[Mapping[str, Callable[[TripDomain], Labels]]] = {
    "day_type": lambda domain: domain.day_type_of_date,
    "month": lambda domain: domain.month_of_date,
}
"""What each date tells."""
_ROUNDS: Final = 60
_WORK: Final = 20_000_000
"""Limit on the cells visited in all rounds together: a huge table gets fewer rounds, but at least three."""
_NEAR: Final = 0.01
"""Tolerance of a margin, in trips; far below the noise."""


def labels_of(domain: TripDomain, group: Group, attribute: str) -> Labels | None:
    """The code of an attribute in each cell of a table, flat; None if the cells do not determine it."""
    shape = tuple(domain.sizes[axis] for axis in group.axes)
    if attribute in group.axes:
        axis = group.axes.index(attribute)
        codes = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        return np.broadcast_to(codes, shape).ravel()
    if "date" in group.axes and attribute in _OF_DATE:
        dates = labels_of(domain, group, "date")
        return None if dates is None else _OF_DATE[attribute](domain)[dates]
    if {"start", "end"} <= {*group.axes} and attribute == "band":
        start, end = (labels_of(domain, group, axis) for axis in ("start", "end"))
        return None if start is None or end is None else domain.stations.band_of_pair[start, end]
    return None


def shared_attributes(domain: TripDomain, tables: Sequence[Group]) -> dict[str, list[tuple[Group, Labels]]]:
    """The attributes that two or more tables share, and those tables with the code of each cell."""
    known: dict[str, list[tuple[Group, Labels]]] = {name: [] for name in domain.sizes}
    for group in tables:
        for name, having in known.items():
            labels = labels_of(domain, group, name)
            if labels is not None:
                having.append((group, labels))
    return {name: having for name, having in known.items() if len(having) > 1}


def margins(noisy: NoisyTables) -> dict[str, Floats]:
    """The estimate of each shared margin; every margin adds up to the estimated total."""
    plan, total = noisy.plan, noisy.total
    found = {}
    for attribute, having in shared_attributes(plan.domain, plan.groups).items():
        size = plan.domain.sizes[attribute]
        precision, weighted = np.zeros(size), np.zeros(size)
        for group, labels in having:
            cells = np.bincount(labels, minlength=size)
            own = 1 / (cells * noisy.variance(group))
            precision += own
            weighted += own * np.bincount(labels, noisy.values[group.name].ravel(), size)
        estimate = weighted / precision
        found[attribute] = estimate + (total - estimate.sum()) / precision / (1 / precision).sum()
    if "date" in found:  # its days add up to the day types and the months
        coarse = {name: of_date(plan.domain) for name, of_date in _OF_DATE.items() if name in found}
        found["date"] = _nearest_table(found["date"], coarse, found, total)
    return found


def consistent(noisy: NoisyTables) -> dict[str, Floats]:
    """The tables, by name of their group, with equal totals and equal shared margins; cells may be negative."""
    plan, wanted, total = noisy.plan, margins(noisy), noisy.total
    found = {}
    for group in plan.groups:
        told = {name: labels_of(plan.domain, group, name) for name in wanted}
        labels = {name: where for name, where in told.items() if where is not None}
        if "date" in labels:  # then day types and months agree as well
            labels = {name: where for name, where in labels.items() if name not in _OF_DATE}
        table = noisy.values[group.name].astype(np.float64).ravel()
        moved = _nearest_table(table, labels, wanted, total)
        found[group.name] = np.asarray(moved.reshape(plan.shape(group)))
    return found


def _nearest_table(
    table: Floats, labels: Mapping[str, Labels], wanted: Mapping[str, Floats], total: float
) -> Floats:
    """The nearest table (least squares) with the wanted margins."""
    if not labels:
        return np.asarray(table + (total - table.sum()) / len(table))
    places, goals = list(labels.values()), [wanted[name] for name in labels]
    sizes = [len(goal) for goal in goals]
    for _ in range(2):  # the second round removes what rounding left
        gaps = [
            goal - np.bincount(where, table, len(goal)) for where, goal in zip(places, goals, strict=True)
        ]
        shares = np.split(_solved(places, sizes, np.concatenate(gaps)), np.cumsum(sizes)[:-1])
        for where, share in zip(places, shares, strict=True):
            table = table + share[where]
    return np.asarray(table)


def _solved(places: Sequence[Labels], sizes: Sequence[int], gaps: Floats) -> Floats:
    """A solution of ``A A' x = gaps``, where row r of A has ones at the cells with label r."""
    from scipy import linalg  # noqa: PLC0415 - slow to load, and few commands make synthetic trips

    edges = np.concatenate([[0], np.cumsum(sizes)])
    matrix = np.zeros((edges[-1], edges[-1]))
    for i, left in enumerate(places):
        for j, right in enumerate(places):
            counts = np.bincount(left * sizes[j] + right, minlength=sizes[i] * sizes[j])
            matrix[edges[i] : edges[i + 1], edges[j] : edges[j + 1]] = counts.reshape(sizes[i], sizes[j])
    if len(places) == 1:
        return gaps / matrix.diagonal()
    # Each list of labels covers the whole table, so a constant can move from one list to the next without effect.
    # If nothing else is undetermined, adding these directions makes the matrix positive and keeps the solution.
    for first, last in pairwise(range(len(places))):
        free = np.zeros(edges[-1])
        free[edges[first] : edges[first + 1]] = 1.0
        free[edges[last] : edges[last + 1]] = -1.0
        matrix += np.outer(free, free)
    try:
        return np.asarray(linalg.solve(matrix, gaps, assume_a="pos"))
    except linalg.LinAlgError:  # the labels split into separate sets: take the nearest solution
        return np.asarray(np.linalg.lstsq(matrix, gaps, rcond=None)[0])


def on_simplex(table: Floats, total: float) -> Floats:
    """The nearest table (least squares) with cells of 0 or more that add up to ``total``.

    Exact in O(n log n): the cells that stay are the largest ones (Held, Wolfe, Crowder 1974). A total of 0 or less gives
    an empty table.
    """
    if total <= 0:
        return np.zeros_like(table)
    taken = _surplus(table.ravel(), np.zeros(table.size, np.int64), np.array([total]))
    return np.asarray(np.maximum(table - taken[0], 0.0))


def with_margins(table: Floats, labels: Sequence[Labels], total: float) -> Floats:
    """The nearest table with cells of 0 or more and the same sum over each label as the given table.

    Negative sums are projected first, because no table without negative cells can have them. The solution is
    ``max(0, table - a - b - ...)`` with one number for each label of each kind. The kinds are solved in turn, each exactly,
    until all sums are met (Dykstra's projections in dual form).

    ``table`` must be consistent: each kind of label adds up to ``total``. ``labels`` holds, for each kind, the label of each
    cell, flat. A total of 0 or less gives an empty table.
    """
    if total <= 0:
        return np.zeros_like(table)
    cells = table.ravel()
    goals = [on_simplex(np.asarray(np.bincount(where, cells), np.float64), total) for where in labels]
    shifts = [np.zeros(len(goal)) for goal in goals]
    taken = np.zeros(len(cells))
    for _ in range(max(3, min(_ROUNDS, _WORK // len(cells)))):
        furthest = 0.0
        for where, goal, shift in zip(labels, goals, shifts, strict=True):
            now = np.bincount(where, np.maximum(cells - taken, 0.0), len(goal))
            furthest = max(furthest, float(np.abs(now - goal).max()))
            own = shift[where]
            shift[:] = _surplus(cells - taken + own, where, goal)
            taken += shift[where] - own
        if furthest < _NEAR:
            break
    return np.asarray(np.maximum(cells - taken, 0.0).reshape(table.shape))


def _surplus(cells: Floats, where: Labels, goals: Floats) -> Floats:
    """For each label, what to subtract from its cells so that those above 0 add up to its goal (0 or more)."""
    order = np.lexsort((-cells, where))
    falling, label = cells[order], where[order]
    sizes = np.bincount(where, minlength=len(goals))
    firsts = np.cumsum(sizes) - sizes
    sums = np.cumsum(falling)
    before = np.concatenate([[0.0], sums])[firsts]
    rank = np.arange(len(cells)) - firsts[label] + 1
    level = (sums - before[label] - goals[label]) / rank
    stays = np.bincount(label, falling > level, len(goals)).astype(
        np.int64
    )  # those that stay are the first ones
    last = firsts + np.maximum(stays, 1) - 1
    found = np.zeros(len(goals))
    some = sizes > 0
    found[some] = np.where(stays[some] > 0, level[last[some]], falling[firsts[some]])
    return found
