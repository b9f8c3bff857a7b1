"""Flows between districts: the law of flows, pulled towards the noisy counts as far as their noise allows.

**There and back.** Most people return. So the flow from g to h and that from h to g are nearly equal, and their sum has half
the noise of two separate flows relative to its size. The sum of both directions is estimated first. Then the difference is
shrunk towards that of the law, with a spread that the noisy differences themselves make likeliest. Where directions truly
differ, that spread is large and nothing is shrunk.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.estimates.noisy import Integers, Noise, Numbers
from dpcore.estimates.posterior import USUAL, Posterior, PriorShape, fitted, posterior_of, widened
from dpcore.estimates.raking import fit_margins

_ONE_WAY: Final = (0.01, 0.04, 0.1, 0.2, 0.4, 0.8)
"""By how much the directions may usually differ, relative to their sum."""
TREND: Final = 0.4
"""Small flows between districts differ more from the law than large ones: their spread goes as the flow to the power of minus
that. Measured in the built-in city, on bikes of Jersey City and on check-ins of New York: there the standard deviation of the
logarithm is 0.25 to 0.4 for the largest flows between districts and 0.8 to 1.1 for the smallest."""


def two_way(
    y: Numbers, noise: Noise, mean: Numbers, bins: int, power: float = 0.0, *, shape: PriorShape = USUAL
) -> Posterior:
    """Flows in both directions from their noisy counts and the mean that the law gives. Square arrays of one shape.

    ``bins``, ``power`` and ``shape``: as in ``posterior.fitted``; flows within a place have the usual shape.
    """
    above = np.triu_indices(len(y), 1)
    sums = _fitted(
        y[above] + y.T[above], noise.of_sum(2), mean[above] + mean.T[above], bins, power, shape=shape
    )
    same = _fitted(np.diag(y), noise, np.diag(mean), 1, power, shape=USUAL)
    kept, spread = _difference(y, noise, mean, sums, above)
    half = (sums.values / 2, kept / 2)
    found = np.zeros((4, *y.shape))
    error = np.square(1.96 * spread)  # np.hypot takes ten times as long, lest squares beyond 10**308 overflow
    down = np.sqrt(np.square(sums.values - sums.low) + error) / 2
    up = np.sqrt(np.square(sums.high - sums.values) + error) / 2
    variance = (sums.variance + spread * spread) / 4
    for sign, (rows, columns) in ((1, above), (-1, above[::-1])):
        value = np.maximum(half[0] + sign * half[1], 0)
        found[:, rows, columns] = value, np.maximum(value - down, 0), value + up, variance
    diagonal = np.diag_indices(len(y))
    found[:, diagonal[0], diagonal[1]] = *same.columns, same.variance
    return Posterior(*found)


def _fitted(
    y: Numbers, noise: Noise, mean: Numbers, bins: int, power: float, *, shape: PriorShape
) -> Posterior:
    prior = np.maximum(mean, 1e-6)
    return widened(posterior_of(y, noise, prior, fitted(y, noise, prior, bins, power, shape=shape)), noise)


def _difference(
    y: Numbers, noise: Noise, mean: Numbers, sums: Posterior, above: tuple[Integers, Integers]
) -> tuple[Numbers, Numbers]:
    """The difference of the directions, and its standard deviation."""
    law = (mean[above] - mean.T[above]) / np.maximum(mean[above] + mean.T[above], 1e-9) * sums.values
    off = y[above] - y.T[above] - law
    error = noise.of_sum(2).variance
    spreads = [sums.values + (part * sums.values) ** 2 + 1e-9 for part in _ONE_WAY]
    likely = [float((-np.log(one + error) - off * off / (one + error)).sum()) for one in spreads]
    spread = spreads[int(np.argmax(likely))] if len(off) else sums.values
    kept = spread / (spread + error)
    return law + kept * off, np.sqrt(kept * error)


def to_margins(found: Posterior, out: Numbers, into: Numbers) -> Numbers:
    """The flows changed as little as their variance allows, so that they add up to those out of and into each place."""
    values = found.values
    for _ in range(4):
        for axis, target in ((1, out), (0, into)):
            missing = np.expand_dims(target - values.sum(axis=axis), axis)
            shared = np.maximum(found.variance.sum(axis=axis, keepdims=True), 1e-12)
            values = np.maximum(values + found.variance * missing / shared, 1e-9)
    return fit_margins(values, out, into)
