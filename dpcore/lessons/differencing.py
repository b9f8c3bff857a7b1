"""A table of journeys to one place, and the same with one more day: exact with small counts hidden, and with noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons import attacks, broken
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice
from dpcore.lessons.pictures import EPSILONS, PERCENT, line_table, marked, tiles_svg
from dpcore.privacy import best_guess
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.style import BLUE, DROWNED, NOISY, TRUE, UNDER_FLOWS
from dpcore.views.maps.map_classes import classes_of

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


LEAST: Final = 10
"""Smaller counts are hidden."""
TABLES: Final = 2
"""Each gets its half of epsilon."""


@dataclass(frozen=True, eq=False)
class TwoTables:
    """Trips to one place by the tile they come from; a trip changes one count of a table by 1."""

    place: int
    day: int
    """The day that only the second table holds, counted from the first day of the period."""
    first: Integers
    """Exact counts of all days before, shape ``(tiles,)``."""
    second: Integers
    """The same with the day."""

    @property
    def printed(self) -> tuple[Integers, Integers]:
        """Both as they are published, small counts hidden."""
        first, second = (broken.small_hidden(table, LEAST) for table in (self.first, self.second))
        return first, second

    @property
    def told(self) -> Flags:
        """Tiles for which the printed tables give the count of the one day."""
        return attacks.readable(*self.printed)

    @property
    def small_but_told(self) -> Flags:
        """Tiles whose count of the one day a table of that day would hide, but the printed tables give it."""
        difference = self.second - self.first
        return np.asarray(self.told & (difference >= 1) & (difference < LEAST))

    @property
    def singled_out(self) -> Integers:
        """Tiles from which exactly one trip came that day, as the subtraction tells."""
        return np.flatnonzero(self.told & (self.second - self.first == 1))


@lru_cache(64)
def two_tables(place: int, day: int) -> TwoTables:
    """The tables of a place, with and without a day; ``day``: 1 or more, so that the first table is not empty."""
    arrivals = city().arrivals(place)
    return TwoTables(place, day, arrivals[:day].sum(axis=0), arrivals[: day + 1].sum(axis=0))


@dataclass(frozen=True)
class Found:
    """The one trip behind a difference of 1, as the public truth of the demo city names it."""

    person: str
    hour: int
    """At which it began."""
    trips: int
    """All trips of this person."""


def only_visitor(tables: TwoTables, tile: int) -> Found:
    """Who made the only trip from a tile to the place on the day; ValueError if there was not exactly one."""
    here = city()
    rows = np.flatnonzero(
        (here.start == tile) & (here.end == tables.place) & (here.day == tables.day)
    ).tolist()
    if len(rows) != 1:
        raise ValueError("not exactly one trip")
    person = int(here.person[rows[0]])
    return Found(here.people[person], int(here.hour[rows[0]]), int(here.trips_per_person[person]))


def noisy(tables: TwoTables, epsilons: Sequence[Fraction], dice: Dice) -> Integers:
    """Both tables at several epsilons for both together, lowest first, shape ``(epsilons, 2, tiles)``.

    Each table has a ladder of its own, so that moving along the epsilons tells no more than the highest does.
    """
    rates = [epsilon / TABLES for epsilon in epsilons]
    both = [dice.ladder(rates, len(exact)) + exact for exact in (tables.first, tables.second)]
    return np.stack(both, axis=1)


@dataclass(frozen=True, eq=False)
class Game:
    """How often two attackers are right about one trip that is there or not by the toss of a coin."""

    epsilons: tuple[Fraction, ...]
    """Of both tables together."""
    subtracting: Floats
    """Share of right answers of an attacker who subtracts the tables."""
    informed: Floats
    """Of an attacker who knows all other trips, and so needs the second table alone."""


def game(epsilons: Sequence[Fraction], repetitions: int, dice: Dice) -> Game:
    """Play it so many times at each epsilon; each time both tables are drawn anew."""
    subtracting, informed = [], []
    for epsilon in epsilons:
        there = dice.floats.random(repetitions) < 1 / 2
        noise = dice.discrete_laplace(epsilon / TABLES, TABLES * repetitions).reshape(TABLES, -1)
        first, second = noise[0], there + noise[1]  # all other trips are known, so they are taken away
        subtracting.append(np.mean(attacks.says_there(second - first, 0) == there))
        informed.append(np.mean(attacks.says_there(second, 0) == there))
    return Game(tuple(epsilons), np.array(subtracting), np.array(informed))


_BLUES: Final = ("#d5e3f0", "#9dc0de", "#5f97c6", "#2b6ca3", "#123f6b")
_EDGES: Final = (10, 50, 200, 800)
_ORANGE: Final = "#e07b39"


def count_map(tiles: Tessellation, counts: Integers, title: str, *, dark: bool = False) -> str:
    """One table as it is published, as SVG text. Hidden counts are negative in the table and grey on the map."""
    names = ("below 10" if (counts >= 0).all() else "", "10 to 49", "50 to 199", "200 to 799", "800 and more")
    kinds = [(DROWNED, "hidden"), *zip(_BLUES, names, strict=True)]
    which = classes_of(counts, _EDGES, counts >= 0, first=1)
    return tiles_svg(tiles, kinds, which, {}, title, dark=dark)


def difference_map(
    tiles: Tessellation, difference: Integers, told: Flags, title: str, *, dark: bool = False
) -> str:
    """The second table less the first: where exactly one trip comes out, a 1; grey where nothing can be told."""
    kinds = [
        (DROWNED, "" if told.all() else "cannot be subtracted"),
        (UNDER_FLOWS, "0 or less"),
        (_ORANGE, "exactly 1"),
        ("#f3c99f", "2 to 9"),
        (_BLUES[1], "10 and more"),
    ]
    which = classes_of(difference, (1, 2, 10), told, first=1)
    ones = np.flatnonzero(told & (difference == 1)).tolist()
    return tiles_svg(tiles, kinds, which, dict.fromkeys(ones, "1"), title, dark=dark)


def guesses_chart(played: Game, chosen: Fraction, repetitions: int) -> Chart:
    """Share of right answers of two attackers at each epsilon, below the line that none can cross."""
    parts: dict[str, Sequence[float] | Floats] = {
        "no attacker gets above": [best_guess(epsilon) for epsilon in played.epsilons],
        "subtracts the tables": played.subtracting,
        "knows all other trips": played.informed,
    }
    at = [float(epsilon) for epsilon in played.epsilons]
    table = line_table(at, parts, "epsilon", "right")
    bound, *attackers = ((who, 100 * np.array(shares)) for who, shares in parts.items())
    says = "ε = %{x}: right in %{y:.1f} % of the tries"
    traces = [charts.line(at, bound[1], "ε = %{x}: %{y:.1f} %", name=bound[0], color=TRUE, dash="6px,3px")]
    for (who, shares), color, symbol in zip(attackers, (NOISY, BLUE), ("circle", "triangle-up"), strict=True):
        traces.append(
            charts.dots(at, shares, f"{who}<br>{says}", name=who, color=color, symbol=symbol, size=10)
        )
    x = charts.axis("ε of both tables together", **EPSILONS)
    y = charts.axis("right answers", range=[40, 101], **PERCENT)
    figure = marked(traces, x, y, float(chosen), 420)
    alt = f"Share of right answers in {repetitions:,} tries, below the bound at every ε"
    return Chart(table, figure, alt)
