"""The one form in which every reader returns trips: Arrow batches, one row for each trip.

Readers parse, check and convert. They know nothing of tiles, hashing or privacy units. A form with attributes of a trip has
one more column for each, see ``extras``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed

Mask = NDArray[np.bool_]
"""Which rows of a batch."""

_TIME: Final = pa.timestamp("us")

TRIP_COLUMNS: Final = (
    pa.field("user_id", pa.string()),  # text from the first byte; all null if the form has no user
    pa.field("complete", pa.bool_()),  # both ends are known; otherwise the start columns are null
    pa.field("started_at", _TIME),  # wall clock of the city at start_us and end_us
    pa.field("ended_at", _TIME),
    pa.field("start_us", pa.int64()),  # instants: microseconds since 1970-01-01 00:00 UTC
    pa.field("end_us", pa.int64()),
    pa.field(
        "missing_lat", pa.int8()
    ),  # fields that were empty in the records of the trip, at most two of a kind:
    pa.field("missing_lng", pa.int8()),  # a missing zone is a missing latitude and a missing longitude
    pa.field("missing_time", pa.int8()),
)

MISSING: Final = tuple(field.name for field in TRIP_COLUMNS if field.name.startswith("missing_"))
"""Columns with counts of empty fields."""
MOST_MISSING: Final = 2
"""Most empty fields of one kind that count for a trip: it has a start and an end, however many records lie between."""

POINT_COLUMNS: Final = tuple(
    pa.field(name, pa.float64()) for name in ("start_lat", "start_lng", "end_lat", "end_lng")
)
ZONE_COLUMNS: Final = tuple(pa.field(name, pa.string()) for name in ("start_zone", "end_zone"))

POINT_TRIPS: Final = pa.schema([*TRIP_COLUMNS, *POINT_COLUMNS])
"""Trips with coordinates: degrees, WGS84; null if the place is missing."""

ZONE_TRIPS: Final = pa.schema([*TRIP_COLUMNS, *ZONE_COLUMNS])
"""Trips with zone ids: text that is looked up among the tile ids; null if missing."""

VIA: Final = pa.list_(pa.struct([("lat", pa.float64()), ("lng", pa.float64())]))
"""Places on the way: those of the records between start and end, in order of time; ties in order of (lat, lng).

Records without a time or a place are on no way. Null if there are none, and in incomplete trips, of which only one record
counts.
"""

RECORD_TRIPS: Final = POINT_TRIPS.append(pa.field("via", VIA))
"""Trips of a file with one row for each record: POINT_TRIPS, and the places on the way."""


@dataclass(frozen=True, repr=False)
class RawBatch(Sealed):
    """Records as the file gives them, before any check of their content.

    Text if the file has text (always in CSV), otherwise the types of Parquet. Missing fields are null.
    """

    first: int
    """Number of the first record in the file, from 0."""
    rows: int
    columns: Mapping[str, pa.Array]
    """Role -> values."""
    lines: NDArray[np.int64] | None = None
    """The line of each record, counted from 1. None if the records of the file are numbered one by one."""

    @property
    def places(self) -> NDArray[np.int64]:
        """Line (CSV) or row of each record in the file, counted from 1."""
        if self.lines is not None:
            return self.lines
        return np.arange(self.first + 1, self.first + self.rows + 1, dtype=np.int64)
