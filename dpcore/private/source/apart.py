"""A date and a time of day in two columns: joined to one time, and which of them is at fault where they make none.

Each record is read from its own two fields alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dpcore.private.source.batch import Mask
from dpcore.private.source.fields import any_of, is_missing, mask_of, stripped
from dpcore.private.source.not_a_time import LETTER_HOUR, first_kinds
from dpcore.private.source.report import Rule
from dpcore.private.source.times import EIGHT_DIGITS, instants
from dpcore.private.source.vocabulary import CLOCK

_MIDNIGHT: Final = r"[ T]00:00(?::00(?:\.0+)?)?$"
_ONE_DIGIT: Final = (r"^([0-9]:)", r"0\1")
_BEGINS_AS_CLOCK: Final = r"^[0-9]{1,3}:[0-9]{2}"
_WHOLE: Final = r"^[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}[ T].*[0-9]:[0-9]{2}|^[0-9]{10}(?:[0-9]{3}){0,3}$"
"""A date and a time of day in one field, or a Unix time."""
_SOME_DAY: Final = "2000-01-01"

ENDS_BEFORE: Final = Rule(
    "ends before it starts, by the one date of both ends",
    "If it ends on the next day, write 24:20 for 00:20, or give the date of the end a column of its own.",
)


def _clock(what: str, mend: str) -> Rule:
    return Rule(f"not a time of day: {what}", mend)


_CLOCKS: Final = (
    (
        r"^(?:[01]|[01]?[.,][0-9]+)$",
        _clock(
            "a part of a day, as Excel writes it",
            "Format the cells as times of day in the spreadsheet, so that it writes 10:00:00.",
        ),
    ),
    (r"^[0-9]+$", _clock("digits without a colon", "Write 10:00 or 10:00:00.")),
    (LETTER_HOUR, _clock("an hour that is written with a letter", "Write 08:00.")),
    (r"", _clock("what no clock shows", "Write 10:00 or 10:00:00.")),
)
"""Pattern of a time of day that is none, and what is said of it. The first that fits counts."""
_DATES: Final = (
    (
        r"^[1-9][0-9]{4}(?:[.,]0+)?$",
        Rule(
            "not a date: a number of days, as Excel writes dates",
            "Format the cells as dates in the spreadsheet, so that it writes 2024-03-01.",
        ),
    ),
    (
        _WHOLE,
        Rule(
            "not a date: a time of day stands beside it, and another in its own column",
            "Leave one of them out of the file.",
        ),
    ),
)


@dataclass(frozen=True)
class Apart:
    """The columns of a time whose date and time of day stand apart."""

    day: pa.Array
    clock: pa.Array
    shared: bool
    """Whether the date is that of both ends. Then what is no time of day is the whole time of its end, without the date."""

    def times(self) -> pa.Array:
        """The times, as text or of the type of the clocks; null where a part is missing.

        A date may be written as its midnight or in eight digits, and an hour with one digit.
        """
        if self.shared and not _is_text(self.clock.type):
            return self.clock
        day, clock = self._texts()
        day = pc.replace_substring_regex(day, *EIGHT_DIGITS)
        joined = pc.binary_join_element_wise(day, pc.replace_substring_regex(clock, *_ONE_DIGIT), " ")
        return pc.if_else(pa.array(self._alone(clock)), clock, joined) if self.shared else joined

    def faults(
        self, bad: Sequence[tuple[Rule, Mask]], columns: tuple[str, str], options: str
    ) -> Iterator[tuple[Rule, str, Mask]]:
        """What is wrong with the fields that make no time, each with its column: the first rule that a record breaks counts.

        Args:
            bad: the rules that the joined times break.
            columns: the names of the columns of dates and of times of day.
            options: the options by which columns of times of day are named as whole times.

        """
        day_name, clock_name = columns
        left = any_of([*bad], len(self.day))
        if not left.any():
            return
        if self.shared and not _is_text(self.clock.type):
            yield from ((rule, clock_name, mask) for rule, mask in bad)
            return
        day, clock = self._texts()
        if self.shared:
            alone = self._alone(clock)
            yield from ((rule, clock_name, mask & alone) for rule, mask in bad)
            left &= ~alone
        at_clock = left & ~_shown_by_clocks(clock)
        mend = f"If its date is right, name its column alone: {options}. Otherwise write 10:00:00 alone."
        whole = Rule("not a time of day: a date and a time of day", mend, ("--column",))
        yield from _faults_by_kind(clock, at_clock, ((_WHOLE, whole), *_CLOCKS), clock_name)
        yield from _faults_by_kind(day, left & ~at_clock, _DATES, day_name)
        yield from ((rule, day_name, mask & left & ~at_clock) for rule, mask in bad)

    def _texts(self) -> tuple[pa.Array, pa.Array]:
        day, clock = (
            stripped(column if pa.types.is_string(column.type) else column.cast(pa.string()))
            for column in (self.day, self.clock)
        )
        return pc.replace_substring_regex(day, _MIDNIGHT, ""), clock

    @staticmethod
    def _alone(clock: pa.Array) -> Mask:
        """Where a field is no time of day and so a whole time, if the date is that of both ends."""
        return ~is_missing(clock) & ~mask_of(pc.match_substring_regex(clock, _BEGINS_AS_CLOCK))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_time(kind))


def _shown_by_clocks(clock: pa.Array) -> Mask:
    """Where a field is a time of day, or missing."""
    usual = pc.replace_substring_regex(clock, *_ONE_DIGIT)
    times = instants(pc.binary_join_element_wise(_SOME_DAY, usual, " "), "UTC", times="year-first")
    return ~any_of([*times.bad], len(clock))


def _faults_by_kind(
    texts: pa.Array, left: Mask, kinds: Sequence[tuple[str, Rule]], column: str
) -> Iterator[tuple[Rule, str, Mask]]:
    for rule, fits in first_kinds(texts, left & ~is_missing(texts), kinds):
        yield rule, column, fits


def whole_times(clocks: dict[str, str]) -> str:
    """The options that name columns of times of day as those of whole times: role of a time -> column."""
    named = " ".join(f"--column {quote(f'{role}={column}')}" for role, column in clocks.items())
    return f"{named}, and no {' or '.join(CLOCK + role for role in clocks)}"
