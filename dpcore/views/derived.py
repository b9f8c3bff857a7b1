"""Tables that follow from released ones, as pictures need them: weekdays from dates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcore.estimates import Estimates, Ranged
from dpcore.measures.measurement import Measurement
from dpcore.release.derived import WEEKDAYS, derivable, derived
from dpcore.release.release import Release

_DATES = "trips_over_time"


def weekdays(release: Release) -> Measurement | None:
    """Trips by weekday, as they were released or as sums of dates; None where neither is there.

    A measurement has one half width a rung. Weekdays that cover one date more have a little more noise, so each gets that of
    the widest.
    """
    paid = release.measurements.get(WEEKDAYS)
    if paid is not None or WEEKDAYS not in derivable(release.plan):
        return paid
    found, dates = derived(release.plan, release.measurements, WEEKDAYS), release.measurements[_DATES]
    values = np.zeros((len(dates.rungs), found.keys.size), np.int64)
    values[:, found.cells] = found.values
    return replace(
        dates,
        measure=WEEKDAYS,
        counts=found.counts,
        keys=found.keys,
        values=values,
        cells=None,
        half_widths=tuple(int(wide) for wide in found.half_widths.max(axis=1)),
    )


def estimated_weekdays(counted: Measurement, estimates: Estimates) -> Ranged:
    """Derived weekdays for those trips that the estimates are about.

    The sums with the range of their noise, scaled by the share of trips that count; the ends by the ends of its range.
    """
    rung, share = estimates.rung, estimates.share
    value, wide = np.maximum(counted.values[rung], 0).astype(np.float64), counted.half_widths[rung]
    low, high = np.maximum(value - wide, 0), value + wide
    if share is None:
        return Ranged(value, low, high)
    return Ranged(value / share.value, low / share.high, high / share.low)
