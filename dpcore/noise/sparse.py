"""Exact noise for a huge public table without drawing for its empty cells one by one.

The law is that of the dense table: discrete Laplace noise on **every** cell of the public domain. Then cells whose noisy
value is below the threshold are left out. Leaving out is post-processing, so the guarantee is pure epsilon with delta 0.
Empty cells that pass (false positives) hide which cells are occupied (Cormode, Procopiuc, Srivastava, Tran, ICDT 2012).
Only time and memory are saved: both grow with the occupied and the published cells, not with the domain.

An empty cell passes with probability ``p = P(V >= t) = q**t / (1 + q)``, independently of all others. False positives are
found by jumps. With a rational ``gamma >= -log(1 - p)``, geometric jumps of rate gamma visit each empty cell independently
with probability ``1 - exp(-gamma) >= p``. A visited cell is kept with probability ``p / (1 - exp(-gamma))``, drawn by
certified digits. The value of a false positive is ``t`` plus a geometric, because the tail of the law has no memory. All
numbers are integers and rationals, as in ``samplers.py``.

The highest rung is drawn in this way. A lower rung is the value above it plus the difference of two ``coarsening``s
(theorem (b) of ``samplers.py``), which are independent of value, halves and counts: post-processing again. All rungs list
the same cells, those that passed at the highest one.

**The same law.** Compare with the dense ladder ``Y1, ..., Yk`` on all cells, which lists those with ``Yk >= t``. An
occupied cell is drawn and kept as there. The visits are independent trials of probability ``1 - exp(-gamma)`` on the empty
cells in order, because gaps between successes of such trials are geometric. Visits kept independently with probability
``p / (1 - exp(-gamma))`` are independent trials of probability p. Given ``V >= t >= 1``, V is t plus a geometric. Given
Yk, the lower rungs follow by independent steps whatever the count, so they may be drawn after the listing, and for listed
cells alone. QED. (``tests/sparse_law.py`` compares with this law by p-values.)

**Raising later, with the same list.** Let the list S be decided at rung l, and let the ladder be raised to rung m.
Published are S, ``Y1..Yl`` on S, and then ``Yl+1..Ym`` on S. This is a function of the dense ladder ``Y1..Ym`` on all
cells, which costs the epsilon of rung m and no delta (theorem (c) of ``samplers.py``). The draw has that law: given the
counts and ``Y1..Yl``, halves of different cells are independent, and those of a cell depend on its V at rung l alone,
whether listed or not (``samplers.climb``). So nothing is needed of cells that are not listed, not even whether they are
occupied. QED.

**Raising with a longer list** would be sound too: additionally listing the absent cells with ``Ym >= tm`` is a function of
the same ladder. For an absent empty cell the event ``Vl < tl, Vm >= tm`` has a certified probability and can be drawn by
jumps. It is not offered, for two reasons. An absent occupied cell would have to be drawn given that it was absent. So the
exact counts of *all* occupied cells would have to be kept, where now those of listed cells are enough: a secret as large
as the table, kept for years, for releases most of which are never raised. And a row would no longer say where its listing
was decided. Three things are offered instead. The existing list gets finer counts for the difference in price. A list
decided anew is a new release at its full price. The number of false flows (``Plan.false_flows``), which costs nothing,
says at the first release how far down the list goes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore import limits
from dpcore.noise.samplers import (
    Integers,
    check_rungs,
    coarsening,
    coin,
    discrete_laplace,
    exp_bounds,
    geometric,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_FALSE_POSITIVES: Final = 20_000_000
"""Most visits of empty cells that may be drawn. A higher threshold needs fewer."""
_BATCH: Final = 2**20  # jumps drawn at a time
_FINEST: Final = 50  # no jump rate is finer than 2**-50, which over 2**42 cells is 1/256 of a visit more


def _passing(rho: Fraction, threshold: int, bits: int) -> tuple[int, int]:
    """Bounds of ``2**bits * P(V >= threshold)`` for discrete Laplace noise V and a threshold of 0 or more."""
    one = 1 << bits
    power_low, power_high = exp_bounds(rho * threshold, bits)
    low, high = exp_bounds(rho, bits)
    return (power_low << bits) // (one + high), -(-(power_high << bits) // (one + low))


def threshold_for(size: int, rho: Fraction, expected_false: Fraction) -> int:
    """The lowest threshold at which an empty table shows at most ``expected_false`` cells on average.

    Exact and public: it depends on no data. Source: ``size * q**t / (1 + q) <= expected_false``.

    Args:
        size: cells of the public domain, 1 to ``limits.MAX_SPARSE_CELLS``.
        rho: epsilon over sensitivity of the highest rung, exact.
        expected_false: expected number of empty cells that are listed by chance, more than 0.

    Returns:
        A noisy count, 1 or more.

    Raises:
        ValueError: a size, rho or expectation out of range.

    """
    _check_size(size)
    check_rungs([rho])
    if expected_false <= 0:
        raise ValueError("expected_false must be more than 0")

    def enough(threshold: int) -> bool:
        bits = 64
        while True:  # ends: size * q**t / (1 + q) is irrational for t >= 1, so it never equals expected_false
            low, high = _passing(rho, threshold, bits)
            if size * high <= expected_false * 2**bits:
                return True
            if size * low > expected_false * 2**bits:
                return False
            bits *= 2

    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_size(size: int) -> None:
    """Refuse a domain that is empty or too large for exact 64-bit sums."""
    if not 1 <= size <= limits.MAX_SPARSE_CELLS:
        raise ValueError(f"a sparse table has 1 to {limits.MAX_SPARSE_CELLS:,} cells")


def _jump_rate(rho: Fraction, threshold: int) -> Fraction:
    """A rational gamma with ``p <= 1 - exp(-gamma)``, of few digits, at most a few % more than needed.

    It rounds up the bound ``-log(1 - p) <= p (2 - p) / (2 (1 - p))`` (both sides are 0 at p = 0; compare derivatives).
    """
    bits = 128  # p may be far smaller; its upper bound then stays above 0, and so does gamma
    p = Fraction(_passing(rho, threshold, bits)[1], 2**bits)
    bound = p * (2 - p) / (2 * (1 - p))
    exponent = min(_FINEST, (bound.denominator // bound.numerator).bit_length() + 7)
    return Fraction(math.ceil(bound * 2**exponent), 2**exponent)


def _false_positives(empty: int, size: int, rho: Fraction, threshold: int) -> Integers:
    """Ranks among ``empty`` empty cells, ascending, of the cells whose noise reaches the threshold."""
    gamma = _jump_rate(rho, threshold)
    if size * gamma > MAX_FALSE_POSITIVES:  # of the public size: a refusal must not depend on the data
        raise ValueError(f"the threshold would show over {MAX_FALSE_POSITIVES:,} empty cells; raise it")

    def kept(bits: int) -> tuple[int, int]:
        one = 1 << bits
        low, high = _passing(rho, threshold, bits)
        miss_low, miss_high = exp_bounds(gamma, bits)
        return (low << bits) // (one - miss_low), -(-(high << bits) // (one - miss_high))

    last, parts = -1, [np.zeros(0, np.int64)]
    while last < empty:
        expected = math.ceil((empty - last) * gamma)
        n = min(expected + 5 * math.isqrt(expected) + 20, _BATCH)
        # A jump beyond the domain ends the walk whatever its length, so cutting it changes nothing.
        ranks = last + np.cumsum(np.minimum(geometric(gamma, n), empty) + 1)
        last = int(ranks[-1])
        parts.append(ranks[ranks < empty])
    visited: Integers = np.concatenate(parts)
    return visited[np.flatnonzero(coin(kept).draw(len(visited)))]


def false_positives(empty: int, size: int, rho: Fraction, threshold: int) -> Integers:
    """The empty cells that reach the threshold by chance, drawn exactly and independently: their ranks, ascending.

    For tables whose domain becomes known only while they grow; other tables use ``sparse_ladder``. The value of such a
    cell is the threshold plus a ``geometric`` of the same rate.

    Args:
        empty: number of empty cells, 0 to ``size``. As secret as the data.
        size: number of all cells of the public domain, 1 to ``limits.MAX_SPARSE_CELLS``.
        rho: rate of the noise, exact.
        threshold: a public noisy count, 1 or more.

    Raises:
        ValueError: arguments out of range, or a threshold so low that too many cells would pass.

    """
    check_rungs([rho])
    _check_size(size)
    if not 0 <= empty <= size or threshold < 1:
        raise ValueError("there are at most as many empty cells as cells, and the threshold is 1 or more")
    return _false_positives(empty, size, rho, threshold)


def sparse_ladder(
    cells: Integers, counts: Integers, size: int, rhos: Sequence[Fraction], threshold: int
) -> tuple[Integers, Integers]:
    """Noisy counts of a huge public table at every rung. The cost is the epsilon of the highest rung, with delta 0.

    It lists the cells, occupied or not, whose value at the highest rung is ``threshold`` or more. They are in the order of
    their numbers, so the order reveals nothing about the data. A lower rung also has values below the threshold.

    Args:
        cells: numbers of the occupied cells, int64, strictly ascending, within 0 to ``size - 1``.
        counts: their exact counts, int64, same shape.
        size: cells of the public domain, 1 to ``limits.MAX_SPARSE_CELLS``.
        rhos: epsilon over sensitivity of each rung, exact, strictly rising.
        threshold: a public noisy count, 1 or more; see ``threshold_for``.

    Returns:
        The listed cells, ascending, shape ``(m,)``, and their values, shape ``(len(rhos), m)``, coarsest rung
        first; both int64.

    Raises:
        ValueError: inputs out of range or order, or a threshold so low that the table would not be sparse.

    """
    check_rungs(rhos)
    _check_size(size)
    if threshold < 1:
        raise ValueError("the threshold must be 1 or more; below, most empty cells would be listed")
    if cells.shape != counts.shape or cells.ndim != 1:
        raise ValueError("each occupied cell needs one count")
    if len(cells) and (cells[0] < 0 or cells[-1] >= size or bool((np.diff(cells) <= 0).any())):
        raise ValueError("occupied cells must be numbers of the domain in strictly ascending order")
    top = rhos[-1]
    noisy = counts + discrete_laplace(top, len(cells))
    passed = noisy >= threshold
    ranks = _false_positives(size - len(cells), size, top, threshold)
    # The r-th empty cell comes after those occupied cells that have at most r empty cells before them.
    behind = np.searchsorted(cells - np.arange(len(cells)), ranks, side="right")
    shown = np.concatenate([cells[passed], ranks + behind])
    order = np.argsort(shown)
    values = np.empty((len(rhos), len(shown)), np.int64)
    values[-1] = np.concatenate([noisy[passed], threshold + geometric(top, len(ranks))])[order]
    for rung in range(len(rhos) - 2, -1, -1):
        plus, minus = (coarsening(rhos[rung + 1], rhos[rung], len(shown)) for _ in range(2))
        values[rung] = values[rung + 1] + plus - minus
    return shown[order], values
