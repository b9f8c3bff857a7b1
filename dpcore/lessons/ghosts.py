"""What noise makes of empty cells: flows that nobody travelled. A threshold removes them and loses true flows.

One trip adds 1 to one flow. The noise V of a flow is geometric of rate epsilon; with ``q = exp(-epsilon)``
``P(V >= t) = q**t / (1 + q)`` for ``t >= 0``, so of ``n`` empty flows ``n q**t / (1 + q)`` show ``t`` or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons.city import flows_between
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import marked, parts
from dpcore.views.charts import charts
from dpcore.views.ground.style import GREY, NOISY, VERMILION

Integers = NDArray[np.int64]

FINE: Final = 500
"""Districts of the finer of the two cities in the lesson."""


@dataclass(frozen=True)
class Reckoning:
    """What a threshold leaves of a noisy table."""

    ghosts: float
    """Empty flows that are shown."""
    ghost_trips: float
    """Trips that they claim."""
    lost: float
    """True flows that are not shown."""
    kept: float
    """True flows that are shown."""


@dataclass(frozen=True, eq=False)
class Noised:
    """All flows of a city whose noisy count is 1 or more: drawn once, so a threshold is post-processing."""

    truth: Integers
    """True trips of each flow, shape ``(tiles**2,)``; public, as it is the demo city's."""
    cells: Integers
    """Numbers of the flows that are listed, ascending."""
    counts: Integers
    """Their noisy counts."""

    def shown(self, threshold: int) -> Integers:
        """Numbers of the flows with a noisy count of the threshold or more."""
        return self.cells[self.counts >= threshold]

    def reckoned(self, most: int) -> list[Reckoning]:
        """Ghosts and losses, counted, at the thresholds 1 to ``most``."""
        ghost = self.truth[self.cells] == 0
        true = int(np.count_nonzero(self.truth))
        ghosts, kept = (
            _at_least(np.bincount(np.minimum(self.counts[which], most), minlength=most + 1))
            for which in (ghost, ~ghost)
        )
        trips = [int(self.counts[ghost & (self.counts >= at)].sum()) for at in range(1, most + 1)]
        return [
            Reckoning(*row)
            for row in zip(ghosts.tolist(), trips, (true - kept).tolist(), kept.tolist(), strict=True)
        ]


def _at_least(numbers: Integers) -> Integers:
    """How many are 1 or more, 2 or more, ..., from how many are 0, 1, 2, ..."""
    return np.cumsum(numbers[::-1])[::-1][1:]


@lru_cache(2)
def by_trips(tiles: int) -> Integers:
    """How many flows of the city cut into so many districts have 0, 1, 2, ... trips."""
    return np.bincount(flows_between(tiles))


def noised(truth: Integers, epsilon: Fraction, dice: Dice) -> Noised:
    """Add noise to every flow, and list those of 1 or more. Empty flows are not drawn one by one."""
    occupied = np.flatnonzero(truth)
    return Noised(truth, *dice.sparse(occupied, truth[occupied], len(truth), epsilon))


def expected(flows: Integers, epsilon: Fraction, threshold: int) -> Reckoning:
    """What to expect at a threshold of 1 or more, by formula; ``flows``: how many have 0, 1, 2, ... trips."""
    q = exp(-float(epsilon))
    passes = q**threshold / (1 + q)
    counts = np.arange(1, len(flows))
    below = threshold - counts  # noise that lifts a flow of such a count to the threshold
    reaches = np.where(below >= 0, q ** np.abs(below) / (1 + q), 1 - q ** (np.abs(below) + 1) / (1 + q))
    kept = float(flows[1:] @ reaches)
    ghosts = float(flows[0]) * passes
    return Reckoning(ghosts, ghosts * (threshold + q / (1 - q)), float(flows[1:].sum()) - kept, kept)


def delta(epsilon: Fraction, threshold: int) -> float:
    """The chance that a lone trip shows its flow where only flows of the data get noise. No epsilon covers this event."""
    q = exp(-float(epsilon))
    return q ** (threshold - 1) / (1 + q)


@dataclass(frozen=True)
class Disasters:
    """Many releases of a table without a public list of flows, one of which has a single trip."""

    releases: int
    shown: int
    """Releases that list the flow of the lone trip. Each proves that the trip is in the data."""


