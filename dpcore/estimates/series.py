"""Tables without places: hours, dates, weekdays and histograms.

Neighbouring cells of a series are alike: hours that follow one another, equal weekdays, neighbouring bins. The process of
``process`` says from the noisy values themselves how alike they are. Where they are not, or where the noise is small, the
drawn values stay as they are. Then the cells are raked to the total that all tables tell together.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.estimates.noisy import Noise, Noisy, Numbers
from dpcore.estimates.posterior import Posterior, posterior
from dpcore.estimates.process import Likeness, Places, Seen, best_fit
from dpcore.estimates.raking import raked
from dpcore.measures.keys import Axis
from dpcore.measures.measure import Kind, Measure

_LIKENESS: Final = Likeness(((0.6, 0.05), (0.6, 0.2), (1.2, 0.1), (1.5, 1.0)), 1.0, 0.0)
_LONGEST: Final = 1_500  # more cells stay as they were drawn


def smoothed(measure: Measure, table: Noisy, total: float | None) -> Posterior:
    """The cells of a table without places, flat; they add up to ``total`` if that is known."""
    y = table.values.ravel()
    where = coordinates(measure, table)
    single = where is None or len(y) > _LONGEST
    found = _alone(y, table.noise) if where is None or single else _together(y, table.noise, where)
    if total is None:
        return found
    values = raked(found.mean, found.variance, np.zeros(len(y), np.int64), np.array([total]))
    return Posterior(values, found.variance, np.minimum(found.low, values), np.maximum(found.high, values))


def _alone(y: Numbers, noise: Noise) -> Posterior:
    """Each cell by itself: the drawn value, moved up to 0, with the range of the noise."""
    width = np.log(20) / noise.rate
    value = np.maximum(y, 0.0)
    return Posterior(
        value, np.full(len(y), noise.variance), np.maximum(y - width, 0.0), np.maximum(y + width, 0.0)
    )


def _together(y: Numbers, noise: Noise, where: Numbers) -> Posterior:
    """Cells that are like their neighbours. Rows of ``where`` are NaN for cells that have none."""
    single = np.isnan(where[:, 0])
    some = ~single
    offset = np.full(int(some.sum()), np.log(max(float(y[some].mean()), noise.variance**0.5 / 2, 1.0)))
    seen = Seen(y[some], np.full(len(offset), noise.variance), offset)
    fit = best_fit(seen, Places(where[some], np.zeros(len(offset))), _LIKENESS)
    mean = np.maximum(y, noise.variance**0.5)
    spread = np.full(len(y), 2.0)
    mean[some], spread[some] = fit.mean, fit.spread
    return posterior(y, noise, mean, spread)


def coordinates(measure: Measure, table: Noisy) -> Numbers | None:
    """Points whose distances say how alike cells are; None if nothing is known of that."""
    if measure.name == "trips_per_hour":
        return _of_hours()
    if measure.layout.kind is Kind.DATES:
        return _of_dates(table.keys.axes[0])
    if measure.layout.kind is Kind.BINS and table.values.size >= 4:
        return np.stack([np.arange(table.values.size, dtype=np.float64), np.zeros(table.values.size)], axis=1)
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
