"""Places that matter more: delicate places get more noise, and the sharp counts of other places tell about them.

The tree of ``dpcore.kinds.tree`` in its smallest form: where a trip begins and where it goes, so two tiles. A trip
from the station is one more below the station, and one more at the tile to which it goes. All counts are shown; the
guarantee holds at any threshold (``allocation.threshold``), so also without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.kinds.tree import allocation
from dpcore.kinds.tree.levels import DESCRIPTORS, Descriptor, Levels
from dpcore.kinds.tree.plan import TreePlan, TreePrice, price_of_tree
from dpcore.lessons import attacks
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import PERCENT, line_table, marked
from dpcore.noise.accuracy import half_width, half_width_of_sum
from dpcore.privacy import ContributionBound, best_guess
from dpcore.views.charts import charts
from dpcore.views.ground.style import GREY, NOISY, TRUE, VERMILION

Integers = NDArray[np.int64]


STATION: Final = "Station Quarter"
CLINIC: Final = "Hospital Hill"
SQUARE: Final = "University"
"""The place to which most trips from the station go. It stands for the harmless places."""
DAY: Final = 8
"""The day that is counted, from the first one of the period on."""
TIMES: Final = (2, 5, 10, 20, 50, 100)
"""How many times the epsilon of Critical the least delicate places may have."""
NAMES: Final = tuple(descriptor.name for descriptor in DESCRIPTORS)
_HEIGHT: Final = 2


@lru_cache(1)
def numbers() -> Mapping[str, int]:
    """The tile numbers of the three places."""
    names = city().tessellation.called
    return {name: names.index(name) for name in (STATION, CLINIC, SQUARE)}


@lru_cache(1)
def departures() -> Integers:
    """Trips from the station to each other tile on the one day, shape ``(tiles,)``; a trip changes one of them by 1."""
    here, station = city(), numbers()[STATION]
    rows = (here.start == station) & (here.day == DAY) & (here.end >= 0) & (here.end != station)
    return np.bincount(here.end[rows], minlength=here.tiles)


def scale(times: int) -> tuple[Descriptor, ...]:
    """Five descriptors in even steps of weight; the first has ``times`` (2 or more) the epsilon of the last.

    With 5 these are the ones of this app.
    """
    step = (1 - Fraction(1, times)) / (len(NAMES) - 1)
    return tuple(Descriptor(name, Fraction(1, times) + place * step) for place, name in enumerate(NAMES))


@dataclass(frozen=True, eq=False)
class Judged:
    """The places with their descriptors, and the rates that follow."""

    plan: TreePlan
    clinic: int
    """Tile number."""

    @property
    def station_rate(self) -> Fraction:
        """Noise of the number of all who left."""
        return _rounded_rate(self._station.rate)

    @property
    def _station(self) -> allocation.NodeBudget:
        level = int(self.plan.levels.level[numbers()[STATION]])
        return allocation.location_child(self.plan, allocation.root(self.plan), 1, level)

    def rate(self, tile: int) -> Fraction:
        """Noise of the number who went to a tile."""
        level = int(self.plan.levels.level[tile])
        return _rounded_rate(allocation.location_child(self.plan, self._station, 2, level).rate)

    @property
    def price(self) -> TreePrice:
        """Epsilon by descriptor, and of the whole record: of one trip."""
        return price_of_tree(self.plan, ContributionBound.per_trip())

    def loss(self, tile: int) -> Fraction:
        """Epsilon of *somebody went on to this tile*, against a trip that ended before."""
        return self.price.descriptors[int(self.plan.levels.level[tile]) - 1][1]

    @property
    def right(self) -> float:
        """How often the best attacker is right about one trip, to the clinic or to the square, after a fair coin.

        Each count speaks for one of the two places. The attacker follows the sharper count.
        """
        return best_guess(max(self.rate(self.clinic), self.rate(numbers()[SQUARE])))

    @property
    def surest(self) -> float:
        """What a belief of one half becomes where both counts say the same."""
        return best_guess(self.rate(self.clinic) + self.rate(numbers()[SQUARE]))


def _rounded_rate(rate: Fraction) -> Fraction:
    """As it is drawn: rounded down, as in a release."""
    return allocation.unit_rate(allocation.units(rate))


def judged(clinic: str, others: str, times: int, epsilon: Fraction) -> Judged:
    """All tiles get the descriptor ``others`` but for the clinic's; ``epsilon``: of Critical, for one trip."""
    here = city()
    at = numbers()[CLINIC]
    named = dict.fromkeys(here.tessellation.tile_ids, others)
    named[here.tessellation.tile_ids[at]] = clinic
    levels = Levels.of(here.tessellation.tile_ids, named, scale(times))
    return Judged(TreePlan(levels, epsilon, _HEIGHT), at)