def disasters(epsilon: Fraction, threshold: int, dice: Dice) -> Disasters:
    """Release ``1 / delta`` times, and count."""
    releases = round(1 / delta(epsilon, threshold))
    noise = dice.discrete_laplace(epsilon, releases)
    return Disasters(releases, int((1 + noise >= threshold).sum()))


_GHOST: Final = "ghost: nobody travels here"
_KEPT: Final = "true flow, shown"
_LOST: Final = "true flow, lost"
_RARE: Final = 0.5  # flows: less is not drawn on a logarithmic axis


def tradeoff_chart(formula: Sequence[Reckoning], counted: Sequence[Reckoning], chosen: int) -> charts.Chart:
    """Ghosts and lost flows at the thresholds 1, 2, ..., each expected and counted: lines and dots."""
    kinds = {
        "ghost flows": [(one.ghosts, other.ghosts) for one, other in zip(formula, counted, strict=True)],
        "true flows lost": [(one.lost, other.lost) for one, other in zip(formula, counted, strict=True)],
    }
    at = range(1, len(formula) + 1)
    table = pd.concat(
        [
            pd.DataFrame(pairs, columns=["expected", "counted"]).assign(threshold=[*at], what=what)
            for what, pairs in kinds.items()
        ]
    )
    traces = []
    for (what, part), color, symbol in zip(
        parts(table, "what"), (VERMILION, NOISY), ("x", "circle"), strict=True
    ):
        seen = part[["expected", "counted"]].where(part[["expected", "counted"]] >= _RARE)
        says = f"threshold %{{x}}: %{{y:,}} {what}"
        line = charts.line(part["threshold"], seen["expected"], "", color=color)
        traces.append({**line, "hoverinfo": "skip", "showlegend": False})
        traces.append(
            charts.dots(part["threshold"], seen["counted"], says, name=what, color=color, symbol=symbol)
        )
    x = charts.axis("threshold: smaller noisy counts are left out", **charts.whole(len(formula)))
    y = charts.axis("flows", type="log", range=charts.log_range(_RARE, 200_000), dtick=1, **charts.WHOLE)
    figure = marked(traces, x, y, chosen, 400)
    alt = (
        "Ghost flows fall by the same factor with every step of the threshold, while more true flows are lost"
    )
    return charts.Chart(table, figure, alt)


def corner_chart(truth: Integers, shown: Integers, tiles: int, width: int) -> charts.Chart:
    """The flows among the last ``width`` districts, the outermost ones: true ones, lost ones and ghosts."""
    first = tiles - width
    visible = np.zeros(tiles**2, bool)
    visible[shown] = True
    block = np.s_[first:, first:]
    there, true = visible.reshape(tiles, tiles)[block], truth.reshape(tiles, tiles)[block] > 0
    kinds = {_KEPT: there & true, _LOST: ~there & true, _GHOST: there & ~true}
    table = pd.concat(
        [
            pd.DataFrame(np.argwhere(mask) + first + 1, columns=["origin", "goal"]).assign(what=what)
            for what, mask in kinds.items()
        ]
    )
    looks = zip(
        kinds.items(), (NOISY, GREY, VERMILION), ("circle-open", "square-open", "x-thin-open"), strict=True
    )
    traces = [
        charts.dots(
            np.nonzero(mask)[1] + first + 1,
            np.nonzero(mask)[0] + first + 1,
            f"from district %{{y}} to district %{{x}}<br>{what}",
            name=what,
            color=color,
            symbol=symbol,
            size=5,
        )
        for (what, mask), color, symbol in looks
    ]
    ends = {"range": [first, tiles + 1], "showgrid": False, "tickformat": "d", "nticks": 6}
    x, y = charts.axis("to district number", **ends), charts.axis("from district number", **ends)
    figure = charts.figure(traces, height=500, x=x, y=y, legend=True)
    kept, lost, ghosts = (int(mask.sum()) for mask in kinds.values())
    alt = f"{ghosts} ghosts, {kept} true flows and {lost} lost ones"
    return charts.Chart(table, figure, f"Flows among the {width} outermost districts: {alt}")
