"""What is known of a count after its noisy value was seen, if similar counts are spread around a known mean.

The prior of a count x is 0 with probability ``empty``, and else log-normal with mean m and spread s (standard deviation of
log x). A share of it has a spread that is larger by 1, for counts that are unlike all others: without it, a day or a place
without trips would be pulled far up. ``PriorShape`` says how large that share is, and how long the tail towards large counts. The noisy value is ``y = x + noise``. The posterior is integrated numerically on points that cover both the prior
and the noise, by the trapezoid rule. So it is right however much or little noise there is, and the estimate is never
negative.

The spread is chosen by marginal likelihood: the spread under which the noisy values as drawn are most likely. This is
empirical Bayes (Robbins 1956; Efron 2010). The truth plays no part in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc
from typing import Final

import numpy as np

from dpcore.estimates.noisy import Integers, Noise, Numbers
from dpcore.estimates.result import Ranged

SPREADS: Final = (0.03, 0.07, 0.15, 0.25, 0.4, 0.6, 0.9, 1.3, 1.8)
"""Spreads among which the most likely one is chosen."""
_EMPTY: Final = (0.05, 0.15, 0.35, 0.6, 0.85, 0.95)
_EVIDENCE: Final = 3.0  # nats by which a richer prior must be more likely, before it is believed
_LEAST: Final = 1e-9
_LARGEST: Final = 1e15
_PRIOR_POINTS: Final = np.linspace(-4.5, 4.5, 21)
_WIDE_POINTS: Final = np.linspace(-4.5, 4.5, 14)
_NOISE_POINTS: Final = np.sinh(np.linspace(-4.0, 4.0, 27)) / np.sinh(4.0)
_MOST_RAISED: Final = 1.2
_SAMPLE: Final = 500  # cells of a bin that choose its spread
_CHUNK: Final = 1_000  # counts whose points stay in the processor's cache
_MANY: Final = 15_000  # counts whose posterior is read off a table
_MEANS: Final = 48  # nodes of a table of posteriors
_VALUES: Final = 160
_WIDER: Final = 1.0  # spread that is added there
_DOUBT: Final = 0.5
_HALF_NORMAL: Final = 0.5 * np.log(2 * np.pi)
_ROOT: Final = 0.5**0.5


@dataclass(frozen=True)
class PriorShape:
    """How a prior differs from a log-normal law."""

    unusual: float
    """The share of it that is wider, for counts unlike all others."""
    up: float = 1.0
    """Its spread above the middle over that below it; at most 1."""

    def log_mean(self, spread: Numbers) -> Numbers:
        """How far the logarithm of the mean lies above the middle, without the wider share."""
        if self.up == 1:
            return spread * spread / 2
        above = self.up * spread
        sides = np.exp(spread * spread / 2) * _normal(-spread) + self.up * np.exp(
            above * above / 2
        ) * _normal(above)
        found: Numbers = np.log(sides * (2 / (1 + self.up)))
        return found


def _normal(x: Numbers) -> Numbers:
    """The normal distribution function. Of so few numbers, loading scipy's takes longer."""
    return np.fromiter(map(erfc, (x * -_ROOT).tolist()), np.float64, len(x)) / 2


USUAL: Final = PriorShape(0.1)
FLOWS: Final = PriorShape(0.001, 0.5)
"""Of flows between tiles. Among tens of thousands of pairs some have noise of ten times its standard deviation, and a long
tail of the prior would believe it. Measured in the built-in city, on bikes and on taxis: the logarithm of a flow over its law
reaches 1.2 (of 1,000 flows one: 2.1) above the middle and -3 below."""


@dataclass(frozen=True, eq=False)
class Posterior(Ranged):
    """What is known of each count: its mean, the middle 95 %, and the variance."""

    variance: Numbers

    @property
    def flat(self) -> Posterior:
        """The same as flat arrays."""
        return Posterior(*(part.ravel() for part in (*self.columns, self.variance)))


