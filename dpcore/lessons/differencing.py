"""A table of journeys to one place, and the same with one more day: exact with small counts hidden, and with noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.attacks import differencing
from dpcore.lessons.broken import hidden_small_counts
from dpcore.lessons.city import city
from dpcore.lessons.dice import Dice

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

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
        first, second = (hidden_small_counts.shown(table, LEAST) for table in (self.first, self.second))
        return first, second

    @property
    def told(self) -> Flags:
        """Tiles whose count of the one day follows from what is printed."""
        return differencing.readable(*self.printed)

    @property
    def small_but_told(self) -> Flags:
        """Tiles whose count of the one day would be hidden in a table of that day, and follows all the same."""
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


def found(tables: TwoTables, tile: int) -> Found:
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
    """Share of right answers of who subtracts the tables."""
    informed: Floats
    """Of who knows all other trips, and so needs the second table alone."""


def game(epsilons: Sequence[Fraction], repetitions: int, dice: Dice) -> Game:
    """Play it so many times at each epsilon; each time both tables are drawn anew."""
    subtracting, informed = [], []
    for epsilon in epsilons:
        there = dice.floats.random(repetitions) < 1 / 2
        noise = dice.discrete_laplace(epsilon / TABLES, TABLES * repetitions).reshape(TABLES, -1)
        first, second = noise[0], there + noise[1]  # all other trips are known, so they are taken away
        subtracting.append(np.mean(differencing.says_there(second - first, 0) == there))
        informed.append(np.mean(differencing.says_there(second, 0) == there))
    return Game(tuple(epsilons), np.array(subtracting), np.array(informed))
