"""Tables of trips between stations: those of a published figure, and those of our measures.

``figure`` makes the tables of Figure 1 of Roy, Kantarcioglu and Sweeney (DBSec 2016): popular stations, days and routes,
times of day, attributes of riders, durations. ``trip_tables`` counts like the measures of ``dpcore.measures``, so that two sets of
trips can be compared. There a station is a tile, the date is that of the end of a trip, hours are those of both ends, and
distances are those between stations. Tables of real trips are exact: for the owner only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.roy.domain import TripColumns, TripDomain
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices

Codes = NDArray[np.int64]
Table = dict[str, list[str] | list[int]]
Floats = NDArray[np.float64]

TIMES_OF_DAY: Final = {"night": (0, 6), "morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24)}
"""First hour and end of each time of day. The hours are ours: the paper does not give them."""
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
"""Measures that need no people."""
_THURSDAY: Final = 3  # 1970-01-01, Monday being 0
_SATURDAY: Final = 5


@dataclass(frozen=True, repr=False, eq=False)
class Figure:
    """Shares in per cent of all trips, unless a field says otherwise. A sealed subclass holds those of real trips."""

    trips: int
    outgoing: Floats
    """By station."""
    incoming: Floats
    """By station."""
    days: Floats
    """By date of the period."""
    routes: Floats
    """Shape (start, end)."""
    times_of_day: Mapping[str, float]
    people: Mapping[str, Floats]
    """For each attribute, per cent of the trips that start at a station: shape (stations, values)."""
    durations: tuple[float, float, float]
    """Shortest, mean and longest in seconds; three zeros without trips."""

    def __repr__(self) -> str:
        """Only the name of the class, because a subclass holds exact shares."""
        return f"<{type(self).__name__}>"


def figure(trips: TripColumns, domain: TripDomain) -> Figure:
    """The tables of one set of trips."""
    n, stations = len(trips), domain.sizes["start"]

    def share(name: str) -> Floats:
        return 100 * np.bincount(trips.codes(domain, name), minlength=domain.sizes[name]) / max(n, 1)

    start = trips.codes(domain, "start")
    hours = share("hour")
    return Figure(
        trips=n,
        outgoing=share("start"),
        incoming=share("end"),
        days=share("date"),
        routes=100
        * np.bincount(start * stations + trips.end, minlength=stations**2).reshape(stations, stations)
        / max(n, 1),
        times_of_day={name: float(hours[low:high].sum()) for name, (low, high) in TIMES_OF_DAY.items()},
        people={
            attribute.name: _by_station(start, trips.extras[attribute.name], stations, len(attribute.labels))
            for attribute in domain.person
        },
        durations=(float(trips.seconds.min()), float(trips.seconds.mean()), float(trips.seconds.max()))
        if n
        else (0.0, 0.0, 0.0),
    )


def _by_station(start: NDArray[np.int64], codes: NDArray[np.int32], stations: int, values: int) -> Floats:
    table = np.bincount(start * values + codes, minlength=stations * values).reshape(stations, values)
    return np.asarray(100 * table / np.maximum(table.sum(axis=1, keepdims=True), 1))


@dataclass(frozen=True)
class Row:
    """One line of a table: a label and two percentages."""

    label: str
    original: float
    synthetic: float


def top_rows(original: Figure, synthetic: Figure, domain: TripDomain, top: int = 5) -> dict[str, list[Row]]:
    """The ``top`` largest stations (out, in), days and routes of the original, with both shares: for its owner only."""
    ids = domain.stations.ids
    named: dict[str, tuple[Floats, Floats, list[str]]] = {
        "outgoing": (original.outgoing, synthetic.outgoing, list(ids)),
        "incoming": (original.incoming, synthetic.incoming, list(ids)),
        "days": (original.days, synthetic.days, list(domain.texts("date"))),
        "routes": (
            original.routes.ravel(),
            synthetic.routes.ravel(),
            [f"{start} to {end}" for start in ids for end in ids],
        ),
    }
    return {
        name: [
            Row(labels[i], float(here[i]), float(there[i])) for i in np.argsort(-here, kind="stable")[:top]
        ]
        for name, (here, there, labels) in named.items()
    }


def trip_tables(trips: TripColumns, domain: TripDomain) -> dict[str, Table]:
    """A table for each of ``MEASURES``: key columns as text, then ``value``. Flows list only pairs that occur."""
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
    """For each measure, one array of codes for each axis of its keys, one entry a count."""
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
    """The window of each second. Hours before the first start belong to the last window, which runs past midnight."""
    return (np.searchsorted(np.array(starts), _hour(second), side="right") - 1) % len(starts)


def _bin(values: NDArray[np.float64], edges: tuple[str, ...]) -> Codes:
    return np.searchsorted(np.array([float(edge) for edge in edges]), values, side="right").astype(np.int64)
