"""Which bound M to choose: the trips that it leaves out against the noise that it needs. Public facts only.

A larger M leaves out fewer trips of busy people but needs more noise on every count. The best M depends on the table, on
epsilon, and on how many trips people make, which is private. So that information is paid for: a released
``trips_per_user`` histogram is enough. Everything here is computed from that release alone (post-processing is free).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sinh, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width_of_sum, standard_deviation
from dpcore.noise.expected_estimates import ALIKE, scaling_of

BOUNDS: Final = (1, 2, 3, 5, 8, 12, 20, 30, 50, 100)
"""Bounds to choose from. Bins of ``trips_per_user`` end right after them."""
_OPEN_BIN: Final = 1.5
"""Assumed mean of the last bin over its start: that of a tail that falls with the fourth power."""
_CERTAIN: Final = 0.9999
"""The busiest bins are told apart only if noise alone stays below their counts with this probability."""
_WIDEST: Final = 2.12
"""95 % half width of Laplace noise in standard deviations. For any sum of such noise it is smaller."""


@dataclass(frozen=True, repr=False)
class CellError:
    """The average error of a cell of a table under one bound, in counts, divided by its causes."""

    max_trips: int
    """The bound M."""
    bias: float
    """Counts left out by the bound: mean over all cells. Of scaled tables: what scaling leaves of this error."""
    noise: float
    """Privacy noise: expected absolute value in one cell."""
    total: float
    """Both together: root of the mean square over all cells."""

    @classmethod
    def of(cls, max_trips: int, bias: float, mean_square: float, rho: Fraction) -> CellError:
        """The error from a bias, its mean square over the cells, and the rate of the noise of one cell.

        The expected absolute value of discrete Laplace noise is ``2 q / (1 - q**2) = 1 / sinh(rho)``.
        """
        noise = 1 / sinh(float(rho))
        return cls(max_trips, bias, noise, sqrt(mean_square + standard_deviation(rho) ** 2))


@dataclass(frozen=True)
class KeptShare:
    """An estimate of the share of all trips that count under a bound, 0 to 1."""

    max_trips: int
    share: float
    low: float
    """95 % interval for the noise alone; where in a bin a person lies adds a little. The low end allows for busy people
    whom the noise hides."""
    high: float


@dataclass(frozen=True)
class BoundAdvice:
    """The bound that suits a table best according to a noisy histogram. It is an estimate, not the exact optimum."""

    max_trips: int
    """The suggested M."""
    errors: tuple[CellError, ...]
    """Estimated error of a cell under each bound, in the order of rising bounds."""
    kept: tuple[KeptShare, ...]
    """Estimated share of trips kept under each bound."""
    scaled: bool = False
    """Whether the errors are those of tables that are scaled to all trips."""


def kept_shares(histogram: Measurement, rung: int, bounds: Sequence[int] = BOUNDS) -> tuple[KeptShare, ...]:
    """Estimated share of all trips that count under each bound, from a released ``trips_per_user`` at a rung."""
    people, middles, merged = _people(histogram, rung)
    deviation = standard_deviation(histogram.rho(rung))
    total = float(people @ middles)
    found = []
    for bound in bounds:
        if not total:
            found.append(KeptShare(bound, 1.0, 0.0, 1.0))
            continue
        kept = np.minimum(middles, bound)
        share = float(people @ kept) / total
        # first order: how much one person more in each bin would move the share
        moves = (kept - share * middles) / total
        as_read = np.append(moves[:merged], np.repeat(moves[merged : merged + 1], len(moves) - merged))
        below, above = (_WIDEST * deviation * float(np.sqrt(some @ some)) for some in (moves, as_read))
        found.append(KeptShare(bound, share, max(0.0, share - below), min(1.0, share + above)))
    return tuple(found)


def suggested_bound(
    histogram: Measurement,
    rung: int,
    *,
    epsilon: Fraction,
    cells_per_trip: int,
    cells: int,
    unevenness: float = 1.0,
    bounds: Sequence[int] = BOUNDS,
    scaled: bool = False,
) -> BoundAdvice:
    """The bound with the least estimated error for a table of ``cells`` cells.

    The error under M is ``unevenness * bias**2 + Var``. The bias is the estimated number of counts that M leaves out,
    divided equally among the cells. Var is the variance of noise of scale ``cells_per_trip * M / epsilon``.

    *Scaled.* Estimates multiply what counts, and its noise, by all trips over those that count. The bias is then what scaling
    cannot repair (``expected_estimates``), and the error of the sample of trips is added.

    Args:
        histogram: a released ``trips_per_user``.
        rung: number of the rung to use.
        epsilon: epsilon of the table alone, that is, its share of the total.
        cells_per_trip: counts that one trip moves, such as 2 where both ends count.
        cells: cells of the table.
        unevenness: mean square over squared mean of its counts, 1 or more (``Measure.unevenness``). The trips that a
            bound leaves out lie like the trips themselves: concentrated in few cells, where they hurt more than if even.
        bounds: bounds to choose among, rising.
        scaled: whether readers see estimates for all trips, as they do where a plan has ``total_trips``.

    Raises:
        ValueError: not ``trips_per_user``, or numbers out of range.

    """
    if not bounds or cells < 1 or unevenness < 1:
        raise ValueError("there is no bound to choose from")
    people, middles, _ = _people(histogram, rung)
    kept, mean = kept_shares(histogram, rung, bounds), float(people @ middles) * cells_per_trip / cells
    errors = []
    for bound, of_all in zip(bounds, kept, strict=True):
        rho = epsilon / (cells_per_trip * bound)
        if scaled:
            errors.append(_error_of_scaled_cell(bound, rho, mean, of_all.share, unevenness))
            continue
        lost = float(people @ np.maximum(middles - bound, 0))
        bias = lost * cells_per_trip / cells
        errors.append(CellError.of(bound, bias, unevenness * bias**2, rho))
    return BoundAdvice(best(errors).max_trips, tuple(errors), kept, scaled)


def _error_of_scaled_cell(
    bound: int, rho: Fraction, mean: float, share: float, unevenness: float
) -> CellError:
    """The error of a cell that is scaled to all trips; ``mean`` is its mean count of all trips."""
    bias = scaling_of(("tile_id",)).unlike * sqrt(1 - share) * mean
    sampling = ALIKE * mean * (1 - share) / share
    noise = standard_deviation(rho) / share
    total = sqrt(unevenness * bias**2 + sampling + noise**2)
    return CellError(bound, bias, 1 / sinh(float(rho)) / share, total)


def best(errors: Sequence[CellError]) -> CellError:
    """The smallest total error; of equal ones that of the smallest bound."""
    return min(errors, key=lambda error: (error.total, error.max_trips))


def common_bound(errors: Mapping[str, Sequence[CellError]]) -> tuple[int, float]:
    """One bound for several tables, and the worst ratio of a table's error under it to that table's smallest error.

    All sequences name the same bounds in the same order. The bound is the one for which that worst ratio is smallest.
    """
    ratios = np.array([[error.total / best(row).total for error in row] for row in errors.values()])
    worst = ratios.max(axis=0)
    at = int(worst.argmin())
    return next(iter(errors.values()))[at].max_trips, float(worst[at])


def _people(histogram: Measurement, rung: int) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Estimated people in each bin, the trips assumed for each of them, and the first of the bins that are merged.

    A person is assumed to make as many trips as the middle of the bin. Negative counts are read as 0. That alone would
    turn noise into busy people: of the empty bins of hundreds of trips only the positive noise would be left. So the last
    bins, as many as noise alone could well have filled, are added up with their negative counts, and their people are
    placed in the first of these bins.
    """
    if histogram.measure != "trips_per_user":
        raise ValueError("a bound is chosen from a histogram of trips per user")
    counts, rho = histogram.values[rung], histogram.rho(rung)
    people, merged = np.maximum(counts, 0).astype(np.float64), len(counts)
    for last in range(1, len(counts) + 1):
        rest = counts[-last:].sum()
        if rest > half_width_of_sum(rho, last, _CERTAIN):
            break
        merged = len(counts) - last
        people[merged:] = 0
        people[merged] = max(rest, 0)
    (axis,) = histogram.keys.axes
    starts = np.array([1.0, *map(float, axis.inside[1:])])  # everybody in the table made at least one trip
    ends = np.array([*map(float, axis.ends[:-1]), 2 * _OPEN_BIN * starts[-1] - starts[-1] + 1])
    return people, (starts + ends - 1) / 2, merged
