"""How the cells of each measure lie: along a line, on the map, or in no order at all.

Key columns are named here once more, because a table that is read from a file is no longer tied to a measure's keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import Enum
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.keys import OUTSIDE

Numbers = NDArray[np.float64]
Texts = NDArray[np.str_]


BEYOND: Final = ("before", "after")
"""Keys of a series over dates that are no dates."""


class Kind(Enum):
    """What can be said about the cells of a measure."""

    NUMBERS = "numbers"
    """Numbers that are no parts of one total."""
    DATES = "dates"
    LINE = "line"
    """Whole numbers in order, such as hours."""
    BINS = "bins"
    TILES = "tiles"
    FLOWS = "flows"


@dataclass(frozen=True)
class Layout:
    """The key columns of a measure and what they mean."""

    kind: Kind
    columns: tuple[str, ...]
    """Key columns in their order."""
    unit: str = ""
    """Of the earth mover's distance."""
    groups: tuple[str, ...] = ()
    """Columns whose combinations are compared by themselves."""

    @property
    def ordered(self) -> bool:
        """Whether the cells of a group lie along a line."""
        return self.kind in {Kind.DATES, Kind.LINE, Kind.BINS}

    @property
    def tile_columns(self) -> tuple[str, ...]:
        """Columns that hold ids of tiles."""
        return tuple(name for name in self.columns if name in {"tile_id", "origin", "destination"})


def _bins(unit: str) -> Layout:
    return Layout(Kind.BINS, ("bin_start", "bin_end"), unit)


LAYOUTS: Final[Mapping[str, Layout]] = MappingProxyType(
    {
        "ds_statistics": Layout(Kind.NUMBERS, ("statistic",)),
        "missing_values": Layout(Kind.NUMBERS, ("column",)),
        "trips_over_time": Layout(Kind.DATES, ("date",), "days"),
        "trips_per_weekday": Layout(Kind.LINE, ("weekday",), "days"),
        "trips_per_hour": Layout(Kind.LINE, ("kind", "day_type", "hour"), "hours", ("kind", "day_type")),
        "visits_per_tile": Layout(Kind.TILES, ("tile_id",), "metres"),
        "visits_per_time_tile": Layout(
            Kind.TILES, ("day_type", "window", "tile_id"), "metres", ("day_type", "window")
        ),
        "od_flows": Layout(Kind.FLOWS, ("origin", "destination")),
        "travel_time": _bins("minutes"),
        "jump_length": _bins("km"),
        "trips_per_user": _bins("trips"),
        "user_time_delta": _bins("hours"),
        "radius_of_gyration": _bins("km"),
        "user_tile_count": _bins("tiles"),
        "mobility_entropy": _bins("of 1"),
        "five_numbers": Layout(Kind.NUMBERS, ("measure", "statistic")),
    }
)
"""Every measure that can be compared."""


def places(layout: Layout, columns: Mapping[str, Texts]) -> Numbers:
    """Where the cells of an ordered measure stand on their line, in its unit."""
    if layout.kind is Kind.BINS:
        return bin_middles(columns["bin_start"].astype(float), columns["bin_end"].astype(float))
    labels = columns[layout.columns[-1]]
    return days(labels) if layout.kind is Kind.DATES else labels.astype(float)


def bin_middles(starts: Numbers, ends: Numbers) -> Numbers:
    """The middle of each bin; one without an end stands half the width of its neighbour beyond its edge.

    The only bin of all stands at its edge, or at 0.
    """
    width = ends - starts
    closed = np.isfinite(width)
    middle = np.where(closed, (np.where(closed, starts, 0.0) + np.where(closed, ends, 0.0)) / 2, 0.0)
    for cell in np.flatnonzero(~closed):
        below = not np.isfinite(starts[cell])
        edge = ends[cell] if below else starts[cell]
        neighbour = closed & ((starts if below else ends) == edge)
        half = float(width[neighbour][0]) / 2 if neighbour.any() else 0.0
        middle[cell] = 0.0 if not np.isfinite(edge) else edge - half if below else edge + half
    return middle


def days(labels: Texts) -> Numbers:
    """Dates as days since the year 1; what lies ``before`` and ``after`` stands one step beyond the others."""
    at = np.array([np.nan if label in BEYOND else _ordinal(str(label)) for label in labels])
    known = np.sort(at[~np.isnan(at)])
    if not known.size:
        return np.where(labels == "after", 1.0, 0.0)
    step, last_step = (known[1] - known[0], known[-1] - known[-2]) if known.size > 1 else (1.0, 1.0)
    at = np.where(labels == "before", known[0] - step, at)
    return np.where(labels == "after", known[-1] + last_step, at)


def _ordinal(label: str) -> float:
    return float(date.fromisoformat(label).toordinal())


def tile_numbers(labels: Texts, tile_ids: tuple[str, ...]) -> NDArray[np.int64]:
    """The number of the tile of each label; -1 for ``outside``, -2 for what is no tile."""
    ids = np.array(tile_ids)
    order = np.argsort(ids)  # sorted by code points as numpy does it, whatever sorted them before
    where = np.minimum(np.searchsorted(ids, labels, sorter=order), len(ids) - 1)
    found = np.where(ids[order[where]] == labels, order[where], -2)
    return np.where(labels == OUTSIDE, -1, found).astype(np.int64)
