"""What the SQL of a measure counts, as plain data: for engines that run compiled passes instead of SQL.

The SQL stays the definition. A rule says the same once more and names the text that it stands for, so that a measure
whose SQL was exchanged has no rule, and its SQL is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from dpcore.public_bins import Bins


class Cells(Enum):
    """Which cells a trip, or a user, counts in."""

    STATISTICS = "users, trips, records, complete trips, incomplete trips"
    STATISTICS_OF_TRIPS = "trips, records, complete trips, incomplete trips"
    EMPTY_FIELDS = "empty times, latitudes and longitudes"
    DAYS = "day of the end"
    WEEKDAYS = "weekday of the end"
    HOURS = "kind of end, day type, hour"
    VISITS = "tiles of both ends, and tiles on the way up to a cap"
    WINDOWS = "day type, time window and tile of the end"
    FLOWS = "tile of the start, tile of the end"
    BINS_OF_TRIPS = "bin of a value of the trip"
    BINS_OF_USERS = "bin of a value of the user"


class Value(Enum):
    """What a histogram bins."""

    DURATION = "microseconds from start to end of a complete trip"
    JUMP = "metres from start to end of a complete trip"
    GAP = "microseconds since the end of the user's trip before"
    TRIPS = "trips of a user"
    RADIUS = "radius of gyration of a user in metres"
    TILES = "different tiles of a user"
    ENTROPY = "mobility entropy of a user in thousandths"


@dataclass(frozen=True)
class Rule:
    """One way to count, which gives what an SQL text gives."""

    sql: str
    """The text that it stands for."""
    cells: Cells
    value: Value | None = None
    """What is binned, for histograms."""
    bins: Bins | None = None
    """The bins, for histograms."""
    windows: tuple[int, ...] = ()
    """Rising hours at which time windows begin."""
    cap: int = 2
    """Most visits of one trip."""
