"""Synthetic trips as a table of text and times, as a trips file has them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from dpcore.synthesis.domain import TripColumns, TripDomain


def as_table(trips: TripColumns, domain: TripDomain) -> pa.Table:
    """One row a trip: ``trip_id`` (new, 1, 2, ...), both stations, both times on the wall clock, the other attributes."""
    midnight = np.datetime64(domain.period.first, "s") + trips.date.astype("timedelta64[D]")
    start = midnight + trips.second.astype("timedelta64[s]")
    columns = {
        "trip_id": pa.array(np.arange(1, len(trips) + 1)),
        "start_station": _texts(domain.stations.ids, trips.start),
        "end_station": _texts(domain.stations.ids, trips.end),
        "started_at": pa.array(start.astype("datetime64[s]")),
        "ended_at": pa.array((start + trips.seconds.astype("timedelta64[s]")).astype("datetime64[s]")),
    }
    columns |= {
        attribute.name: _texts(attribute.labels, trips.extras[attribute.name]) for attribute in domain.extras
    }
    return pa.table(columns)


def _texts(labels: tuple[str, ...], codes: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels, pa.string()))
