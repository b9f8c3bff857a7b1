"""Means and bands of metrics at each epsilon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.similarity.groups import Groups
from dpcore.similarity.shares import relative_difference
from dpcore.utility_curves.cells import Cells, expected, listed, share_metrics
from dpcore.utility_curves.line import line_moments
from dpcore.utility_curves.small_tables import is_small, small_table_means

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
Rates = Mapping[Fraction, Fraction]
"""Rate of the noise of one cell by total epsilon of the plan."""

_BY_MOVING_TOTAL: Final = {"smape": 0.0, "jsd": 1 / 8, "kld": 1 / 2}
"""Variance of the relative total, in bits, times this is what a metric loses when shares add up to 1."""
_SPREAD: Final = 1.959964  # standard deviations to either side that hold 95 % of a normal law


@dataclass(frozen=True)
class Band:
    """What a metric will be at one epsilon: its mean, and where it lies in 95 of 100 releases."""

    epsilon: Fraction
    """Total epsilon of the plan."""
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """One metric of one measure against epsilon. As private as the counts that it was made from."""

    measure: str
    metric: str
    unit: str
    bands: tuple[Band, ...]
    draws: int = 0
    """How many simulated releases it was read off; 0 where it was worked out."""
    note: str = ""
    """What a reader must know, in plain words."""


def share_bands(cells: Cells, rhos: Rates) -> dict[str, tuple[Band, ...]]:
    """SMAPE, Jensen-Shannon and Kullback-Leibler divergence of shares (``similarity.shares``) at each epsilon.

    Empty where no true count is left to share out. In small tables each cell is paired with the sum of all others
    (``small_tables``). In large ones the noisy total is replaced by its mean, and what its movement takes off the
    divergences is subtracted (second order in the noise).
    """
    if cells.total <= 0:
        return {}
    found: dict[str, list[Band]] = {"smape": [], "jsd": [], "kld": []}
    for epsilon, rho in rhos.items():
        compared = max(1.0, listed(cells, rho))
        total, wobble = expected(cells, rho, lambda _, noisy: np.maximum(noisy, 0.0))
        moving = (wobble / max(total, 1e-9)) ** 2 / log(2)
        exact = small_table_means(cells, rho) if is_small(cells) else {}
        for name, metric in share_metrics(cells.total, max(total, 1e-9), compared).items():
            mean, deviation = expected(cells, rho, metric)
            mean = exact[name] if name in exact else mean - moving * _BY_MOVING_TOTAL[name]
            if name == "smape":
                mean, deviation = mean / compared, deviation / compared
            found[name].append(_band(epsilon, mean, deviation, most={"smape": 2.0, "jsd": 1.0}.get(name)))
    return {name: tuple(bands) for name, bands in found.items()}


def number_bands(cells: Cells, rhos: Rates) -> dict[str, tuple[Band, ...]]:
    """SMAPE of numbers that are no parts of a total, as they stand, at each epsilon."""
    size = max(1, cells.size)
    found = []
    for epsilon, rho in rhos.items():
        mean, deviation = expected(cells, rho, relative_difference)
        found.append(_band(epsilon, mean / size, deviation / size, most=2.0))
    return {"smape": tuple(found)}


def line_bands(truth: Counts, counted: Counts, at: Numbers, groups: Groups, rhos: Rates) -> tuple[Band, ...]:
    """Earth mover's distance along a line at each epsilon, see ``line_moments``; groups without a true count are left out."""
    used = [cells for cells in groups if truth[cells].sum() > 0]
    found = []
    for epsilon, rho in rhos.items():
        if used:
            mean, deviation = line_moments(truth.astype(float), counted.astype(float), at, used, rho)
            found.append(_band(epsilon, mean, deviation, most=None))
    return tuple(found)


def drawn_band(epsilon: Fraction, values: Sequence[float], lowest: float, highest: float) -> Band:
    """The mean of some simulated values, and where one more will lie in 95 of 100 cases.

    Student's interval for a further draw, cut to what the metric can be. ValueError with fewer than 2 values.
    """
    drawn = np.asarray(values, float)
    if drawn.size < 2:
        raise ValueError("a spread needs two draws")
    reach = (
        float(special.stdtrit(drawn.size - 1, 0.975)) * float(drawn.std(ddof=1)) * (1 + 1 / drawn.size) ** 0.5
    )
    mean = float(drawn.mean())
    return Band(epsilon, mean, max(lowest, mean - reach), min(highest, mean + reach))


def _band(epsilon: Fraction, mean: float, deviation: float, *, most: float | None) -> Band:
    top = mean + _SPREAD * deviation
    mean = max(mean, 0.0) if most is None else min(max(mean, 0.0), most)
    low = max(0.0, mean - _SPREAD * deviation)
    return Band(epsilon, mean, low, top if most is None else min(top, most))
