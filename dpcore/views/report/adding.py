"""One sum done right: the visits of the busiest district, by the draws of its tiles, and why ends of ranges do not add up."""

from __future__ import annotations

from html import escape
from typing import Final

import numpy as np

from dpcore.estimates.words import likely, rounded
from dpcore.release.draws import draws_at
from dpcore.views.ground.plain import district_labels
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.report.markup import folded
from dpcore.views.report.stop import Stop

_VISITS: Final = "visits_per_tile"
TITLE: Final = "How to add up"


def one_sum(stop: Stop) -> str:
    """The sum with its range, beside what the ends of ranges would give; of all tiles where there are no districts.

    Nothing where there are no draws (``dpcore.release.draws``).
    """
    table, release = stop.table(_VISITS), stop.release
    made = None if table is None else draws_at(release, stop.estimates)
    if table is None or made is None or _VISITS not in made.tables:
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
    low, high = np.quantile(made.tables[_VISITS][tiles].sum(axis=0), [0.025, 0.975])
    value = float(shown.values[tiles].sum())
    _, *ends = rounded(value, float(shown.low[tiles].sum()), float(shown.high[tiles].sum()))
    told = likely(
        value, min(float(low), value), max(float(high), value), f"{table.counts} of {spoken_of(table)}"
    )
    said = (
        f"{name}: {told}, added up over {len(tiles):,} tiles in each of 100 draws.",
        f"The ends of the tiles' ranges would add up to {ends[0]} to {ends[1]}, as if every tile were too high at once or too low at once.",
        "Errors of different tiles partly cancel, and the error of the share that counts is common to all: the draws hold both.",
        "The Viewer adds the released counts of an area up instead, which gives a wider range.",
    )
    return folded(TITLE, "".join(f"<p>{escape(one)}</p>" for one in said))
