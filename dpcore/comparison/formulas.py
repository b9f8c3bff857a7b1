"""Formulas for two lists of counts or shares: relative difference, divergences, distance along a line, order.

Noisy counts may be negative, but a share cannot be. So for shares, and only for them, values below zero become zero. SMAPE of
numbers and rankings use the counts as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SMOOTHING: Final = 0.5
"""Added to every cell of both sides before the Kullback-Leibler divergence, which an empty cell would make infinite."""


def shares(counts: Numbers) -> Numbers | None:
    """Each count divided by the sum, with negative ones as 0. None if nothing is left."""
    positive = np.maximum(counts, 0.0)
    total = float(positive.sum())
    return positive / total if total > 0 else None


def smape(one: Numbers, other: Numbers) -> float:
    """Mean of ``relative_difference``: 0 (equal) to 2.

    Of numbers as they are. Pass shares to compare how two tables are spread. 0 without cells.
    """
    return float(np.mean(relative_difference(one, other))) if one.size else 0.0


def relative_difference(one: Numbers, other: Numbers) -> Numbers:
    """``abs(a - b) / ((abs(a) + abs(b)) / 2)`` of two numbers; 0 if both are 0. Broadcast against each other."""
    both = np.abs(one) + np.abs(other)
    found: Numbers = 2 * np.abs(one - other) / np.where(both > 0, both, 1.0)
    return found


def kl_divergence(reference: Numbers, other: Numbers) -> float:
    """Kullback-Leibler divergence of ``other`` from ``reference``, two tables of counts, in bits (base 2): 0 or more.

    Half a count is added to every cell of both sides, with negative ones as 0, so that it is always finite.
    """
    p = np.maximum(reference, 0.0) + SMOOTHING
    q = np.maximum(other, 0.0) + SMOOTHING
    p, q = p / p.sum(), q / q.sum()
    return max(0.0, float(np.sum(p * np.log2(p / q))))


def jensen_shannon(p: Numbers, q: Numbers) -> float:
    """Jensen-Shannon divergence of two lists of shares: base 2, not rooted, 0 (equal) to 1 (nothing in common).

    Some tools print the square root in natural logarithms, d. That is ``d**2 / ln 2`` here.
    """
    middle = (p + q) / 2
    return min(1.0, max(0.0, (_half(p, middle) + _half(q, middle)) / 2))


def _half(p: Numbers, middle: Numbers) -> float:
    some = p > 0
    return float(np.sum(p[some] * np.log2(p[some] / middle[some])))


Groups = Sequence[NDArray[np.int64]]
"""Positions of the cells of each group."""


def groups_of(columns: Sequence[NDArray[np.str_]], cells: int) -> Groups:
    """The cells of each combination of labels, in the order of the labels. Without columns all are in one group."""
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
    """Mean of a distance over the groups. The weight of a group is the mean of its shares of the two whole tables.

    Groups without a distance are left out. None if no group has one.
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


def emd(p: Numbers, q: Numbers, at: Numbers) -> float:
    """Earth mover's distance of two lists of shares whose cells are ``at`` places on a line, in the unit of the places.

    It is the area between the two cumulative curves (Wasserstein distance of order 1).
    """
    order = np.argsort(at, kind="stable")
    apart = np.abs(np.cumsum(p[order] - q[order]))[:-1]
    return float(apart @ np.diff(at[order]))


def grouped_emd(one: Numbers, other: Numbers, at: Numbers, groups: Groups) -> float | None:
    """The distance within each group of cells (such as starts on weekdays), weighted by the mass of the groups.

    Shares are taken within each group. Groups that are empty on either side are left out; None if all are.
    """

    def inside(cells: NDArray[np.int64]) -> float | None:
        p, q = shares(one[cells]), shares(other[cells])
        return None if p is None or q is None else emd(p, q, at[cells])

    return weighted(one, other, groups, inside)


Positions = NDArray[np.int64]


def kendall_tau(one: Numbers, other: Numbers, noisy: tuple[bool, bool] = (False, False)) -> float | None:
    """Kendall's tau-b of two counts of the same cells: 1 (same order), -1 (reversed). None if a side has no order.

    It allows for ties (Kendall, Biometrika 33, 1945). Counts are used as they are, with negative ones. A swap of two
    neighbours among n cells gives ``1 - 4 / (n (n - 1))``. The work grows as ``n log(n)``.

    ``noisy``: whether the counts of each side have noise. Equal ones of such a side are chance, or were cut off at 0. So its ties do
    not raise the value: they count as pairs that it does not order.
    """
    first, second = _ranks(one), _ranks(other)
    pairs = len(first) * (len(first) - 1) // 2
    if pairs and (np.array_equal(one, other) if any(noisy) else np.array_equal(first, second)):
        return 1.0 if _tied(first) < pairs else None
    tied, tied_too = _tied(first), _tied(second)
    if pairs in (tied, tied_too):
        return None
    order = np.lexsort((second, first))  # ties of the first rise in the second: no inversions
    width = int(second.max()) + 1
    in_both = _tied(_ranks((first * width + second).astype(float)))
    score = pairs - tied - tied_too + in_both - 2 * _inversions(second[order])
    known = [
        pairs if of_noise else pairs - ties for of_noise, ties in zip(noisy, (tied, tied_too), strict=True)
    ]
    return max(-1.0, min(1.0, score / sqrt(known[0] * known[1])))


def largest_tau(one: Numbers, other: Numbers, noisy: tuple[bool, bool] = (False, False)) -> float | None:
    """The largest ``kendall_tau`` of these counts in any order: that of both in rising order."""
    return kendall_tau(np.sort(one), np.sort(other), noisy)


def top(counts: Numbers, n: int) -> Positions:
    """Positions of the n largest counts, largest first. Cells are in the order of their ids, which breaks ties.

    Exactly n, or all if there are fewer.
    """
    return np.argsort(-counts, kind="stable")[:n].astype(np.int64)


def top_overlap(one: Numbers, other: Numbers, n: int) -> float | None:
    """Share of the top n of ``one`` that is also in the top n of ``other``, 0 to 1; None without cells."""
    n = min(n, len(one))
    return len(np.intersect1d(top(one, n), top(other, n))) / n if n else None


def top_union(one: Numbers, other: Numbers, n: int) -> Positions:
    """Positions of the cells that are in either top n, rising."""
    return np.union1d(top(one, n), top(other, n))


def _ranks(counts: Numbers) -> Positions:
    """0, 1, 2 and so on for the distinct counts, smallest first."""
    return np.unique(counts, return_inverse=True)[1].astype(np.int64)


def _tied(ranks: Positions) -> int:
    """Number of pairs with equal ranks."""
    size = np.bincount(ranks).astype(np.int64)
    return int((size * (size - 1) // 2).sum())


def _inversions(ranks: Positions) -> int:
    """Number of pairs in which the earlier one is larger, counted bit by bit from the highest bit.

    Among ranks that agree in all higher bits, a 1 before a 0 is one inversion. Then the zeros are moved before the ones.
    """
    found = 0
    for bit in range(int(ranks.max(initial=0)).bit_length() - 1, -1, -1):
        ones = (ranks >> bit) & 1
        group = ranks >> (bit + 1)
        begins = np.r_[True, group[1:] != group[:-1]]
        before = np.cumsum(ones) - ones
        inside = before - np.maximum.accumulate(np.where(begins, before, 0))
        found += int(inside[ones == 0].sum())
        ranks = ranks[np.lexsort((ones, group))]  # stable; groups stay in place, because they rise already
    return found
