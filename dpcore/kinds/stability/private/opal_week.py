"""A release of an invented week, which the page lays beside the real one of 2016. No trip of anybody is in it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.stability.choices import StabilityChoices, listed_texts, usual_delta
from dpcore.kinds.stability.invented_week import opal_week
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.private.large_counts import stability_histogram
from dpcore.kinds.stability.private.trip_ends import CodedColumn, TripEnds
from dpcore.kinds.stability.published import TAPS, WEEK, WeekOfMode, week_of
from dpcore.measures.attribute import Categories
from dpcore.privacy import ContributionBound


def invented_opal_week() -> tuple[WeekOfMode, ...]:
    """The numbers of a new draw with the published noise and thresholds, by mode: 28 parts, about 13 million trips."""
    by_mode = opal_week()
    choices = StabilityChoices(
        ContributionBound.per_trip(),
        Fraction(len(TAPS)),  # 1 for each column, as published
        usual_delta(Variant.OPAL, len(TAPS)),
        Variant.OPAL,
        TAPS,
        WEEK,
        divisions=(Categories("mode", tuple(by_mode)),),
    )
    plan = choices.plan()
    most_places = max(taps.shape[2] for taps in by_mode.values())
    # The names are sorted, and the category of unknown places comes last. So the number of a place is its position.
    places = listed_texts("on_loc", plan, tuple(f"{place:03d}" for place in range(most_places)))
    days = [day for taps in by_mode.values() for day in taps]  # a part for each, in the order of the plan
    part = np.repeat(np.arange(len(days)), [int(day[0].sum()) for day in days])
    on, off = (CodedColumn(_places_of_taps([day[tap] for day in days]), places) for tap in range(2))
    return week_of(
        stability_histogram(TripEnds(plan, part, {"on_loc": on, "off_loc": off}), origin="preview")
    )


def _places_of_taps(counts: list[NDArray[np.int64]]) -> NDArray[np.int32]:
    """The number of the place of each tap, day after day, from the taps at each place on each day."""
    return np.concatenate([np.repeat(np.arange(len(one), dtype=np.int32), one) for one in counts])
