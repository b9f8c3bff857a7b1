"""The earth mover's distance along a line: cumulative shares err nearly normally, and what is summed is how far.

The error of a cumulative share has for its mean what the bound leaves out and what taking negative counts for 0 adds,
and for its variance ``((1 - F)**2 * sum(v up to j) + F**2 * sum(v beyond j)) / N**2``, with v the variances of the
counts, F the cumulative share and N the total.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.similarity.groups import Groups
from dpcore.utility_curves.law import law

Numbers = NDArray[np.float64]

_TERMS: Final = 8  # of the series for two absolute values; what is left out is below 2 % of the variance
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
    values, chance = law(rho)
    noisy = np.maximum(counted[:, None] + values, 0.0)
    means = noisy @ chance
    variances = np.maximum((noisy * noisy) @ chance - means * means, 0.0)
    mean = variance = 0.0
    for weight, cells in zip(_masses(truth, means, groups), groups, strict=True):
        order = cells[np.argsort(at[cells], kind="stable")]
        one, spread = _moved(truth[order], means[order], variances[order], np.diff(at[order]))
        mean += weight * one
        variance += weight * weight * spread
    return mean, variance**0.5


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
    at = apart / spread
    mean = float(steps @ _folded(apart, spread))
    # covariance of two cumulative errors: of cell j before cell k
    cell = np.arange(len(below))
    first, last = np.minimum.outer(cell, cell), np.maximum.outer(cell, cell)
    covariance = (
        (1 - below[first]) * (1 - below[last]) * up_to[first]
        - below[first] * (1 - below[last]) * (up_to[last] - up_to[first])
        + below[first] * below[last] * beyond[last]
    ) / total**2
    correlation = np.clip(covariance / np.outer(spread, spread), -1.0, 1.0)
    variance = float(steps @ _absolute_covariance(at, spread, correlation) @ steps)
    return mean, max(0.0, variance)


def _folded(mean: Numbers, deviation: Numbers) -> Numbers:
    """Mean of the absolute value of normal variables."""
    at = mean / deviation
    height = np.exp(-at * at / 2) * np.sqrt(2 / np.pi)
    folded: Numbers = deviation * (height + at * special.erf(at / np.sqrt(2)))
    return folded


def _absolute_covariance(at: Numbers, deviation: Numbers, correlation: Numbers) -> Numbers:
    """Covariances of the absolute values of normal variables, ``at`` standard deviations from 0 on average.

    Mehler's formula: the sum over k of ``c_k(i) c_k(j) r**k / k!``, with ``c_k`` the coefficients of the absolute
    value in Hermite polynomials.
    """
    density = np.exp(-at * at / 2) / np.sqrt(2 * np.pi)
    coefficient = deviation * special.erf(at / np.sqrt(2))
    found = np.outer(coefficient, coefficient) * correlation
    power, factorial = correlation, 1.0
    for k in range(2, _TERMS + 1):
        power, factorial = power * correlation, factorial * k
        hermite = special.eval_hermitenorm(k - 2, at)
        coefficient = 2 * deviation * (-1) ** k * hermite * density
        found = found + np.outer(coefficient, coefficient) * power / factorial
    return found
