"""What many answers cost together: sums of epsilon, days that only look disjoint, and how to split a budget.

*Sums.* Answers of epsilon each add up. Many Gaussian answers are cheaper: each costs ``rho = (L2 / s)^2 / 2`` of
concentrated privacy (zCDP), these add up, and the sum is turned into (epsilon, delta) once, by the sharp rule of Canonne,
Kamath and Steinke (2020),

    delta = min over a > 1 of  exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a.

*Split.* A table of ``n`` counts that one trip changes by ``s`` has a total squared error of about ``2 n s^2 / e^2``
with ``e`` of the budget. The sum over tables is least for ``e`` proportional to ``(n s^2)^(1/3)``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log, sqrt
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons import cutting
from dpcore.lessons.city import city
from dpcore.lessons.pictures import PEOPLE, line_table, marked, parts
from dpcore.measures import measure_named
from dpcore.noise.accuracy import standard_deviation
from dpcore.privacy import ContributionBound
from dpcore.views.charts import charts
from dpcore.views.ground.style import LINES

Integers = NDArray[np.int64]


_HALVINGS: Final = 80
_ORDERS: Final = 1 + np.logspace(-3, 4, 4_000)
"""The values of ``a`` among which the least delta is sought. Each of them proves the guarantee."""


def delta(rho: float, epsilon: float) -> float:
    """The delta that goes with an epsilon for so much concentrated privacy."""
    a = _ORDERS
    told = (a - 1) * (a * rho - epsilon) + a * np.log1p(-1 / a) - np.log(a - 1)
    return float(np.exp(min(0.0, told.min())))


@lru_cache(64)
def concentrated(epsilon: float, allowed: float) -> float:
    """The most rho that fits into (epsilon, delta)."""
    low, high = 1e-9, 1e3
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        low, high = (middle, high) if delta(middle, epsilon) <= allowed else (low, middle)
    return low


def spreads(epsilon: Fraction, allowed: float, answers: int) -> tuple[float, float]:
    """Standard deviation of each of so many answers under one bill: geometric noise, and Gaussian with a delta.

    Each answer is one number that the hidden trip or person changes by 1.
    """
    rho = concentrated(float(epsilon), allowed)
    return standard_deviation(epsilon / answers), sqrt(answers / (2 * rho))


def crossover(epsilon: Fraction, allowed: float, most: int = 1_000) -> int | None:
    """The number of answers from which Gaussian noise is narrower; None if there is none up to ``most``."""
    for answers in range(1, most + 1):
        geometric, gaussian = spreads(epsilon, allowed, answers)
        if gaussian < geometric:
            return answers
    return None


@lru_cache(1)
def active_days() -> Integers:
    """On how many days of the period each person of the city travels."""
    here = city()
    days = int(here.day.max()) + 1
    trips = np.bincount(here.person * days + here.day, minlength=len(here.people) * days)
    return np.asarray((trips.reshape(-1, days) > 0).sum(axis=1))


def people_by_days() -> Integers:
    """How many people travel on 0, 1, 2, ... days."""
    return np.bincount(active_days())


@dataclass(frozen=True)
class View:
    """A table that gets a part of the budget. The privacy unit is one trip."""

    name: str
    measure: str

    @property
    def cells(self) -> int:
        """Number of counts."""
        return len(cutting.counts(self.measure))

    @property
    def sensitivity(self) -> int:
        """The most that one trip changes it by, all counts added."""
        return measure_named(self.measure).sensitivity(ContributionBound.per_trip())

    @property
    def typical(self) -> float:
        """Median of the counts that are not empty."""
        counts = cutting.counts(self.measure)
        return float(np.median(counts[counts > 0]))


VIEWS: Final = (View("Map", "visits_per_tile"), View("Flows", "od_flows"), View("Hours", "trips_per_hour"))


@dataclass(frozen=True)
class Split:
    """A budget divided among the views, and the errors that follow."""

    parts: tuple[Fraction, ...]
    """Epsilon of each view."""
    deviations: tuple[float, ...]
    """Standard deviation of the noise of one count of each."""
    relative: tuple[float, ...]
    """The same over the typical count."""
    total: float
    """Squared errors expected, summed over all counts of all views."""

    @property
    def worst(self) -> float:
        """The largest of the relative errors."""
        return max(self.relative)


def split(epsilon: Fraction, weights: Sequence[int]) -> Split:
    """Give each view its weight's share of the budget."""
    parts = tuple(epsilon * weight / sum(weights) for weight in weights)
    deviations = tuple(
        standard_deviation(part / view.sensitivity) for part, view in zip(parts, VIEWS, strict=True)
    )
    return Split(
        parts,
        deviations,
        tuple(wide / view.typical for wide, view in zip(deviations, VIEWS, strict=True)),
        sum(view.cells * wide**2 for wide, view in zip(deviations, VIEWS, strict=True)),
    )


