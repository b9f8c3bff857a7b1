"""The tables of Figure 1 of Roy, Kantarcioglu and Sweeney (DBSec 2016), for any trips between stations.

Popular stations, days and routes, times of day, who rides, how long. A ``Figure`` of real trips holds exact shares: it
belongs to their owner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.synthesis.domain import TripColumns, TripDomain

Floats = NDArray[np.float64]

TIMES_OF_DAY: Final = {"night": (0, 6), "morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24)}
"""Hours at which each begins and ends; the paper names times of day without their hours, so these are ours."""


@dataclass(frozen=True, repr=False, eq=False)
class Figure:
    """Shares in per cent of all trips unless something else is said. Those of real trips are of a sealed type."""

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
    """For each attribute of a person, per cent of the trips that start at a station: shape (stations, values)."""
    durations: tuple[float, float, float]
    """Shortest, mean and longest in seconds; three zeros without trips."""

    def __repr__(self) -> str:
        """The name of the class: a type made from this one holds exact shares."""
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
    """One line of a table: what it is about, and the two percentages."""

    label: str
    original: float
    synthetic: float


def top_rows(original: Figure, synthetic: Figure, domain: TripDomain, top: int = 5) -> dict[str, list[Row]]:
    """The ``top`` largest stations (out, in), days and routes of the original, with both shares: for its owner."""
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
