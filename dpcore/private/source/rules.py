"""The rules that a record can break: what is wrong and how to mend it, never a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dpcore import limits


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
NOT_UTF8: Final = Rule("not UTF-8 text", "Write the text as UTF-8, without NUL.")
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
