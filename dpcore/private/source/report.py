"""What a reader finds wrong and what it counts: the rules that a record can break, bad records by rule, and the report.

Exact counts, for the owner alone. No rule, fault or report holds a cell.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.sealed import Sealed
from dpcore.private.source.batch import Mask


@dataclass(frozen=True)
class Rule:
    """One rule of a reader."""

    what: str
    """What is wrong with the record."""
    mend: str
    """How its owner can mend it."""


NOT_A_NUMBER: Final = Rule("not a number", "Give degrees such as 52.5163.")
DECIMAL_COMMA: Final = Rule("a decimal comma", "Give degrees with a point, such as 52.5163.")
LAT_OUTSIDE: Final = Rule("outside [-90, 90]", "Give a latitude in degrees, WGS84.")
LNG_OUTSIDE: Final = Rule("outside [-180, 180]", "Give a longitude in degrees, WGS84.")
NOT_A_TIME: Final = Rule(
    "not a time of the form 2024-03-01 10:00:00", "Write year, month, day: day and month are never guessed."
)
NOT_MONTH_FIRST: Final = Rule(
    "not a time of the form 2024-03-01 10:00:00 or 1/31/2017 10:00",
    "Write year, month, day with hyphens, or month, day, year with slashes.",
)
YEAR_OUTSIDE: Final = Rule(
    f"a year outside {limits.FIRST_YEAR} to {limits.LAST_YEAR}", "Check the time, or its unit."
)
TIME_MISSING: Final = Rule("time missing", "Give the time of one end at least.")
ENDS_FIRST: Final = Rule("ends before it starts", "Swap the times.")
USER_MISSING: Final = Rule("user id missing", "Each trip belongs to one user: give the id.")
TRIP_MISSING: Final = Rule("trip id missing", "Give the trip each record belongs to.")
NOT_A_ZONE: Final = Rule("not a zone id", "Give whole numbers or text.")
TOO_LONG: Final = Rule(
    f"a field longer than {limits.MAX_FIELD_CHARACTERS:,} characters", "Shorten it, or leave the column out."
)
OPEN_QUOTE: Final = Rule(
    "a quotation mark is left open",
    "Close it, or double the quotation marks inside the field; line breaks inside a field are not read.",
)


def field_count(found: int, expected: int) -> Rule:
    """The record has another number of fields than the header."""
    fields = "1 field" if found == 1 else f"{found:,} fields"
    return Rule(f"has {fields}, the header {expected:,}", "Quote fields that hold a comma.")


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


_OUTSIDE: Final = (LAT_OUTSIDE, LNG_OUTSIDE)


class Faults:
    """Bad records by rule and column; holds counts and places in the file, counted from 1, never a cell."""

    def __init__(self) -> None:
        self.total = 0
        self.swapped = 0  # of the points outside: those that are inside when lat and lng change places
        self._left_out = 0
        self._count: dict[tuple[Rule, str], int] = {}
        self._first: dict[tuple[Rule, str], list[int]] = {}

    def add(self, rule: Rule, column: str, records: Iterable[int], count: int) -> None:
        """Bad records of one rule in one column, with the places of the first at least."""
        key = rule, column
        self.total += count
        self._count[key] = self._count.get(key, 0) + count
        first = self._first.setdefault(key, [])
        for record in records:
            if len(first) == limits.MAX_LISTED_PROBLEMS:
                break
            first.append(int(record))

    def add_left_out(self, rule: Rule, column: str, lines: NDArray[np.int64]) -> None:
        """Bad records on these lines, which never reach the parser."""
        self._left_out += len(lines)
        self.add(rule, column, lines[: limits.MAX_LISTED_PROBLEMS], len(lines))

    @property
    def left_out(self) -> int:
        """Records that never reached the parser so far."""
        return self._left_out

    def by_rule(self) -> Iterator[tuple[Rule, str, int, int]]:
        """Each rule that was broken with its column, how often, and the place of the first record."""
        for (rule, column), count in self._count.items():
            yield rule, column, count, self._first[rule, column][0]

    def dropped(self) -> tuple[Dropped, ...]:
        """The counts for the report, with places in the file."""
        return tuple(
            Dropped(rule.what, column, self._count[rule, column], tuple(sorted(first)))
            for (rule, column), first in self._first.items()
        )

    def error(self, name: str, unit: str, records: int) -> InputError:
        """One error for all: its text names the first, its notes list the first ones and the counts.

        ``unit`` is line or row; ``records`` were read, which tells a wrong file from a wrong record.
        """
        listed = sorted(
            (place, number, rule, column)
            for number, ((rule, column), first) in enumerate(self._first.items())
            for place in first
        )[: limits.MAX_LISTED_PROBLEMS]
        hint = self._hint(records)
        problems = [
            InputError(
                rule.what,
                f"{name}, {unit} {place:,}" + (f", column {column}" if column else ""),
                hint if hint and rule in _OUTSIDE else rule.mend,
            )
            for place, _, rule, column in listed
        ]
        # A refused file is not read to its end, and the parser runs ahead: beyond the limit numbers mean nothing.
        most = limits.MAX_BAD_RECORDS
        error = InputError.several(problems, min(self.total, most), at_least=self.total >= most)
        for problem in problems:
            error.add_note(str(problem))
        for (rule, column), count in self._count.items():
            many = f"at least {min(count, most):,}" if self.total >= most else f"{count:,}"
            error.add_note(f"{many} x {rule.what}" + (f", column {column}" if column else ""))
        return error

    def _hint(self, records: int) -> str:
        outside = sum(count for (rule, _), count in self._count.items() if rule in _OUTSIDE)
        if outside * 2 <= records:
            return ""
        if self.swapped * 2 > outside:
            return "Most records fail: latitude and longitude look swapped."
        return "Most records fail: looks projected, WGS84 expected (degrees)."


class Sieve:
    """The bad records among those of one batch; each counts once, under the first rule it broke."""

    def __init__(self, faults: Faults, places: NDArray[np.int64]) -> None:
        """``places``: where each record stands in the file, counted from 1."""
        self._faults, self._places = faults, places
        self.bad: Mask = np.zeros(len(places), np.bool_)

    def refuse(self, rule: Rule, column: str, mask: Mask) -> None:
        """Mark the rows of ``mask`` as bad."""
        if not mask.any():
            return
        new = np.flatnonzero(mask & ~self.bad)
        if len(new):
            self._faults.add(rule, column, self._places[new[: limits.MAX_LISTED_PROBLEMS]], len(new))
            self.bad[new] = True


class Tally:
    """What was read so far; every count is of good records but ``records``."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.parsed = 0  # records that were handed on by the parser
        self.trips = 0
        self.incomplete = 0
        self.at_zero = 0
        self.missing: Counter[str] = Counter()
        self.unlisted: Counter[str] = Counter()

    @property
    def records(self) -> int:
        """All records, also those that never reached the parser."""
        return self.parsed + self.faults.left_out

    def miss(self, column: str, missing: Mask, bad: Mask) -> None:
        """Count the missing fields of a column in records that are not bad."""
        count = int(np.count_nonzero(missing & ~bad)) if missing.any() else 0
        self.missing[column] += count

    def unlist(self, attribute: str, unlisted: Mask, bad: Mask) -> None:
        """Count the values of an attribute that are on no list, in records that are not bad."""
        count = int(np.count_nonzero(unlisted & ~bad))
        if count:
            self.unlisted[attribute] += count

    def notes(self) -> tuple[str, ...]:
        """What is legal but may be a mistake, for the report."""
        return notes_of_zeros(self.at_zero)


def notes_of_zeros(places: int) -> tuple[str, ...]:
    """What a report says of so many places at latitude 0, longitude 0."""
    if not places:
        return ()
    return (f"{places:,} places at latitude 0, longitude 0: a missing place written as zeros?",)
