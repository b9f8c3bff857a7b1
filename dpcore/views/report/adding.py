"""One sum done right: the visits of the busiest district, by the draws of its tiles, and why ends of ranges do not add up."""

from __future__ import annotations

from html import escape
from typing import Final

import numpy as np

from dpcore.estimates.words import likely, rounded
from dpcore.views.ground.plain import district_labels
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.numbers.area import VISITS, draws_of, grouped, numbers_of, sums_of
from dpcore.views.report.markup import folded
from dpcore.views.report.stop import Stop

TITLE: Final = "How to add up"


def one_sum(stop: Stop) -> str:
    """The sum with its range, beside what the ends of ranges would give; of all tiles where there are no districts.

    Nothing where there are no draws (``dpcore.release.draws``).
    """
    table, release = stop.table(VISITS), stop.release
    if table is None or VISITS not in draws_of(release, stop.rung):
        return ""
    shown, districts = ranged(table), release.plan.choices.districts
    tiles, name = np.arange(len(release.tessellation.tile_ids)), "All tiles"
    if districts is not None:
        of_tiles = np.array(districts.of_tiles)
        labels = district_labels(release.tessellation, districts)
        busiest = int(np.bincount(of_tiles, shown.values[tiles]).argmax())
        tiles, name = tiles[of_tiles == busiest], labels[districts.names[busiest]]
    if len(tiles) == 1:
        return ""
    group = np.full(len(shown.values), -1, np.int64)
    group[tiles] = 0
    sums = sums_of(numbers_of(release, stop.estimates, released=False), VISITS, grouped(group, 1))
    if sums is None:
        return ""
    _, *ends = rounded(sums.at(0)[0], float(shown.low[tiles].sum()), float(shown.high[tiles].sum()))
    told = likely(*sums.at(0), f"{table.counts} of {spoken_of(table)}")
    said = (
        f"{name}: {told}, added up over {len(tiles):,} tiles in each of 100 draws.",
        f"The ends of the tiles' ranges would add up to {ends[0]} to {ends[1]}, as if every tile were too high at once or too low at once.",
        "Errors of different tiles partly cancel, and the error of the share that counts is common to all: the draws hold both.",
        "The Viewer tells the sum of an area in the same way.",
    )
    return folded(TITLE, "".join(f"<p>{escape(one)}</p>" for one in said))
