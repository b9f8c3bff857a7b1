"""Which noise can have made Figure 1 (c) of Roy, Kantarcioglu and Sweeney? The expected share of the busiest days.

The article counts stations by dates and hours, adds noise, sets what is negative to 0, and draws each station's dates
from what is left. On invented trips of the same size (``dpcore.demo.hubway``) this follows from the law of the noise:
with ``q = exp(-rate)`` a cell of c trips shows ``c + q**(c + 1) / (1 - q**2)`` on average.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.demo import hubway
from dpcore.lessons.broken import occupied_cells
from dpcore.lessons.dice import Dice
from dpcore.privacy import ContributionBound
from dpcore.synthesis.consistency import on_simplex
from dpcore.synthesis.workload import SynthesisPlan, groups

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

EPSILON: Final = Fraction(9, 10)
"""Of the figure."""
PRINTED: Final = (0.52, 0.54)
"""Per cent: what the figure prints for the synthetic share of each of the five busiest days."""
_TOP: Final = 5
_HOURS: Final = 24


@dataclass(frozen=True, eq=False)
class Emptiness:
    """How full the table of stations, dates and hours is."""

    cells: Integers
    """How many cells of each station have 0, 1, 2, ... trips: shape ``(2, stations, counts)``, first on the busiest days."""
    days: Integers
    """Trips of each date."""

    @property
    def size(self) -> int:
        """Cells of the table."""
        return int(self.cells.sum())

    @property
    def empty(self) -> int:
        """Cells without a trip."""
        return int(self.cells[:, :, 0].sum())

    @property
    def trips(self) -> int:
        """How many there are."""
        return int(self.days.sum())

    @property
    def busiest(self) -> Integers:
        """The numbers of the five busiest dates."""
        return np.argsort(-self.days, kind="stable")[:_TOP]

    @property
    def true_share(self) -> float:
        """Mean share of the busiest days in per cent."""
        return 100 * float(self.days[self.busiest].mean()) / self.trips


@lru_cache(1)
def emptiness(trips: int = hubway.TRIPS) -> Emptiness:
    """The table of the invented trips, by how many cells have how many trips."""
    made = hubway.hubway(trips)
    stations, dates = made.domain.sizes["start"], made.domain.sizes["date"]
    days = np.bincount(made.trips.date, minlength=dates)
    cell = (made.trips.codes(made.domain, "start") * dates + made.trips.date) * _HOURS
    counts = np.bincount(
        cell + made.trips.codes(made.domain, "hour"), minlength=stations * dates * _HOURS
    ).reshape(stations, dates, _HOURS)
    top = np.zeros(dates, bool)
    top[np.argsort(-days, kind="stable")[:_TOP]] = True
    most = int(counts.max()) + 1
    row = np.arange(stations)[:, None, None] * most

    def histogram(which: NDArray[np.bool_]) -> Integers:
        here = (row + counts[:, which]).ravel()
        return np.bincount(here, minlength=stations * most).reshape(stations, most)

    return Emptiness(np.stack([histogram(top), histogram(~top)]), days)


def expected_shown(most: int, rate: Fraction) -> Floats:
    """What a cell of 0, 1, ..., ``most - 1`` trips shows on average, noise and cutting at 0 included."""
    q, counts = exp(-float(rate)), np.arange(most)
    return np.asarray(counts + q ** (counts + 1) / (1 - q * q))


@dataclass(frozen=True)
class Variant:
    """One way to noise the table."""

    name: str
    occupied_only: bool
    rate: Fraction
    share: float
    """Mean share of the five busiest days in per cent, expected."""
    phantoms: float
    """Trips that noise adds, expected."""


def variants(found: Emptiness, epsilon: Fraction) -> tuple[Variant, ...]:
    """The four ways: all cells or occupied ones, with the scale that the article names or half of it."""
    stations = (found.cells @ np.arange(found.cells.shape[2])).sum(axis=0)
    result = []
    for occupied_only in (False, True):
        for scale in (2, 1):
            rate = epsilon / scale
            shown = expected_shown(found.cells.shape[2], rate)
            if occupied_only:
                shown = occupied_cells.kept(shown)
            top, rest = found.cells @ shown
            share = 100 / _TOP * float((stations / found.trips * top / (top + rest)).sum())
            name = f"{'occupied cells only' if occupied_only else 'all cells'}, scale {scale}/ε"
            result.append(Variant(name, occupied_only, rate, share, float((top + rest).sum()) - found.trips))
    return tuple(result)


def by_dates_alone(found: Emptiness, epsilon: Fraction, dice: Dice) -> float:
    """The same share from the sound model: one noisy table of dates, with its part of epsilon. Drawn, not expected."""
    plan = SynthesisPlan(hubway.hubway(1).domain, ContributionBound.per_trip(), epsilon)
    rate = next(plan.rho(group) for group in groups(plan.domain) if group.axes == ("date",))
    noisy = found.days + dice.discrete_laplace(rate, len(found.days))
    law = on_simplex(noisy.astype(np.float64), float(noisy.sum()))
    return 100 * float(law[found.busiest].mean() / law.sum())
