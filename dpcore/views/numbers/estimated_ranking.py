"""The first tiles and flows by their estimates, each with its likely range and its released count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimated, Estimates, Ranged
from dpcore.estimates.words import likely
from dpcore.release.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.charts import charts
from dpcore.views.charts.charts import Chart
from dpcore.views.charts.series import top_of
from dpcore.views.ground.plain import district_name, plain
from dpcore.views.numbers.estimated import ranged, spoken_of
from dpcore.views.numbers.estimated_flows import between_tiles, released_of_cells, strongest
from dpcore.views.numbers.ranking import LONGEST, TOP, dots_chart, place_names, ranked_cells


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
    cells: NDArray[np.int64]
    """The cell of each; of visits that is the number of the tile."""


def estimated_ranking(release: Release, estimates: Estimates, measure: str) -> EstimatedRanking:
    """Tiles (``visits_per_tile``), or flows between two different places (``od_flows``, ``od_districts``)."""
    table = estimates.tables[measure]
    shown, tiles = ranged(table), release.tessellation
    if measure == "od_districts":
        first, called = strongest(table, TOP, between_tiles(table)), table.keys.axes[0].inside
        ends = zip(*np.unravel_index(table.cell_numbers[first], table.keys.shape), strict=True)
        names = tuple(
            " \N{RIGHTWARDS ARROW} ".join(district_name(called[place]) for place in places) for places in ends
        )
    else:
        first = _first_places(table, shown, tiles)
        names = place_names(table.keys, table.cell_numbers[first], tiles)
    released = released_of_cells(release, measure, table.cell_numbers[first], estimates.rung)
    return _ranking(table, shown, first, names, about=spoken_of(table), released=released)


def places_ranking(table: Estimated, shown: Ranged, tiles: Tessellation, about: str) -> EstimatedRanking:
    """The first of any measure over tiles, or between two different tiles, without released counts.

    ``shown``: those estimates of ``table`` that are ranked; ``about``: which trips they are about.
    """
    first = _first_places(table, shown, tiles)
    names = place_names(table.keys, table.cell_numbers[first], tiles)
    return _ranking(table, shown, first, names, about=about)


def _first_places(table: Estimated, shown: Ranged, tiles: Tessellation) -> NDArray[np.int64]:
    """Positions of the largest estimates of places, largest first."""
    part = ranked_cells(table.keys, table.cell_numbers, tiles)
    return np.asarray(part[np.argsort(-shown.values[part], kind="stable")[:TOP]])


def _ranking(
    table: Estimated,
    shown: Ranged,
    first: NDArray[np.int64],
    names: tuple[str, ...],
    *,
    about: str,
    released: tuple[str, ...] = (),
) -> EstimatedRanking:
    listed = shown.at(first)
    top = top_of(listed) if len(first) else 1
    return EstimatedRanking(names, listed, released, table.counts, about, top, table.cell_numbers[first])


def ranking_chart(ranking: EstimatedRanking, mark: str = "") -> Chart:
    """A dot with its likely range for each; ranges that overlap leave the order open. A range that is not known is not drawn.

    ``mark``: stands in the picture, for previews.
    """
    shown, rows, says = ranking.shown, [], []
    for i, name in enumerate(ranking.names):
        rows.append((f"{i + 1}. {charts.short(name, LONGEST)}", *shown.cell(i)))
        says.append(f"{i + 1}. {charts.text_of(name)}<br>{likely(*shown.cell(i), ranking.counts)}")
    known = bool(rows) and bool(np.isfinite(shown.high).all())
    ranges = "with their likely ranges" if known else "without ranges, which are not known"
    return dots_chart(
        rows,
        says,
        axis=f"{ranking.counts}, {ranking.about}",
        limits=(0, ranking.top),
        alt=f"The first {len(rows)} by estimated {ranking.counts} of {ranking.about}, {ranges}",
        mark=mark,
    )


def ranking_table(ranking: EstimatedRanking) -> dict[str, list[str]]:
    """The first with estimates and released counts, as columns; Markdown, in which names are escaped."""
    shown = ranking.shown
    found = {
        "rank": [str(i) for i in range(1, len(ranking.names) + 1)],
        "name": [plain(name) for name in ranking.names],
        f"estimate, {ranking.about}": [likely(*shown.cell(i)) for i in range(len(ranking.names))],
    }
    return found | ({"released count": list(ranking.released)} if ranking.released else {})
