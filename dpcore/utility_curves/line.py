"""The earth mover's distance along a line: cumulative shares err nearly normally, and what is summed is how far.

The error of a cumulative share has for its mean what the bound leaves out and what taking negative counts for 0 adds,
and for its variance ``((1 - F)**2 * sum(v up to j) + F**2 * sum(v beyond j)) / N**2``, with v the variances of the
counts, F the cumulative share and N the total.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.similarity.groups import Groups
from dpcore.utility_curves.law import law

Numbers = NDArray[np.float64]

_TERMS: Final = 8  # of the series for two absolute values; what is left out is below 2 % of the variance
_AT_ONCE: Final = 1_000_000  # numbers held at a time
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
    mean = variance = 0.0
    for weight, cells in zip(_masses(truth, means, groups), groups, strict=True):
        order = cells[np.argsort(at[cells], kind="stable")]
        one, spread = _moved(truth[order], means[order], variances[order], np.diff(at[order]))
        mean += weight * one
        variance += weight * weight * spread
    return mean, variance**0.5


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


def _masses(truth: Numbers, means: Numbers, groups: Groups) -> Sequence[float]:
    """The weight of each group: the mean of its shares of the two tables."""
    mass = [float(truth[cells].sum() / truth.sum() + means[cells].sum() / means.sum()) for cells in groups]
    return [one / sum(mass) for one in mass]


def _moved(truth: Numbers, means: Numbers, variances: Numbers, steps: Numbers) -> tuple[float, float]:
    """Mean and variance of the distance within one group, cells in order along the line."""
    total = means.sum()
    below = np.cumsum(means)[:-1] / total
    apart = below - np.cumsum(truth)[:-1] / truth.sum()
    sums = np.cumsum(variances)
    up_to, beyond = sums[:-1], sums[-1] - sums[:-1]
    spread = np.maximum(np.sqrt((1 - below) ** 2 * up_to + below**2 * beyond) / total, _LEAST)
    mean = float(steps @ _folded(apart, spread))
    # Of |error| at two places: by Mehler's formula a sum of powers of their correlation. Of all pairs of places some
    # rows are held at a time: a series of ten years has 13 million pairs.
    weighted = _coefficients(apart / spread, spread) * steps
    variance = 0.0
    for part in _parts(len(steps), len(steps)):
        correlation = _correlation(below, up_to, sums[-1], spread * total, part)
        power = correlation.copy()
        for term in weighted:
            variance += float(term[part] @ (power @ term))
            power *= correlation
    return mean, max(0.0, variance)


def _correlation(below: Numbers, up_to: Numbers, whole: float, spread: Numbers, rows: slice) -> Numbers:
    """Correlation of the cumulative errors of some cells (rows) with those of all cells (columns).

    Of cell j and a later cell k the covariance is ``V_j - F_j V_k - F_k V_j + F_j F_k V``, with V the cumulative variance.
    """
    one, sums = below[rows, None], up_to[rows, None]
    covariance = np.minimum(sums, up_to) - one * up_to - below * sums + one * below * whole
    covariance /= spread[rows, None]
    covariance /= spread
    return np.clip(covariance, -1.0, 1.0, out=covariance)


def _folded(mean: Numbers, deviation: Numbers) -> Numbers:
    """Mean of the absolute value of normal variables."""
    at = mean / deviation
    height = np.exp(-at * at / 2) * np.sqrt(2 / np.pi)
    folded: Numbers = deviation * (height + at * special.erf(at / np.sqrt(2)))
    return folded


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