def widened(found: Posterior, noise: Noise) -> Posterior:
    """The same with ranges that are wider where the prior says more than the noisy count.

    Where the noise hides a count, its range rests on the prior alone. The spread of such counts was learnt from larger ones,
    so it may be too small. The ends move out by a half there, and not at all where the count itself is known (the idea of
    robust empirical Bayes intervals: Armstrong, Kolesar and Plagborg-Moller 2022).
    """
    factor = 1 + _DOUBT * np.clip(1 - found.variance / noise.variance, 0.0, 1.0)
    low = np.maximum(found.values - factor * (found.values - found.low), 0.0)
    high = found.values + factor * (found.high - found.values)
    return Posterior(found.values, low, high, found.variance)


def count_spread(mean: Numbers, spread: Numbers | float) -> Numbers:
    """The spread with that of a small count added: ``sqrt(s**2 + log(1 + 1 / m))``.

    A count with mean m varies by about ``sqrt(m)`` even where its rate is known (Poisson). ``log(1 + 1 / m)`` is the variance
    of the logarithm of a log-normal number with mean m and variance m.
    """
    found: Numbers = np.sqrt(np.square(spread) + np.log1p(1 / np.maximum(mean, 0.02)))
    return found


def posterior(
    y: Numbers,
    noise: Noise,
    mean: Numbers,
    spread: Numbers,
    empty: Numbers | float = 0.0,
    *,
    shape: PriorShape = USUAL,
) -> Posterior:
    """The posterior of each count. All arrays are flat and of one length; ``mean`` must be positive."""
    parts = []
    rest = np.broadcast_to(np.asarray(empty, np.float64), y.shape)
    for first in range(0, max(len(y), 1), _CHUNK):
        cut = slice(first, first + _CHUNK)
        parts.append(_chunk(y[cut], noise, mean[cut], spread[cut], rest[cut], shape=shape))
    return Posterior(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _chunk(
    y: Numbers, noise: Noise, mean: Numbers, spread: Numbers, empty: Numbers, *, shape: PriorShape
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    x, weight, log_density = _points(y, noise, mean, spread, shape)
    top = log_density.max(axis=1)
    mass = weight * np.exp(log_density - top[:, None])
    total = mass.sum(axis=1)
    mass /= total[:, None]
    odds = np.log(np.maximum(empty, 1e-300)) - np.log1p(-np.minimum(empty, 1 - 1e-12))
    odds += noise.log_density(y) - top - np.log(total)
    none = 1 / (1 + np.exp(-np.clip(odds, -700, 700)))
    some = 1 - none
    first = some * (mass * x).sum(axis=1)
    second = some * (mass * x * x).sum(axis=1)
    reached = none[:, None] + some[:, None] * (np.cumsum(mass, axis=1) - mass / 2)
    low, high = (_quantile(x, reached, none, level) for level in (0.025, 0.975))
    variance = np.maximum(second - first * first, 1e-12 * (1 + second))
    return first, low, np.maximum(high, first), variance


def _quantile(x: Numbers, reached: Numbers, none: Numbers, level: float) -> Numbers:
    """The point at which a level is reached, linear between points; 0 where that much of the mass is at 0."""
    at = np.clip((reached < level).sum(axis=1), 1, x.shape[1] - 1)
    rows = np.arange(len(x))
    before, after = reached[rows, at - 1], reached[rows, at]
    part = np.clip((level - before) / np.maximum(after - before, 1e-12), 0, 1)
    found = x[rows, at - 1] + part * (x[rows, at] - x[rows, at - 1])
    quantile: Numbers = np.where(level <= none, 0.0, found)
    return quantile


def _points(
    y: Numbers, noise: Noise, mean: Numbers, spread: Numbers, shape: PriorShape
) -> tuple[Numbers, Numbers, Numbers]:
    """Points, trapezoid weights and log of prior times likelihood; each of shape (counts, points)."""
    middle = np.log(np.clip(mean, _LEAST, _LARGEST)) - shape.log_mean(spread)
    wide = spread[:, None] + _WIDER
    places = np.concatenate([spread[:, None] * _PRIOR_POINTS, wide * _WIDE_POINTS], axis=1)
    of_prior = np.exp(np.minimum(middle[:, None] + places, 36.0))
    of_noise = y[:, None] + noise.reach * _NOISE_POINTS
    x = np.sort(np.maximum(np.concatenate([of_prior, of_noise], axis=1), _LEAST), axis=1)
    weight = np.empty_like(x)
    step = x[:, 1:] - x[:, :-1]
    step *= 0.5
    weight[:, :-1] = step
    weight[:, -1] = 0.0
    weight[:, 1:] += step
    logs = np.log(x)
    off = logs - middle[:, None]
    z = off * (_ROOT / spread)[:, None]
    if shape.up < 1:
        np.maximum(z, z / shape.up, out=z)
    z *= z
    usual = np.log1p(-shape.unusual) - _HALF_NORMAL - np.log(spread * (1 + shape.up) / 2)
    np.subtract(usual[:, None], z, out=z)
    off *= _ROOT / wide
    off *= off
    np.subtract(np.log(shape.unusual) - _HALF_NORMAL - np.log(wide), off, out=off)
    log_density = _log_of_sum(z, off)
    log_density -= logs
    log_density += noise.log_density(y[:, None] - x)
    return x, weight, log_density


def _log_of_sum(a: Numbers, b: Numbers) -> Numbers:
    """``log(exp(a) + exp(b))`` of finite numbers: ``np.logaddexp`` in fewer than half of its seconds. Overwrites both."""
    top = np.maximum(a, b)
    np.minimum(a, b, out=a)
    a -= top
    np.exp(a, out=a)
    np.log1p(a, out=a)
    top += a
    return top


def evidence(y: Numbers, noise: Noise, mean: Numbers, spread: Numbers, shape: PriorShape = USUAL) -> Numbers:
    """Log marginal likelihood of each noisy value, up to a constant."""
    _, weight, log_density = _points(y, noise, mean, spread, shape)
    top = log_density.max(axis=1)
    found: Numbers = top + np.log((weight * np.exp(log_density - top[:, None])).sum(axis=1) + 1e-300)
    return found


@dataclass(frozen=True)
class Trend:
    """How spreads grow towards small counts, where the noise hides what they are there."""

    usual: float
    """Prior mean from which on spreads do not grow."""
    power: float = 0.0
    """A spread goes as the mean to the power of minus this. 0: it does not grow."""

    def raised(self, spread: Numbers | float, mean: Numbers) -> Numbers:
        """The spread of each count. None is raised beyond a size at which most of the prior would be near 0."""
        larger = np.maximum((self.usual / mean) ** self.power, 1.0)
        found: Numbers = np.minimum(spread * larger, np.maximum(spread, _MOST_RAISED))
        return found


@dataclass(frozen=True, eq=False)
class Spreads:
    """The likeliest spread, and probability of 0, of counts by their prior mean."""

    edges: Numbers
    """Prior means at which a bin ends."""
    spread: Numbers
    """Of each bin, without that of small counts."""
    empty: Numbers
    trend: Trend
    shape: PriorShape = USUAL

    def at(self, mean: Numbers) -> tuple[Numbers, Numbers]:
        """Spread, with that of small counts, and probability of 0 of each count."""
        where = np.searchsorted(self.edges, mean, side="right")
        return count_spread(mean, self.trend.raised(self.spread[where], mean)), self.empty[where]


def fitted(
    y: Numbers, noise: Noise, mean: Numbers, bins: int = 4, power: float = 0.0, *, shape: PriorShape = USUAL
) -> Spreads:
    """The likeliest spreads by bins of the prior mean. ``power``: of their ``Trend`` below the mean of the larger counts.

    Bins have equal sums of the square root of the mean, which is a compromise between equal numbers and equal sums.

    A bin leaves the common spread only as far as its values ask for it (a log-normal penalty of 0.5). A probability of 0 is
    believed only with strong evidence: else the long tails of the noise would look like empty cells.
    """
    order = np.argsort(mean, kind="stable")
    reached = np.cumsum(np.sqrt(mean[order]))
    cuts = np.searchsorted(reached, reached[-1:] * np.arange(1, bins) / bins)
    parts = [part for part in np.split(order, cuts) if len(part)]
    if not parts:
        return Spreads(np.zeros(0), np.zeros(1), np.zeros(1), Trend(1.0), shape)
    trend = Trend(float((mean * mean).sum() / mean.sum()), power)
    samples = [
        part[np.linspace(0, len(part) - 1, min(len(part), _SAMPLE)).astype(np.int64)] for part in parts
    ]
    likely = np.array(
        [
            [
                len(part)
                / len(one)
                * _evidence_of(y, noise, mean, one, trend.raised(spread, mean[one]), shape=shape)
                for spread in SPREADS
            ]
            for part, one in zip(parts, samples, strict=True)
        ]
    )
    common = np.log(SPREADS[int(likely.sum(axis=0).argmax())])
    likely -= (np.log(SPREADS) - common) ** 2 / (2 * 0.5**2)
    weight = np.exp(likely - likely.max(axis=1, keepdims=True))
    spread = np.sqrt(weight @ np.square(SPREADS) / weight.sum(axis=1))
    empty = [
        likeliest_empty(
            y[one], noise, mean[one], count_spread(mean[one], trend.raised(chosen, mean[one])), shape
        )
        for one, chosen in zip(samples, spread, strict=True)
    ]
    return Spreads(mean[[part[0] for part in parts[1:]]], spread, np.array(empty), trend, shape)


def posterior_of(y: Numbers, noise: Noise, mean: Numbers, spreads: Spreads) -> Posterior:
    """The posterior of each count under fitted spreads; read off a table where there are very many."""
    if len(y) > _MANY:
        return tabulated(y, noise, mean, spreads)
    return posterior(y, noise, mean, *spreads.at(mean), shape=spreads.shape)


def tabulated(y: Numbers, noise: Noise, mean: Numbers, spreads: Spreads) -> Posterior:
    """The posterior of very many counts, read off a table over noisy value and prior mean.

    Both are smooth in between, so linear interpolation is right to about a hundredth of the posterior's own spread.
    """
    if not len(y):
        return Posterior(*(np.zeros(0) for _ in range(4)))
    logs, at_mean = np.log(mean), np.arcsinh(y * (noise.rate / 2))
    columns, rows = _nodes(logs, _MEANS), _nodes(at_mean, _VALUES)
    value, prior = np.meshgrid(2 / noise.rate * np.sinh(rows), np.exp(columns), indexing="ij")
    table = posterior(value.ravel(), noise, prior.ravel(), *spreads.at(prior.ravel()), shape=spreads.shape)
    row, column = (_between(x, nodes) for x, nodes in ((at_mean, rows), (logs, columns)))
    parts = (*table.columns, table.variance)
    return Posterior(*(_read(part.reshape(value.shape), row, column) for part in parts))


def _nodes(values: Numbers, count: int) -> Numbers:
    return np.linspace(float(values.min()), float(values.max()) + 1e-9, count)


def _between(values: Numbers, nodes: Numbers) -> tuple[Integers, Numbers]:
    """The number of the node before each value, and how far it is on the way to the next one."""
    place = (values - nodes[0]) / (nodes[1] - nodes[0])
    before = np.clip(place.astype(np.int64), 0, len(nodes) - 2)
    return before, np.clip(place - before, 0.0, 1.0)


def _read(table: Numbers, row: tuple[Integers, Numbers], column: tuple[Integers, Numbers]) -> Numbers:
    (i, down), (j, right) = row, column
    above = table[i, j] * (1 - right) + table[i, j + 1] * right
    below = table[i + 1, j] * (1 - right) + table[i + 1, j + 1] * right
    found: Numbers = above * (1 - down) + below * down
    return found


def _evidence_of(
    y: Numbers, noise: Noise, mean: Numbers, some: Integers, spread: Numbers, *, shape: PriorShape
) -> float:
    return float(evidence(y[some], noise, mean[some], count_spread(mean[some], spread), shape).sum())


def likeliest_empty(
    y: Numbers, noise: Noise, mean: Numbers, spread: Numbers, shape: PriorShape = USUAL
) -> float:
    """The likeliest common probability that a count is 0; 0 unless the values clearly ask for more."""
    some, none = evidence(y, noise, mean, spread, shape), noise.log_density(y)
    full = float(some.sum())
    tried = [float(np.logaddexp(np.log1p(-p) + some, np.log(p) + none).sum()) for p in _EMPTY]
    best = int(np.argmax(tried))
    return _EMPTY[best] if tried[best] > full + _EVIDENCE else 0.0
