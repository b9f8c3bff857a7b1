"""How alike a noisy table will be to the true one at each epsilon, computed from the law of the noise without drawing.

A metric that is a sum over cells needs only the law of one noisy count, and cells with equal counts have the same law. So
the work is the number of different counts times the length of that law. Shares are divided by the noisy total. In a large
table that total is replaced by its mean, because a sum of many cells hardly varies.

In a small table the total varies together with each count, and along a line sums of counts are compared. There the mean is
taken over noisy tables at some thousand fixed points of the law (``_noisy_tables``): a rule for an integral, without
randomness. Along very long lines, such as a year of days, nearly all sums hold many cells, and a normal law gives the mean.

Tests compare all of this with simulation. The formulas are public. The result is as private as the counts that are put in.
With true counts it is for the owner only. With released counts it is an estimate that anyone may make; it is too good where
counts are small, because it takes noise for trips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, log
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.comparison.formulas import SMOOTHING, Groups, groups_of, relative_difference
from dpcore.comparison.layout import LAYOUTS, places
from dpcore.measures.keys import KeySet
from dpcore.measures.measure import Kind, Layout
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import false_positive_threshold

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
Rates = Mapping[Fraction, Fraction]
"""Rate of the noise of one cell, by total epsilon of the plan."""
Cellwise = Callable[[Numbers, Numbers], Numbers]
"""A metric of one cell, from true and noisy counts that are broadcast against each other."""

_SPREAD: Final = 1.959964  # standard deviations on either side that hold 95 % of a normal law
_BY_MOVING_TOTAL: Final = {"smape": 0.0, "jsd": 1 / 8, "kld": 1 / 2}
"""Variance of the relative total, in bits, times this is what a metric loses because shares add up to 1."""
_SMALL: Final = 40  # up to so many cells the total is not replaced by its mean
_LONG: Final = 200  # from so many cells on a line, sums of noisy counts are taken as normal
_FEWEST: Final = 500  # noisy tables
_MOST_OF_SHARES: Final = 4_000
_MOST_ALONG_A_LINE: Final = 10_000  # sums of counts vary more than shares
_NUMBERS: Final = 1_000_000  # approximate number of cells in all noisy tables together
_AT_ONCE: Final = 1_000_000  # numbers held at a time
_MOST_VALUES: Final = 1_201  # longer laws are divided into pieces, each represented by one value
_TAIL: Final = 1e-12  # noise farther out has less than this probability


@dataclass(frozen=True)
class Band:
    """A metric at one epsilon: its mean, and the interval of 95 of 100 releases."""

    epsilon: Fraction
    """Total epsilon of the plan."""
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """One metric of one measure against epsilon. As private as the counts that it was made from."""

    measure: str
    metric: str
    unit: str
    bands: tuple[Band, ...]
    draws: int = 0
    """Number of simulated releases that it was read off; 0 if it was computed."""
    note: str = ""
    """What a reader must know."""


@dataclass(frozen=True, repr=False, eq=False)
class CellCounts:
    """Counts of one measure before noise. Its text shows none, because they are as private as their source."""

    measure: str
    keys: KeySet
    cells: Counts
    """Numbers of the cells with a count, rising. All other cells count 0."""
    truth: Counts
    """The count of each cell with which the noisy one is compared."""
    counted: Counts
    """The count of each cell that gets the noise: without the trips that a bound leaves out."""
    false_flows: Fraction | None = None
    """If the release leaves small noisy counts out: expected number of empty cells that it lists by chance."""


def worked_out(counts: CellCounts, rhos: Rates) -> tuple[Curve, ...]:
    """Every metric with a formula against epsilon; none for a measure that cannot be compared.

    A sparse table is taken as one that was released up to each epsilon separately.
    """
    layout = LAYOUTS.get(counts.measure)
    if layout is None:
        return ()
    table = Cells.of(
        counts.truth,
        counts.counted,
        empty=counts.keys.size - len(counts.cells),
        false_flows=counts.false_flows,
    )
    bands = number_bands(table, rhos) if layout.kind is Kind.NUMBERS else share_bands(table, rhos)
    units = {"kld": "bits"}
    found = [Curve(counts.measure, name, units.get(name, ""), band) for name, band in bands.items()]
    if layout.ordered and bands:
        found.append(_along_a_line(counts, layout, rhos))
    return tuple(found)


def curves_of_release(measurement: Measurement) -> tuple[Curve, ...]:
    """The curves of a release, with its finest noisy counts in place of the true ones.

    It is an estimate that anyone may make. Where counts are small it takes their noise for trips, and the curve is too good.
    """
    finest = np.maximum(measurement.values[-1], 0)
    counts = CellCounts(
        measurement.measure,
        measurement.keys,
        measurement.cell_numbers,
        finest,
        finest,
        false_flows=None if measurement.cells is None else measurement.expected_false,
    )
    return worked_out(
        counts, {epsilon: measurement.rho(rung) for rung, epsilon in enumerate(measurement.rungs)}
    )


def _along_a_line(counts: CellCounts, layout: Layout, rhos: Rates) -> Curve:
    columns = {name: np.array(texts) for name, texts in counts.keys.labels(counts.keys.all_cells).items()}
    groups = groups_of([columns[name] for name in layout.groups], counts.keys.size)
    truth, counted = np.zeros(counts.keys.size, np.int64), np.zeros(counts.keys.size, np.int64)
    truth[counts.cells], counted[counts.cells] = counts.truth, counts.counted
    bands = line_bands(truth, counted, places(layout, columns), groups, rhos)
    return Curve(counts.measure, "emd", layout.unit, bands)


@dataclass(frozen=True, repr=False, eq=False)
class Cells:
    """The cells of a table, with equal ones together. Its text shows no count."""

    truth: Counts
    """The count with which the noisy one is compared."""
    counted: Counts
    """The count that gets the noise: without the trips that the bound leaves out."""
    times: Counts
    """Number of cells with these two counts."""
    false_flows: Fraction | None = None
    """For a table in which small noisy counts are left out and count 0: expected number of empty cells listed by chance."""

    @classmethod
    def of(
        cls,
        truth: Counts,
        counted: Counts | None = None,
        *,
        empty: int = 0,
        false_flows: Fraction | None = None,
    ) -> Cells:
        """Some cells, one entry each, and ``empty`` more with count 0. Without ``counted``, nothing is left out."""
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
        """The noisy count from which a sparse table released up to this rate lists a cell; None for other tables."""
        if self.false_flows is None:
            return None
        return false_positive_threshold(rho, max(1, self.size), self.false_flows)


def share_bands(cells: Cells, rhos: Rates) -> dict[str, tuple[Band, ...]]:
    """SMAPE, Jensen-Shannon and Kullback-Leibler divergence of shares at each epsilon.

    Empty if the true counts add up to 0, so that there are no shares.
    """
    if cells.total <= 0:
        return {}
    found: dict[str, list[Band]] = {"smape": [], "jsd": [], "kld": []}
    small = cells.false_flows is None and 2 <= cells.size <= _SMALL
    for epsilon, rho in rhos.items():
        compared = max(1.0, _listed(cells, rho))
        moments = (_of_a_small_table if small else _of_a_large_table)(cells, rho, compared)
        for name, (mean, deviation) in moments.items():
            by = compared if name == "smape" else 1.0
            found[name].append(
                _band(epsilon, mean / by, deviation / by, most={"smape": 2.0, "jsd": 1.0}.get(name))
            )
    return {name: tuple(bands) for name, bands in found.items()}


def number_bands(cells: Cells, rhos: Rates) -> dict[str, tuple[Band, ...]]:
    """SMAPE of numbers that are not parts of a total, as they are, at each epsilon."""
    size = max(1, cells.size)
    found = []
    for epsilon, rho in rhos.items():
        mean, deviation = _expected(cells, rho, relative_difference)
        found.append(_band(epsilon, mean / size, deviation / size, most=2.0))
    return {"smape": tuple(found)}


def line_bands(truth: Counts, counted: Counts, at: Numbers, groups: Groups, rhos: Rates) -> tuple[Band, ...]:
    """Earth mover's distance along a line at each epsilon. Groups without a true count are left out."""
    used = [cells for cells in groups if truth[cells].sum() > 0]
    found = []
    for epsilon, rho in rhos.items():
        if used:
            mean, deviation = line_moments(truth.astype(float), counted.astype(float), at, used, rho)
            found.append(_band(epsilon, mean, deviation, most=None))
    return tuple(found)


