"""Laws of sums of noisy counts, negative ones taken for 0: worked out cell by cell, with no normal law put in their place.

The noise of cells is independent, so the law of a sum has the product of their transforms. It is tabulated on a circle of
points around its mean, wide enough that nothing wraps. Sums of the same cells up to a place and beyond it are independent
too: what depends on both is a sum over all pairs of their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.utility_curves.law import law

Numbers = NDArray[np.float64]

_POINTS: Final = 2048  # of the circle
_REACH: Final = 8.0  # standard deviations of the whole sum to either side
_TAIL: Final = 25.0  # and so many noise scales: the tail of one cell is longer than a normal one
_VALUES: Final = 401  # of the law of one cell where it is added up
_PIECES: Final = 128  # in which a law is given to those who pair it with another
_AT_ONCE: Final = 1_000_000  # numbers held at a time


@dataclass(frozen=True, repr=False, eq=False)
class Laws:
    """Some laws, each given in pieces. Its text shows no value."""

    values: Numbers
    """The mean of each piece, shape (laws, pieces)."""
    chances: Numbers
    """Its probability, same shape; rows add up to 1."""


def clipped_cells(counted: Numbers, rho: Fraction, most: int = _VALUES) -> Laws:
    """The law of each noisy count, what lies below 0 taken for 0, in about ``most`` pieces."""
    values, chance = law(rho, most)
    return Laws(
        np.maximum(counted[:, None] + values, 0.0), np.broadcast_to(chance, (len(counted), len(chance)))
    )


def up_to_and_beyond(counted: Numbers, rho: Fraction) -> tuple[Laws, Laws]:
    """The laws of the sums of noisy counts up to each cell but the last, and of those beyond it, in pieces."""
    waves, means, step = _waves(counted, rho)
    up_to = _running(waves[:-1])
    beyond = _running(waves[:0:-1])[::-1]
    sums = np.cumsum(means)
    return _laws(up_to, sums[:-1], step), _laws(beyond, sums[-1] - sums[:-1], step)


def others(counted: Numbers, rho: Fraction) -> Laws:
    """The law of the sum of all other noisy counts, for each of two cells or more; in pieces."""
    waves, means, step = _waves(counted, rho)
    rest = np.ones_like(waves)
    rest[1:] = _running(waves[:-1])
    rest[:-1] *= _running(waves[:0:-1])[::-1]
    return _laws(rest, means.sum() - means, step)


def _waves(counted: Numbers, rho: Fraction) -> tuple[NDArray[np.complex128], Numbers, float]:
    """Transform of the law of each clipped count around its mean, those means, and the distance of two points."""
    cells = clipped_cells(counted, rho)
    means = (cells.values * cells.chances).sum(axis=1)
    squares = ((cells.values - means[:, None]) ** 2 * cells.chances).sum(axis=1)
    step = 2 * (_REACH * float(squares.sum()) ** 0.5 + _TAIL / float(rho)) / _POINTS
    table = np.zeros((len(counted), _POINTS))
    rows = np.arange(len(counted))[:, None]
    at = (cells.values - means[:, None]) / step
    low = np.floor(at)
    part = at - low  # shared between both neighbours, so that every mean is kept
    for place, share in ((low, 1 - part), (low + 1, part)):
        np.add.at(table, (rows, place.astype(np.int64) % _POINTS), share * cells.chances)
    return np.fft.rfft(table, axis=1), means, step


def _running(waves: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Products of the first transforms, of the first two, and so on."""
    found = waves.copy()
    for cell in range(1, len(found)):
        found[cell] *= found[cell - 1]
    return found


def _laws(waves: NDArray[np.complex128], means: Numbers, step: float) -> Laws:
    """Laws of sums from their transforms, each in pieces: narrow where it is likely, and nowhere wide."""
    half = _POINTS // 2
    values, chances = (np.empty((len(waves), _PIECES)) for _ in range(2))
    around = step * np.arange(-half, half)
    even = np.arange(_POINTS) / _POINTS
    many = max(1, _AT_ONCE // _POINTS)
    for start in range(0, len(waves), many):
        part = slice(start, start + many)
        table = np.maximum(np.fft.fftshift(np.fft.irfft(waves[part], _POINTS, axis=1), axes=1), 0.0)
        table /= table.sum(axis=1, keepdims=True)
        place = np.maximum(means[part, None] + around, 0.0)
        reached = np.cumsum(table, axis=1) - table / 2
        piece = np.minimum((_PIECES * (0.75 * reached + 0.25 * even)).astype(np.int64), _PIECES - 1)
        sums, moments = (np.zeros((len(table), _PIECES)) for _ in range(2))
        rows = np.arange(len(table))[:, None]
        np.add.at(sums, (rows, piece), table)
        np.add.at(moments, (rows, piece), table * place)
        chances[part] = sums
        values[part] = np.divide(moments, sums, out=np.zeros_like(sums), where=sums > 0)
    return Laws(values, chances)
