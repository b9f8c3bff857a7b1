"""How trips become trajectories: what one is, when its tile is noted, and what lies outside the tiles. Public; no data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from dpcore.errors import PrivacyError

MAX_MINUTES: Final = 1_440
"""A day: the longest regular interval."""


class Source(Enum):
    """What one trajectory is."""

    TRIP = "trip"
    """The tiles of one trip, from its start to its end."""
    DAY = "day"
    """All that one person, or one vehicle, visited on one local day; it needs the privacy unit user."""


class Outside(Enum):
    """What becomes of a visit that lies in no tile."""

    LEAVE_OUT = "leave-out"
    """It is left out, as if nobody had seen it."""
    PLACE = "place"
    """It is a visit to one more place, ``keys.OUTSIDE``."""
    END = "end"
    """The trajectory ends there."""


@dataclass(frozen=True, slots=True)
class Making:
    """How a trajectory is made; raises PrivacyError for an interval without meaning."""

    source: Source = Source.TRIP
    minutes: int | None = None
    """The tile is noted every so many minutes, and staying is seen; None: once for each move to another tile."""
    outside: Outside = Outside.LEAVE_OUT

    def __post_init__(self) -> None:
        """Refuse an interval that is none."""
        if self.minutes is None:
            return
        whole = isinstance(self.minutes, int) and not isinstance(self.minutes, bool)
        if not whole or not 1 <= self.minutes <= MAX_MINUTES:
            raise PrivacyError(
                "the interval of a trajectory must be a whole number of minutes",
                "minutes",
                f"Give 1 to {MAX_MINUTES:,}, or none: then each move to another tile counts once.",
            )

    def terms(self) -> dict[str, object]:
        """As the ledger and the manifest write it down."""
        return {"source": self.source.value, "minutes": self.minutes, "outside": self.outside.value}

    @classmethod
    def of_terms(cls, terms: Mapping[str, object]) -> Making:
        """What ``terms`` wrote; KeyError, TypeError or ValueError for anything else, PrivacyError beyond the limits."""
        if not isinstance(terms, Mapping):
            raise TypeError("making")
        minutes = terms["minutes"]
        if minutes is not None and (not isinstance(minutes, int) or isinstance(minutes, bool)):
            raise TypeError("minutes")
        return cls(Source(terms["source"]), minutes, Outside(terms["outside"]))


TRIPS_BY_TILE: Final = Making()
"""The usual one: the tiles of a trip, each once until another follows; what lies outside is left out."""
