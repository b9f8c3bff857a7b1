"""The large counts of a stability histogram, with and without a delta, and what an owner sees before they are published.

Each histogram is drawn anew. A release draws one, after it was paid for. The preview draws for looking only, see
``dpcore.private.preview``. An owner who chooses combinations or bins by the preview looks at the data, and no accounting
covers that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.kinds.stability.choices import StabilityChoices
from dpcore.kinds.stability.plan import (
    Combination,
    LargeCounts,
    StabilityHistogram,
    StabilityPlan,
)
from dpcore.kinds.stability.private.drawing import large_counts, large_counts_of_domain
from dpcore.kinds.stability.private.trip_ends import TripEnds, key_shape, occupied, trip_ends_of
from dpcore.measures.measurement import Origin
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

Counts = NDArray[np.int64]

MINUTES: Final = (5, 15, 30, 60)
"""Lengths of bins for which the preview says how much they would show."""


def stability_histogram(found: TripEnds, *, origin: Origin) -> StabilityHistogram:
    """A new draw of every combination. It costs the epsilon and the delta of the plan."""
    plan, large = found.plan, {}
    for one in plan.combinations:
        threshold = plan.threshold(one)
        keys, values = large_counts(*occupied(found, one), plan.rho(one), threshold)
        large[one.name] = _large(found, one, keys, values, threshold)
    return StabilityHistogram(plan, large, origin)


def must_fit_a_bundle(found: TripEnds) -> None:
    """Refuse rows that would show more keys of a combination than a table may have. Raises InputError.

    Public facts cannot decide it: dates, bins and tiles often allow far more keys than ever reach the threshold, and the
    number of trips is not public. So the refusal depends on the rows, like every failure to count. It is checked before
    anything is charged or drawn, and only the owner sees it. The check allows half of the limit in expectation, so that the
    noise never shows more than the limit.
    """
    for one in found.plan.combinations:
        if min(prod(key_shape(found, one)), len(found.part)) <= limits.MAX_BUNDLE_ROWS:
            continue
        if keys_above(found, one, found.plan.threshold(one)) > limits.MAX_BUNDLE_ROWS / 2:
            raise InputError(
                "more keys would be shown than a table may have",
                one.name,
                "Use longer bins, coarser tiles, fewer dates or fewer columns together.",
            )


def histogram_of_domain(found: TripEnds, *, origin: Origin) -> StabilityHistogram:
    """A new draw over all possible keys, with empty ones, which public lists allow. It costs no delta at all."""
    plan, large = found.plan, {}
    for one in plan.combinations:
        keys, values, threshold = large_counts_of_domain(
            *occupied(found, one), prod(key_shape(found, one)), plan.rho(one)
        )
        large[one.name] = _large(found, one, keys, values, threshold)
    return StabilityHistogram(plan, large, origin)


def _large(found: TripEnds, one: Combination, keys: Counts, values: Counts, threshold: int) -> LargeCounts:
    """The shown keys with their texts. Texts of keys that are not shown stay here."""
    part, *codes = np.unravel_index(keys, key_shape(found, one))
    texts = tuple(
        tuple(found.columns[name].texts[code] for code in column.tolist())
        for name, column in zip(one.columns, codes, strict=True)
    )
    return LargeCounts(part.astype(np.int64), texts, values, threshold)


@dataclass(frozen=True, repr=False, eq=False)
class Density(Sealed):
    """Expected shares of the rows whose key would be shown, 0 to 1. They were computed from exact facts."""

    shares: Mapping[int, Mapping[str, float]]
    """By length of the bins in minutes, then by combination. A choice by them looks at the data."""


def shown_shares(found: TripEnds) -> dict[str, float]:
    """For each combination the expected share of the rows that lie in shown keys; 0 if there are no rows."""
    return {one.name: share_above(found, one, found.plan.threshold(one)) for one in found.plan.combinations}


def share_above(found: TripEnds, one: Combination, threshold: int) -> float:
    """The expected share of the rows whose key reaches a threshold, with the noise of the plan; 0 if there are no rows."""
    counts, reached = _reached(found, one, threshold)
    return float((counts * reached).sum() / max(len(found.part), 1))


def keys_above(found: TripEnds, one: Combination, threshold: int) -> float:
    """The expected number of keys that reach a threshold, with the noise of the plan."""
    return float(_reached(found, one, threshold)[1].sum())


def _reached(found: TripEnds, one: Combination, threshold: int) -> tuple[Counts, NDArray[np.float64]]:
    """The exact count of each key that occurs, and the probability that it reaches a threshold."""
    _, counts = occupied(found, one)
    rate, short = float(found.plan.rho(one)), threshold - counts
    tail = np.exp(-rate * np.where(short >= 0, short, 1 - short)) / (1 + np.exp(-rate))
    return counts, np.where(short >= 0, tail, 1 - tail)


@dataclass(frozen=True, repr=False)
class KeptCounts(Sealed):
    """What one way of counting a combination shows."""

    threshold: int
    """Smallest count that can be shown."""
    rows: int
    """Number of keys shown in this draw."""
    smallest: int | None
    """Smallest count shown in this draw; None if none is shown."""
    share: float
    """Expected share of the trips that lie in shown keys, 0 to 1."""


@dataclass(frozen=True, repr=False)
class CombinationPreview(Sealed):
    """One combination, counted in both ways."""

    name: str
    keys: int
    """Possible keys: parts times listed times and places."""
    occupied: int
    """Keys that occur."""
    stability: KeptCounts
    """Noise on keys that occur, with the delta of the plan."""
    listed: KeptCounts
    """Noise on all possible keys, with empty ones: the same epsilon and no delta."""


@dataclass(frozen=True, repr=False, eq=False)
class StabilityPreview(Sealed):
    """A throw-away draw of a plan beside the truth."""

    plan: StabilityPlan
    trips: int
    """Trips that count."""
    histogram: StabilityHistogram
    listed: StabilityHistogram
    """The same without delta, over all possible keys."""
    combinations: tuple[CombinationPreview, ...]
    density: Density
    """Expected shares for other lengths of bins, at the same price."""


def stability_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    choices: StabilityChoices,
    *,
    progress: Progress | None = None,
) -> StabilityPreview:
    """A new throw-away draw in both ways, and what other bins would show. It is never a release.

    Raises PrivacyError for choices that contradict each other, and for protecting people if there are no users.
    """
    tell = progress or (lambda _: None)
    trips.must_hide(choices.bound.unit)
    plan = choices.plan()
    found = trip_ends_of(trips, tessellation, plan)
    tell(0.3)
    drawn = stability_histogram(found, origin="preview")
    listed = histogram_of_domain(found, origin="preview")
    tell(0.5)
    combinations = tuple(_combination_preview(found, one, drawn, listed) for one in plan.combinations)
    shares: dict[int, Mapping[str, float]] = {}
    for number, length in enumerate(MINUTES):
        tell(0.5 + 0.5 * number / len(MINUTES))
        other = replace(choices, minutes=length)
        known = found if length == choices.minutes else trip_ends_of(trips, tessellation, other.plan())
        shares[length] = shown_shares(known)
    tell(1.0)
    return StabilityPreview(plan, len(found.part), drawn, listed, combinations, Density(shares))


def _combination_preview(
    found: TripEnds, one: Combination, drawn: StabilityHistogram, listed: StabilityHistogram
) -> CombinationPreview:
    keys, _ = occupied(found, one)
    return CombinationPreview(
        one.name,
        prod(key_shape(found, one)),
        len(keys),
        _kept_counts(found, one, drawn),
        _kept_counts(found, one, listed),
    )


def _kept_counts(found: TripEnds, one: Combination, histogram: StabilityHistogram) -> KeptCounts:
    large = histogram.large[one.name]
    return KeptCounts(
        large.threshold,
        len(large.counts),
        int(large.counts.min()) if len(large.counts) else None,
        share_above(found, one, large.threshold),
    )