@dataclass(frozen=True)
class Told:
    """What two ways tell of the number at the clinic, each with the half-width of its 95 % interval."""

    truth: int
    own: int
    own_within: int
    left: int
    """All who left less all others."""
    left_within: int


def clinic_twice(judgement: Judged, dice: Dice) -> Told:
    """Draw all counts once and look at the clinic in both ways."""
    truth, clinic = departures(), judgement.clinic
    others = np.flatnonzero((np.arange(len(truth)) != clinic) & (np.arange(len(truth)) != numbers()[STATION]))
    rate, own = judgement.rate(int(others[0])), judgement.rate(clinic)
    elsewhere = truth[others] + dice.discrete_laplace(rate, len(others))
    everybody = int(truth.sum() + dice.discrete_laplace(judgement.station_rate, 1)[0])
    return Told(
        int(truth[clinic]),
        int(truth[clinic] + dice.discrete_laplace(own, 1)[0]),
        half_width(own),
        attacks.what_is_left(everybody, elsewhere),
        # The number of all who left is as sharp as those of the harmless places.
        half_width_of_sum(rate, len(others) + 1),
    )


def attacked(judgement: Judged, tries: int, dice: Dice) -> float:
    """Share of right answers about one trip: a coin sends it to the clinic or to the square, the attacker knows the others."""
    at_clinic, at_square = judgement.rate(judgement.clinic), judgement.rate(numbers()[SQUARE])
    there = dice.floats.random(tries) < 1 / 2
    clinic = there + dice.discrete_laplace(at_clinic, tries)
    square = ~there + dice.discrete_laplace(at_square, tries)
    odds = attacks.log_odds_of_place(clinic, square, float(at_clinic), float(at_square))
    return float(np.mean((odds > 0) == there))


_WAYS: Final = ("its own count", "by subtracting")
"""To tell the number at the clinic; the second: all who left less all others."""


def certainty_chart(by_times: Sequence[Judged], alone: float, chosen: int) -> charts.Chart:
    """How certain *clinic or square* becomes, by how much the harmless places may show; ``chosen``: marked.

    ``by_times``: the places judged at each of ``TIMES``; ``alone``: what the clinic's own count tells.
    """
    lines = {
        "attacker is right": [one.right for one in by_times],
        "where both counts agree": [one.surest for one in by_times],
        "the clinic's count alone": [alone] * len(TIMES),
    }
    table = line_table(TIMES, lines, "times", "certainty")
    drawn = charts.lines(
        TIMES,
        {name: [100 * value for value in values] for name, values in lines.items()},
        "%{x} times: %{y:.1f} %",
        colors=(VERMILION, GREY, NOISY),
        dashes=("solid", "2px,3px", "7px,4px"),
    )
    x = charts.axis("ε of Public-ish, in times that of Critical", type="log", tickvals=[*TIMES])
    y = charts.axis("certainty, from 50 % before", range=[50, 101], **PERCENT)
    figure = marked([charts.dotted(line) for line in drawn], x, y, chosen)
    alt = "The attacker becomes surer as the harmless places show more, though the clinic's own count shows the same"
    return charts.Chart(table, figure, alt)


def two_ways_chart(found: Told) -> charts.Chart:
    """The number at the clinic: each way with its 95 % interval, the true one dashed."""
    values = ((found.own, found.own_within), (found.left, found.left_within))
    rows = [
        (way, value, value - within, value + within)
        for way, (value, within) in zip(_WAYS, values, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["way", "told", "low", "high"])
    traces = [
        charts.intervals(
            charts.dots(
                [told],
                [way],
                f"{way}<br>{charts.about(told, low, high, 'trips')}",
                color=color,
                size=10,
            ),
            [low],
            [high],
            along="x",
            color=color,
            thickness=3,
        )
        for (way, told, low, high), color in zip(rows, (NOISY, VERMILION), strict=True)
    ]
    truth = charts.upright(found.truth, color=TRUE, dash="5px,3px", width=2)
    x, y = charts.axis("trips to the clinic"), charts.rows(_WAYS)
    figure = charts.figure(traces, height=180, x=x, y=y, shapes=[truth])
    said = ", ".join(
        f"{way} says {told} within {within}" for way, (told, within) in zip(_WAYS, values, strict=True)
    )
    return charts.Chart(table, figure, f"True number {found.truth}, dashed; {said}")
