"""Tables that follow from released ones, as pictures need them: weekdays from dates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcore.estimates import Estimates, Ranged
from dpcore.estimates.all_trips import scaled_up, scaling_of_table
from dpcore.measures.measurement import Measurement
from dpcore.release.derived import WEEKDAYS, dates_of_weekdays, derivable, derived
from dpcore.release.release import Release
from dpcore.views.ground.shown import ALL, COUNTED, Shown, estimated_numbers, released_numbers

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


def estimated_weekdays(release: Release, estimates: Estimates) -> Ranged:
    """Derived weekdays for those trips that the estimates are about: the estimated dates of each, added up.

    The sum of counted dates has the range of the noise of their sum. It is scaled to all trips as every table is, so weekdays
    add up to the estimated dates. ``estimates`` hold ``trips_over_time``.
    """
    dates, share = estimates.tables[_DATES].counted.values, estimates.share
    found = derived(release.plan, release.measurements, WEEKDAYS)
    cells = dates_of_weekdays(release.plan)
    value = np.array([dates[cells[int(day)]].sum() for day in found.cells])
    wide = found.half_widths[estimates.rung]
    counted = Ranged(value, np.maximum(value - wide, 0), value + wide)
    return counted if share is None else scaled_up(counted, share, scaling_of_table(found.keys))


def shown_with_weekdays(
    release: Release, table: Measurement, rung: int, estimates: Estimates | None
) -> Shown:
    """What is shown of a table, which may be that of ``weekdays``: its estimates, or what was drawn where none are given."""
    released = released_numbers(table, rung)
    if estimates is None:
        return released
    if table.measure in estimates.tables:
        return estimated_numbers(estimates.tables[table.measure], released)
    if table.measure != WEEKDAYS:
        return released
    about = COUNTED if estimates.share is None else ALL
    return released.guessed(estimated_weekdays(release, estimates), about)
