"""Estimated flows: the strongest between tiles, those of one tile, and flows between districts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.estimates import Estimated, Estimates, Ranged
from dpcore.estimates.words import NO_RANGE
from dpcore.measures.measurement import Measurement
from dpcore.release.estimates import estimates_of
from dpcore.release.release import Release
from dpcore.views.ground.plain import number, rounded
from dpcore.views.ground.reading import touches_a_tile
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.numbers.estimated import counted_of
from dpcore.views.numbers.flows import DRAWN_FLOWS, when

ESTIMATE: Final = "estimated trips"
"""Column of estimates with likely ranges."""
WITHOUT_RANGE: Final = "estimated trips (no range known)"
"""Column of estimates where no range is known."""
TOO_FEW_LISTED: Final = "Too few flows are listed to tell how many trips all of them have. A flow that is not listed is not known to be 0."
"""Where the listed flows hold less than ``_LISTED`` of the trips that the table by hour tells."""
_LISTED: Final = 0.5
RELEASED: Final = "released (95 % of the noise)"
"""Column of the released counts where all trips count."""
RELEASED_COUNTED: Final = "released, of the trips that count (95 % of the noise)"
"""The same where at most so many trips of each person count."""
_Cells = NDArray[np.int64]


def has_ranges(table: Estimated) -> bool:
    """Whether likely ranges of all listed flows are known."""
    return ranged(table).is_ranged


def between_tiles(table: Estimated) -> NDArray[np.bool_]:
    """Which listed flows go between two different tiles."""
    origin, destination = np.unravel_index(table.cell_numbers, table.keys.shape)
    tiles = table.keys.shape[0] - 1  # the last place is outside
    return np.asarray((origin < tiles) & (destination < tiles) & (origin != destination))


def strongest(table: Estimated, rows: int, of: NDArray[np.bool_] | None = None) -> _Cells:
    """Positions of the largest estimates, largest first; ``of``: those that take part, all by default."""
    values = ranged(table).values
    part = np.arange(len(values)) if of is None else np.flatnonzero(of)
    return np.asarray(part[np.argsort(-values[part], kind="stable")[:rows]], dtype=np.int64)


def finest_flows(release: Release) -> Estimated:
    """The estimated flows between tiles at the finest stop."""
    return estimates_of(release, of=("od_flows",)).tables["od_flows"]


def drawn_cells(table: Estimated, most: int = DRAWN_FLOWS) -> _Cells:
    """The cells of the flows that are drawn as lines: the strongest of a stop; where epsilon moves, of the finest one."""
    return np.asarray(np.sort(table.cell_numbers[strongest(table, most, between_tiles(table))]))


def ranged_at(table: Estimated, cells: _Cells) -> Ranged:
    """Estimates of some cells; one that is not listed is below one half, and nothing calibrates a range of it."""
    listed, shown = table.cell_numbers, ranged(table)
    found = Ranged.without_range(np.zeros(len(cells)))
    known = np.isin(cells, listed)
    place = np.searchsorted(listed, cells[known])
    for column, numbers in zip(found.columns, shown.columns, strict=True):
        column[known] = numbers[place]
    return found


def top_flows(table: Estimated, rows: int) -> _Cells:
    """Positions of the strongest flows, largest first; from outside to outside is none."""
    return strongest(table, rows, touches_a_tile(table.keys, table.cell_numbers))


def flows_table(
    release: Release, estimates: Estimates, measure: str, names: Mapping[str, str], rows: int = 50
) -> pd.DataFrame:
    """The strongest estimated flows of a table, largest first; from outside to outside is none.

    Columns: from, to, the estimate, its likely range where it is known, and the released count where the table was released.
    """
    table = estimates.tables[measure]
    top = top_flows(table, rows)
    found = listed_flows(table, names, top)
    found = found.rename(columns={"trips": ESTIMATE if "likely range" in found else WITHOUT_RANGE})
    released = released_of_cells(release, measure, table.cell_numbers[top], estimates.rung)
    column = RELEASED if release.plan.bound.max_trips is None else RELEASED_COUNTED
    return found.assign(**{column: list(released)}) if released else found


def listed_flows(table: Estimated, names: Mapping[str, str], top: _Cells) -> pd.DataFrame:
    """Some flows of a table with their estimates: from, to, when (by window), trips, and the likely range where it is known."""
    shown, labels = ranged(table), table.keys.labels(table.cell_numbers[top])
    found = pd.DataFrame(
        {
            "from": [names.get(place, place) for place in labels["origin"]],
            "to": [names.get(place, place) for place in labels["destination"]],
            **when(labels),
            "trips": np.rint(shown.values[top]).astype(np.int64),
        }
    )
    if np.isfinite(shown.high).any():
        found["likely range"] = [
            "no range is known" if np.isnan(high) else f"{number(low)} to {number(high)}"
            for low, high in zip(shown.low[top], shown.high[top], strict=True)
        ]
    return found


def released_of_cells(release: Release, measure: str, cells: _Cells, rung: int) -> tuple[str, ...]:
    """The released count of each cell with the range of its noise, in words; empty where the table was not released."""
    drawn = release.measurements.get(measure)
    return () if drawn is None else drawn_of_cells(drawn, cells, rung)


def drawn_of_cells(drawn: Measurement, cells: _Cells, rung: int) -> tuple[str, ...]:
    """The noisy count of each cell with the range of its noise, in words."""
    listed, values, wide = drawn.cell_numbers, drawn.values[rung], drawn.half_widths[rung]
    places = np.minimum(np.searchsorted(listed, cells), max(len(listed) - 1, 0))
    return tuple(
        f"{number(int(values[at]))} ({number(int(values[at]) - wide)} to {number(int(values[at]) + wide)})"
        if len(listed) and listed[at] == cell
        else "not listed"
        for cell, at in zip(cells, places, strict=True)
    )


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
