"""Noisy tables that count the same trips are made to agree: least squares in closed form, no data.

First each margin that tables share is estimated once, by the mean of what they say, weighted by the inverse of its
variance and moved (by least squares again) to add up to the estimated total. Then each table moves to those margins by
the smallest change in the sum of squares, ``A' (A A')^+ (margins - A table)``, where A adds up the cells of each
label. On a table whose axes are the labels that is the well-known rule: spread each gap evenly over its cells. Two
labels that are no axes of their own (the day type and the month of a date, the band of a pair) are met at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from dpcore.synthesis.domain import TripDomain
from dpcore.synthesis.noisy_tables import NoisyTables
from dpcore.synthesis.workload import Group

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def labels_of(domain: TripDomain, group: Group, attribute: str) -> Labels | None:
    """The code of an attribute in each cell of a table, flat; None where the cells do not tell it."""
    shape = tuple(domain.sizes[axis] for axis in group.axes)
    if attribute in group.axes:
        axis = group.axes.index(attribute)
        codes = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        return np.broadcast_to(codes, shape).ravel()
    if group.axes == ("date",) and attribute == "day_type":
        return domain.day_type_of_date
    if group.axes == ("date",) and attribute == "month":
        return domain.month_of_date
    if group.axes == ("start", "end") and attribute == "band":
        return domain.stations.band_of_pair.ravel()
    return None


def shared_attributes(domain: TripDomain, tables: Sequence[Group]) -> dict[str, list[tuple[Group, Labels]]]:
    """The attributes that two tables or more tell, and those tables with the code of each cell."""
    known: dict[str, list[tuple[Group, Labels]]] = {name: [] for name in domain.sizes}
    for group in tables:
        for name, having in known.items():
            labels = labels_of(domain, group, name)
            if labels is not None:
                having.append((group, labels))
    return {name: having for name, having in known.items() if len(having) > 1}


def margins(noisy: NoisyTables) -> dict[str, Floats]:
    """The estimate of each shared margin; all of them add up to the estimated total."""
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
    return found


def consistent(noisy: NoisyTables) -> dict[str, Floats]:
    """The tables by name of their group, with equal totals and equal shared margins; cells may be negative."""
    plan, wanted, total = noisy.plan, margins(noisy), noisy.total
    found = {}
    for group in plan.groups:
        told = {name: labels_of(plan.domain, group, name) for name in wanted}
        labels = {name: where for name, where in told.items() if where is not None}
        table = noisy.values[group.name].astype(np.float64).ravel()
        moved = _moved(table, labels, wanted, total)
        found[group.name] = np.asarray(moved.reshape(plan.shape(group)))
    return found


def _moved(table: Floats, labels: Mapping[str, Labels], wanted: Mapping[str, Floats], total: float) -> Floats:
    """The nearest table (least squares) with the wanted margins."""
    if not labels:
        return np.asarray(table + (total - table.sum()) / len(table))
    places, goals = list(labels.values()), [wanted[name] for name in labels]
    sizes = [len(goal) for goal in goals]
    for _ in range(2):  # the second round takes away what rounding left
        gaps = [
            goal - np.bincount(where, table, len(goal)) for where, goal in zip(places, goals, strict=True)
        ]
        shares = np.split(_solved(places, sizes, np.concatenate(gaps)), np.cumsum(sizes)[:-1])
        for where, share in zip(places, shares, strict=True):
            table = table + share[where]
    return np.asarray(table)


def _solved(places: Sequence[Labels], sizes: Sequence[int], gaps: Floats) -> Floats:
    """A solution of ``A A' x = gaps``, where row r of A has ones at the cells with label r."""
    edges = np.concatenate([[0], np.cumsum(sizes)])
    matrix = np.zeros((edges[-1], edges[-1]))
    for i, left in enumerate(places):
        for j, right in enumerate(places):
            counts = np.bincount(left * sizes[j] + right, minlength=sizes[i] * sizes[j])
            matrix[edges[i] : edges[i + 1], edges[j] : edges[j + 1]] = counts.reshape(sizes[i], sizes[j])
    if len(places) == 1:
        return gaps / matrix.diagonal()
    # Each list of labels covers the table once, so a constant can be moved from one to the next without effect.
    # Where nothing else is free, adding these directions makes the matrix positive without changing the solution.
    for first, last in pairwise(range(len(places))):
        free = np.zeros(edges[-1])
        free[edges[first] : edges[first + 1]] = 1.0
        free[edges[last] : edges[last + 1]] = -1.0
        matrix += np.outer(free, free)
    try:
        return np.asarray(linalg.solve(matrix, gaps, assume_a="pos"))
    except linalg.LinAlgError:  # labels that fall apart into separate sets: as near as can be
        return np.asarray(np.linalg.lstsq(matrix, gaps, rcond=None)[0])
