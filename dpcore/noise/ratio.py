"""A ratio of two noisy sums with its range: Fieller's region under the law of the discrete noise.

Two sums ``A`` and ``B``, neither below 0, were released as ``a = A + X`` and ``b = B + Y``. ``X`` and ``Y`` are independent
discrete Laplace noise of one rate ``rho``. The wanted ratio is ``t = A / (A + B)``, for which ``(1 - t) A - t B = 0``. So

    (1 - t) a - t b = (1 - t) X - t Y

has a law that is known for every t. The region holds each t from 0 to 1 at which the left side is no rarer than the
confidence allows (Fieller 1954). It holds the true ratio with that confidence, whatever A and B are. A range of the form
``a / (a + b)`` plus or minus a width does not: the noise of the denominator makes it too narrow or too wide.

*Many cells.* A range is shown only where the sum is surely above 0, and noise decides where that is. So of the ranges that are
seen, more would miss than of all. With R ranges shown of N cells each has the confidence 1 - 0.05 R / N. Then on average at most
5 % of the ranges that are shown miss, whatever the sums are (Benjamini and Yekutieli 2005, theorem 1: cells have noise of their own).

*The law.* ``X = floor(E) - floor(F)`` for exponential E and F of mean ``s = 1 / rho``. So ``X`` is less than 1 away from the
Laplace number ``E - F``, and ``(1 - t) X - t Y`` is less than 1 away from ``(1 - t) L - t M`` for Laplace L and M of scale s.
With ``u = (1 - t) s`` and ``v = t s``

    P(|(1 - t) L - t M| > c) = (u**2 exp(-c / u) - v**2 exp(-c / v)) / (u**2 - v**2),   (1 + c / 2u) exp(-c / u) if u = v.

Where s is at least ``_WIDE``, the region of this law with c widened by 1 is taken. It holds the exact region and is at most
one hundredth wider. Below that the discrete law is summed at points of t between this region and the one with c narrowed by
1, which the exact region holds.

*One interval.* Let c(t) be the width that the Laplace law exceeds with probability p. It is convex with slopes within
``-c(0)`` and ``c(0)``, where ``c(0) = s log(1 / p)``. Above the value, ``(a + b) (t - a / (a + b))`` rises with slope
``a + b``. A range is given only if ``a + b`` is above ``s log(20 N)``, which is at least c(0), and above the 95 % half width of the
noise of ``A + B``. So the line crosses c(t) once on each side, and bisection finds the ends. Otherwise the sum of both may be 0
and the ratio may be anything: there is no range. In a table of many cells one empty cell in forty would pass, so more is asked there.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.noise.accuracy import half_width_of_sum

Floats = NDArray[np.float64]

_LEFT: Final = 0.05
_SUREST: Final = 0.999999
_WIDE: Final = 48.0
_HALVINGS: Final = 60
_POINTS: Final = (
    8  # between the two regions, twice: the end is then 1/64 of their distance too far out at most
)
_REACH: Final = 7  # scales of the noise beyond the wanted tail that are summed; what lies further counts as if it were far enough
_CHUNK: Final = 256
_EXACT: Final = 1e-9


def ratios(
    above: NDArray[np.int64], below: NDArray[np.int64], rho: Fraction, cells: int = 1
) -> tuple[Floats, Floats, Floats]:
    """The ratio ``above / (above + below)`` with the ends of its 95 % range, each from 0 to 1; NaN where the sum may be 0.

    Args:
        above: noisy sums, shape (n,).
        below: noisy sums, same shape.
        rho: rate of the noise of each: epsilon over sensitivity.
        cells: of the whole table. At most about one that is empty has a range by chance.

    Returns:
        Ratio, lower end and upper end, each of shape (n,). Of the ranges that are not NaN at most 5 % miss on average.

    Raises:
        ValueError: rho is not positive, or the shapes differ.

    """
    if above.shape != below.shape:
        raise ValueError("a ratio needs as many numerators as rests")
    confidence = min(max(1 - _LEFT, 1 - 2 / max(cells, 1)), _SUREST)
    least = half_width_of_sum(rho, 2, confidence)
    scale, many = 1 / float(rho), max(cells, 1)
    known = above + below > max(least, scale * log(many / _LEFT))
    left = _LEFT * min(max(int(known.sum()), 1), many) / many
    a, b = above[known].astype(np.float64), below[known].astype(np.float64)
    value = np.clip(a / (a + b), 0.0, 1.0)
    low, high = (_end(a, b, value, end, scale, 1, left) for end in (0.0, 1.0))
    if scale < _WIDE:
        inner = [_end(a, b, value, end, scale, -1, left) for end in (0.0, 1.0)]
        low, high = (
            _exact_end(a, b, *ends, float(rho), left) for ends in zip((low, high), inner, strict=True)
        )
    found = []
    for numbers in (value, low, high):
        whole = np.full(above.shape, np.nan)
        whole[known] = numbers
        found.append(whole)
    return found[0], found[1], found[2]


def laplace_tail(width: Floats, ratio: Floats, scale: float) -> Floats:
    """``P(|(1 - t) L - t M| > width)`` for independent Laplace L and M of one scale; same shape as ``width``."""
    near, far = np.minimum(ratio, 1 - ratio) * scale, np.maximum(ratio, 1 - ratio) * scale
    middle = (near + far) / 2
    equal = (1 + width / (2 * middle)) * np.exp(-width / middle)
    apart = (
        far - near > 1e-4 * far
    )  # closer, the difference of squares loses digits, and ``equal`` is off by less than 1e-8
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        small = np.where(near > 0, near**2 * np.exp(-width / np.where(near > 0, near, 1.0)), 0.0)
        other = (far**2 * np.exp(-width / far) - small) / (far**2 - near**2)
    return np.where(apart, other, equal)


def _weighted_distance(a: Floats, b: Floats, ratio: Floats) -> Floats:
    return np.abs((1 - ratio) * a - ratio * b)


def _end(  # noqa: PLR0917 -- plain arrays
    a: Floats, b: Floats, value: Floats, outmost: float, scale: float, more: int, left: float
) -> Floats:
    """The last ratio from the value towards 0 or 1 at which the Laplace law, widened by ``more``, is not exceeded.

    If it is exceeded at the value, the value.
    """

    def inside(ratio: Floats) -> NDArray[np.bool_]:
        width = np.maximum(_weighted_distance(a, b, ratio) - more, 0.0)
        found: NDArray[np.bool_] = laplace_tail(width, ratio, scale) > left
        return found

    whole = inside(np.full_like(value, outmost))
    held, lost = value.copy(), np.full_like(value, outmost)
    for _ in range(_HALVINGS):
        middle = (held + lost) / 2
        holds = inside(middle)
        held, lost = np.where(holds, middle, held), np.where(holds, lost, middle)
    return np.where(whole, outmost, lost if more > 0 else held)


def _exact_end(  # noqa: PLR0917 -- plain arrays
    a: Floats, b: Floats, outer: Floats, inner: Floats, rate: float, left: float
) -> Floats:
    """The outmost point at which the discrete law is not exceeded, and one step more, between two ends."""
    for _ in range(2):
        steps = np.linspace(0.0, 1.0, _POINTS + 1)[:, np.newaxis]
        points = outer + steps * (inner - outer)
        holds = np.stack([_common(a, b, ratio, rate, left) for ratio in points])
        holds[-1] = True
        first = np.argmax(holds, axis=0)
        each = np.arange(len(a))
        outer, inner = points[np.maximum(first - 1, 0), each], points[first, each]
    return outer


def _common(a: Floats, b: Floats, ratio: Floats, rate: float, left: float) -> NDArray[np.bool_]:
    """Whether noise is as far off as at this ratio with a probability above ``left``, by the discrete law."""
    swapped = ratio > 0.5  # the law is the same for t and 1 - t; the larger weight divides
    large, small = np.where(swapped, ratio, 1 - ratio), np.where(swapped, 1 - ratio, ratio)
    width = _weighted_distance(a, b, ratio) - _EXACT * np.maximum(
        1.0, np.abs(a) + np.abs(b)
    )  # a tie is as far off
    reach = int((_REACH + log(1 / left)) / rate) + 1
    other = np.arange(-reach, reach + 1)
    q = np.exp(-rate)
    weights = (1 - q) / (1 + q) * q ** np.abs(other)
    found = np.empty(len(ratio), np.bool_)
    for begin in range(0, len(ratio), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        moved = small[part, np.newaxis] * other
        least = np.ceil((width[part, np.newaxis] + moved) / large[part, np.newaxis])
        most = np.floor((moved - width[part, np.newaxis]) / large[part, np.newaxis])
        both = np.where(width[part, np.newaxis] <= 0, 1.0, _reaches(least, q) + _reaches(-most, q))
        found[part] = np.minimum(both, 1.0) @ weights + (1 - weights.sum()) > left
    return found


def _reaches(least: Floats, q: float) -> Floats:
    """``P(X >= least)`` for discrete Laplace X."""
    far = q ** np.maximum(least, 1 - least) / (1 + q)
    return np.where(least > 0, far, 1 - far)