def _weights(values: Sequence[float]) -> list[int]:
    return [round(1_000_000_000 * value / sum(values)) for value in values]


def least_total(epsilon: Fraction) -> Split:
    """The split by cube roots, which makes the total squared error least."""
    return split(epsilon, _weights([(view.cells * view.sensitivity**2) ** (1 / 3) for view in VIEWS]))


def least_worst(epsilon: Fraction) -> Split:
    """The split that makes all relative errors alike, and so the worst of them least."""
    return split(epsilon, _weights([view.sensitivity / view.typical for view in VIEWS]))


def group_loss(epsilon: Fraction, days: int) -> Fraction:
    """The privacy loss of somebody who is in the tables of so many days."""
    return epsilon * days


def days_until(epsilon: Fraction, belief: float = 0.99) -> float:
    """More days than this, and a belief of one half may come to exceed ``belief``."""
    return log(belief / (1 - belief)) / float(epsilon)


def spreads_chart(epsilon: Fraction, allowed: float, most: int, chosen: int) -> charts.Chart:
    """Standard deviation of each answer, if one bill pays for 1, 2, ..., ``most`` of them."""
    both = [spreads(epsilon, allowed, answers) for answers in range(1, most + 1)]
    lines = {"geometric": [pair[0] for pair in both], "Gaussian": [pair[1] for pair in both]}
    at = range(1, most + 1)
    x = charts.axis("answers under one bill", **charts.whole(most))
    y = charts.axis("noise of each (standard deviation)", rangemode="tozero")
    figure = marked(
        charts.lines(
            at,
            lines,
            "%{x} answers under one bill:<br>noise on each with a standard deviation of %{y:,.1f} trips",
        ),
        x,
        y,
        chosen,
    )
    alt = "Geometric noise grows with the number of answers, Gaussian noise with its root; the lines cross"
    return charts.Chart(line_table(at, lines, "answers", "deviation"), figure, alt)


def people_chart(by_days: Sequence[int], chosen: int) -> charts.Chart:
    """How many people travel on 1, 2, 3, ... days."""
    kept, broken = "the promise holds", "it does not"
    rows = [(days, people, kept if days < 2 else broken) for days, people in enumerate(by_days) if days]
    table = pd.DataFrame(rows, columns=["days", "people", "whose"])
    says = "%{y:,} people travel on %{x} days"
    traces = [
        charts.bars(part["days"], part["people"], f"{says}: {whose}", name=whose, color=color)
        for color, (whose, part) in zip(LINES, parts(table, "whose"), strict=False)
    ]
    x = charts.axis("days on which somebody travels", range=[0, len(by_days)], **charts.WHOLE)
    figure = marked(traces, x, PEOPLE, chosen)
    alt = "Most people travel on several days, so they are in several tables"
    return charts.Chart(table, figure, alt)


def budgets_chart(views: Sequence[str], splits: Mapping[str, Sequence[float]]) -> charts.Chart:
    """Budgets as bars cut into the parts of the views; ``splits``: parts by the name of the split."""
    table = pd.DataFrame(
        [
            {"split": name, "view": view, "epsilon": part, "place": place}
            for name, parts in splits.items()
            for place, (view, part) in enumerate(zip(views, parts, strict=True))
        ]
    )
    edge, says = {"line": {"color": "#ffffff", "width": 1}}, "ε %{x:.3f}, %{y}"
    traces = [
        {
            **charts.lying(
                charts.bars(part["split"], part["epsilon"], f"{view}: {says}", name=view, color=color, **edge)
            ),
            "text": [view] * len(part),  # no meaning hangs on colour alone
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
        }
        for color, (view, part) in zip(LINES, parts(table, "view"), strict=False)
    ]
    figure = charts.figure(
        traces,
        height=150 + 48 * len(splits),
        x=charts.axis("ε", nticks=6),
        y=charts.rows([*splits]),
        legend=True,
        barmode="stack",
        uniformtext={"minsize": 10, "mode": "hide"},
    )
    alt = f"Each split of the budget over {', '.join(views)}, from left to right"
    return charts.Chart(table, figure, alt)
