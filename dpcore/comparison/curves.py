"""How alike a noisy table will be to the true one at each epsilon: every metric, read off tables that were drawn.

``private.utility_study`` draws the tables: over true counts, for the owner only, or over the counts of a release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Final

import numpy as np
from scipy import special

from dpcore.comparison.metrics import METRICS
from dpcore.comparison.scoring import Score

DRAWS: Final = 20
"""Number of noisy tables of which the mean and the band of a metric are made."""


@dataclass(frozen=True)
class Band:
    """A metric at one epsilon: its mean, and the interval of 95 of 100 releases."""

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
    draws: int
    """Number of noisy tables that it was read off."""
    note: str = ""
    """What a reader must know."""


def curves_of_scores(scored: Iterable[tuple[Fraction, Score]], draws: int) -> tuple[Curve, ...]:
    """One curve for each metric of each measure, from the scores of so many noisy tables at each epsilon.

    An epsilon at which fewer than two of the tables have an answer is left out, and so is a curve without any epsilon.
    """
    values: dict[tuple[str, str, str], dict[Fraction, list[float]]] = {}
    notes: dict[tuple[str, str, str], str] = {}
    for epsilon, score in scored:
        if score.value is not None:
            named = (score.measure, score.metric, score.unit)
            values.setdefault(named, {}).setdefault(epsilon, []).append(score.value)
            notes[named] = score.note
    found = []
    for named, rungs in values.items():
        bands = tuple(
            drawn_band(epsilon, drawn, *_range_of_metric(named[1]))
            for epsilon, drawn in rungs.items()
            if len(drawn) > 1
        )
        if bands:
            found.append(Curve(*named, bands, draws, notes[named]))
    return tuple(found)


def drawn_band(epsilon: Fraction, values: Iterable[float], lowest: float, highest: float) -> Band:
    """The mean of some simulated values, and the interval of one more value in 95 of 100 cases.

    Student's interval for a further draw, cut to the range of the metric. ValueError with fewer than 2 values.
    """
    drawn = np.asarray([*values], float)
    if drawn.size < 2:
        raise ValueError("a spread needs two draws")
    reach = (
        float(special.stdtrit(drawn.size - 1, 0.975)) * float(drawn.std(ddof=1)) * (1 + 1 / drawn.size) ** 0.5
    )
    mean = float(drawn.mean())
    return Band(epsilon, mean, max(lowest, mean - reach), min(highest, mean + reach))


def _range_of_metric(metric: str) -> tuple[float, float]:
    """The least and the most that a metric can be."""
    if METRICS[metric].better == "lower":
        return 0.0, {"smape": 2.0, "jsd": 1.0}.get(metric, inf)
    return (0.0 if metric.startswith("top_") else -1.0), 1.0
