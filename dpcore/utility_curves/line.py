"""The earth mover's distance along a line: what is summed is how far each cumulative share errs.

Its error is ``A / (A + B) - F`` with A and B the noisy counts up to a place and beyond it, negative ones taken for 0, and F the
true share. A and B are independent, so its mean size follows from their two laws (``sums``), whatever their shape: up to
the first cell or beyond the last one A or B holds the noise of one cell, which is far from normal, and 0 in half of all
cases where nobody is counted. A normal law of the same spread would make the distance a quarter too large there.

Along very long lines, such as ten years of days, A and B hold many cells nearly everywhere, and a normal law serves. Its
variance is ``((1 - F)**2 * sum(v up to j) + F**2 * sum(v beyond j)) / N**2``, with v the variances of the counts and N the
total. How errors at two places go together is taken from that law on all lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.similarity.groups import Groups
from dpcore.utility_curves.law import law
from dpcore.utility_curves.sums import Laws, up_to_and_beyond

Numbers = NDArray[np.float64]

_TERMS: Final = 8  # of the series for two absolute values; what is left out is below 2 % of the variance
_AT_ONCE: Final = 1_000_000  # numbers held at a time
_MOST_CELLS: Final = 600  # of a line on which every error has its own law
_LEAST: Final = 1e-12  # spread of a share: of less nothing is left after rounding


def line_moments(
    truth: Numbers, counted: Numbers, at: Numbers, groups: Groups, rho: Fraction
) -> tuple[float, float]:
    """Mean and standard deviation of ``similarity.ordered.grouped_emd`` between true and noisy counts.

    Args:
        truth: true count of each cell.
        counted: the count that gets the noise.
        at: place of each cell on the line.
        groups: cells that are compared by themselves, each with a true count.
        rho: rate of the noise.

    """
    means, variances = _clipped(counted, rho)
    shares = [float(truth[cells].sum() / truth.sum()) for cells in groups]
    used, everything = sum(float(means[cells].sum()) for cells in groups), float(means.sum())
    mean = variance = 0.0
    for share, cells in zip(shares, groups, strict=True):
        order = cells[np.argsort(at[cells], kind="stable")]
        if len(order) < 2:
            continue
        mass = _Mass(share, used - float(means[order].sum()), everything - float(means[order].sum()))
        normal = _Normal.of(truth[order], means[order], variances[order])
        if len(order) <= _MOST_CELLS:
            sizes, spreads = _sizes(*up_to_and_beyond(counted[order], rho), normal.shares, mass)
        else:
            weight = float(mass.weight(means[order].sum()))
            sizes, spreads = weight * normal.sizes, weight * normal.spreads
        steps = np.diff(at[order])
        mean += float(steps @ sizes)
        variance += normal.variance_of_sum(steps * spreads)
    return mean, variance**0.5


@dataclass(frozen=True)
class _Mass:
    """How much a group weighs: the mean of its shares of the two tables, over that of all groups that are compared."""

    true_share: float
    others_used: float
    """Expected noisy counts of the other groups that are compared."""
    others: float
    """Expected noisy counts of all other groups."""

    def weight(self, counted: Numbers | float) -> Numbers:
        """The weight where the noisy counts of the group add up to so many."""
        whole = np.maximum(counted + self.others, _LEAST)
        return np.asarray((self.true_share + counted / whole) / (1 + (counted + self.others_used) / whole))


def _sizes(up_to: Laws, beyond: Laws, shares: Numbers, mass: _Mass) -> tuple[Numbers, Numbers]:
    """Mean and standard deviation of the weighted size of the error of each cumulative share, where anything is counted."""
    means, squares = np.empty(len(shares)), np.empty(len(shares))
    for part in _parts(len(shares), up_to.values.shape[1] * beyond.values.shape[1]):
        one, other = up_to.values[part, :, None], beyond.values[part, None, :]
        chance = up_to.chances[part, :, None] * beyond.chances[part, None, :]
        total = one + other
        some = total > 0
        chance *= some
        chance /= chance.sum(axis=(1, 2), keepdims=True)
        size = np.abs(one / np.where(some, total, 1.0) - shares[part, None, None]) * mass.weight(total)
        means[part] = (size * chance).sum(axis=(1, 2))
        squares[part] = (size * size * chance).sum(axis=(1, 2))
    return means, np.sqrt(np.maximum(squares - means * means, 0.0))


def _clipped(counted: Numbers, rho: Fraction) -> tuple[Numbers, Numbers]:
    """Means and variances of noisy counts, those below 0 taken for 0."""
    values, chance = law(rho)
    means, squares = np.empty_like(counted), np.empty_like(counted)
    for part in _parts(len(counted), len(values)):
        noisy = np.maximum(counted[part, None] + values, 0.0)
        means[part], squares[part] = noisy @ chance, (noisy * noisy) @ chance
    return means, np.maximum(squares - means * means, 0.0)


def _parts(rows: int, columns: int) -> Iterator[slice]:
    """The rows of a table, as many at a time as may be held."""
    step = max(1, _AT_ONCE // max(1, columns))
    return (slice(start, start + step) for start in range(0, rows, step))


@dataclass(frozen=True, repr=False, eq=False)
class _Normal:
    """The errors of the cumulative shares of one group as normal variables, cells in order along the line."""

    shares: Numbers
    """True cumulative shares, up to each cell but the last."""
    apart: Numbers
    """Mean errors of the noisy ones."""
    deviation: Numbers
    below: Numbers
    up_to: Numbers
    """Variance of the noisy counts up to each cell."""
    variance: float
    """That of all."""
    total: float
    """Expected sum of the noisy counts."""

    @classmethod
    def of(cls, truth: Numbers, means: Numbers, variances: Numbers) -> _Normal:
        """The errors that follow from means and variances of the noisy counts."""
        total = float(means.sum())
        below, shares = np.cumsum(means)[:-1] / total, np.cumsum(truth)[:-1] / truth.sum()
        sums = np.cumsum(variances)
        up_to, beyond = sums[:-1], sums[-1] - sums[:-1]
        deviation = np.maximum(np.sqrt((1 - below) ** 2 * up_to + below**2 * beyond) / total, _LEAST)
        return cls(shares, below - shares, deviation, below, up_to, float(sums[-1]), total)

    @property
    def sizes(self) -> Numbers:
        """Mean sizes of the errors."""
        at = self.apart / self.deviation
        height = np.exp(-at * at / 2) * np.sqrt(2 / np.pi)
        folded: Numbers = self.deviation * (height + at * special.erf(at / np.sqrt(2)))
        return folded

    @property
    def spreads(self) -> Numbers:
        """Standard deviations of the sizes of the errors."""
        return np.sqrt(np.maximum(self.apart**2 + self.deviation**2 - self.sizes**2, 0.0))

    def variance_of_sum(self, spreads: Numbers) -> float:
        """The variance of the sum of sizes that have these standard deviations and the correlations of the normal ones.

        Of sizes at two places: by Mehler's formula a sum of powers of their correlation. Of all pairs of places some
        rows are held at a time: a series of ten years has 13 million pairs.
        """
        terms = _coefficients(self.apart / self.deviation, self.deviation)
        weighted = terms * (spreads / np.maximum(np.sqrt((terms * terms).sum(axis=0)), _LEAST**2))
        variance = 0.0
        for part in _parts(len(spreads), len(spreads)):
            correlation = _correlation(
                self.below, self.up_to, self.variance, self.deviation * self.total, part
            )
            power = correlation.copy()
            for term in weighted:
                variance += float(term[part] @ (power @ term))
                power *= correlation
        return max(0.0, variance)


def _correlation(below: Numbers, up_to: Numbers, whole: float, spread: Numbers, rows: slice) -> Numbers:
    """Correlation of the cumulative errors of some cells (rows) with those of all cells (columns).

    Of cell j and a later cell k the covariance is ``V_j - F_j V_k - F_k V_j + F_j F_k V``, with V the cumulative variance.
    """
    one, sums = below[rows, None], up_to[rows, None]
    covariance = np.minimum(sums, up_to) - one * up_to - below * sums + one * below * whole
    covariance /= spread[rows, None]
    covariance /= spread
    return np.clip(covariance, -1.0, 1.0, out=covariance)


def _coefficients(at: Numbers, deviation: Numbers) -> Numbers:
    """Coefficients ``c_k / sqrt(k!)`` of the absolute value in Hermite polynomials, k from 1; shape (terms, variables).

    Of normal variables ``at`` standard deviations from 0 on average. With them the covariance of two absolute values whose
    variables have the correlation r is the sum over k of ``c_k(i) c_k(j) r**k / k!`` (Mehler's formula).
    """
    density = np.exp(-at * at / 2) / np.sqrt(2 * np.pi)
    found = [deviation * special.erf(at / np.sqrt(2))]
    for k in range(2, _TERMS + 1):
        sign = (-1) ** k / np.sqrt(float(factorial(k)))
        found.append(2 * deviation * sign * special.eval_hermitenorm(k - 2, at) * density)
    return np.stack(found)
