"""Groups of cells that are compared by themselves, such as the time windows of a table of tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Groups = Sequence[NDArray[np.int64]]
"""Positions of the cells of each group."""


def groups_of(columns: Sequence[NDArray[np.str_]], cells: int) -> Groups:
    """The cells of each combination of labels, in the order of the labels; all in one group without columns."""
    if not columns:
        return [np.arange(cells, dtype=np.int64)]
    code = np.zeros(cells, np.int64)
    for column in columns:
        labels, number = np.unique(column, return_inverse=True)
        code = code * len(labels) + number
    order = np.argsort(code, kind="stable")
    starts = np.flatnonzero(np.diff(code[order])) + 1
    return np.split(order, starts)


def weighted(
    one: Numbers, other: Numbers, groups: Groups, distance: Callable[[NDArray[np.int64]], float | None]
) -> float | None:
    """Mean of a distance over the groups, each weighted by its mass: the mean of its shares of the two whole tables.

    Groups without a distance are left out; None where none has one.
    """
    positive = np.maximum(one, 0.0), np.maximum(other, 0.0)
    total = [max(float(side.sum()), np.finfo(float).tiny) for side in positive]
    found = [(cells, value) for cells in groups if (value := distance(cells)) is not None]
    masses = [
        sum(float(side[cells].sum()) / whole for side, whole in zip(positive, total, strict=True))
        for cells, _ in found
    ]
    whole = sum(masses)
    if not whole:
        return None
    return sum(mass * value for mass, (_, value) in zip(masses, found, strict=True)) / whole


def summed(values: Numbers, place: NDArray[np.int64], places: int) -> Numbers:
    """The sum of the values at each of some numbered places."""
    found = np.zeros(places)
    np.add.at(found, place, values)
    return found
