"""What a field is that is no time: told by its kind, never by its value, with the option that reads it.

A kind is looked for only where a field could not be read. It changes nothing about how any field is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.private.source.batch import Mask
from dpcore.private.source.fields import any_of, mask_of
from dpcore.private.source.forms import Times
from dpcore.private.source.report import NOT_A_TIME, NOT_DAY_FIRST, NOT_MONTH_FIRST, Rule

_DAY_MONTH: Final = r"[0-9]{1,2}[/.-][0-9]{1,2}[/.-](?:[0-9]{4}|[0-9]{2})"
_YEAR_FIRST: Final = r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}"
_TIME_OF_DAY: Final = r"[0-9]{1,3}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
_ABBREVIATED: Final = (
    "ACDT|ACST|ADT|AEDT|AEST|AKDT|AKST|ART|AST|AWST|BRT|BST|CAT|CDT|CEST|CET|CLT|COT|CST|CT|ChST|EAT|EDT|EEST|EET|EST|ET|GMT|GST|HDT|HKT|HST|ICT"
    "|IDT|IRST|IST|JST|KST|MDT|MEST|MET|MSK|MST|MT|NDT|NST|NZDT|NZST|PDT|PET|PHT|PKT|PST|PT|SAST|SGT|SST|TRT|UTC|WAT|WEST|WET|WIB|WIT|WITA|Uhr"
)
LETTER_HOUR: Final = r"[0-9] ?[hH] ?(?:[0-9]{2}|$)"
"""An hour that is written with a letter, such as 08h00."""
A_ZONE: Final = rf"\[?(?:(?:{_ABBREVIATED})(?:[+-][0-9]{{1,2}})?|[A-Z][A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+|\([A-Z][A-Za-z ]+ Time\))\]?"
"""What may stand behind a time and be left out: zones, and no word that may say which half of the day it is."""


def _rule(what: str, mend: str, *times: str) -> Rule:
    return Rule(f"not a time: {what}", mend, tuple(f"--times {one}" for one in times))


_KINDS: Final = (
    (
        rf"^(?:{_YEAR_FIRST}|[0-9]{{8}})$",
        _rule(
            "a date without a time of day",
            "If a time of day has a column of its own, name it: --column clock_started_at=NAME (or clock_ended_at, clock_datetime). If nobody "
            "knows it, say --times dates: each is read as midnight, and hours then mean nothing.",
            "dates",
        ),
    ),
    (
        rf"^{_DAY_MONTH}$",
        _rule(
            "a date without a time of day, and day and month are never guessed",
            "If a time of day has a column of its own, name it: --column clock_started_at=NAME (or clock_ended_at, clock_datetime). Otherwise write "
            "the date as 2024-03-31, and say --times dates.",
            "dates",
        ),
    ),
    (
        rf"^{_TIME_OF_DAY}$",
        _rule(
            "a time of day without a date",
            "If the date has a column of its own, name both: --column started_at=DATE --column clock_started_at=TIME (in records datetime and "
            "clock_datetime). Likewise for an end: --column ended_at=DATE --column clock_ended_at=TIME, where DATE may be the same column. If all "
            "are of one day, as in a simulation, say --times of-day: the day is then 1 January 2000, and dates mean nothing.",
            "of-day",
        ),
    ),
    (
        r"^[1-9][0-9]{4}(?:[.,][0-9]+)?$",
        _rule(
            "a number of days, as Excel writes times, or of seconds",
            "If they are days since 1900: --times excel, which takes them as such. Seconds of a day are not read: write 2024-03-01 10:00:00.",
            "excel",
        ),
    ),
    (
        r"^[0-9]+(?:[.,][0-9]+)?[eE][+-]?[0-9]+$",
        _rule("a number whose exponent hides digits", "Write all its digits, such as 1709280000."),
    ),
    (
        r"^[-+]?[0-9]+(?:[.,][0-9]+)?$",
        _rule(
            "a number that is no Unix time of 2001 to 2032",
            "Write seconds or milliseconds since 1970, or 2024-03-01 10:00:00. If they are an order of places and no times: --column no_times=NAME, of this column.",
        ),
    ),
    (
        r"^.*[ T](?:[3-9][0-9]|2[4-9]):[0-9]{2}|:[6-9][0-9]",
        _rule(
            "a time that no day has, such as 24:10:00 with an offset or a leap second",
            "Write it on the next day, as 00:10:00, or one second earlier.",
        ),
    ),
    (
        LETTER_HOUR,
        _rule("an hour that is written with a letter, such as 08h00", "Write 08:00."),
    ),
    (
        rf"^{_YEAR_FIRST}[ T][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)? ?{A_ZONE}$",
        _rule(
            "a time and a short or unknown name of a zone",
            "If it is the city's own, say --times wall-clock: the zone is then left out. Otherwise write an offset such as +01:00.",
            "wall-clock",
        ),
    ),
    (
        r"^[A-Za-z]{3,9},? .*[0-9]{1,2}:[0-9]{2}.*$",
        _rule(
            "a weekday or a month in a form that is not read",
            "Write 2024-03-01 10:00:00, with an offset such as +01:00 if a zone stands beside it. Read are also 1 Mar 2024 10:00 and Mar 1, 2024, 10:00.",
        ),
    ),
    (
        rf"^{_YEAR_FIRST}[ T].*[0-9] ?[A-Za-z(].*$",
        _rule(
            "a time and a word behind it",
            "Write it without the word, or by 24 hours, such as 2024-03-01 20:00.",
        ),
    ),
    (
        r"^[0-9]{1,2}-[0-9]{1,2}-[0-9]{2}[ T,].*[0-9]",
        _rule(
            "a year of two digits, which may come first or last",
            "Write it with four digits, such as 2024-03-01 10:00:00.",
        ),
    ),
    (
        rf"^(?:{_DAY_MONTH})[ T,].*[0-9]",
        _rule(
            "the day or the month is first, which is never guessed, or there is no such time",
            "Say --times day-first or --times month-first.",
            "day-first",
            "month-first",
        ),
    ),
    (
        r"^[^0-9]+$",
        _rule(
            "words",
            "Is this the right column? A second line of names or units counts as a record.",
        ),
    ),
)
"""Pattern of a kind, and what is said of it. The first that fits counts."""
_OTHER: Final[dict[Times, Rule]] = {"month-first": NOT_MONTH_FIRST, "day-first": NOT_DAY_FIRST}


def kinds_of(texts: pa.Array, bad: Mask, times: Times) -> list[tuple[Rule, Mask]]:
    """The rules that bad fields break, each with its fields."""
    # a kind whose option is there already is passed over: the option did not help
    kinds = [(pattern, rule) for pattern, rule in _KINDS if f"--times {times}" not in rule.options]
    found = [*first_kinds(texts, bad, kinds)]
    left = bad & ~any_of(found, len(bad))
    return [*found, (_OTHER.get(times, NOT_A_TIME), left)] if left.any() else found


def first_kinds(
    texts: pa.Array, left: Mask, kinds: Iterable[tuple[str, Rule]]
) -> Iterator[tuple[Rule, Mask]]:
    """The rules of the kinds that some of the fields in ``left`` are of, each with its fields: the first pattern that fits counts."""
    for pattern, rule in kinds:
        if not left.any():
            return
        fits = left & mask_of(pc.match_substring_regex(texts, pattern))
        if fits.any():
            yield rule, fits
            left = left & ~fits


def kinds_of_numbers(numbers: NDArray[Any], times: Times) -> list[tuple[Rule, Mask]]:
    """The same of numbers that are bad; what they mean is told by their size."""
    texts = [f"{one:.6f}".rstrip("0").rstrip(".") for one in numbers.tolist()]
    return kinds_of(pa.array(texts, pa.string()), np.ones(len(numbers), np.bool_), times)
