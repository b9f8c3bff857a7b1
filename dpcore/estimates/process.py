"""Neighbouring places are alike: a Gaussian process on the logarithm of counts, given noisy counts.

``x_i = exp(offset_i + g_i)``, and g is normal with mean 0 and covariance

    C = level + slope * (centred log area)_i (centred log area)_j + near**2 exp(-d_ij / reach) + own**2 [i = j].

The noisy counts are ``y_i = x_i + noise``. The posterior of g is approximated by the normal law at its mode (Laplace's
approximation), which Gauss-Newton steps find. ``near`` and ``own`` are chosen by marginal likelihood.

**Leave one out.** What the other places say about place i is needed apart from its own count, because the exact law of the
noise is applied to that count later. With the weights ``w_i = x_i**2 / variance``, the working values
``z_i = g_i + (y_i - x_i) / x_i`` and ``B = I + W**(1/2) C W**(1/2)``, the values z have covariance
``C + W**(-1) = W**(-1/2) B W**(-1/2)``. The law of z_i given the others follows from row i of the inverse of that matrix
(Sundararajan and Keerthi 2001): with ``a_i = w_i [B**-1]_ii`` its variance is ``1 / a_i`` and its mean
``z_i - [W**(1/2) B**-1 W**(1/2) z]_i / a_i``. The variance of g_i given the others is then ``1 / a_i - 1 / w_i``. Nothing is
divided by a difference that vanishes where a count is known almost without error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.estimates.noisy import Numbers

_REACH: Final = 3.0  # in distances between neighbours
_NEIGHBOURS: Final = 6
_STEPS: Final = 15
_LONGEST_STEP: Final = 1.5
_DONE: Final = 3e-3
_MOST_LOG: Final = 34.0
_LARGEST_MEAN: Final = 12.0
_LEAST_ROOT: Final = 1e-4  # so that 1 minus a diagonal of the inverse keeps its digits


@dataclass(frozen=True)
class CovarianceSettings:
    """How alike counts may be: the settings of the covariance, and its fixed parts."""

    pairs: tuple[tuple[float, float], ...]
    """Pairs of ``near`` and ``own``, among which the likeliest is chosen."""
    level: float
    slope: float


@dataclass(frozen=True, eq=False)
class Places:
    """Where some places lie and how large they are."""

    xy: Numbers
    """Coordinates, such as kilometres east and north. Shape (places, dimensions)."""
    log_area: Numbers
    """Logarithm of the area of each place, centred."""

    @property
    def near_one_another(self) -> Numbers:
        """``exp(-d / reach)`` for all pairs. The reach is a few times the usual distance between neighbours."""
        apart = np.sqrt(sum((axis[:, None] - axis) ** 2 for axis in self.xy.T))
        rank = min(_NEIGHBOURS, len(apart) - 1)
        usual = float(np.median(np.partition(apart, rank, axis=1)[:, rank])) or 1.0
        found: Numbers = np.exp(-apart / (_REACH * usual))
        return found


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Noisy counts of some places."""

    y: Numbers
    variance: Numbers
    """Of the noise of each."""
    offset: Numbers
    """Logarithm of the count that would be expected if nothing else were known."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The process at its mode."""

    evidence: float
    """Log marginal likelihood up to a constant."""
    mode: Numbers
    """The likeliest g."""
    mean: Numbers
    """Mean of x_i given the noisy counts of all other places."""
    spread: Numbers
    """Standard deviation of log x_i given those."""

    def first(self, count: int) -> Fit:
        """The same of the first places alone."""
        return Fit(self.evidence, self.mode[:count], self.mean[:count], self.spread[:count])


def best_fit(seen: NoisyCounts, places: Places, settings: CovarianceSettings) -> Fit:
    """The process under the likeliest of some settings."""
    return max(fits(seen, places, settings), key=lambda fit: fit.evidence)


def fits(seen: NoisyCounts, places: Places, settings: CovarianceSettings) -> list[Fit]:
    """The process under each of some settings. The mode under one is where the search for the next one begins."""
    base = settings.level + settings.slope * np.outer(places.log_area, places.log_area)
    near_one_another = places.near_one_another
    mode = np.zeros(len(seen.y))
    found = []
    for near, own in settings.pairs:
        covariance = base + near * near * near_one_another
        covariance[np.diag_indices(len(mode))] += own * own
        found.append(_fit(seen, covariance, mode))
        mode = found[-1].mode
    return found


def _fit(seen: NoisyCounts, covariance: Numbers, start: Numbers) -> Fit:
    g = start
    for _ in range(_STEPS):
        x, root, lower = _state(seen, covariance, g)
        right = root * root * g + x * (seen.y - x) / seen.variance
        dual = right - root * _solved(lower, root * (covariance @ right))
        step = np.clip(covariance @ dual - g, -_LONGEST_STEP, _LONGEST_STEP)
        g = g + step
        if np.abs(step).max() < _DONE:
            break
    x, root, lower = _state(seen, covariance, g)
    misfit = ((seen.y - x) ** 2 / (2 * seen.variance)).sum()
    evidence = -misfit - g @ dual / 2 - np.log(np.diag(lower)).sum()
    alone, variance = _left_out(g + (seen.y - x) / np.maximum(x, 1e-9), root, lower, np.diag(covariance))
    return Fit(float(evidence), g, np.exp(seen.offset + alone + variance / 2), np.sqrt(variance))


def _state(seen: NoisyCounts, covariance: Numbers, g: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Counts, square roots of the weights, and the lower factor of B. Raises LinAlgError where B has none."""
    from scipy import linalg  # noqa: PLC0415 - slow to load, and not every release has estimates

    x = np.exp(np.clip(seen.offset + g, -_MOST_LOG, _MOST_LOG))
    root = np.maximum(x / np.sqrt(seen.variance), _LEAST_ROOT)
    matrix = covariance * root
    matrix *= root[:, None]
    matrix.ravel()[:: len(g) + 1] += 1.0
    # It is symmetric, and transposed it lies as LAPACK reads it: nothing is copied. What lies above the diagonal stays as it is.
    lower, fault = linalg.lapack.dpotrf(matrix.T, lower=True, clean=False, overwrite_a=True)
    if fault:
        raise np.linalg.LinAlgError("the counts and their noise are too far apart for a covariance")
    return x, root, lower


def _left_out(z: Numbers, root: Numbers, lower: Numbers, prior: Numbers) -> tuple[Numbers, Numbers]:
    """Mean and variance of each g given the other working values."""
    from scipy import linalg  # noqa: PLC0415 - as above

    inverse, _ = linalg.lapack.dpotri(lower, lower=True)
    diagonal = np.diag(inverse)
    own = root * root * diagonal
    mean = z - root * _solved(lower, root * z) / own
    return np.clip(mean, -_LARGEST_MEAN, _LARGEST_MEAN), np.clip((1 - diagonal) / own, 1e-9, prior)


def _solved(lower: Numbers, right: Numbers) -> Numbers:
    from scipy import linalg  # noqa: PLC0415 - as above

    found: Numbers = linalg.lapack.dpotrs(lower, right, lower=True)[0]
    return found
