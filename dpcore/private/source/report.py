"""What was read and what was refused: exact counts, for the owner alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Self

from dpcore.private.sealed import Sealed


class BadRecords(Enum):
    """What one bad record does to its file."""

    REFUSE = "refuse"
    """The file is refused; the error names the first bad record and counts all."""
    DROP = "drop"
    """The record is left out and counted in the report."""


@dataclass(frozen=True, repr=False)
class Dropped(Sealed):
    """The records that broke one rule in one column."""

    rule: str
    """What was wrong, without any value."""
    column: str
    """Name of the column; empty where the record as a whole was wrong."""
    count: int
    """How many records: each is counted once, under the first rule it broke."""
    places: tuple[int, ...]
    """Line (CSV) or row (Parquet) of the first ones, counted from 1, at most ``limits.MAX_LISTED_PROBLEMS``."""
    file: str = ""
    """Name of the file, where a report is of several."""


@dataclass(frozen=True, repr=False)
class ReadReport(Sealed):
    """Counts of one reading. Private: they are exact. Its text is the name of the class."""

    records: int
    """Records of the file, good and bad."""
    trips: int
    """Trips that were handed on."""
    incomplete: int
    """Those of them with one known end only."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Column -> missing fields in good records (empty, ``NULL``, ``\\N``)."""
    dropped: tuple[Dropped, ...] = ()
    """Bad records by rule, in the order in which they were met."""
    unlisted: Mapping[str, int] = field(default_factory=dict)
    """Attribute of a trip -> values in good records that are on no list and count as unknown; never the values."""
    notes: tuple[str, ...] = ()
    """What is legal but may be a mistake."""

    @classmethod
    def empty(cls) -> Self:
        """The report of a file without records."""
        return cls(0, 0, 0)

    @property
    def unlisted_words(self) -> tuple[str, ...]:
        """What is said of values on no list, one sentence an attribute; numbers only."""
        return tuple(
            f"values of {name.replace('_', ' ')} on no list, counted as unknown: {count:,}"
            if name != "zip"
            else f"values of zip that can be no zip of any country: {count:,}"
            for name, count in self.unlisted.items()
        )

    @property
    def dropped_records(self) -> int:
        """How many records were left out."""
        return sum(rule.count for rule in self.dropped)

    def to_json(self) -> str:
        """The report as one JSON object, for the private folder."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The report that ``to_json`` wrote."""
        fields = json.loads(text)
        dropped = tuple(
            Dropped(**{**rule, "places": tuple(rule["places"])}) for rule in fields.pop("dropped")
        )
        return cls(**{**fields, "notes": tuple(fields["notes"])}, dropped=dropped)
