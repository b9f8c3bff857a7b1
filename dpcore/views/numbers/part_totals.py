"""How many trips each part of a release has whose tables are split by category, and which parts differ most."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import ceil

import numpy as np
import pandas as pd
from scipy.special import ndtri

from dpcore.comparison.all_trips import Scaled
from dpcore.comparison.chance import FALSE
from dpcore.measures.attribute import MISSING, OTHER
from dpcore.measures.split import parts_of
from dpcore.release import Release
from dpcore.release.one_part import part_of
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.part_choice import MOST_BESIDE
from dpcore.views.ground.plain import interval, number
from dpcore.views.ground.style import NOISY
from dpcore.views.numbers.ranking import LONGEST
from dpcore.views.numbers.shares import NORMAL_95

_ROW, _AROUND = 34, 70  # pixels of the chart


@dataclass(frozen=True, eq=False)
class PartTotals:
    """The trips of each part at the finest stop, added up from all its tables; the largest first."""

    parts: tuple[dict[str, str], ...]
    trips: tuple[float, ...]
    off: tuple[float, ...]
    """Deviation of the noise of each."""
    unit: str
    """``trips``, or ``trips that count``."""

    @property
    def names(self) -> tuple[str, ...]:
        """What each part is called. Untrusted text."""
        return tuple(", ".join(part.values()) for part in self.parts)

    @property
    def all(self) -> tuple[int, int]:
        """The trips of all parts, and the 95 % half width of their noise."""
        return round(sum(self.trips)), _half_width(float(np.hypot.reduce(self.off)))


def part_totals(release: Release) -> PartTotals | None:
    """The trips of each part; None where a part has no tables that say how many it has."""
    parts = parts_of(release.plan.choices.splits)
    sides = [Scaled(part_of(release, part), of_all=False) for part in parts]
    if not all(side.has_total for side in sides):
        return None
    order = sorted(range(len(parts)), key=lambda at: -sides[at].all)
    unit = "trips" if release.plan.bound.max_trips is None else "trips that count"
    return PartTotals(
        tuple(dict(parts[at]) for at in order),
        tuple(sides[at].all for at in order),
        tuple(sides[at].off for at in order),
        unit,
    )


def total_words(found: PartTotals, at: int) -> str:
    """The trips of a part with their range."""
    return interval(round(found.trips[at]), _half_width(found.off[at]), least=0)


def largest_difference(found: PartTotals) -> str:
    """The two parts that differ most, with the range of the difference; what is *other* or *missing* is no part of its own.

    The range is so wide that it holds for every pair that could have been told, in 95 of 100 releases.
    """
    own = [at for at, part in enumerate(found.parts) if not {OTHER, MISSING} & {*part.values()}]
    pairs = [*combinations(own, 2)]
    if not pairs:
        return ""
    far = float(-ndtri(FALSE / (2 * len(pairs))))
    most, least = max(pairs, key=lambda pair: found.trips[pair[0]] - found.trips[pair[1]])
    apart = found.trips[most] - found.trips[least]
    wide = ceil(far * float(np.hypot(found.off[most], found.off[least])))
    if apart <= wide:
        return "No two of them can be told apart: noise alone may make all differences."
    middle, low, high = (number(round(end)) for end in (apart, apart - wide, apart + wide))
    one, other = (found.names[at] for at in (most, least))
    return (
        f"The largest difference: {one} has about {middle} more {found.unit} than {other} ({low} to {high})."
    )


def totals_chart(found: PartTotals) -> Chart:
    """The trips of the largest parts as dots with their ranges; what noise took below zero stands at zero."""
    names = found.names[:MOST_BESIDE]
    values = np.maximum(np.array(found.trips[:MOST_BESIDE]), 0.0)
    wide = np.array([_half_width(off) for off in found.off[:MOST_BESIDE]], np.float64)
    low, high = np.maximum(values - wide, 0.0), values + wide
    says = [f"{charts.text_of(name)}<br>{total_words(found, at)}" for at, name in enumerate(names)]
    table = pd.DataFrame({"at": names, "value": values, "low": low, "high": high})
    dots = charts.dots(values, np.arange(len(values)), says, size=9, color=NOISY)
    figure = charts.figure(
        [charts.intervals(dots, low, high, along="x", color=NOISY, thickness=2, width=6)],
        height=_ROW * len(values) + _AROUND,
        x=charts.axis(found.unit, rangemode="tozero"),
        y=charts.named_places([charts.short(name, LONGEST) for name in names], LONGEST + 4),
    )
    return Chart(
        table, figure, f"{found.unit.capitalize()} of each part, with ranges", charts.file_name("parts")
    )


def _half_width(off: float) -> int:
    return ceil(NORMAL_95 * off)
