"""What a release says of all trips: how its counts are scaled to them, and by how much the result may be off (``chance.Law``)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from dpcore.comparison.chance import Law, Numbers
from dpcore.estimates.noisy import drawn
from dpcore.estimates.totals import Totals, totals
from dpcore.measures.keys import Period
from dpcore.noise.expected_estimates import ALIKE, TOTAL
from dpcore.privacy import PrivacyUnit
from dpcore.release import Release


def says_all(release: Release) -> bool:
    """Whether a release says how many trips there are in all. One part of it does not: ``total_trips`` counts all parts together."""
    return TOTAL in release.measurements and not release.part


def counts_all(release: Release) -> bool:
    """Whether counts of a release can be scaled to all trips: it says how many there are, and a table adds up to those that count."""
    if release.plan.bound.unit is not PrivacyUnit.USER:
        return True
    return says_all(release) and Scaled(release, of_all=True).totals is not None


def length_of(period: Period | None) -> int:
    """Days of a period; 1 where none is named."""
    return 1 if period is None else (period.last - period.first).days + 1


class Scaled:
    """The counts of a release, scaled to all trips where it tells the share that counts."""

    def __init__(self, release: Release, *, of_all: bool) -> None:
        """``of_all``: whether counts are scaled to all trips, where the release says how many there are."""
        self.release, plan = release, release.plan
        self.days = length_of(plan.choices.period)
        self.by_user = plan.bound.unit is PrivacyUnit.USER
        noisy = drawn(release.measurements, len(plan.rungs) - 1)
        told = totals(noisy, ends_only=(plan.choices.visits_cap or 2) == 2)
        self.totals: Totals | None = told if told is not None and told.known else None
        self.paid = release.measurements[TOTAL] if of_all and self.by_user else None
        self.counted = 0.0 if self.totals is None else self.totals.trips
        self.off = 0.0 if self.totals is None else sqrt(self.totals.variance)
        self.all = (
            self.counted if self.paid is None else max(float(self.paid.values[-1][0]), self.counted, 1.0)
        )

    @property
    def has_total(self) -> bool:
        """Whether a table tells how many trips there are."""
        return self.paid is not None or self.totals is not None

    @property
    def share(self) -> float:
        """The share of all trips that counts; 1 where it is not known, so that nothing is scaled."""
        return 1.0 if self.paid is None or self.totals is None else self.counted / self.all

    def total(self, per_day: int) -> tuple[float, float, float, float]:
        """Trips; weight and rate of the noise of a drawn total; deviation of a total of sums."""
        if self.paid is None:
            return self.all / per_day, 0.0, 1.0, self.off / per_day
        return self.all / per_day, 1 / per_day, float(self.paid.rho(-1)), 0.0

    @property
    def shared(self) -> tuple[float, float, float] | None:
        """The error that all scaled counts share, as a share of each: weight and rate of the drawn total, deviation of the counted trips.

        None where nothing is scaled.
        """
        if self.paid is None or self.totals is None:
            return None
        return 1 / self.all, float(self.paid.rho(-1)), self.off / self.counted

    def laws(self, y: Numbers, rate: Numbers, days: Numbers, *, people: bool) -> tuple[Numbers, Law, Law]:
        """Counts as they are compared, the law of the errors that each has alone, and that of all: also of what all counts share.

        ``rate``: of the noise of each count; ``days``: by which each is divided; ``people``: whether people are counted.
        """
        factor = (1.0 if people else 1 / self.share) / days
        held = np.maximum(y, 0.0) + sqrt(2) / rate  # a count that noise made small may be larger
        left_out = 0.0 if people or not self.by_user else 1.0 if self.shared is None else 1 - self.share
        alone = Law(factor[None], rate[None], factor * np.sqrt(ALIKE * held * left_out))
        if people or self.shared is None:
            return y * factor, alone, alone
        weight, of_all, off = self.shared
        weights = np.stack([factor, np.abs(y) * factor * weight])
        rates = np.stack([rate, np.full(len(y), of_all)])
        return y * factor, alone, Law(weights, rates, np.hypot(alone.sigma, factor * held * off))
