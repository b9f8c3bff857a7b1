"""Tables without places: hours, dates, weekdays and histograms.

*Histograms* are good as drawn. Their cells are moved to 0 or above and to the total that all tables tell together, by the
least squares: ``max(y - c, 0)`` with one c for all cells.

*Hours and dates* are like their neighbours: hours that follow one another, equal weekdays. The process of ``process`` says
from the noisy values themselves how alike they are. Where they are not, or where the noise is small, the drawn values stay
nearly as they are. Some cells are unlike all others, such as a day without trips, so each may also be 0 or far off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.estimates.noisy import Integers, Noise, Noisy, Numbers
from dpcore.estimates.posterior import Posterior, likeliest_empty, posterior
from dpcore.estimates.process import CovarianceSettings, NoisyCounts, Places, best_fit
from dpcore.estimates.raking import raked
from dpcore.estimates.windows import window_of_hours
from dpcore.measures.keys import Axis
from dpcore.measures.measure import Kind, Measure

_COVARIANCE: Final = CovarianceSettings(((0.6, 0.05), (0.6, 0.2), (1.2, 0.1), (1.5, 1.0)), 1.0, 0.0)
_EMPTY: Final = 0.02
"""The least probability that a cell is empty: there are days without trips, and a process on logarithms knows no 0. The drawn
values raise it where they ask for it."""
_LONGEST: Final = 1_500  # more cells stay as they were drawn


@dataclass(frozen=True, eq=False)
class Sums:
    """What some cells of a table add up to."""

    group: Integers
    """Number of the sum in which each cell counts."""
    targets: Numbers


def smoothed(measure: Measure, table: Noisy, sums: Sums | None) -> Posterior:
    """The cells of a table without places, flat; they agree with ``sums`` if any are known."""
    y = table.values.ravel()
    found = alone(y, table.noise)
    where = coordinates(measure, table)
    if where is not None and len(y) <= _LONGEST:
        _replaced(found, y, table.noise, where)
    if sums is None:
        return found
    values = raked(found.values, found.variance, sums.group, sums.targets)
    return Posterior(values, np.minimum(found.low, values), np.maximum(found.high, values), found.variance)


def whole(table: Noisy, total: float) -> Sums:
    """All cells of a table add up to one total."""
    return Sums(np.zeros(table.values.size, np.int64), np.array([total]))


def hours_by_window(starts: Sequence[int], complete: float, windows: Numbers) -> Sums:
    """Starts by hour add up to the complete trips, and ends to the arrivals in each window of each day type."""
    window = np.concatenate([day_type * len(starts) + window_of_hours(starts) for day_type in (0, 1)])
    group = np.concatenate([np.zeros(len(window), np.int64), 1 + window])
    return Sums(group, np.append(complete, windows))


def alone(y: Numbers, noise: Noise) -> Posterior:
    """Each cell by itself: the drawn value, moved up to 0, with the range of the noise."""
    width = np.log(20) / noise.rate
    variance = np.full(len(y), noise.variance)
    return Posterior(np.maximum(y, 0.0), np.maximum(y - width, 0.0), np.maximum(y + width, 0.0), variance)


def _replaced(found: Posterior, y: Numbers, noise: Noise, where: Numbers) -> None:
    """Replace what is found of cells that are like others. Rows of ``where`` are NaN for those that are not."""
    some = np.flatnonzero(~np.isnan(where[:, 0]))
    usual = max(float(y[some].mean()), noise.variance**0.5 / 2, 1.0)
    seen = NoisyCounts(y[some], np.full(len(some), noise.variance), np.full(len(some), np.log(usual)))
    fit = best_fit(seen, Places(where[some], np.zeros(len(some))), _COVARIANCE)
    empty = max(likeliest_empty(seen.y, noise, fit.mean, fit.spread), _EMPTY)
    better = posterior(seen.y, noise, fit.mean, fit.spread, empty)
    found.values[some], found.variance[some] = better.values, better.variance
    found.low[some], found.high[some] = better.low, better.high


def coordinates(measure: Measure, table: Noisy) -> Numbers | None:
    """Points whose distances say how alike cells are; None if nothing is known of that."""
    if measure.name == "trips_per_hour":
        return _of_hours()
    if measure.layout.kind is Kind.DATES:
        return _of_dates(table.keys.axes[0])
    return None


def _of_hours() -> Numbers:
    """Hours on a circle, with day types far apart, and starts and ends near each other."""
    kind, day_type, hour = (
        part.ravel() for part in np.meshgrid([0, 1], [0, 1], np.arange(24), indexing="ij")
    )
    turn = hour * np.pi / 12
    return np.stack([3.8 * np.cos(turn), 3.8 * np.sin(turn), 3.0 * day_type, 0.7 * kind], axis=1)


def _of_dates(axis: Axis) -> Numbers | None:
    """Days near each other by date and by weekday, weekends apart; longer steps on a line. Before and after stand alone."""
    if len(axis.inside) < 4:
        return None
    if axis.covers == "day":
        day = np.array(axis.starts[:-1], np.float64)
        weekday = (day + 3) % 7
        turn = 2 * np.pi * weekday / 7
        inside = np.stack(
            [0.12 * (day - day[0]), 1.5 * np.cos(turn), 1.5 * np.sin(turn), 2.0 * (weekday >= 5)], axis=1
        )
    else:
        inside = np.stack([np.arange(len(axis.inside), dtype=np.float64)] * 2, axis=1)
    alone = np.full((1, inside.shape[1]), np.nan)
    return np.concatenate([alone, inside, alone])
