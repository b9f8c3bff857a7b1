"""Owner pages: how far the drawn values and the estimates are from all trips, as cards and in words.

All of it is made from the truth, so each picture carries the mark of its data set. What a release would say of itself stands
first: how many tiles are known (``dpcore.estimates.known``). The truth then says the same of visits: which share of them lies in
tiles whose shown value is right within the same part. It holds the noise and the trips that the bound leaves out, together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InternalError
from dpcore.estimates import Estimated, Estimates, Share
from dpcore.estimates.known import of_hundred
from dpcore.estimates.words import assumption, likely
from dpcore.measures.choices import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import Sum
from dpcore.noise.expected_estimates import CERTAIN
from dpcore.views.ground.plain import interval, number, percent, plus_minus
from dpcore.views.ground.reading import series_error
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.numbers.estimated import TILES_KNOWN, known_card
from dpcore.views.numbers.sentences import Card

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]

CARDS: Final = (TILES_KNOWN, "Beside the truth", "Trips that count")
"""What the three numbers beside the map are called."""
TRUTH_HELP: Final = (
    f"Right: within {percent(CERTAIN)} of the true count of **all** trips. Visits: the true ones. Drawn values are counts of the "
    "trips that count, with noise; the bound leaves out the others."
)
_MEANINGFUL: Final = 10  # an error of more than ten times its count only says "noise"


def typical_error(values: Counts | Numbers, truth: Counts) -> float:
    """The median relative error over the cells that are not empty in truth; NaN where all are. Arrays of one shape."""
    held = truth > 0
    if not held.any():
        return math.nan
    return float(np.median(np.abs(values[held] - truth[held]) / truth[held]))


@dataclass(frozen=True)
class TilesRight:
    """Shares of the true visits that lie in tiles whose value is right at one rung, 0 to 1; NaN where there are no visits."""

    drawn: float
    estimate: float


def tiles_right(visits: Measurement, estimated: Estimated, truth: Counts, rung: int) -> TilesRight:
    """Those of all tiles. ``truth``: true visits of all trips, by cell; the last cell is what lies outside."""
    return TilesRight(
        _share_right(visits.values[rung][:-1], truth[:-1]),
        _share_right(ranged(estimated).values[:-1], truth[:-1]),
    )


def _share_right(values: Counts | Numbers, truth: Counts) -> float:
    right = np.abs(values - truth) <= CERTAIN * truth
    return float(truth[right].sum() / truth.sum()) if truth.any() else math.nan


def cards(
    right: TilesRight, visits: Measurement, estimates: Estimates, counted_share: float
) -> tuple[Card, Card, Card]:
    """The three numbers beside the map.

    ``visits``: as they were drawn; ``counted_share``: the true share of all trips that the bound lets count.
    """
    known = known_card(visits, estimates)
    if known is None:
        raise InternalError.at("a preview without estimated visits")
    told = "no visits" if math.isnan(right.estimate) else f"{of_hundred(right.estimate)} of 100 visits"
    whole = counted_share == 1 and not math.isnan(
        right.drawn
    )  # else what the bound leaves out would be told as noise
    note = f" By the drawn values {of_hundred(right.drawn)} of 100." if whole else ""
    return (
        known,
        Card(
            CARDS[1],
            told,
            f"lie in tiles whose estimate is right within {percent(CERTAIN)}.{note} Only you see this.",
            TRUTH_HELP,
        ),
        _share_card(estimates, counted_share),
    )


def _share_card(estimates: Estimates, counted_share: float) -> Card:
    """The share as the release would say it, and the true one."""
    share = estimates.share
    if share is None:
        return Card(CARDS[2], percent(counted_share), "A release would not say it.", estimates.why_not_all)
    if share.low == 1:
        return Card(CARDS[2], "All", "No trip is left out.", "Where one trip is hidden, all trips count.")
    return Card(
        CARDS[2], percent(share.value), _share_text(share, counted_share), " ".join(assumption(share))
    )


def _share_text(share: Share, counted_share: float) -> str:
    return (
        f"A release would say {percent(share.low)} to {percent(share.high)}. True: {percent(counted_share)}."
    )


def error_words(error: float) -> str:
    """An error as a share of its count; above ten times the count only that it is larger.

    >>> error_words(0.062), error_words(float("nan")), error_words(11.0)
    ('6 %', 'unknown', 'over 1,000 %')
    """
    if math.isnan(error):
        return "unknown"
    return (
        percent(error, 1 if error < 0.01 else 0)
        if error <= _MEANINGFUL
        else f"over {_MEANINGFUL * 100:,.0f} %"
    )


def tile_words(
    visits: Measurement, estimated: Estimated, truth: Counts, rung: int, cell: int, *, counts: str = ""
) -> str:
    """A cell of a tile: its estimate for all trips, the true count, and the drawn value. ``counts``: what it counts, if the table has a wider word."""
    shown = ranged(estimated)
    told = likely(*shown.cell(cell), counts or visits.counts)
    drawn = interval(int(visits.values[rung][cell]), visits.half_widths[rung])
    return (
        f"{told}, estimated for {spoken_of(estimated)}. True: {number(int(truth[cell]))}. "
        f"Drawn, of the trips that count: {drawn}."
    )


def error_words_of(measurement: Measurement, estimated: Estimated, truth: Counts, rung: int) -> str:
    """How wrong a table is beside all trips: the estimates, then the drawn values with their noise."""
    cells = measurement.cell_numbers
    here = np.searchsorted(cells, estimated.cell_numbers)
    wrong = np.abs(ranged(estimated).values - truth[here])
    middle = float(np.median(wrong)) if wrong.size else 0.0
    most = "" if wrong.size == 1 else f" (median), {wrong.max(initial=0):,.0f} at most"
    return f"Estimate off by {middle:,.0f}{most}. {drawn_words(measurement, truth, rung)}"


def drawn_words(measurement: Measurement, truth: Counts, rung: int) -> str:
    """The noise of drawn values; where all trips count also how far they are from these. ``truth``: of the listed cells."""
    drawn = series_error(measurement, rung, truth)
    if measurement.bound.max_trips is not None and not measure_named(measurement.measure).counts_users:
        return f"Drawn value: noise {plus_minus(drawn.noise)} (95 %), of the trips that count."
    off = f"{drawn.worst:,}" if len(truth) == 1 else f"{drawn.typical:,.0f} (median), {drawn.worst:,} at most"
    return f"Drawn value: noise {plus_minus(drawn.noise)} (95 %), off by {off}."


def clamping_words(one: Sum, mean: float, within: float, values: int, missing: int) -> str:
    """What the bounds of a sum do to it: means of the values as they are and within the bounds, and how many there are (Markdown)."""
    without = f" {number(missing)} trips have no value." if missing else ""
    if not values:
        return f"No trip has a value of {one.title}.{without}"
    as_is, cut = (f"{mean_of:,.{one.digits}f}{one.unit_name}" for mean_of in (mean, within))
    if as_is == cut:
        said = "The bounds do not change it"
    else:
        share = f", {percent(abs(mean - within) / mean, 1)} of the sum" if mean > 0 else ""
        off = f"{abs(mean - within):,.{one.digits}f}{one.unit_name}"
        said = f"Within the bounds it is **{cut}**: {off} too {'small' if within < mean else 'large'}{share}"
    return f"The mean of {number(values)} values is **{as_is}**. {said}.{without}"


def district_words(measurement: Measurement, estimated: Estimated, truth: Counts) -> str:
    """How wrong estimated flows between districts are beside all trips, as a share of the true flows (Markdown)."""
    districts = len(measurement.keys.axes[0].inside)
    guess = typical_error(ranged(estimated).values, truth)
    return f"**Between the {districts:,} districts** the estimate of a typical flow is off by {error_words(guess)}."
