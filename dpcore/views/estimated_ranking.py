"""The first tiles and flows by their estimates, each with its likely range and its released count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from dpcore.estimates import Estimates, Ranged
from dpcore.estimates.words import likely
from dpcore.release.release import Release
from dpcore.views import charts
from dpcore.views.charts import Chart
from dpcore.views.estimated import spoken_of
from dpcore.views.estimated_flows import between_tiles, ranged_at, released_of_cells, strongest
from dpcore.views.plain import plain
from dpcore.views.ranking import TOP
from dpcore.views.series import top_of
from dpcore.views.style import NOISY

_LONGEST: Final = 26  # characters of a name in a picture; the table has all of it


@dataclass(frozen=True, eq=False)
class EstimatedRanking:
    """The first by their estimates, largest first. Names are untrusted text."""

    names: tuple[str, ...]
    shown: Ranged
    released: tuple[str, ...]
    """The released count of each with the range of its noise, in words; empty where the table was not released."""
    counts: str
    about: str
    """Which trips the estimates are about."""
    top: int
    """End of the axis."""


def estimated_ranking(release: Release, estimates: Estimates, measure: str) -> EstimatedRanking:
    """Tiles (``visits_per_tile``), or flows between two different places (``od_flows``, ``od_districts``)."""
    table = estimates.tables[measure]
    tiles, names = len(release.tessellation.tile_ids), release.tessellation.tile_names
    part = table.cell_numbers < tiles if len(table.keys.axes) == 1 else between_tiles(table)
    cells = table.cell_numbers[strongest(table, TOP, part)]
    called = names if measure != "od_districts" else table.keys.axes[0].inside
    ends = np.unravel_index(cells, table.keys.shape)
    found = tuple(
        " \N{RIGHTWARDS ARROW} ".join(called[place] for place in places) for places in zip(*ends, strict=True)
    )
    shown = ranged_at(table, cells)
    return EstimatedRanking(
        found,
        shown,
        released_of_cells(release, measure, cells, estimates.rung),
        table.counts,
        spoken_of(table),
        top_of(shown) if len(cells) else 1,
    )


def ranking_chart(ranking: EstimatedRanking) -> Chart:
    """A dot with its likely range for each; ranges that overlap leave the order open."""
    shown, names = ranking.shown, ranking.names
    at = [f"{i}. {charts.short(name, _LONGEST)}" for i, name in enumerate(names, 1)]
    known = bool(np.isfinite(shown.high).all())
    table = pd.DataFrame({"at": at, "noisy": shown.values, "low": shown.low, "high": shown.high})
    says = [
        f"{i + 1}. {charts.text_of(name)}<br>{likely(shown.values[i], shown.low[i], shown.high[i], ranking.counts)}"
        for i, name in enumerate(names)
    ]
    dots = charts.dots(shown.values, np.arange(len(names)), says, size=9)
    thick = {"color": charts.faded(NOISY, 0.45), "thickness": 3, "width": 6}
    drawn = charts.intervals(dots, shown.low, shown.high, along="x", **thick) if known else dots
    figure = charts.figure(
        [drawn],
        height=390,
        x=charts.axis(f"{ranking.counts}, {ranking.about}", range=[0, ranking.top], **charts.WHOLE),
        y=charts.named_places(at, _LONGEST + 4),
    )
    ranges = "with their likely ranges" if known else "without ranges, which are not known"
    alt = f"The first {len(names)} by estimated {ranking.counts} of {ranking.about}, {ranges}"
    return Chart(table, figure, alt, charts.file_name("first by estimated", ranking.counts))


def ranking_table(ranking: EstimatedRanking) -> dict[str, list[str]]:
    """The first with estimates and released counts, as columns; Markdown, in which names are escaped."""
    shown = ranking.shown
    found = {
        "rank": [str(i) for i in range(1, len(ranking.names) + 1)],
        "name": [plain(name) for name in ranking.names],
        f"estimate, {ranking.about}": [
            likely(*ends) for ends in zip(shown.values, shown.low, shown.high, strict=True)
        ],
    }
    return found | ({"released count": list(ranking.released)} if ranking.released else {})
