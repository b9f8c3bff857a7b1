"""One tile of a release: its visits, how it ranks, and how likely its count is over a line.

The last is shown by twenty dots: count those beyond the line. Each dot stands for one chance in twenty (Fernandes et al.,
CHI 2018). They are quantiles of ``value - V`` with the noise V of the cell: what a reader can believe of the count whose
noisy value this is, if every count was equally likely beforehand. The answer itself is exact, from the law of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.release.release import Release
from dpcore.views.charts import charts, plots
from dpcore.views.charts.charts import Chart
from dpcore.views.charts.series import CLIPPED, Counts
from dpcore.views.ground.plain import chance_words, interval, number, with_id
from dpcore.views.ground.reading import colour_breaks, few_below, few_or_none, trusted_from
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.style import GREY, NOISY
from dpcore.views.numbers.ranking import counted_trips, noise_tail, rank_range

_LOW: Final = 150  # pixels: two pictures of a tile stand above each other


def tile_label(release: Release, tile: int) -> str:
    """Name and id of a tile as plain text; only one of them where they are equal."""
    tile_id, name = release.tessellation.tile_ids[tile], release.tessellation.called[tile]
    return with_id(tile_id, name)


@dataclass(frozen=True)
class TileFacts:
    """What a release says about one tile at one rung, as Markdown."""

    visits: str
    """The count with its interval; empty if visits were not released."""
    drowned: bool
    """Whether noise alone could have made the count, and hides how large it is."""
    rank: str
    """Its rank among all tiles, and the ranks that noise leaves open."""
    few: int | None = None
    """Where the count is known to be small: below this number its range ends."""


def tile_facts(release: Release, rung: int, tile: int) -> TileFacts:
    """What is known of a tile; parts of measures that were not released stay empty."""
    visits = release.measurements.get("visits_per_tile")
    words, drowned, few, rank = "", False, None, ""
    if visits is not None:
        value, tiles = int(visits.values[rung][tile]), len(release.tessellation.tile_ids)
        words = interval(value, visits.half_widths[rung])
        lowest = few_below(colour_breaks(visits))
        few = lowest if few_or_none(visits, rung, lowest)[tile] else None
        drowned = few is None and value < trusted_from(visits, rung)
        if tiles > 1:
            own, best, worst = rank_range(visits.values[rung][:tiles], tile, visits.rho(rung))
            between = f"anywhere from {best:,} to {worst:,}" if best < worst else "no other rank is likely"
            counted = counted_trips(visits.bound)
            rank = f"Rank {own:,} of {tiles:,} among {counted}; with the noise {between}."
    return TileFacts(words, drowned, rank, few)


def window_charts(
    arrivals: Shown, tile: int, truth: Counts | None = None, mark: str = ""
) -> tuple[Chart, ...]:
    """The arrivals of a tile (``visits_per_time_tile``) in each time window: weekdays, then weekends, on one scale.

    The scale is made from this tile's numbers and holds their ranges.
    """
    pictures = plots.tile_windows(arrivals, tile)
    limits = arrivals.limits(np.concatenate([plot.cells for plot in pictures]), truth)
    made = (
        plots.chart(plot, arrivals, truth, mark, clipped=truth is None, fixed=limits) for plot in pictures
    )
    return tuple(charts.as_high(chart, _LOW) for chart in made)


def negative(value: int) -> str:
    """Why a count is below zero, where it is; empty otherwise."""
    return f"{number(value)} is below zero. {CLIPPED}" if value < 0 else ""


DOTS: Final = 20
_COLUMNS: Final = 13  # places for dots between the outermost ones


def dots(value: int, rho: Fraction, count: int = DOTS) -> NDArray[np.int64]:
    """Where the dots stand, rising: quantiles at the middles of ``count`` equal chances."""
    upper = noise_tail((np.arange(count // 2) + 0.5) / count, float(rho))
    return np.sort(value - np.concatenate([-upper, upper]))


def chance_at_least(value: int, line: int, rho: Fraction) -> float:
    """The chance that the count is ``line`` or more, given its noisy value and a flat prior.

    >>> round(chance_at_least(100, 100, Fraction(1, 1000)), 2)
    0.5
    """
    rate = float(rho)
    ahead = value - line  # count >= line if and only if V <= ahead
    if ahead >= 0:
        return 1 - exp(-rate * (ahead + 1)) / (1 + exp(-rate))
    return exp(rate * ahead) / (1 + exp(-rate))


def dotplot(value: int, rho: Fraction, line: int, counts: str) -> Chart:
    """The dots as a picture, those at the line or beyond it coloured.

    Dots below 0 are drawn at 0: a count cannot be negative, only a noisy one can.
    """
    at = np.maximum(dots(value, rho), 0)
    width = max(1, int(np.ceil((at[-1] - at[0]) / _COLUMNS)))
    place = at[0] + (at - at[0]) // width * width
    height = np.array([int((place[:i] == place[i]).sum()) for i in range(len(place))]) + 1
    over = np.where(at >= line, "yes", "no")
    table = pd.DataFrame({"at": place, "height": height, "over": over, "count": at})
    margin = max(1, width)
    reached = at >= line
    says = [f"one chance in {DOTS}: about {number(int(one))} {counts}" for one in at]
    dot = charts.dots(
        place,
        height,
        says,
        size=11,
        # colour is not all that tells: what lies below the line is a diamond
        color=np.where(reached, NOISY, GREY).tolist(),
        symbol=np.where(reached, "circle", "diamond").tolist(),
    )
    figure = charts.figure(
        [dot],
        height=150,
        x=charts.axis(
            counts,
            range=[int(place[0]) - margin, int(place[-1]) + margin],
            nticks=5,
            zeroline=False,
            **charts.WHOLE,
        ),
        y=charts.axis(range=[0, max(7, int(height.max())) + 0.6], **charts.NO_AXIS),
        shapes=[charts.upright(line, dash="4px,3px")],
    )
    beyond = int((at >= line).sum())
    alt = f"{DOTS} dots for what the count may be; {beyond} of them at {line:,} {counts} or more"
    return Chart(table, figure, alt, charts.file_name("chances", counts))


def answer(value: int, rho: Fraction, line: int, counts: str) -> str:
    """Whether the count is over a line, in words."""
    beyond = int((np.maximum(dots(value, rho), 0) >= line).sum())
    if line <= 0:
        return "A count is never below zero."
    chance = chance_at_least(value, line, rho)
    return f"{beyond} of {DOTS} dots: {line:,} {counts} or more with a chance of {chance_words(chance)}."


def near_line(value: int, half_width: int) -> int:
    """A round number near a noisy count, to ask about first.

    >>> near_line(12_289, 300), near_line(-4, 30), near_line(7, 0)
    (12500, 10, 7)
    """
    step: int = 10 ** max(0, len(str(half_width)) - 1)
    return max(step, value // step * step if half_width < 10 else round(value / (5 * step)) * 5 * step)
