"""How times are written: naive, with an offset, or month first. One kind a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

TimeKind = Literal["naive", "offset", "month-first"]

_HOUR: Final = r"(?:[01][0-9]|2[0-3])"
_SIXTY: Final = r"[0-5][0-9]"
_LEAP_YEAR: Final = r"(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE: Final = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    rf"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
_CLOCK: Final = rf"{_HOUR}:{_SIXTY}(?::{_SIXTY}(?:\.[0-9]+)?)?"

# RE2 and Python read these alike. They say exactly what Arrow's cast takes, but for three things: a date
# alone is no time, fractions may be finer than microseconds (the rest is cut off), and T or a space is wanted.
PATTERNS: Final[dict[TimeKind, str]] = {
    "naive": rf"^{_DATE}[ T]{_CLOCK}$",
    "offset": rf"^{_DATE}[ T](?:{_CLOCK}|{_HOUR})(?:Z|[+-]{_HOUR}(?::?{_SIXTY})?)$",
    "month-first": (
        r"^(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})/(?P<year>[0-9]{4}|[0-9]{2})"
        r" (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?$"
    ),
}
"""Whole text of a time, by kind."""

_COMPILED: Final = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}


def first_kind(records: Iterable[Iterable[str]], *, month_first: bool) -> tuple[TimeKind, int]:
    """The kind of the first time that can be read, and the ordinal of its record; naive if there is none.

    Args:
        records: the texts of the time columns of the first records.
        month_first: whether the form may write the month first; else such a time is not one.

    """
    kinds: tuple[TimeKind, ...] = ("naive", "offset", "month-first") if month_first else ("naive", "offset")
    for ordinal, cells in enumerate(records):
        for cell in cells:
            for kind in kinds:
                if _COMPILED[kind].match(cell.strip()):
                    return kind, ordinal
    return "naive", 0
