"""One tile of a release: its visits, how it ranks, and its strongest flows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from dpcore.measurement import Measurement
from dpcore.release.release import Release
from dpcore.views import plots
from dpcore.views.charts import Chart
from dpcore.views.flows import flows_of
from dpcore.views.plain import number, plain
from dpcore.views.ranking import counted_trips, rank_range
from dpcore.views.reading import few_or_none, trusted_from
from dpcore.views.scale import axis_range, colour_breaks, few_below
from dpcore.views.sentences import interval
from dpcore.views.series import CLIPPED, Counts

STRONGEST: Final = 3
"""Flows of a tile that are named, in each direction."""


_LOW: Final = 110  # pixels: two pictures of a tile stand above each other


def tile_label(release: Release, tile: int) -> str:
    """Name and id of a tile as plain text; only one of them where they are equal."""
    tile_id, name = release.tessellation.tile_ids[tile], release.tessellation.tile_names[tile]
    return tile_id if name == tile_id else f"{name} ({tile_id})"


@dataclass(frozen=True)
class TileFacts:
    """What a release says about one tile at one rung; Markdown in which names are escaped."""

    visits: str
    """The count with its interval; empty if visits were not released."""
    drowned: bool
    """Whether noise alone could have made the count, and hides how large it is."""
    rank: str
    """Its rank among all tiles, and the ranks that noise leaves open."""
    flows: tuple[tuple[str, tuple[str, ...]], ...]
    """Direction, and its strongest flows that stand out, one text each."""
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
    return TileFacts(words, drowned, rank, _flows(release, rung, tile), few)


def _flows(release: Release, rung: int, tile: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    od = release.measurements.get("od_flows")
    if od is None:
        return ()
    names = dict(zip(release.tessellation.tile_ids, release.tessellation.tile_names, strict=True))
    tile_id = release.tessellation.tile_ids[tile]
    found = []
    for title, end in (("To", "destination"), ("From", "origin")):
        strongest = flows_of(od, rung, tile_id, end, rows=STRONGEST)
        texts = [
            f"{plain(names.get(other, other))}: {interval(value, od.half_widths[rung])}"
            for other, value in strongest
        ]
        found.append((title, tuple(texts)))
    return tuple(found)


def window_charts(
    arrivals: Measurement, rung: int, tile: int, truth: Counts | None = None, mark: str = ""
) -> tuple[Chart, ...]:
    """The arrivals of a tile (``visits_per_time_tile``) in each time window: weekdays, then weekends, on one scale.

    The scale is made from this tile's noisy counts and holds their intervals.
    """
    drawn = plots.tile_windows(arrivals, tile)
    limits = axis_range(arrivals, rung, truth, np.concatenate([plot.cells for plot in drawn]))
    return tuple(
        replace(made, spec={**made.spec, "height": _LOW})
        for made in (
            plots.chart(plot, arrivals, rung, truth, mark, clipped=truth is None, fixed=limits)
            for plot in drawn
        )
    )


def negative(value: int) -> str:
    """Why a count is below zero, where it is; empty otherwise."""
    return f"{number(value)} is below zero. {CLIPPED}" if value < 0 else ""
