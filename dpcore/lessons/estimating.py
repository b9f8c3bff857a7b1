"""Estimates in two invented places: what neighbours tell about a tile, and what trips that count tell about all trips.

The valley hides one trip, the town one person: of each person ``MOST`` trips count. The estimates are those of every release
(``dpcore.estimates``). Both places are public, so an estimate can stand beside the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from dpcore.demo import town
from dpcore.estimates import Ranged, Share, estimate
from dpcore.lessons.dice import Dice
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width
from dpcore.privacy import ContributionBound, noise_rate
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import number
from dpcore.views.ground.style import BLUE, TRUE, VERMILION

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST: Final = 4
"""M: the trips of each person that count in the town."""
EPSILON: Final = Fraction(1)
"""Of the town."""
TIMES: Final = (1, 3, 5, 10)
"""How many times the visits of its neighbours the plaza may have."""
UNLIKE: Final = (0, 20, 40, 60, 80, 100)
"""Of 100 trips of frequent travellers, how many may lead to the works or from there."""
_TILES: Final = town.COLUMNS * town.ROWS
_VISITS: Final = "visits_per_tile"
_SIDE: Final = 0.005  # degrees


@lru_cache(1)
def tiles() -> Tessellation:
    """The squares of either place."""
    corners = [divmod(place, town.COLUMNS) for place in range(_TILES)]
    names = [f"T{place:02}" for place in range(_TILES)]
    squares = [
        shapely.box(column * _SIDE, -row * _SIDE, (column + 1) * _SIDE, (1 - row) * _SIDE)
        for row, column in corners
    ]
    return Tessellation.of(names, names, squares, "town")


def frequent_share() -> float:
    """The share of all trips of the town that frequent travellers make."""
    made = np.bincount(town.town_trips(0).person)
    return float(made[made == town.OFTEN].sum() / made.sum())


@dataclass(frozen=True, eq=False)
class TilesSeen:
    """What a reader sees of each tile, and what is true. Shapes ``(tiles,)``."""

    truth: Integers
    """Visits of all trips."""
    counted: Integers
    """Visits of the trips that count."""
    released: Integers
    half_width: int
    """Of the noise of a released count, 95 %."""
    estimate: Ranged
    """Of the visits of all trips."""
    share: Share | None
    """The share of trips that counts, as the release tells it."""

    @property
    def ranges_hold(self) -> int:
        """How many likely ranges hold the truth about all trips."""
        return int(((self.estimate.low <= self.truth) & (self.truth <= self.estimate.high)).sum())

    @property
    def noise_holds(self) -> int:
        """How many released counts, with the range of their noise, hold the count."""
        return int((np.abs(self.released - self.counted) <= self.half_width).sum())

    def off(self, values: Floats | Integers) -> float:
        """By how many visits values are off, on average over the tiles."""
        return float(np.abs(values - self.truth).mean())


def seen_in_valley(times: int, epsilon: Fraction, dice: Dice) -> TilesSeen:
    """The valley, whose plaza has so many times the visits of its neighbours. Epsilon hides one trip."""
    plan = Plan(ContributionBound.per_trip(), {_VISITS: 1}, (epsilon,))
    truth = town.valley(times)
    return _tiles_seen(plan, truth, {_VISITS: np.append(truth, 0)}, dice)


def seen_in_town(unlike: int, dice: Dice) -> TilesSeen:
    """The town, where so many of 100 trips of frequent travellers lead to the works or from there."""
    choices = KeyChoices(most_trips=town.OFTEN)
    plan = Plan(ContributionBound.per_user(MOST), {_VISITS: 8, "total_trips": 2}, (EPSILON,), choices)
    trips = town.town_trips(unlike)
    place = np.arange(len(trips.person)) - np.searchsorted(trips.person, trips.person)
    exact = {
        _VISITS: np.append(_visits(trips, place < MOST), 0),
        "total_trips": np.array([len(trips.person)]),
    }
    return _tiles_seen(plan, _visits(trips, place >= 0), exact, dice)


def _visits(trips: town.TownTrips, rows: NDArray[np.bool_]) -> Integers:
    return np.bincount(np.concatenate([trips.start[rows], trips.end[rows]]), minlength=_TILES)


def _tiles_seen(plan: Plan, truth: Integers, exact: dict[str, Integers], dice: Dice) -> TilesSeen:
    drawn = {name: _measurement(plan, name, counts, dice) for name, counts in exact.items()}
    found = estimate(plan, drawn, tiles(), of=[_VISITS])
    table, visits = found.tables[_VISITS], drawn[_VISITS]
    estimated = table.of(all_trips=True)
    return TilesSeen(
        truth,
        exact[_VISITS][:_TILES],
        visits.values[0][:_TILES],
        visits.half_widths[0],
        estimated.at(slice(_TILES)),
        found.share,
    )


def _measurement(plan: Plan, name: str, counts: Integers, dice: Dice) -> Measurement:
    """Counts of one measure with noise, as a release of the plan holds them."""
    measure = measure_named(name, plan.choices)
    sensitivity = measure.sensitivity(plan.bound)
    share = Fraction(plan.weights[name], sum(plan.weights.values()))
    rho = noise_rate(share, plan.rungs[0], sensitivity)
    return Measurement(
        origin="preview",
        measure=name,
        counts=measure.counts,
        keys=measure.keys(tiles().tile_ids),
        bound=plan.bound,
        sensitivity=sensitivity,
        rungs=plan.rungs,
        share=share,
        half_widths=(half_width(rho),),
        values=(counts + dice.discrete_laplace(rho, len(counts)))[None],
    )


def against_truth(shown: TilesSeen) -> Chart:
    """The estimate of each tile with its likely range, beside its true visits; on the line all is right."""
    values, low, high = shown.estimate.columns
    holds = (low <= shown.truth) & (shown.truth <= high)
    table = pd.DataFrame(
        {"tile": tiles().tile_ids, "truth": shown.truth, "estimate": values, "low": low, "high": high}
    )
    top = float(shown.truth.max())
    traces = [charts.line([0, top], [0, top], "all is right here", name="right", color=TRUE, dash="5px,3px")]
    for name, rows, color, symbol in (
        ("its range holds the truth", holds, BLUE, "circle"),
        ("its range misses the truth", ~holds, VERMILION, "diamond"),
    ):
        part = table[rows]
        says = [
            f"{tile}<br>estimate {number(value)}<br>likely range {number(least)} to {number(most)}<br>truth {number(true)}"
            for tile, true, value, least, most in part.itertuples(index=False)
        ]
        dots = charts.dots(
            part["truth"], part["estimate"], says, name=name, color=color, symbol=symbol, size=7
        )
        traces.append(charts.intervals(dots, part["low"], part["high"], color=color, thickness=1))
    figure = charts.figure(
        traces,
        height=400,
        x=charts.axis("visits of all trips, true", **charts.WHOLE),
        y=charts.axis("estimate", **charts.WHOLE),
        legend=True,
    )
    alt = "The estimate of each tile with its likely range, beside the true visits of all trips; right ones lie on the dashed line"
    return Chart(table, figure, alt)
