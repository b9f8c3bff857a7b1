"""Many draws of both plans, estimated and scored."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from bench.accuracy import pictures, scores
from bench.accuracy.pictures import Picture, Truth
from bench.accuracy.plans import before, today
from bench.accuracy.scores import Scores
from bench.accuracy.sets import Loaded
from dpcore.estimates import Estimates, estimate
from dpcore.privacy import ContributionBound, decimal_text

SMALL_DRAWS = 20
"""Small tables have few cells, so their errors are averaged over more draws."""


@dataclass(frozen=True)
class Case:
    """One privacy unit and one epsilon. M is None at trip level."""

    max_trips: int | None
    epsilon: Fraction
    proposed: bool = False
    """Whether M is the one that the default plan proposes at this epsilon."""

    @property
    def bound(self) -> ContributionBound:
        """The bound of both plans."""
        if self.max_trips is None:
            return ContributionBound.per_trip()
        return ContributionBound.per_user(self.max_trips)

    @property
    def unit(self) -> str:
        """``user`` or ``trip``."""
        return "trip" if self.max_trips is None else "user"

    @property
    def unit_words(self) -> str:
        """Such as ``user (M = 8)``."""
        if self.max_trips is None:
            return "trip"
        return "user (default M)" if self.proposed else f"user (M = {self.max_trips})"

    @property
    def epsilon_words(self) -> str:
        """Such as ``epsilon 0.1``, with M where it is the proposed one."""
        words = f"epsilon {decimal_text(self.epsilon)}"
        return f"{words}, M = {self.max_trips}" if self.proposed else words

    @property
    def name(self) -> str:
        """Such as ``user (M = 8), epsilon 0.1``."""
        return f"{self.unit_words}, {self.epsilon_words}"


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

    def add_errors(
        self, seen: Mapping[str, Picture], true: Mapping[bool, Picture], wanted: Collection[str] | None
    ) -> None:
        """One more draw by column; only the wanted figures of it."""
        for column, picture in seen.items():
            for everything, into in ((False, self.counted), (True, self.everything)):
                found = scores.errors(picture, true[everything])
                into.setdefault(column, []).append(
                    {figure: error for figure, error in found.items() if wanted is None or figure in wanted}
                )

    def add_ranges(self, estimates: Estimates, true: Mapping[bool, Picture]) -> None:
        """The ranges of one more draw, and the share that it says."""
        for all_trips, truth in true.items():
            for name, said in scores.held(estimates, truth, all_trips=all_trips).items():
                self.ranges.setdefault((name, all_trips), []).append(said)
        if estimates.share is not None:
            self.shares.append((estimates.share.value, estimates.share.low, estimates.share.high))

    def mean(self, column: str, figure: str, *, everything: bool = False) -> float:
        """The average of a figure over the draws; NaN if there is none."""
        return average((self.everything if everything else self.counted).get(column, []), figure)

    def ratio(self, figure: str, *, everything: bool = False) -> float:
        """The error of the estimate over that of the drawn values of before."""
        column = "estimate, all" if everything else "estimate"
        were = self.mean("before", figure, everything=everything)
        return self.mean(column, figure, everything=everything) / were if were else np.nan

    def range_of(self, measure: str, figure: str, *, all_trips: bool) -> float:
        """The average of a figure of the ranges of a measure; NaN if nothing calibrates them."""
        return average(self.ranges.get((measure, all_trips), []), figure)


def average(draws: Iterable[Scores], figure: str) -> float:
    """The mean of a figure over the draws that have it; NaN if none has."""
    values = [draw[figure] for draw in draws if figure in draw]
    return float(np.mean(values)) if values else np.nan


def run(data: Loaded, case: Case, draws: int, small_draws: int = SMALL_DRAWS) -> Found:
    """So many draws of both plans. Each draw has fresh noise. Small tables are drawn ``small_draws`` times, if that is more."""
    old, new = (make(data, case.bound, case.epsilon) for make in (before, today))
    truth = whole = Truth.of(data, case.bound, (old, new))
    if case.unit == "user":
        whole = Truth.of(data, ContributionBound.per_trip(), (old, new))
    true = {False: truth.picture(new.choices), True: whole.picture(new.choices)}
    found = Found(data, case, truth.trips / whole.trips)
    for number in range(max(draws, small_draws)):
        wanted = None if number < draws else scores.SMALL
        measurements = truth.drawn(new)
        began = time.perf_counter()
        estimates = estimate(new, measurements, data.tiles, of=wanted)
        if wanted is None:
            found.seconds.append(time.perf_counter() - began)
            found.add_ranges(estimates, true)
        found.add_errors(
            {
                "before": pictures.of_draw(truth.drawn(old, wanted), truth.near, new.choices),
                "drawn": pictures.of_draw(measurements, truth.near, new.choices),
                "estimate": pictures.of_estimate(estimates, truth.near, new.choices, all_trips=False),
                "estimate, all": pictures.of_estimate(estimates, truth.near, new.choices, all_trips=True),
            },
            true,
            wanted,
        )
    return found
