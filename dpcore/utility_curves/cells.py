"""Sums over cells: cells of equal counts have one law, so the work is the different counts times the length of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.noise.accuracy import speck_threshold
from dpcore.similarity.shares import SMOOTHING, relative_difference
from dpcore.utility_curves.law import law

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
Cellwise = Callable[[Numbers, Numbers], Numbers]
"""A metric of one cell: true counts and noisy ones, broadcast against each other."""

_AT_ONCE: Final = 4_000_000  # numbers held at a time


@dataclass(frozen=True, repr=False, eq=False)
class Cells:
    """The cells of a table, equal ones together. Its text shows no count."""

    truth: Counts
    """The count that is compared with."""
    counted: Counts
    """The count that gets the noise: without the trips that the bound leaves out."""
    times: Counts
    """How many cells have these two."""
    false_flows: Fraction | None = None
    """For a table that leaves small noisy counts out, which then count 0: how many empty cells it lists by chance."""

    @classmethod
    def of(
        cls,
        truth: Counts,
        counted: Counts | None = None,
        *,
        empty: int = 0,
        false_flows: Fraction | None = None,
    ) -> Cells:
        """Some cells, one entry each, and ``empty`` more whose counts are 0. Without ``counted``, nothing is left out."""
        both = np.stack([truth, truth if counted is None else counted])
        if empty:
            both = np.concatenate([both, np.zeros((2, 1), np.int64)], axis=1)
        times = np.ones(both.shape[1], np.int64)
        if empty:
            times[-1] = empty
        pairs, where = np.unique(both, axis=1, return_inverse=True)
        together = np.zeros(pairs.shape[1], np.int64)
        np.add.at(together, where.reshape(-1), times)
        return cls(pairs[0], pairs[1], together, false_flows)

    @property
    def total(self) -> float:
        """Sum of the true counts."""
        return float(self.truth @ self.times)

    @property
    def size(self) -> int:
        """Number of cells."""
        return int(self.times.sum())

    def threshold(self, rho: Fraction) -> int | None:
        """The noisy count from which a sparse table lists a cell that is released up to this rate; None for others."""
        if self.false_flows is None:
            return None
        return speck_threshold(rho, max(1, self.size), self.false_flows)


def expected(cells: Cells, rho: Fraction, metric: Cellwise) -> tuple[float, float]:
    """Mean and standard deviation of the sum of a metric over all cells, whose noise is independent.

    The metric gets true and noisy counts; a noisy count below the threshold of a sparse table is 0 for it.
    """
    values, chance = law(rho)
    threshold = cells.threshold(rho)
    mean = variance = 0.0
    step = max(1, _AT_ONCE // len(values))
    for start in range(0, len(cells.truth), step):
        part = slice(start, start + step)
        noisy = cells.counted[part, None] + values
        if threshold is not None:
            noisy = np.where(noisy >= threshold - 0.5, noisy, 0.0)
        sizes = metric(cells.truth[part, None].astype(float), noisy)
        means = sizes @ chance
        squares = (sizes * sizes) @ chance
        mean += float(means @ cells.times[part])
        variance += float(np.maximum(squares - means * means, 0.0) @ cells.times[part])
    return mean, variance**0.5


def listed(cells: Cells, rho: Fraction) -> float:
    """Cells that are compared: all, or of a sparse table those that one side is expected to list."""
    if cells.false_flows is None:
        return float(cells.size)
    return expected(cells, rho, lambda true, noisy: ((true > 0) | (noisy > 0)).astype(float))[0]


def share_metrics(true_total: float, noisy_total: float | Numbers, cells: float) -> dict[str, Cellwise]:
    """The metrics of shares as sums over cells; the noisy total is a number, or one for each noisy count."""

    def smape(true: Numbers, noisy: Numbers) -> Numbers:
        return relative_difference(true / true_total, np.maximum(noisy, 0.0) / noisy_total)

    def jsd(true: Numbers, noisy: Numbers) -> Numbers:
        p, q = true / true_total, np.maximum(noisy, 0.0) / noisy_total
        return (_bits(p, (p + q) / 2) + _bits(q, (p + q) / 2)) / 2

    def kld(true: Numbers, noisy: Numbers) -> Numbers:
        p = (true + SMOOTHING) / (true_total + SMOOTHING * cells)
        q = (np.maximum(noisy, 0.0) + SMOOTHING) / (noisy_total + SMOOTHING * cells)
        # Shares add up to 1, so the second term adds nothing on average; it takes out of the spread what a moving total
        # would add to it, because in the metric itself that total cancels.
        found: Numbers = p * np.log2(p / q) + (q - p) / log(2)
        return found

    return {"smape": smape, "jsd": jsd, "kld": kld}


def _bits(p: Numbers, other: Numbers) -> Numbers:
    some = np.where(p > 0, p, 1.0)
    found: Numbers = np.where(p > 0, p * np.log2(some / np.where(p > 0, other, 1.0)), 0.0)
    return found
