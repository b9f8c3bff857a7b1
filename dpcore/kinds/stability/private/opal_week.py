"""Our release of an invented week, beside which the page lays the real one of 2016. No trip of anybody is in it."""

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
    taps = opal_week()
    choices = StabilityChoices(
        ContributionBound.per_trip(),
        Fraction(len(TAPS)),  # 1 for each column, as published
        usual_delta(Variant.OPAL, len(TAPS)),
        Variant.OPAL,
        TAPS,
        WEEK,
        divisions=(Categories("mode", tuple(taps)),),
    )
    plan, names = (
        choices.plan(),
        tuple(f"{place:03d}" for place in range(max(one.shape[2] for one in taps.values()))),
    )
    places = listed_texts(
        "on_loc", plan, names
    )  # names are sorted, and the category of unknown places comes last
    days = [day for of_mode in taps.values() for day in of_mode]  # a part for each, in the order of the plan
    part = np.repeat(np.arange(len(days)), [int(day[0].sum()) for day in days])
    on, off = (CodedColumn(_in_a_row([day[tap] for day in days]), places) for tap in range(2))
    return week_of(
        stability_histogram(TripEnds(plan, part, {"on_loc": on, "off_loc": off}), origin="preview")
    )


def _in_a_row(counts: list[NDArray[np.int64]]) -> NDArray[np.int32]:
    """The number of the place of each tap, day after day."""
    return np.concatenate([np.repeat(np.arange(len(one), dtype=np.int32), one) for one in counts])
