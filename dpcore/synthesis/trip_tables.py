"""Trips between stations counted as the measures of ``dpcore.measures`` count, so that two sets of trips can be compared.

A station is a tile. Dates are those of the end of a trip, hours those of each end; distances are those between stations.
Counts of real trips are exact: they belong to their owner.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.synthesis.domain import TripColumns, TripDomain

Codes = NDArray[np.int64]
Table = dict[str, list[str] | list[int]]

MEASURES: Final = (
    "visits_per_tile",
    "od_flows",
    "trips_over_time",
    "trips_per_weekday",
    "trips_per_hour",
    "visits_per_time_tile",
    "travel_time",
    "jump_length",
)
"""Measures that trips without people can answer."""

_THURSDAY: Final = 3  # 1970-01-01, Monday being 0
_SATURDAY: Final = 5


def trip_tables(trips: TripColumns, domain: TripDomain) -> dict[str, Table]:
    """The table of each of ``MEASURES``: key columns as text, then ``value``. Flows list the pairs that occur."""
    choices = KeyChoices(period=domain.period)
    codes = _codes(trips, domain, choices)
    found = {}
    for name in MEASURES:
        measure = measure_named(name, choices)
        keys = measure.keys(domain.stations.ids)
        cells = keys.cells(codes[name])
        if measure.sparse:
            listed, counts = np.unique(cells, return_counts=True)
        else:
            listed, counts = keys.all_cells, np.bincount(cells, minlength=keys.size)
        table: Table = {column: list(texts) for column, texts in keys.labels(listed).items()}
        found[name] = table | {"value": counts.tolist()}
    return found


def _codes(trips: TripColumns, domain: TripDomain, choices: KeyChoices) -> dict[str, list[Codes]]:
    """For each measure one array of integers for each axis of its keys, one entry a count."""
    midnight = np.datetime64(domain.period.first, "D").astype(np.int64) * 86_400
    begin = midnight + trips.date.astype(np.int64) * 86_400 + trips.second
    end = begin + trips.seconds
    start, stop = trips.codes(domain, "start"), trips.codes(domain, "end")
    hours = [np.zeros(len(trips), np.int64), np.ones(len(trips), np.int64)]
    return {
        "visits_per_tile": [np.concatenate([start, stop])],
        "od_flows": [start, stop],
        "trips_over_time": [end // 86_400],
        "trips_per_weekday": [_weekday(end)],
        "trips_per_hour": [
            np.concatenate(hours),
            np.concatenate([_weekend(begin), _weekend(end)]),
            np.concatenate([_hour(begin), _hour(end)]),
        ],
        "visits_per_time_tile": [_weekend(end), _window(end, choices.windows), stop],
        "travel_time": [_bin(trips.seconds / 60, choices.bins("travel_time").edges)],
        "jump_length": [_bin(domain.stations.kilometres[start, stop], choices.bins("jump_length").edges)],
    }


def _hour(second: Codes) -> Codes:
    return second // 3_600 % 24


def _weekday(second: Codes) -> Codes:
    return (second // 86_400 + _THURSDAY) % 7


def _weekend(second: Codes) -> Codes:
    return (_weekday(second) >= _SATURDAY).astype(np.int64)


def _window(second: Codes, starts: tuple[int, ...]) -> Codes:
    """The hours before the first start belong to the last window, which runs past midnight."""
    return (np.searchsorted(np.array(starts), _hour(second), side="right") - 1) % len(starts)


def _bin(values: NDArray[np.float64], edges: tuple[str, ...]) -> Codes:
    return np.searchsorted(np.array([float(edge) for edge in edges]), values, side="right").astype(np.int64)
