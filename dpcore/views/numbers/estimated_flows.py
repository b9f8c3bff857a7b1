"""Estimated flows: the strongest between tiles, those of one tile, and flows between districts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimated, Estimates, Ranged
from dpcore.estimates.words import NO_RANGE
from dpcore.release.estimates import estimates_of
from dpcore.release.release import Release
from dpcore.views.ground.plain import number, rounded
from dpcore.views.ground.shown import counted_of, estimated, ranged, spoken_of
from dpcore.views.numbers.flows import DRAWN_FLOWS
from dpcore.views.numbers.ranking import ranked_cells

TOO_FEW_LISTED: Final = "Too few flows are listed to tell how many trips all of them have. A flow that is not listed is not known to be 0."
"""Where the listed flows hold less than ``_LISTED`` of the trips that the table by hour tells."""
_LISTED: Final = 0.5
_Cells = NDArray[np.int64]


def has_ranges(table: Estimated) -> bool:
    """Whether likely ranges of all listed flows are known."""
    return ranged(table).is_ranged


def finest_flows(release: Release) -> Estimated:
    """The estimated flows between tiles at the finest stop."""
    return estimates_of(release, of=("od_flows",)).tables["od_flows"]


def drawn_cells(table: Estimated, most: int = DRAWN_FLOWS) -> _Cells:
    """The cells of the flows that are drawn as lines: the strongest of a stop; where epsilon moves, of the finest one."""
    shown = estimated(table)
    return np.sort(shown.cells[shown.largest(ranked_cells(shown.keys, shown.cells), most)])


def ranged_at(table: Estimated, cells: _Cells) -> Ranged:
    """Estimates of some cells; one that is not listed is below one half, and nothing calibrates a range of it."""
    listed, shown = table.cell_numbers, ranged(table)
    found = Ranged.without_range(np.zeros(len(cells)))
    known = np.isin(cells, listed)
    place = np.searchsorted(listed, cells[known])
    for column, numbers in zip(found.columns, shown.columns, strict=True):
        column[known] = numbers[place]
    return found


def flows_words(estimates: Estimates) -> str:
    """What the estimated flows between tiles are, and what is known of their ranges."""
    table, hours = estimates.tables["od_flows"], estimates.tables.get("trips_per_hour")
    total = float(ranged(table).values.sum())
    about = number(rounded(round(total), round(total / 10)))  # a tenth: its own range is not known
    said = f"About {about} {counted_of('trips', spoken_of(table))}, by start and end."
    if (
        hours is not None and total < _LISTED * ranged(hours).values.sum() / 2
    ):  # a trip starts in one hour and ends in one
        said = TOO_FEW_LISTED
    return said if has_ranges(table) else f"{said} {NO_RANGE}"
