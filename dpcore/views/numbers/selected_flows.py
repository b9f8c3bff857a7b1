"""The flows of what is chosen on a map: to and from every other place, within it, and of a pair both ways.

Flows of districts come from the released flows between districts. Where those were not released, they are sums of flows
between tiles, with a range where one is known (``area``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.estimates.known import are_known
from dpcore.estimates.words import LIKELY, rounded
from dpcore.measures.keys import OUTSIDE, Districts
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import district_labels, number
from dpcore.views.ground.selection import Selection, tiles_of
from dpcore.views.ground.shown import spoken_of
from dpcore.views.numbers.area import FLOWS, Grouping, Numbers, Sums, measure_between, sums_of
from dpcore.views.numbers.estimated import about_counts

LISTED: Final = 20
"""Flows in a list, in each direction."""
MOST_FLOWS: Final = 40
"""Flows of a selection on the map, in each direction; more could not be told apart."""
_UNKNOWN: Final = "not known"

Cells = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SelectedFlows:
    """The flows of an area in one direction. Places are those of its level; the last one is outside all tiles."""

    outward: bool
    """Whether they begin in the area."""
    to: Sums
    """By the place at the other end; none for the places of the area itself."""
    total: Sums
    """All of them together, and those within the area: two groups."""
    strongest: Cells
    """The places whose flows can be read: what is known first, then by size."""
    unread: int
    """How many other places have a flow that cannot be told from none."""


def flow_measure(chosen: Selection, measurements: Collection[str]) -> str:
    """The table that tells flows at the level of a selection."""
    return measure_between(measurements) if chosen.districts else FLOWS


def whose_flows(chosen: Selection, numbers: Numbers) -> str:
    """Which trips the flows of a selection count, such as ``all trips``."""
    table = numbers.estimates.tables.get(flow_measure(chosen, numbers.measurements))
    return about_counts(numbers.plan) if numbers.released or table is None else spoken_of(table)


def selected_flows(
    chosen: Selection, numbers: Numbers, districts: Districts | None
) -> tuple[SelectedFlows, SelectedFlows] | None:
    """Flows out of and into an area; None where nothing tells them."""
    measure = flow_measure(chosen, numbers.measurements)
    table = numbers.estimates.tables.get(measure)
    keys = table.keys if table is not None else None
    if keys is None and (drawn := numbers.measurements.get(measure)) is not None:
        keys = drawn.keys
    if keys is None or not chosen.places:
        return None
    own, group, count = _places(chosen, keys.shape[0], districts, by_tiles=measure == FLOWS)
    found = []
    for outward in (True, False):
        to = sums_of(numbers, measure, _by_other_end(own, group, count, outward=outward))
        total = sums_of(numbers, measure, _grouping_of_area(own, outward=outward))
        if to is None or total is None:
            return None
        known = to.readable if numbers.released else are_known(to.shown)
        order = np.lexsort((-to.shown.values, ~known))
        read = order[to.readable[order]]
        here = np.unique(group[own])
        unread = count - len(read) - len(here)
        found.append(SelectedFlows(outward, to, total, read.astype(np.int64), unread))
    return found[0], found[1]


def _places(
    chosen: Selection, size: int, districts: Districts | None, *, by_tiles: bool
) -> tuple[NDArray[np.bool_], Cells, int]:
    """Which places of the table are in the area, and for each place its number at the level of the selection; and their count."""
    own = np.zeros(size, np.bool_)
    if by_tiles:
        own[tiles_of(chosen, districts)] = True
    else:
        own[list(chosen.places)] = True
    if by_tiles and chosen.districts and districts is not None:
        group = np.append(np.array(districts.of_tiles, np.int64), len(districts.names))
        return own, group, len(districts.names) + 1
    return own, np.arange(size, dtype=np.int64), size


def _by_other_end(own: NDArray[np.bool_], group: Cells, count: int, *, outward: bool) -> Grouping:
    """Cells between the area and every other place."""
    others = np.where(own, -1, group)

    def of(cells: Cells) -> Cells:
        origin, destination = np.divmod(cells, len(own))
        here, there = (origin, destination) if outward else (destination, origin)
        return np.where(own[here], others[there], -1)

    return Grouping(of, int(own.sum()) * np.bincount(group[~own], minlength=count))


def _grouping_of_area(own: NDArray[np.bool_], *, outward: bool) -> Grouping:
    """All cells between the area and what is not in it (group 0), and those within it (group 1)."""

    def of(cells: Cells) -> Cells:
        origin, destination = np.divmod(cells, len(own))
        here, there = (origin, destination) if outward else (destination, origin)
        return np.where(own[here], own[there].astype(np.int64), -1)

    inside = int(own.sum())
    return Grouping(of, np.array([inside * (len(own) - inside), inside * inside], np.int64))


def place_names(chosen: Selection, tiles: Tessellation, districts: Districts | None) -> tuple[str, ...]:
    """What the places of a level are called, and what lies outside all of them."""
    if chosen.districts and districts is not None:
        return tuple(district_labels(tiles, districts).values())
    return (*tiles.called, OUTSIDE)


def flow_words(found: tuple[float, float, float], numbers: Numbers) -> str:
    """A flow or a sum of flows with its range, as plain text."""
    value, low, high = found
    if np.isnan(low):
        return f"about {rounded(value, low, high)[0]} trips (no range is known)"
    if numbers.released:
        return f"{number(value)} trips (95 % range of the noise {number(low)} to {number(high)})"
    middle, first, last = rounded(value, low, high)
    return f"about {middle} trips ({LIKELY} {first} to {last})"


def flow_rows(flows: SelectedFlows, names: Sequence[str], numbers: Numbers) -> pd.DataFrame:
    """The first readable flows: place, trips and range."""
    place = "to" if flows.outward else "from"
    return pd.DataFrame(_rows(flows, names, numbers), columns=[place, "trips", "range"])


def _rows(flows: SelectedFlows, names: Sequence[str], numbers: Numbers) -> Iterator[tuple[str, str, str]]:
    for place in flows.strongest[:LISTED]:
        found = flows.to.at(int(place))
        known = numbers.released and not np.isnan(found[1])
        middle, low, high = (number(part) for part in found) if known else rounded(*found)
        yield names[place], middle, f"{low} to {high}" if low else _UNKNOWN


def sent_flows(
    chosen: Selection, found: tuple[SelectedFlows, SelectedFlows] | None, numbers: Numbers
) -> dict[str, object]:
    """What the map draws of a selection: in each direction place, value and range of the strongest readable flows.

    Outside is no place on the map. A range of null is not known.
    """
    drawn = []
    for flows in found or ():
        outside = len(flows.to.shown.values) - 1
        places = flows.strongest[flows.strongest != outside]
        # Of a pair its own flow is drawn wherever it stands in the order.
        shown = np.concatenate(
            [places[:MOST_FLOWS], places[MOST_FLOWS:][places[MOST_FLOWS:] == chosen.other]]
        )
        drawn.append(
            {
                "places": shown.tolist(),
                "numbers": [_numbers_sent(*flows.to.at(int(place))) for place in shown],
                "more": len(places) - len(shown),
                "unread": flows.unread,
            }
        )
    return {
        **chosen.sent(),
        "about": whose_flows(chosen, numbers),
        "kind": "released" if numbers.released else "estimate",
        "flows": drawn,
    }


def _numbers_sent(value: float, low: float, high: float) -> list[float | None]:
    return [round(value, 1), *(None if np.isnan(end) else round(end, 1) for end in (low, high))]
