"""Drawn values at one rung with the law of their noise, as floating point numbers.

The noise of one cell is discrete Laplace of rate rho: ``P(v)`` is proportional to ``exp(-rho |v|)`` on the integers. A sum
of k cells has k independent such numbers. Up to two the density is known in closed form. From three on the normal law with
the same variance is close enough, because most of these sums have dozens of cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sinh
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

LISTED: Final = frozenset({"od_flows", "od_flows_per_window"})
"""Tables with so many cells that only those that are listed are ever held."""
_LEAST_RATE: Final = 1e-12
_MOST_RATE: Final = 30.0  # the noise is 0 in all but one of 10**12 cells; a larger rate would overflow
_CLOSED: Final = 2  # the most cells whose sum has a density in closed form here


@dataclass(frozen=True)
class Noise:
    """The law of the noise of a sum of cells."""

    rate: float
    """Rate rho of each cell."""
    cells: int = 1
    """How many cells are added."""

    @property
    def variance(self) -> float:
        """``2 q / (1 - q)**2`` for each cell, with ``q = exp(-rho)``; written so that nothing cancels."""
        return self.cells / (2 * sinh(self.rate / 2) ** 2)

    @property
    def half_width(self) -> int:
        """The exact one of 95 % of a single cell, in counts."""
        return half_width(Fraction(self.rate))

    def of_sum(self, cells: int) -> Noise:
        """The law of a sum of so many independent numbers of this law."""
        return Noise(self.rate, self.cells * cells)

    def log_density(self, noise: Numbers) -> Numbers:
        """Logarithm of the density up to a constant, elementwise.

        Two Laplace numbers: ``(1 + rho |v|) exp(-rho |v|)``, the convolution of the density with itself.
        """
        if self.cells > _CLOSED:
            normal: Numbers = noise * noise / (-2 * self.variance)
            return normal
        size = self.rate * np.abs(noise)
        found: Numbers = np.log1p(size) - size if self.cells == _CLOSED else -size
        return found

    @property
    def reach(self) -> float:
        """A width that noise exceeds about once in a million cells, in counts."""
        return 14 / self.rate if self.cells <= _CLOSED else 5 * self.variance**0.5


@dataclass(frozen=True)
class Below(Noise):
    """What it tells of a count x that its noisy value was below a threshold t: ``P(noise < t - x)``."""

    def log_density(self, noise: Numbers) -> Numbers:
        """Logarithm of that probability, of ``t - x``.

        With ``q = exp(-rho)`` it is ``1 - q**k / (1 + q)`` for whole numbers k above 0, else ``q**(1 - k) / (1 + q)``.
        """
        whole = np.ceil(noise)
        tail = -np.log1p(np.exp(-self.rate))
        above = np.log1p(-np.exp(np.minimum(tail - self.rate * np.maximum(whole, 1.0), -1e-12)))
        found: Numbers = np.where(whole > 0, above, tail - self.rate * (1 - np.minimum(whole, 0.0)))
        return found


@dataclass(frozen=True, eq=False)
class Noisy:
    """The drawn values of one table at one rung."""

    values: Numbers
    """In the shape of the keys; of ``LISTED`` tables that do not list all, one for each of ``cells``."""
    noise: Noise
    keys: KeySet
    cells: Integers | None = None
    """Numbers of the listed cells; None if all are listed."""
    threshold: int = 0
    """Smallest noisy value that is listed."""
    below: Below | None = None
    """What not being listed tells; None if all cells are listed. The finest rung decided it, for all rungs."""

    @property
    def variance(self) -> float:
        """Variance of the noise of one cell."""
        return self.noise.variance

    @property
    def total(self) -> float:
        """Sum of all drawn values."""
        return float(self.values.sum())

    @property
    def variance_of_total(self) -> float:
        """Variance of the noise of that sum."""
        return self.values.size * self.variance


def drawn(measurements: Mapping[str, Measurement], rung: int) -> dict[str, Noisy]:
    """The drawn values of each measurement at a rung."""
    return {name: _at(found, rung) for name, found in measurements.items()}


def noise_of(found: Measurement, rung: int) -> Noise:
    """The law of the noise of one cell at a rung."""
    return Noise(min(max(float(found.rho(rung)), _LEAST_RATE), _MOST_RATE))


def _at(found: Measurement, rung: int) -> Noisy:
    noise, values = noise_of(found, rung), found.values[rung].astype(np.float64)
    if found.cells is not None and found.measure not in LISTED:
        # On very many tiles other tables list only some cells too. What they leave out was below the threshold: about nothing.
        every = np.zeros(found.keys.size)
        every[found.cells] = values
        return Noisy(every.reshape(found.keys.shape), noise, found.keys, found.cells)
    if found.cells is None:
        values = values.reshape(found.keys.shape)
    if found.threshold is None:
        return Noisy(values, noise, found.keys, found.cells)
    below = Below(noise_of(found, len(found.values) - 1).rate)
    return Noisy(values, noise, found.keys, found.cells, found.threshold, below)
