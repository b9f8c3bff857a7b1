"""What one person adds to three tables of the demo city, and the most that anybody can add under a bound on trips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.lessons.city import city
from dpcore.lessons.cutting import HOURS, counts, counts_of, size
from dpcore.lessons.pictures import tiles_svg
from dpcore.measures import measure_named
from dpcore.privacy import ContributionBound
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.style import TRUE, UNDER_FLOWS

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Norms:
    """How large a change of a table is, in four ways."""

    cells: int
    """L0: how many counts change."""
    total: int
    """L1: all changes added up."""
    straight: float
    """L2: the root of the sum of their squares."""
    largest: int
    """L-infinity: the change of the count that changes most."""

    @classmethod
    def of(cls, change: Integers) -> Norms:
        """Of a change, one number for each count."""
        size = np.abs(change)
        return cls(
            int((size > 0).sum()),
            int(size.sum()),
            float(np.sqrt((size.astype(float) ** 2).sum())),
            int(size.max(initial=0)),
        )


def worst(table: str, max_trips: int) -> Norms:
    """The most that any person can change a table of the city by with so many trips, each norm for itself.

    The total is what ``dpcore.measures`` proves. Both ends of a trip may fall into one tile, so all norms of a visit table can
    reach that total. Starts and ends are different series of hours, so no count changes by more than the number of trips.
    """
    total = measure_named(table).sensitivity(ContributionBound.per_user(max_trips))
    cells = min(total, size(table))
    if table == "trips_per_hour":
        return Norms(cells, total, sqrt(2) * max_trips, max_trips)
    return Norms(cells, total, float(total), total)


@dataclass(frozen=True, eq=False)
class Change:
    """One person in a table, and everybody else."""

    name: str
    table: str
    max_trips: int | None
    added: Integers
    """What this person's trips add to each count."""
    others: Integers
    """The table without this person."""

    @property
    def norms(self) -> Norms:
        """How large the change is."""
        return Norms.of(self.added)

    @property
    def limits(self) -> Norms | None:
        """The most that anybody can reach; None without a bound, for then there is none."""
        return None if self.max_trips is None else worst(self.table, self.max_trips)

    def moved_most(self, most: int) -> list[int]:
        """The counts that move most, at most so many."""
        order = np.argsort(-self.added, kind="stable")[:most]
        return [cell for cell in order.tolist() if self.added[cell]]


@lru_cache(64)
def of_person(table: str, person: int, max_trips: int | None) -> Change:
    """A person of the city; of everybody the first ``max_trips`` trips count, None: all.

    Which trips of a person count depends on that person's trips alone, so the trips of all others stay the same.
    """
    rows = city().of(person)
    last = rows.stop if max_trips is None else min(rows.stop, rows.start + max_trips)
    added = counts_of(table, slice(rows.start, last))
    return Change(city().people[person], table, max_trips, added, everybody(table, max_trips) - added)


@lru_cache(64)
def of_invented(table: str, max_trips: int, *, same: bool) -> Change:
    """Somebody who does not live in the city: ``max_trips`` times the same trip within one tile and hour, or all different."""
    added = np.zeros(size(table), np.int64)
    trip = np.zeros(max_trips, np.int64) if same else np.arange(max_trips)
    if table == "visits_per_tile":
        ends = np.concatenate([trip, trip if same else max_trips + trip]) % size(table)
    elif table == "od_flows":
        ends = trip
    else:
        ends = np.concatenate([trip % HOURS, HOURS + trip % HOURS])
    np.add.at(added, ends, 1)
    return Change("Somebody", table, max_trips, added, everybody(table, max_trips))


@lru_cache(16)
def everybody(table: str, max_trips: int | None) -> Integers:
    """A whole table of the city; of everybody the first ``max_trips`` trips count, None: all."""
    if max_trips is None:
        return counts(table)
    return counts_of(table, np.flatnonzero(city().number < max_trips))


def cell_name(table: str, cell: int) -> str:
    """A count as people call it."""
    names = (*map(city().tile_name, range(city().tiles)), "outside")
    if table == "visits_per_tile":
        return names[cell]
    if table == "od_flows":
        return f"{names[cell // len(names)]} to {names[cell % len(names)]}"
    return f"{'Starts' if cell < HOURS else 'Ends'} at {cell % HOURS} h"


_SIZES: Final = (
    "how many counts move (L0)",
    "all moves added (L1)",
    "as the crow flies (L2)",
    "the largest move (L\N{INFINITY})",
)
_STEPS: Final = (1, 2, 5, 10)
_GREENS: Final = (UNDER_FLOWS, "#b9e2dc", "#6cc2b6", "#1f9a8c", "#0a5e55")


def moved_chart(cells: Sequence[str], change: Sequence[int]) -> Chart:
    """The counts that one person moves most, as bars from zero."""
    bars = charts.lying(charts.bars(cells, change, "%{y}: moved by %{x}"))
    x = charts.axis("moved by", rangemode="tozero", **charts.whole(max(change, default=0)))
    figure = charts.figure([bars], height=90 + 26 * len(cells), x=x, y=charts.rows(cells))
    return Chart(
        pd.DataFrame({"count": [*cells], "change": [*change]}), figure, "Counts that one person moves most"
    )


def norms_chart(mine: Sequence[float], limits: Sequence[float] | None) -> Chart:
    """Four sizes of a change as bars, L0 first; the most that anybody can reach as upright marks, if there is a bound."""
    table = pd.DataFrame({"size": _SIZES, "value": [*mine]})
    bars = charts.lying(charts.bars(_SIZES, mine, "%{y}: %{x:,.4~r}"))
    traces = [{**bars, "texttemplate": "%{x:,.4~r}", "textposition": "outside", "cliponaxis": False}]
    if limits is not None:
        table["limit"] = [*limits]
        says, edge = "anybody can reach %{x:,.4~r} at most", {"color": TRUE, "width": 4}
        traces.append(charts.dots(limits, _SIZES, says, symbol="line-ns", size=26, line=edge))
    top = 1.15 * max(*mine, *(limits or ()), 1)  # room for the number beside the longest bar
    figure = charts.figure(
        traces, height=260, x=charts.axis(range=[0, top]), y=charts.rows(_SIZES), bargap=0.35
    )
    alt = "Four sizes of what one person changes, and the most that anybody can reach"
    return Chart(table, figure, alt)


def moved_map(tiles: Tessellation, change: Integers, *, dark: bool = False) -> str:
    """Tiles by how far one person moves their count, as SVG text, with the number on each tile that moves."""
    words = ("not moved", "moved by 1", "by 2 to 4", "by 5 to 9", "by 10 and more")
    numbers = {tile: str(change[tile]) for tile in np.flatnonzero(change).tolist()}
    which = np.digitize(change, _STEPS)
    return tiles_svg(
        tiles, [*zip(_GREENS, words, strict=True)], which, numbers, "What this person moves", dark=dark
    )
