"""What a reader counts: the rules that a record can break, bad records by rule, and the report.

The counts are exact, so they are for the owner only. No rule, fault or report holds a cell.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.exact_json import plain, read_as
from dpcore.private.sealed import Sealed
from dpcore.private.source.batch import Mask


@dataclass(frozen=True)
class Rule:
    """One rule of a reader."""

    what: str
    """What is wrong with the record."""
    mend: str
    """How its owner can mend it."""
    options: tuple[str, ...] = ()
    """The options that ``mend`` names."""


NOT_A_NUMBER: Final = Rule("not a number", "Give degrees such as 52.5163.")
NOT_A_POINT: Final = Rule(
    "not a point", "Write POINT (13.4 52.5), or a GeoJSON point: longitude, then latitude."
)
NOT_A_LINE: Final = Rule(
    "not a line of two points or more",
    "Write LINESTRING (13.4 52.5, 13.5 52.6) or GeoJSON, from the start of the trip to its end.",
)
NOT_A_TRACK: Final = Rule(
    "not a list of places", "Write [[-8.61,41.14],[-8.62,41.15]]: longitude, then latitude, of each place."
)
LAT_OUTSIDE: Final = Rule("outside [-90, 90]", "Give a latitude in degrees, WGS84.")
LNG_OUTSIDE: Final = Rule("outside [-180, 180]", "Give a longitude in degrees, WGS84.")
NOT_A_TIME: Final = Rule(
    "not a time of the form 2024-03-01 10:00:00",
    "Write year, month, day, such as 2024-03-01 10:00:00, or Unix seconds or milliseconds.",
)
NOT_MONTH_FIRST: Final = Rule(
    "not a time of the form 2024-03-01 10:00:00 or 1/31/2017 10:00",
    "Write year, month, day with hyphens, or month, day, year with slashes. If the day is first, say --times day-first.",
    ("--times",),
)
NOT_DAY_FIRST: Final = Rule(
    "not a time of the form 2024-03-01 10:00:00 or 31/1/2017 10:00",
    "Write year, month, day with hyphens, or day, month, year. If the month is first, say --times month-first.",
    ("--times",),
)
YEAR_OUTSIDE: Final = Rule(
    f"a year outside {limits.FIRST_YEAR} to {limits.LAST_YEAR}", "Check the time, or its unit."
)
TIME_MISSING: Final = Rule("time missing", "Give the time of at least one end.")
NOT_AN_ORDER: Final = Rule(
    "not a whole number from 0 on", "Give the position of the place in its trip, such as 1."
)
ENDS_FIRST: Final = Rule(
    "ends before it starts", "Correct its times. If most trips do, the columns of the two times are swapped."
)
USER_MISSING: Final = Rule("user id missing", "Each trip belongs to one user: give the id.")
TRIP_MISSING: Final = Rule("trip id missing", "Give the id of the trip to which each record belongs.")
NOT_A_ZONE: Final = Rule(
    "not an id of a tile or a station",
    "Give whole numbers or text. Of an id such as 5379.10 a column of numbers keeps 5379.1: write such ids as text where the file is made.",
)


def too_long_for(most: int) -> Rule:
    """The rule for a field with more characters than ``most``."""
    return Rule(f"a field longer than {most:,} characters", "Shorten it, or leave the column out.")


TOO_LONG: Final = too_long_for(limits.MAX_FIELD_CHARACTERS)
OPEN_QUOTE: Final = Rule(
    "a quotation mark is not closed",
    "Close it, or double the quotation marks inside the field. Line breaks inside a field are not supported.",
)


def field_count(found: int, expected: int) -> Rule:
    """The rule for a record with another number of fields than the header."""
    fields = "1 field" if found == 1 else f"{found:,} fields"
    mend = (
        "Is this a remark, a total or a line that was cut? Take it out."
        if found < expected
        else "Quote fields that hold a separator."
    )
    return Rule(f"has {fields}, the header {expected:,}", mend)


class BadRecords(Enum):
    """What one bad record does to its file."""

    REFUSE = "refuse"
    """The file is refused. The error names the first bad record and counts all."""
    DROP = "drop"
    """The record is left out and counted in the report."""


@dataclass(frozen=True, repr=False)
class Dropped(Sealed):
    """The records that broke one rule in one column."""

    rule: str
    """What is wrong, without any value."""
    column: str
    """Name of the column; empty if the whole record is wrong."""
    count: int
    """Number of records. Each is counted once, under the first rule that it broke."""
    places: tuple[int, ...]
    """Line (CSV) or row (Parquet) of the first ones, counted from 1, at most ``limits.MAX_LISTED_PROBLEMS``."""
    file: str = ""
    """Name of the file, if a report covers several."""


@dataclass(frozen=True, repr=False)
class ReadReport(Sealed):
    """Counts of one reading. They are exact, so they are private. The text of the object is the name of its class."""

    records: int
    """All records of the file, good and bad."""
    trips: int
    """Trips that were read."""
    incomplete: int
    """Trips of which only one end is known."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Column -> missing fields in good records (empty, ``NULL``, ``\\N``)."""
    dropped: tuple[Dropped, ...] = ()
    """Bad records by rule, in the order in which they appeared."""
    unlisted: Mapping[str, int] = field(default_factory=dict)
    """Attribute of a trip -> number of values in good records that are on no list and count as unknown. Never the values.

    Of a declared attribute ``mode=other`` or ``fare=missing``: its name, and what such values are counted as.
    """
    notes: tuple[str, ...] = ()
    """Things that are legal but may be mistakes."""

    @classmethod
    def empty(cls) -> Self:
        """The report of a file without records."""
        return cls(0, 0, 0)

    @property
    def unlisted_words(self) -> tuple[str, ...]:
        """Sentences about values on no list, one for each attribute. They hold numbers only."""
        good = self.records - self.dropped_records
        return tuple(
            f"{_unlisted(name)}: {count:,}{_mend(name) if 2 * count > good else ''}"
            for name, count in self.unlisted.items()
        )

    @property
    def dropped_records(self) -> int:
        """Number of records that were left out."""
        return sum(rule.count for rule in self.dropped)

    def to_json(self) -> str:
        """The report as one JSON object, for the private folder."""
        return json.dumps(plain(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The report that ``to_json`` wrote."""
        return cast("Self", read_as(cls, json.loads(text)))


def _unlisted(key: str) -> str:
    """Which values a count of ``ReadReport.unlisted`` is of."""
    if key == "zip":
        return "values of zip that are a zip of no country"
    name, declared, instead = key.partition("=")
    why = "that are no number" if instead == "missing" else "on no list"
    return f"values of {name.replace('_', ' ')} {why}, counted as {instead if declared else 'unknown'}"


def _mend(key: str) -> str:
    """What may be wrong where most values of a declared attribute are none."""
    _, declared, instead = key.partition("=")
    if not declared:
        return ""
    if instead == "missing":
        return ", which are most. A number stands alone, without a currency; 1,234 is missing because it may be 1.234 too"
    return ", which are most. Is this the right column? Letters and capitals must be those of the list"


def summed(reports: Sequence[ReadReport], names: Sequence[str]) -> ReadReport:
    """One report of several files. Left out records and notes name their file."""
    if len(reports) == 1:
        return reports[0]
    missing: Counter[str] = Counter()
    unlisted: Counter[str] = Counter()
    for report in reports:
        missing.update(report.missing)
        unlisted.update(report.unlisted)
    return ReadReport(
        records=sum(report.records for report in reports),
        trips=sum(report.trips for report in reports),
        incomplete=sum(report.incomplete for report in reports),
        missing=dict(missing),
        dropped=tuple(
            rule if rule.file else replace(rule, file=name)
            for report, name in zip(reports, names, strict=True)
            for rule in report.dropped
        ),
        unlisted=dict(unlisted),
        notes=tuple(
            f"{name}: {note}" for report, name in zip(reports, names, strict=True) for note in report.notes
        ),
    )


_OUTSIDE: Final = (LAT_OUTSIDE, LNG_OUTSIDE)


_LEAVE_OUT: Final = " Or have bad records left out and counted: --drop-bad (in a notebook drop_bad=True)."


class Faults:
    """Bad records by rule and column. It holds counts and places in the file (from 1), never a cell."""

    def __init__(self) -> None:
        self.total = 0
        self.swapped = 0  # points outside that would be inside if lat and lng were swapped
        self._left_out = 0
        self._count: dict[tuple[Rule, str], int] = {}
        self._first: dict[tuple[Rule, str], list[int]] = {}

    def add(self, rule: Rule, column: str, records: Iterable[int], count: int) -> None:
        """Add bad records of one rule in one column, with the places of at least the first ones."""
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
        """Number of records so far that never reached the parser."""
        return self._left_out

    def by_rule(self) -> Iterator[tuple[Rule, str, int, int]]:
        """Each broken rule with its column, its number of records, and the place of the first one."""
        for (rule, column), count in self._count.items():
            yield rule, column, count, self._first[rule, column][0]

    def dropped(self, where: Callable[[int], tuple[str, int]]) -> tuple[Dropped, ...]:
        """The counts for the report, with places in the file; ``where`` as for ``error``.

        Of several trajectories that are one file, only the places in the first are listed.
        """
        found = []
        for (rule, column), first in self._first.items():
            places = [where(place) for place in sorted(first)]
            lines = tuple(line for name, line in places if name == places[0][0])
            found.append(Dropped(rule.what, column, self._count[rule, column], lines))
        return tuple(found)

    def error(self, where: Callable[[int], tuple[str, int]], unit: str, records: int) -> InputError:
        """One error for all bad records. Its text names the first; its notes list the first ones and the counts.

        ``where`` gives the file of a place and its line there. ``unit`` is line or row. ``records`` is how many were read,
        which tells a wrong file from a wrong record.
        """
        listed = sorted(
            (place, number, rule, column)
            for number, ((rule, column), first) in enumerate(self._first.items())
            for place in first
        )[: limits.MAX_LISTED_PROBLEMS]
        hint = self._hint(records)
        few = 2 * self.total <= records and self.total < limits.MAX_BAD_RECORDS
        problems = [
            InputError(
                rule.what,
                f"{name}, {unit} {line:,}" + (f", column {column}" if column else ""),
                (hint if hint and rule in _OUTSIDE else rule.mend) + _LEAVE_OUT * few,
                options=(*rule.options, *(["--drop-bad"] * few)),
            )
            for place, _, rule, column in listed
            for name, line in [where(place)]
        ]
        # A refused file is not read to its end, and the parser runs ahead. So numbers above the limit mean nothing.
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
            return "Most records fail. Latitude and longitude look swapped."
        return "Most records fail. The coordinates look projected; WGS84 is expected (degrees)."


class Sieve:
    """The bad records of one batch. Each counts once, under the first rule that it broke."""

    def __init__(self, faults: Faults, places: NDArray[np.int64]) -> None:
        """``places``: the position of each record in the file, counted from 1."""
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
    """What was read so far. All counts are of good records, except ``records``."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.parsed = 0  # records that the parser returned
        self.trips = 0
        self.incomplete = 0
        self.at_zero = 0
        self.nowhere = 0  # points without a time or a place, which are in no trip
        self.uncut = 0  # points that are in no trip, because they lie in a stay or beyond all stays
        self.missing: Counter[str] = Counter()
        self.unlisted: Counter[str] = Counter()

    @property
    def records(self) -> int:
        """All records, with those that never reached the parser."""
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
        """Notes for the report about things that are legal but may be mistakes."""
        told = (
            ("records without a time or a place", self.nowhere),
            ("points within a stay, or before the first or after the last one", self.uncut),
        )
        cut = (f"{words}, which are in no trip: {count:,}" for words, count in told if count)
        return (*notes_of_zeros(self.at_zero), *cut)


def notes_of_zeros(places: int) -> tuple[str, ...]:
    """The note of a report about places at latitude 0, longitude 0."""
    if not places:
        return ()
    return (f"{places:,} places are at latitude 0, longitude 0: are these zeros a missing place?",)
