"""How the cells of each table lie, by ``Measure.layout``, and their places along a line or on the map."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures import Each, Kind, Layout
from dpcore.measures.keys import OUTSIDE
from dpcore.measures.plan import FIVE_NUMBERS

Numbers = NDArray[np.float64]
Texts = NDArray[np.str_]


BEYOND: Final = ("before", "after")
"""Keys of a series over dates that are not dates."""


LAYOUTS: Final[Mapping[str, Layout]] = ChainMap(  # measures first, those that are registered later too
    {FIVE_NUMBERS: Layout(Kind.NUMBERS, ("measure", "statistic"))},
    Each(lambda measure: measure.layout),  # type: ignore[arg-type]  # nothing writes here
)
"""Every table that can be compared."""


def places(layout: Layout, columns: Mapping[str, Texts]) -> Numbers:
    """The places of the cells of an ordered measure on their line, in its unit."""
    if layout.kind is Kind.BINS:
        return bin_middles(columns["bin_start"].astype(float), columns["bin_end"].astype(float))
    labels = columns[layout.columns[-1]]
    return days(labels) if layout.kind is Kind.DATES else labels.astype(float)


def bin_middles(starts: Numbers, ends: Numbers) -> Numbers:
    """The middle of each bin. A bin without an end is placed half the width of its neighbour beyond its edge.

    If there is only one bin, it is placed at its edge, or at 0.
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
    """Dates as days since the year 1. ``before`` and ``after`` are placed one step beyond the others."""
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
    """The number of the tile of each label; -1 for ``outside``, -2 for a label that is not a tile."""
    ids = np.array(tile_ids)
    order = np.argsort(ids)  # sorted by code points as numpy does it, in whatever order they came
    where = np.minimum(np.searchsorted(ids, labels, sorter=order), len(ids) - 1)
    found = np.where(ids[order[where]] == labels, order[where], -2)
    return np.where(labels == OUTSIDE, -1, found).astype(np.int64)
