"""Many draws of both plans, estimated and scored."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from bench.accuracy import pictures, scores
from bench.accuracy.pictures import Truth
from bench.accuracy.plans import before, today
from bench.accuracy.scores import Scores
from bench.accuracy.sets import Loaded
from dpcore.estimates import estimate
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text


@dataclass(frozen=True)
class Case:
    """One privacy unit and one epsilon. M is None at trip level."""

    max_trips: int | None
    epsilon: Fraction

    @property
    def bound(self) -> ContributionBound:
        """The bound of both plans."""
        if self.max_trips is None:
            return ContributionBound.per_trip()
        return ContributionBound.per_user(self.max_trips)

    @property
    def name(self) -> str:
        """Such as ``user (M = 8), epsilon 0.1``."""
        unit = "trip" if self.max_trips is None else f"user (M = {self.max_trips})"
        return f"{unit}, epsilon {decimal_text(self.epsilon)}"


@dataclass(eq=False)
class Found:
    """The figures of one case: for each column, every draw."""

    data: Loaded
    case: Case
    share: float
    """The share of all trips that counts, exactly."""
    counted: dict[str, list[Scores]] = field(default_factory=dict)
    """Errors against the trips that count, by column: ``before``, ``drawn`` and ``estimate``."""
    everything: dict[str, list[Scores]] = field(default_factory=dict)
    """Errors against all trips; also of the estimate for all trips."""
    ranges: dict[tuple[str, bool], list[Scores]] = field(default_factory=dict)
    """By measure, and whether for all trips: how often ranges hold the truth."""
    shares: list[tuple[float, float, float]] = field(default_factory=list)
    """The share that the estimates say, with its range."""
    seconds: list[float] = field(default_factory=list)

    def mean(self, column: str, figure: str, *, everything: bool = False) -> float:
        """The average of a figure over the draws; NaN if there is none."""
        return average((self.everything if everything else self.counted).get(column, []), figure)

    def ratio(self, figure: str, *, everything: bool = False) -> float:
        """The error of the estimate over that of the drawn values of before."""
        column = "estimate, all" if everything else "estimate"
        return self.mean(column, figure, everything=everything) / self.mean(
            "before", figure, everything=everything
        )

    def range_of(self, measure: str, figure: str, *, all_trips: bool) -> float:
        """The average of a figure of the ranges of a measure; NaN if nothing calibrates them."""
        return average(self.ranges.get((measure, all_trips), []), figure)


def average(draws: Iterable[Scores], figure: str) -> float:
    """The mean of a figure over the draws that have it; NaN if none has."""
    values = [draw[figure] for draw in draws if figure in draw]
    return float(np.mean(values)) if values else np.nan


def run(data: Loaded, case: Case, draws: int) -> Found:
    """So many draws of both plans. Each draw has fresh noise."""
    old, new = (make(data, case.bound, case.epsilon) for make in (before, today))
    truth = Truth.of(data, case.bound, (old, new))
    whole = truth
    if case.bound.unit is PrivacyUnit.USER:
        whole = Truth.of(data, ContributionBound.per_trip(), (old, new))
    districts = new.choices
    true, true_of_all = truth.picture(districts), whole.picture(districts)
    found = Found(data, case, truth.trips / whole.trips)
    for _ in range(draws):
        seen = {"before": pictures.of_draw(truth.drawn(old), truth.near, districts)}
        measurements = truth.drawn(new)
        seen["drawn"] = pictures.of_draw(measurements, truth.near, districts)
        began = time.perf_counter()
        estimates = estimate(new, measurements, data.tiles)
        found.seconds.append(time.perf_counter() - began)
        seen["estimate"] = pictures.of_estimate(estimates, truth.near, districts, all_trips=False)
        scaled = pictures.of_estimate(estimates, truth.near, districts, all_trips=True)
        for column, picture in seen.items():
            found.counted.setdefault(column, []).append(scores.errors(picture, true))
        for column, picture in {**seen, "estimate, all": scaled}.items():
            if picture:
                found.everything.setdefault(column, []).append(scores.errors(picture, true_of_all))
        for all_trips, of in ((False, true), (True, true_of_all)):
            for name, said in scores.held(estimates, of, all_trips=all_trips).items():
                found.ranges.setdefault((name, all_trips), []).append(said)
        if estimates.share is not None:
            share = estimates.share
            found.shares.append((share.value, share.low, share.high))
    return found


def with_bound(case: Case, max_trips: int) -> Case:
    """The same case with another M."""
    return replace(case, max_trips=max_trips)
