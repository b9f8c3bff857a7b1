"""The values that histograms bin, counted on their public grids or exactly.

Both use the histogram's own query with other bins. So the same values of the same people are counted (complete trips, gaps,
each user once), and one privacy unit can change the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures import GRIDS, Measure, measure_named
from dpcore.measures.attribute import Amount, reads
from dpcore.measures.bins import LEVELS, PARTS, Bins
from dpcore.measures.choices import KeyChoices
from dpcore.measures.sums import Sum, components_of, widest
from dpcore.privacy import PrivacyUnit
from dpcore.private.bounding import BoundedTrips
from dpcore.private.exact import exact_answers
from dpcore.private.sealed import Sealed

Counts = NDArray[np.int64]

_FINE: Final = 1_000_000  # steps of an exact value in one of the engine's units; microseconds are whole


def on_grids(bounded: BoundedTrips, measures: Sequence[str]) -> Mapping[str, Counts]:
    """For each histogram measure the exact number of values at every point of its public grid, including zeros."""
    asked = {name: _with_bins(name, GRIDS[name].bins, "grid") for name in measures}
    answers = exact_answers(bounded, asked.values())
    return {name: answers.dense(measure, measure.keys(())) for name, measure in asked.items()}


def exact_quantiles(bounded: BoundedTrips, name: str) -> dict[str, float]:
    """The exact five numbers of a histogram measure in its unit, linearly interpolated; empty if there are no values.

    For the owner only. Under a bound on users distances are known only to the metre, as the histogram counts them.
    """
    bins, scale = GRIDS[name].bins, 1 if GRIDS[name].unit in {"minutes", "hours"} else _FINE
    measure = _with_bins(name, _ExactValues(bins.edges, bins.units, scale=scale), "values")
    if measure.fine_sql and bounded.bound.unit is PrivacyUnit.TRIP:
        measure = replace(measure, sql=measure.fine_sql)
    values, counts = exact_answers(bounded, [measure]).answers[measure.name]
    order = np.argsort(values)
    return {
        statistic: value / (scale * bins.units)
        for statistic, value in _interpolated(values[order], counts[order]).items()
    }


@dataclass(frozen=True, repr=False)
class Clamping(Sealed):
    """What the bounds of a sum do to the mean: exact numbers over the trips that count, for the owner only."""

    mean: float
    """Of the values as they are. NaN without any."""
    mean_within: float
    """Of the values set to the bounds."""
    count: int
    """Trips with a value."""
    missing: int
    """Trips without one."""


def clamping(bounded: BoundedTrips, one: Sum) -> Clamping:
    """What it costs to set the values of a sum to its bounds. Raises as counting does.

    Values of an attribute were set to the bounds under which they were kept before.
    """
    attribute = one.attribute
    kept = next(
        (a for a in bounded.trips.attributes if attribute and isinstance(a, Amount) and reads(attribute, a)),
        attribute,
    )
    found: list[tuple[float, int, int]] = []
    for number in (widest(one, kept), one):
        measure = measure_named(number.names[1], KeyChoices(sums=(number,)))
        keys = measure.keys(())
        parts = components_of(keys, keys.all_cells, exact_answers(bounded, [measure]).dense(measure, keys))
        above, below, lost = (int(part[0]) for part in (parts.above, parts.below, parts.missing))
        count = (above + below) // number.width
        mean = float(number.low + number.unit * Fraction(above, count)) if count else float("nan")
        found.append((mean, count, lost // number.width))
    (mean, count, lost), (within, *_) = found
    return Clamping(mean, within, count, lost)


def _interpolated(values: Counts, counts: Counts) -> dict[str, float]:
    """Quantiles of values that occur so often. Between two neighbours they are in proportion, as is usual."""
    upto = np.cumsum(counts)
    if not len(upto):
        return {}
    found = {}
    for statistic, level in LEVELS.items():
        whole, part = divmod(level * (int(upto[-1]) - 1), PARTS)
        low, high = (
            float(values[np.searchsorted(upto, place, side="right")]) for place in (whole, whole + bool(part))
        )
        found[statistic] = low + (high - low) * part / PARTS
    return found


@dataclass(frozen=True)
class _ExactValues(Bins):
    """Bins so fine that every value has its own."""

    scale: int = 1

    def number(self, value: str) -> str:
        """SQL for the value itself as a whole number."""
        return f"CAST(round(CAST({value} AS DOUBLE) * {self.scale}) AS BIGINT)"

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """What ``number`` gives. Halves are rounded away from zero."""
        scaled = values.astype(np.float64) * self.scale
        whole = np.trunc(scaled)
        rounded: NDArray[np.int64] = (whole + np.sign(scaled) * (np.abs(scaled - whole) >= 0.5)).astype(
            np.int64
        )
        return rounded

    @property
    def compared_edges(self) -> None:
        """None: the value is its own bin."""


@dataclass(frozen=True)
class _Binned(KeyChoices):
    """The usual choices with given bins for every histogram."""

    certain: Bins | None = None

    def bins(self, measure: str, usual: Bins | None = None) -> Bins:
        """The given bins, for every histogram."""
        return super().bins(measure, usual) if self.certain is None else self.certain


def _with_bins(name: str, bins: Bins, suffix: str) -> Measure:
    """A histogram measure with other bins, under another name, so that both can be counted at once."""
    measure = measure_named(name, _Binned(certain=bins))
    return replace(measure, name=f"{name}-{suffix}")
