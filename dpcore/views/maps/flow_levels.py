"""Flows by level: between districts from afar, between tiles when near; and what goes out of and into every one of them.

Flows between districts are those that were released, with their noise or their likely ranges. Where they were not released,
their estimates are sums of the flows between tiles, with a range where one is known (``area``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Ranged
from dpcore.estimates.words import LIKELY
from dpcore.measures.keys import Districts, KeySet, district_axis
from dpcore.views.ground.shown import Shown, estimated_numbers, spoken_of
from dpcore.views.maps.estimate_message import MapEstimates
from dpcore.views.maps.tile_map import EstimatedFlows, MapDistricts
from dpcore.views.numbers.area import DISTRICT_FLOWS, FLOWS, Grouping, Numbers, measure_between, sums_of
from dpcore.views.numbers.flows import SENT_FLOWS
from dpcore.views.numbers.ranking import strongest_between

Cells = NDArray[np.int64]
_LEAST = 0.5  # a smaller estimate is of no trip


@dataclass(frozen=True, eq=False)
class DistrictEstimates:
    """Estimates between districts at one stop."""

    flows: Ranged
    """Of the pairs of a map, in its order."""
    totals: Ranged
    """Out of every district, then into every district; without what stays within."""


def pairs_to_draw(between: NDArray[np.float64]) -> Cells:
    """Numbers ``g * count + h`` of the largest flows between two different districts, ascending. ``between`` is square."""
    open_pairs = np.flatnonzero(~np.eye(len(between), dtype=bool))
    largest = np.argsort(-between.ravel()[open_pairs], kind="stable")[:SENT_FLOWS]
    return np.sort(open_pairs[largest]).astype(np.int64)


def estimated_lines(finest: Numbers, districts: Districts | None = None) -> EstimatedFlows | None:
    """The lines of a map of estimated flows between districts, or between tiles; None where there are no such estimates.

    ``finest``: the estimates of the finest stop, which choose what is drawn and how large.
    """
    if districts is None:
        shown = estimated_numbers(finest.estimates.tables[FLOWS])
        strongest = shown.at(strongest_between(shown, SENT_FLOWS))
        values = strongest.numbers.values
        origins, destinations = np.unravel_index(strongest.cells, shown.keys.shape)
    else:
        between, count = _between(finest, districts), len(districts.names)
        if between is None:
            return None
        pairs = pairs_to_draw(between.values.reshape(count, count))
        values = between.values[pairs]
        origins, destinations = np.divmod(pairs, count)
    totals = totals_at(finest, districts)
    sums = np.zeros(0) if totals is None else totals.values
    largest, largest_total = (int(np.ceil(one.max(initial=1))) for one in (values, sums))
    return EstimatedFlows(origins, destinations, largest, largest_total)


def flows_between_districts(numbers: Numbers, districts: Districts) -> Shown | None:
    """The estimated flows between districts as a map draws them, and those within where they have a table of their own."""
    if (table := numbers.estimates.tables.get(DISTRICT_FLOWS)) is not None:
        return estimated_numbers(table)
    between = _between(numbers, districts)
    if between is None:
        return None
    count, about = len(districts.names), spoken_of(numbers.estimates.tables[FLOWS])
    keys = KeySet((district_axis("origin", districts), district_axis("destination", districts)))
    cells = np.ravel_multi_index(np.divmod(np.arange(count * count), count), keys.shape)
    pairs = np.flatnonzero(between.values >= _LEAST)
    return Shown(DISTRICT_FLOWS, "trips", keys, cells[pairs], between.at(pairs), about, LIKELY)


def district_estimates(numbers: Numbers, drawn: MapDistricts) -> DistrictEstimates | None:
    """Estimates of the flows that a map draws between districts, and of all that goes out of and into each."""
    if drawn.flows is None:
        return None
    count = len(drawn.districts.names)
    between, totals = _between(numbers, drawn.districts), totals_at(numbers, drawn.districts)
    if between is None or totals is None:
        return None
    pairs = np.asarray(drawn.flows.origins) * count + np.asarray(drawn.flows.destinations)
    return DistrictEstimates(between.at(pairs), totals)


def flow_estimates(
    numbers: Numbers, cells: Cells, released: Sequence[str], drawn: MapDistricts | None
) -> MapEstimates:
    """What the map of estimated flows is sent at a stop: the flows and the totals of both levels.

    ``cells``: of the flows between tiles that it draws; ``released``: their released counts in words, empty where there are
    none; ``drawn``: its districts, None without.
    """
    table = numbers.estimates.tables[FLOWS]
    more = None if drawn is None else district_estimates(numbers, drawn)
    return MapEstimates(
        numbers.estimates,
        spoken_of(table),
        "",
        flows=estimated_numbers(table).of(cells).numbers,
        released=released,
        districts=None if more is None else more.flows,
        totals=None if more is None else more.totals,
        tile_totals=totals_at(numbers, None),
    )


def totals_at(numbers: Numbers, districts: Districts | None) -> Ranged | None:
    """All that goes out of every district to all other places, then all that comes into it; without districts: of every tile.

    None where the page has no such numbers.
    """
    measure, places = _places(numbers, districts)
    count = int(places.max(initial=-1)) + 1
    size = np.bincount(places[places >= 0], minlength=count)
    sides = []
    for outward in (True, False):

        def side(origin: Cells, destination: Cells, outward: bool = outward) -> Cells:
            return np.where(origin != destination, origin if outward else destination, -1)

        sides.append(_sums_by_group(numbers, measure, places, side, size * (len(places) - size)))
    out, into = sides
    if out is None or into is None:
        return None
    return Ranged(*(np.concatenate(ends) for ends in zip(out.columns, into.columns, strict=True)))


def _between(numbers: Numbers, districts: Districts) -> Ranged | None:
    """Flows from every district to every other, flat."""
    measure, places = _places(numbers, districts)
    count = len(districts.names)
    size = np.bincount(places[places >= 0], minlength=count)

    def pair(origin: Cells, destination: Cells) -> Cells:
        known = (origin >= 0) & (destination >= 0) & (origin != destination)
        return np.where(known, origin * count + destination, -1)

    sizes = np.outer(size, size)
    np.fill_diagonal(sizes, 0)
    return _sums_by_group(numbers, measure, places, pair, sizes.ravel())


def _places(numbers: Numbers, districts: Districts | None) -> tuple[str, Cells]:
    """The table that tells flows of a level, and the place of the level that each of its places belongs to; -1 outside."""
    measure = FLOWS if districts is None else measure_between(numbers.measurements)
    if districts is None:
        table = numbers.estimates.tables.get(measure, numbers.measurements.get(measure))
        own = np.arange(0 if table is None else table.keys.shape[0] - 1)
    else:
        own = np.arange(len(districts.names)) if measure == DISTRICT_FLOWS else np.array(districts.of_tiles)
    return measure, np.append(own, -1).astype(np.int64)


def _sums_by_group(
    numbers: Numbers, measure: str, places: Cells, group: Callable[[Cells, Cells], Cells], sizes: Cells
) -> Ranged | None:
    def of(cells: Cells) -> Cells:
        origin, destination = np.divmod(cells, len(places))
        return group(places[origin], places[destination])

    found = sums_of(numbers, measure, Grouping(of, sizes.astype(np.int64)))
    return None if found is None else found.shown
