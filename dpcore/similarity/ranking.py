"""Order: Kendall's tau-b on the counts of the same cells, and what two tops have in common."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Positions = NDArray[np.int64]


def kendall_tau(one: Numbers, other: Numbers) -> float | None:
    """Kendall's tau-b of two counts of the same cells: 1 (same order), -1 (reversed); None where a side has no order.

    Ties are allowed for (Kendall, Biometrika 33, 1945). Counts are taken as they stand, negative ones too. A swap of
    two neighbours among n cells gives ``1 - 4 / (n (n - 1))``. Work grows as ``n log(n)``.
    """
    first, second = _ranks(one), _ranks(other)
    pairs = len(first) * (len(first) - 1) // 2
    if np.array_equal(first, second) and pairs:
        return 1.0 if _tied(first) < pairs else None
    tied, tied_too = _tied(first), _tied(second)
    if pairs in (tied, tied_too):
        return None
    order = np.lexsort((second, first))  # ties of the first rise in the second, so they are no inversions
    width = int(second.max()) + 1
    in_both = _tied(_ranks((first * width + second).astype(float)))
    score = pairs - tied - tied_too + in_both - 2 * _inversions(second[order])
    return max(-1.0, min(1.0, score / sqrt((pairs - tied) * (pairs - tied_too))))


def top(counts: Numbers, n: int) -> Positions:
    """Positions of the n largest counts, largest first; cells come in the order of their ids, which breaks ties.

    Exactly n, or all where there are fewer.
    """
    return np.argsort(-counts, kind="stable")[:n].astype(np.int64)


def top_overlap(one: Numbers, other: Numbers, n: int) -> float | None:
    """Share of the one's top n that is in the other's as well: 0 to 1; None without cells."""
    n = min(n, len(one))
    return len(np.intersect1d(top(one, n), top(other, n))) / n if n else None


def top_union(one: Numbers, other: Numbers, n: int) -> Positions:
    """Positions of the cells that are in either top n, rising."""
    return np.union1d(top(one, n), top(other, n))


def _ranks(counts: Numbers) -> Positions:
    """0, 1, 2 and so on for the distinct counts, smallest first."""
    return np.unique(counts, return_inverse=True)[1].astype(np.int64)


def _tied(ranks: Positions) -> int:
    """Pairs with one rank."""
    size = np.bincount(ranks).astype(np.int64)
    return int((size * (size - 1) // 2).sum())


def _inversions(ranks: Positions) -> int:
    """Pairs of which the earlier one is the larger, counted bit by bit from the highest.

    Among ranks that agree in all higher bits, a 1 before a 0 is one inversion; then the zeros go before the ones.
    """
    found = 0
    for bit in range(int(ranks.max(initial=0)).bit_length() - 1, -1, -1):
        ones = (ranks >> bit) & 1
        group = ranks >> (bit + 1)
        begins = np.r_[True, group[1:] != group[:-1]]
        before = np.cumsum(ones) - ones
        inside = before - np.maximum.accumulate(np.where(begins, before, 0))
        found += int(inside[ones == 0].sum())
        ranks = ranks[np.lexsort((ones, group))]  # stable, and groups stay in place: they rise already
    return found
