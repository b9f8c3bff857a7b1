"""Arrivals by part of the day: the profile of the city, then of groups, then of tiles.

The arrivals of a tile are spread over the windows as those of its group are, and those of a group as those of the city are.
At each level the noisy count of a cell pulls it from what the level above says, as far as its noise allows (``posterior``).
Then the cells are fitted to both margins: the arrivals of their tile, and the windows of their group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.places import Geography
from dpcore.estimates.posterior import Posterior, fitted, posterior, posterior_of
from dpcore.estimates.raking import fit_margins, summed


def arrivals(windows: Noisy, arriving: Numbers, city: Numbers, geography: Geography) -> Posterior:
    """Arrivals by window, which add up to those of each place; flat, in the order of the table.

    ``city``: what is known of the windows of the whole city.
    """
    y = windows.values.reshape(-1, len(arriving))
    group = np.append(geography.group, geography.group.max() + 1)  # outside is a group of its own
    grouped = _group_profiles(y, windows, arriving, city, group)
    mean = np.maximum(arriving * (grouped / np.maximum(grouped.sum(axis=0), 1e-12))[:, group], 1e-6)
    spreads = fitted(y.ravel(), windows.noise, mean.ravel(), 4)
    found = posterior_of(y.ravel(), windows.noise, mean.ravel(), spreads)
    values = _fit_groups(found, mean.shape, arriving, grouped, group)
    return Posterior(values.ravel(), found.low, found.high, found.variance)


def _group_profiles(y: Numbers, windows: Noisy, arriving: Numbers, city: Numbers, group: Integers) -> Numbers:
    """Arrivals by window of each group, which add up to its arrivals and to the windows of the city."""
    size = np.bincount(group)
    total = summed(arriving, group)
    sums = np.stack([summed(row, group) for row in y])
    mean = np.maximum(np.outer(city / city.sum(), total), 1e-6)
    found = np.zeros_like(mean)
    for cells in np.unique(size):
        some = np.flatnonzero(size == cells)
        noise = windows.noise.of_sum(int(cells))
        spread, _ = fitted(sums[:, some].ravel(), noise, mean[:, some].ravel(), 1).at(mean[:, some].ravel())
        part = posterior(sums[:, some].ravel(), noise, mean[:, some].ravel(), spread)
        found[:, some] = part.values.reshape(len(y), -1)
    return fit_margins(np.maximum(found, 1e-9 * mean), city * (total.sum() / city.sum()), total)


def _fit_groups(
    found: Posterior, shape: tuple[int, int], arriving: Numbers, grouped: Numbers, group: Integers
) -> Numbers:
    """The cells, fitted to the arrivals of their tile and the windows of their group."""
    values = np.maximum(found.values.reshape(shape), 1e-9)
    variance = found.variance.reshape(shape)
    for _ in range(3):
        missing = grouped - _grouped(values, group)
        values = np.maximum(
            values + variance * (missing / np.maximum(_grouped(variance, group), 1e-12))[:, group], 1e-9
        )
        missing = arriving - values.sum(axis=0)
        values = np.maximum(values + variance * (missing / np.maximum(variance.sum(axis=0), 1e-12)), 1e-9)
    for _ in range(30):
        values = values * (grouped / np.maximum(_grouped(values, group), 1e-300))[:, group]
        values = values * (arriving / np.maximum(values.sum(axis=0), 1e-300))
    return values


def _grouped(table: Numbers, group: Integers) -> Numbers:
    count = int(group.max()) + 1
    found: Numbers = np.stack([summed(row, group, count) for row in table])
    return found


def city_windows(tables: Mapping[str, Noisy], starts: Sequence[int], trips: float) -> Numbers:
    """Arrivals in the whole city by day type and window, flat: the mean of both tables that tell them, by inverse variance."""
    told = []
    if "trips_per_hour" in tables:
        hours = tables["trips_per_hour"]
        window = window_of_hours(starts)
        cells = np.bincount(window, minlength=len(starts))
        sums = np.stack([summed(row, window, len(starts)) for row in hours.values[1]])
        told.append((sums, np.broadcast_to(cells * hours.variance, sums.shape)))
    if "visits_per_time_tile" in tables:
        windows = tables["visits_per_time_tile"]
        sums = windows.values.sum(axis=2)
        told.append((sums, np.full(sums.shape, windows.values.shape[2] * windows.variance)))
    weight = sum(1 / variance for _, variance in told)
    mean = sum(value / variance for value, variance in told) / weight
    positive = np.maximum(mean, 0.1 / np.sqrt(weight) + 1e-3).ravel()
    found: Numbers = positive * (trips / positive.sum())
    return found


def window_of_hours(starts: Sequence[int]) -> Integers:
    """The number of the window in which each of the 24 hours lies; hours before the first start are in the last window."""
    window: Integers = np.searchsorted(np.array(starts), np.arange(24), side="right") - 1
    return np.where(window < 0, len(starts) - 1, window)