def drawn_band(epsilon: Fraction, values: Sequence[float], lowest: float, highest: float) -> Band:
    """The mean of some simulated values, and the interval of one more value in 95 of 100 cases.

    Student's interval for a further draw, cut to the range of the metric. ValueError with fewer than 2 values.
    """
    drawn = np.asarray(values, float)
    if drawn.size < 2:
        raise ValueError("a spread needs two draws")
    reach = (
        float(special.stdtrit(drawn.size - 1, 0.975)) * float(drawn.std(ddof=1)) * (1 + 1 / drawn.size) ** 0.5
    )
    mean = float(drawn.mean())
    return Band(epsilon, mean, max(lowest, mean - reach), min(highest, mean + reach))


def _band(epsilon: Fraction, mean: float, deviation: float, *, most: float | None) -> Band:
    top = mean + _SPREAD * deviation
    mean = max(mean, 0.0) if most is None else min(max(mean, 0.0), most)
    low = max(0.0, mean - _SPREAD * deviation)
    return Band(epsilon, mean, low, top if most is None else min(top, most))


def _of_a_large_table(cells: Cells, rho: Fraction, compared: float) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of each metric of shares, summed over cells, with the noisy total at its mean.

    The effect of the varying total on the divergences is subtracted (second order in the noise).
    """
    total, wobble = _expected(cells, rho, lambda _, noisy: np.maximum(noisy, 0.0))
    total = max(total, 1e-9)
    moving = (wobble / total) ** 2 / log(2)
    found = {}
    for name, metric in _share_metrics(cells.total, total, compared).items():
        mean, deviation = _expected(cells, rho, metric)
        found[name] = (mean - moving * _BY_MOVING_TOTAL[name], deviation)
    return found


def _of_a_small_table(cells: Cells, rho: Fraction, compared: float) -> dict[str, tuple[float, float]]:
    """The same over noisy tables. For five cells under strong noise, a total at its mean makes a divergence a sixth too small.

    Where every noisy count is 0 there are no shares, and nothing is compared.
    """
    truth, counted = (np.repeat(counts, cells.times).astype(float) for counts in (cells.truth, cells.counted))
    found: dict[str, list[Numbers]] = {"smape": [], "jsd": [], "kld": []}
    for noisy in _noisy_tables(counted, rho, _MOST_OF_SHARES):
        total = noisy.sum(axis=1, keepdims=True)
        some = total[:, 0] > 0
        for name, metric in _share_metrics(cells.total, total[some], compared).items():
            found[name].append(metric(truth[None, :], noisy[some]).sum(axis=1))
    return {name: _moments(values) for name, values in found.items()}


def line_moments(
    truth: Numbers, counted: Numbers, at: Numbers, groups: Groups, rho: Fraction
) -> tuple[float, float]:
    """Mean and standard deviation of ``formulas.grouped_emd`` between true counts and noisy tables.

    Args:
        truth: true count of each cell.
        counted: the count that gets the noise.
        at: place of each cell on the line.
        groups: cells that are compared separately; each group has a true count.
        rho: rate of the noise.

    """
    orders = [cells[np.argsort(at[cells], kind="stable")] for cells in groups]
    found = []
    for noisy in _noisy_tables(counted, rho, _MOST_ALONG_A_LINE):
        whole = np.maximum(noisy.sum(axis=1), np.finfo(float).tiny)
        sums, masses = np.zeros(len(noisy)), np.zeros(len(noisy))
        for order in orders:
            up_to, true = np.cumsum(noisy[:, order], axis=1), np.cumsum(truth[order])
            total = up_to[:, -1]
            share = up_to / np.where(total > 0, total, 1.0)[:, None]
            distance = np.abs(share - true / true[-1])[:, :-1] @ np.diff(at[order])
            mass = (total > 0) * (true[-1] / truth.sum() + total / whole)
            sums += mass * distance
            masses += mass
        found.append(sums[masses > 0] / masses[masses > 0])
    mean, deviation = _moments(found)
    if len(orders) == 1 and len(orders[0]) > _LONG:
        mean = _mean_along_a_long_line(truth[orders[0]], counted[orders[0]], at[orders[0]], rho)
    return mean, deviation


def _mean_along_a_long_line(truth: Numbers, counted: Numbers, at: Numbers, rho: Fraction) -> float:
    """The mean distance if the cells up to each place, and those beyond it, are so many that their sums are normal.

    The cumulative share up to place j has a normal error with the variance
    ``((1 - F)**2 * sum(v up to j) + F**2 * sum(v beyond j)) / N**2``, with v the variances of the counts, N the total and F
    the share. Its mean absolute value is that of a folded normal law.
    """
    values, chance = noise_law(rho)
    kinds, which = np.unique(counted, return_inverse=True)
    noisy = np.maximum(kinds[:, None] + values, 0.0)
    mean_of, square_of = noisy @ chance, (noisy * noisy) @ chance
    means, variances = mean_of[which], np.maximum(square_of - mean_of**2, 0.0)[which]
    total, sums = means.sum(), np.cumsum(variances)
    share = np.cumsum(means)[:-1] / total
    apart = share - np.cumsum(truth)[:-1] / truth.sum()
    spread = np.sqrt((1 - share) ** 2 * sums[:-1] + share**2 * (sums[-1] - sums[:-1])) / total
    z = apart / np.maximum(spread, np.finfo(float).tiny)
    sizes = spread * np.exp(-z * z / 2) * np.sqrt(2 / np.pi) + apart * special.erf(z / np.sqrt(2))
    return float(sizes @ np.diff(at))


def _moments(values: Sequence[Numbers]) -> tuple[float, float]:
    together = np.concatenate(values)
    return (float(together.mean()), float(together.std())) if together.size else (0.0, 0.0)


def _noisy_tables(counted: Numbers, rho: Fraction, most: int) -> Iterator[Numbers]:
    """Noisy tables with negative counts at 0, some at a time: shape (tables, cells). They are the same at each call.

    Their noise is the inverse of its law at the points ``k * a`` of the unit cube, each coordinate modulo 1, with ``a`` the
    roots of primes (Richtmyer's rule for integrals of many variables). So every cell covers its law evenly, and cells are
    nearly uncorrelated. These tables hide nothing and are not noise for privacy: anybody who knows the rule knows them.

    ``most`` tables, or fewer for very many cells. A mean over 10,000 tables of up to 100 cells is right to about 5 in 1,000.
    """
    cells = len(counted)
    tables = int(np.clip(_NUMBERS / cells, _FEWEST, most))
    # The first four decimals of the roots are dropped: in long tables, neighbouring roots are too near to each other.
    step = (np.sqrt(_primes(cells)) * 1e4) % 1
    held = max(1, _AT_ONCE // (4 * cells))
    for first in range(1, tables + 1, held):
        number = np.arange(first, min(first + held, tables + 1))[:, None]
        yield np.maximum(counted + _noise_at((number * step + 0.5) % 1, rho), 0.0)


def _noise_at(shares: Numbers, rho: Fraction) -> Numbers:
    """The noise that the given share of all draws does not exceed: the inverse law of the discrete Laplace.

    With ``q = exp(-rho)``, noise of ``-k`` or less has the probability ``q**k / (1 + q)``.
    """
    rate = float(rho)
    tail = np.maximum(np.minimum(shares, 1 - shares), np.finfo(float).tiny)
    size = np.floor(-np.log(tail * (1 + exp(-rate))) / rate)
    noise: Numbers = np.copysign(size, shares - 0.5)
    return noise


def _primes(number: int) -> Numbers:
    most = ceil(number * (log(number + 2) + log(log(number + 2) + 1))) + 10  # an upper limit of the last
    sieve = np.ones(most, bool)
    sieve[:2] = False
    for factor in range(2, ceil(most**0.5) + 1):
        sieve[factor * factor :: factor] = False
    return np.flatnonzero(sieve)[:number].astype(float)


def _expected(cells: Cells, rho: Fraction, metric: Cellwise) -> tuple[float, float]:
    """Mean and standard deviation of the sum of a metric over all cells, whose noise is independent.

    The metric gets true and noisy counts. A noisy count below the threshold of a sparse table is passed as 0.
    """
    values, chance = noise_law(rho)
    threshold = cells.threshold(rho)
    mean = variance = 0.0
    step = max(1, 4 * _AT_ONCE // len(values))
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


def _listed(cells: Cells, rho: Fraction) -> float:
    """Number of cells that are compared: all, or in a sparse table those that one side is expected to list."""
    if cells.false_flows is None:
        return float(cells.size)
    return _expected(cells, rho, lambda true, noisy: ((true > 0) | (noisy > 0)).astype(float))[0]


def _share_metrics(true_total: float, noisy_total: float | Numbers, cells: float) -> dict[str, Cellwise]:
    """The metrics of shares as sums over cells. The noisy total is a number, or one for each noisy table."""

    def smape(true: Numbers, noisy: Numbers) -> Numbers:
        return relative_difference(true / true_total, np.maximum(noisy, 0.0) / noisy_total)

    def jsd(true: Numbers, noisy: Numbers) -> Numbers:
        p, q = true / true_total, np.maximum(noisy, 0.0) / noisy_total
        return (_bits(p, (p + q) / 2) + _bits(q, (p + q) / 2)) / 2

    def kld(true: Numbers, noisy: Numbers) -> Numbers:
        p = (true + SMOOTHING) / (true_total + SMOOTHING * cells)
        q = (np.maximum(noisy, 0.0) + SMOOTHING) / (noisy_total + SMOOTHING * cells)
        # Shares add up to 1, so the second term adds nothing on average. It removes from the spread what a varying total
        # would add to it, because that total cancels in the metric itself.
        found: Numbers = p * np.log2(p / q) + (q - p) / log(2)
        return found

    return {"smape": smape, "jsd": jsd, "kld": kld}


def _bits(p: Numbers, other: Numbers) -> Numbers:
    some = np.where(p > 0, p, 1.0)
    found: Numbers = np.where(p > 0, p * np.log2(some / np.where(p > 0, other, 1.0)), 0.0)
    return found


def noise_law(rho: Fraction) -> tuple[Numbers, Numbers]:
    """Values of the noise of one cell and their probabilities: discrete Laplace of rate ``rho`` (see ``accuracy``).

    A law with very many values is represented by the means of about 1,200 pieces.
    """
    rate = float(rho)
    reach = ceil(log(1 / _TAIL) / rate) + 1
    if 2 * reach + 1 <= _MOST_VALUES:
        values = np.arange(-reach, reach + 1, dtype=np.float64)
        chance = np.exp(-rate * np.abs(values)) * -expm1(-rate) / (1 + exp(-rate))
        return values, chance / chance.sum()
    # fine near 0, where the law is high and metrics are curved, and coarse in the tails
    half = np.unique(np.round(reach * np.linspace(0, 1, _MOST_VALUES // 2) ** 2)).astype(np.int64)
    head = -expm1(-rate) / (1 + exp(-rate))
    first, beyond = half[:-1] + 1, half[1:] + 1  # pieces first .. beyond - 1 of the positive side
    chance = head / -expm1(-rate) * (np.exp(-rate * first) - np.exp(-rate * beyond))
    width = (beyond - first).astype(float)
    inside = (
        1 / -expm1(-rate) - 1 - width / np.expm1(rate * width)
    )  # mean of a geometric law cut off at width
    middle = first + np.where(width > 1, inside, 0.0)
    values = np.concatenate([-middle[::-1], [0.0], middle])
    chances = np.concatenate([chance[::-1], [head], chance])
    return values, chances / chances.sum()
