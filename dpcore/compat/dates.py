"""The public dates of a series, in whichever of the usual ways they are written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Final

from dpcore.errors import InputError
from dpcore.measures.keys import Period

Days = Period | str | Sequence[date | str]

_ENDS: Final = 2


def period_of(given: Days) -> Period:
    """The period that is meant: one, a pair of dates or ISO texts, or one text ``FIRST/LAST``; both days are included.

    Raises InputError for anything else, PrivacyError where the last day lies before the first or too far away.
    """
    if isinstance(given, Period):
        return given
    ends = given.split("/") if isinstance(given, str) else given
    if not isinstance(ends, Sequence) or len(ends) != _ENDS:
        raise _refused()
    return Period(*(_day(end) for end in ends))


def _day(given: object) -> date:
    """A day; of a time its day alone, where it is the beginning of it."""
    try:
        if isinstance(given, str):
            return date.fromisoformat(given.strip())
        if isinstance(given, datetime):
            if given.time() == time.min:
                return given.date()
        elif isinstance(given, date):
            return given
    except ValueError:  # no date, or the missing time of pandas
        pass
    raise _refused()


def _refused() -> InputError:
    return InputError(
        "these are no dates of a period",
        "period",
        "Give its first and last day, such as ('2024-04-01', '2024-04-28') or '2024-04-01/2024-04-28'.",
    )
