"""Shares of a noisy total with their intervals, and how much the first few of many cells hold together, with its chart."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, sqrt
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import standard_deviation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import chance_words, percent
from dpcore.views.ground.style import GREY, NOISY, TRUE
from dpcore.views.numbers.ranking import noise_tail

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


NORMAL_95: Final = 1.96
_STEPS: Final = (1, 2, 5)

CURVE_WORDS: Final = (
    "Computed from the noisy counts after post-processing over all cells: every count is lowered by the same "
    "amount and cut at zero, so that the total stays the same. Sorting puts counts first that noise raised, so "
    "this curve lies too high where noise is wide. The grey dashed line is what noise alone would draw if all "
    "were equally busy. Only what lies above it tells something about the city."
)
"""What a curve is made of, and how it is biased."""
NOISY_CURVE: Final = "noisy counts"
ALONE_CURVE: Final = "noise alone"
TRUE_CURVE: Final = "truth"
"""What the lines are called in a legend."""


@dataclass(frozen=True)
class Share:
    """A share of a noisy total, 0 to 1, with the half width of its 95 % interval."""

    value: float
    half_width: float

    def __str__(self) -> str:
        """Whole percent where the interval is that wide, tenths where it is narrower; cut to 0 and 100 %."""
        ends = (self.value, self.value - self.half_width, self.value + self.half_width)
        digits = 0 if self.half_width >= 0.005 else 1
        steps = 10 ** (digits + 2)  # halves go up
        rounded = (100 * floor(min(max(end, 0.0), 1.0) * steps + 0.5) / steps for end in ends)
        middle, low, high = (f"{end:.{digits}f}" for end in rounded)
        return f"{middle} % ({low} to {high})"


def share(value: int, total: int, cells: int, deviation: float) -> Share | None:
    """The share of a cell in the noisy sum of ``cells`` cells, itself one of them.

    Standard deviation ``sqrt(v (1 - 2 s + K s**2)) / N`` with v the variance of the noise of one cell, K cells and the
    noisy sum N (first order). None where the sum does not stand out of its own noise: there is no share to speak of.
    """
    if total <= NORMAL_95 * deviation * sqrt(cells):
        return None
    part = value / total
    return Share(part, NORMAL_95 * deviation * sqrt(1 - 2 * part + cells * part * part) / total)


@dataclass(frozen=True, eq=False)
class Curve:
    """How much the busiest cells hold together, after post-processing over all cells."""

    places: tuple[int, ...]
    """1, 2, 5, 10, 20 and so on, at last all."""
    shares: tuple[float, ...]
    """Share of the total that so many of the busiest hold, 0 to 1."""
    noise_alone: tuple[float, ...]
    """The same for equally busy cells with such noise: what sorting makes of noise."""

    def rows(self) -> list[tuple[str, str, str]]:
        """Places, share and the share that noise alone would make, as text."""
        return [
            (f"{places:,}", chance_words(shown), chance_words(alone))
            for places, shown, alone in zip(self.places[:-1], self.shares, self.noise_alone, strict=False)
        ] + [(f"{self.places[-1]:,}", "all", "all")]


def curve(measurement: Measurement, rung: int, cells: Counts | None = None) -> Curve | None:
    """The curve of some listed cells (all by default); None where their sum does not stand out of its noise.

    The busiest are those of the noisy table: its first ones were lifted by noise, so the curve lies too high.
    """
    values = measurement.values[rung] if cells is None else measurement.values[rung][cells]
    total, many = int(values.sum()), len(values)
    deviation = standard_deviation(measurement.rho(rung))
    if many == 0 or total <= NORMAL_95 * deviation * sqrt(many):
        return None
    places = steps(many)
    alone = total / many + _noise_of_rank(many, float(measurement.rho(rung)))
    return Curve(places, _shares_of_top(values.astype(float), places), _shares_of_top(alone, places))


def true_curve(truth: Counts) -> Curve | None:
    """The curve of true counts (owner pages only); None if there are none."""
    if truth.sum() <= 0:
        return None
    places = steps(len(truth))
    even = tuple(place / len(truth) for place in places)
    return Curve(places, _shares_of_top(truth.astype(float), places), even)


def steps(many: int) -> tuple[int, ...]:
    """1, 2, 5, 10 and so on below ``many``, and ``many``.

    >>> steps(30)
    (1, 2, 5, 10, 20, 30)
    """
    round_ones = (digit * 10**power for power in range(len(str(many))) for digit in _STEPS)
    return (*(place for place in round_ones if place < many), many)


def with_total_kept(values: Floats) -> Floats:
    """Counts that are not negative and have the same total: all lowered alike, and cut at zero.

    The nearest such counts in the sense of least squares (projection onto a simplex). The total must be positive.
    """
    total = values.sum()
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    last = int(np.flatnonzero(falling > excess)[-1])
    return np.asarray(np.maximum(values - excess[last], 0.0))


def _shares_of_top(values: Floats, places: tuple[int, ...]) -> tuple[float, ...]:
    falling = np.sort(with_total_kept(values))[::-1]
    held = np.cumsum(falling) / falling.sum()
    return tuple(min(1.0, float(held[place - 1])) for place in places)


def _noise_of_rank(many: int, rate: float) -> Floats:
    """The noise of equally busy cells in order: quantiles at the middles of ``many`` equal chances."""
    upper = noise_tail((np.arange((many + 1) // 2) + 0.5) / many, rate).astype(float)
    return np.asarray(np.concatenate([upper, -upper[: many // 2]]))


def curve_chart(curve: Curve, title: str, truth: Curve | None = None, mark: str = "") -> Chart:
    """Share held by the busiest 1, 2, 5 and so on, beside what noise alone would draw (dashed grey), with a legend.

    With ``truth`` (owner pages only) the true curve in brown, and the mark of private pictures.
    """
    table = pd.DataFrame({"at": curve.places, "noisy": curve.shares, "alone": curve.noise_alone})
    lines = [("noisy", NOISY_CURVE, NOISY, "solid"), ("alone", ALONE_CURVE, GREY, "4px,4px")]
    if truth is not None:
        table["true"] = truth.shares
        lines.append(("true", TRUE_CURVE, TRUE, "8px,3px"))
    traces = [
        charts.line(
            table["at"],
            table[column],
            [
                f"the busiest {place:,}: {percent(held)} of all<br>{name}"
                for place, held in zip(curve.places, table[column], strict=True)
            ],
            name=name,
            color=colour,
            dash=dash,
        )
        for column, name, colour, dash in lines
    ]
    figure = charts.figure(
        traces,
        height=290,
        x=charts.axis(
            "how many of the busiest",
            type="log",
            range=charts.log_range(1, max(2, curve.places[-1])),
            tickvals=[10**power for power in range(9)],
            **charts.WHOLE,
        ),
        y=charts.axis("share", **charts.PERCENT),
        mark=mark,
        legend=True,
    )
    return Chart(table, figure, title, charts.file_name(title))
