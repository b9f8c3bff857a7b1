"""Attributes of a trip that an owner declares: a public list of categories, or public bounds and a public unit.

What is declared says all that a table of it can hold, so it never comes from values. A value of a trip is read by itself alone:

*Categories.* A value is the category with exactly its letters, without white space around them. Capitals count. Every other
value is ``other``, and an empty field is ``missing``. So each trip lies in one cell, whatever its file says.

*Numbers.* A value is rounded to whole units, and one beyond a bound is set to that bound. An empty field and a text that is no
number are missing; so are NaN and infinity. A missing number is no 0: it is counted apart.

An attribute of a trip with several records is that of its first record, the earliest with a time (of equal times the one
with the lowest latitude, then longitude, then position of its values). So it depends on the records of that trip alone, in whatever
order they stand.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from dpcore import limits
from dpcore.errors import InputError

OTHER: Final = "other"
MISSING: Final = "missing"
KEPT: Final = "attribute_"
"""Prefix of a declared attribute in its role among the columns of a file and in its column among the trips."""

RESERVED: Final = frozenset([
    # columns of tables, and what every trip has
    "all", "all_high", "all_low", "bin_end", "bin_start", "column", "component", "count", "counted", "counted_high", "counted_low", "count_half_width_95", "date", "day_type", "destination", "distance", "district", "duration", "epsilon", "estimate", "geometry", "half_width_95", "high", "high_95", "hour", "kind", "low", "low_95", "mark", "measure", "missing_half_width_95", "month", "note", "origin", "quantity", "stands_out", "statistic", "tile_id", "tile_name", "tiles", "trips", "truth", "user", "users", "value", "week", "weekday", "window",
    # columns of synthetic trips, and attributes that every synthetic trip has
    "band", "end", "end_lat", "end_lng", "end_tile", "ended_at", "second", "seconds", "start", "start_lat", "start_lng", "start_tile", "started_at", "synthetic_id",
    # columns of large counts
    "off_loc", "off_time", "on_loc", "on_time",
])  # fmt: skip
"""Names that no attribute may take: of all columns that a bundle may hold, of whatever kind."""
_OF_RUNGS: Final = ("value_at_", "half_width_95_at_")
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_DECIMALS: Final = 9
_NUMBER: Final = rf"\s*(-?[0-9]{{1,12}}(?:\.[0-9]{{1,{_DECIMALS}}})?)\s*"
_RANGE: Final = re.compile(f"{_NUMBER}:{_NUMBER}:{_NUMBER}")
_BOUNDS: Final = re.compile(f"{_NUMBER}:{_NUMBER}")
_WHAT: Final = "attribute"
_GIVE: Final = (
    "Write a list such as bus,rail,bike, or lowest value, highest value and unit such as 0:100:0.01."
)


@dataclass(frozen=True, slots=True)
class _Named:
    """An attribute of trips."""

    name: str

    @property
    def title(self) -> str:
        """Its name as sentences and labels say it."""
        return self.name.replace("_", " ")

    @property
    def column(self) -> str:
        """The column of trips that holds its numbers."""
        return KEPT + self.name


@dataclass(frozen=True, slots=True)
class Categories(_Named):
    """An attribute whose values are words of a public list. The numbers of its values are positions in ``labels``."""

    words: tuple[str, ...]
    """The list, in the order of the owner."""

    def __post_init__(self) -> None:
        """Refuse a name or a list that no table can have. Raises InputError."""
        check_name(self.name)
        where = f"{_WHAT} {self.name}"
        if len(self.words) > limits.MAX_CATEGORIES:
            raise InputError(
                f"{len(self.words):,} categories, the limit is {limits.MAX_CATEGORIES:,}",
                where,
                f"List the ones that matter: all others are counted as {OTHER}.",
            )
        if not self.words or not all(map(_is_word, self.words)):
            raise InputError(
                f"a category must have 1 to {limits.MAX_CATEGORY_CHARACTERS} letters, without white space around them",
                where,
                _GIVE,
            )
        if len({*self.words}) < len(self.words):
            raise InputError("a category is listed twice", where, "List each once.")
        if {OTHER, MISSING} & {word.casefold() for word in self.words}:
            raise InputError(
                f"{OTHER} and {MISSING} are always there",
                where,
                f"Leave them out: what is not listed is {OTHER}, and what is empty is {MISSING}.",
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The list, then ``other``, then ``missing``."""
        return (*self.words, OTHER, MISSING)

    @property
    def declared(self) -> str:
        """The list as an option writes it: a category with a comma or a quotation mark stands in quotation marks."""
        text = _row(self.words, csv.QUOTE_MINIMAL)
        meant = _RANGE.fullmatch(text) or slip_of_range(text)
        return _row(self.words, csv.QUOTE_ALL) if meant else text


@dataclass(frozen=True, slots=True)
class Amount(_Named):
    """An attribute whose values are numbers. They are kept as whole numbers of ``unit``, from ``lowest`` to ``highest``."""

    low: Fraction
    high: Fraction
    """Bounds, whole multiples of the unit. A value beyond one is set to it."""
    unit: Fraction

    def __post_init__(self) -> None:
        """Refuse a name, and bounds between which nothing is counted exactly. Raises InputError."""
        check_name(self.name)
        check_range(self.low, self.high, self.unit, f"{_WHAT} {self.name}", _GIVE)

    @property
    def lowest(self) -> int:
        """The lower bound in units."""
        return int(self.low / self.unit)

    @property
    def highest(self) -> int:
        """The upper bound in units."""
        return int(self.high / self.unit)

    def text(self, units: int) -> str:
        """The value of a number of units, as decimal text."""
        return decimal(units * self.unit)

    @property
    def declared(self) -> str:
        """Bounds and unit as an option writes them."""
        return ":".join(map(decimal, (self.low, self.high, self.unit)))


Attribute = Categories | Amount
"""A declared attribute. Public: it holds no value of a trip."""


def attribute_of(text: str) -> Attribute:
    """The attribute of an option: ``NAME=a,b,c`` or ``NAME=LOW:HIGH:UNIT``. Raises InputError for any other text.

    Categories are separated by commas. One with a comma stands in quotation marks, which are doubled inside it. So does a
    category that would else be a range, or a slip of one: ``0:100`` without a unit, or ``0:100:0,01`` with a decimal comma.

    >>> attribute_of("fare=0:100:0.01").highest, attribute_of('mode=bus,"ferry, fast"').words
    (10000, ('bus', 'ferry, fast'))
    """
    name, given, declared = text.partition("=")
    name = name.strip()
    if not given:
        raise InputError("not an attribute", "--attribute", "Write NAME=bus,rail,bike, or NAME=0:100:0.01.")
    found = range_of(declared)
    if found is not None:
        return Amount(name, *found)
    slip = slip_of_range(declared)
    if slip:
        raise InputError(
            slip, f"{_WHAT} {name}", f"{_GIVE} If these are categories, write them in quotation marks."
        )
    return Categories(name, _categories(name, declared))


def attributes_of(declared: Mapping[str, str | Sequence[str]] | None) -> tuple[Attribute, ...]:
    """The attributes of a mapping: ``{"mode": ["bus", "rail"], "fare": "0:100:0.01"}``; texts are as for ``attribute_of``.

    Raises InputError.
    """
    return distinct(
        [
            attribute_of(f"{name}={one}") if isinstance(one, str) else Categories(name, tuple(one))
            for name, one in (declared or {}).items()
        ]
    )


def distinct(attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    """The attributes, if there are not too many and no two have one name. Raises InputError."""
    if len(attributes) > limits.MAX_ATTRIBUTES:
        raise InputError(
            f"{len(attributes):,} attributes, the limit is {limits.MAX_ATTRIBUTES}",
            _WHAT,
            "Leave out those that no table needs.",
        )
    names = [one.name for one in attributes]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError("an attribute is declared twice", f"{_WHAT} {', '.join(twice)}", "Declare it once.")
    return tuple(attributes)


def reads(asked: Attribute, kept: Attribute) -> bool:
    """Whether values that were kept are those that are asked for, or numbers of that unit that only need closer bounds."""
    if not (isinstance(asked, Amount) and isinstance(kept, Amount)):
        return asked == kept
    alike = (asked.name, asked.unit) == (kept.name, kept.unit)
    return alike and kept.low <= asked.low and asked.high <= kept.high


def text_of(attribute: Attribute) -> str:
    """The attribute as ``attribute_of`` reads it. Equal attributes have equal texts."""
    return f"{attribute.name}={attribute.declared}"


def _categories(name: str, text: str) -> tuple[str, ...]:
    if not text.isprintable():
        raise InputError("a category holds a sign that cannot be printed", f"{_WHAT} {name}", _GIVE)
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        raise InputError(
            "the quotation marks of the categories do not match",
            f"{_WHAT} {name}",
            'Write mode="bus, night",rail, and double a quotation mark inside a category.',
        ) from None
    return tuple(word.strip() for row in rows for word in row)


def _row(words: Sequence[str], quoting: Literal[0, 1]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="", quoting=quoting).writerow(words)
    return out.getvalue()


def _is_word(word: str) -> bool:
    return 0 < len(word) <= limits.MAX_CATEGORY_CHARACTERS and word == word.strip() and word.isprintable()


def check_name(name: str, what: str = _WHAT) -> None:
    """Refuse what is no name of an attribute, and names that tables have already. Raises InputError."""
    if not _NAME.fullmatch(name):
        raise InputError(
            "not a name of an attribute",
            what,
            "Write small letters, digits and underscores, such as trip_mode.",
        )
    if name in RESERVED | {OTHER, MISSING} or name.startswith(_OF_RUNGS):
        raise InputError(
            "a name that tables have already",
            f"{what} {name}",
            f"Call it otherwise, such as my_{name}, and name its column: --column my_{name}=NAME.",
        )


def check_range(low: Fraction, high: Fraction, unit: Fraction, where: str, give: str) -> None:
    """Refuse bounds that do not rise, are no whole units, or have too many of them. Raises InputError."""
    most = limits.MAX_ATTRIBUTE_UNITS
    if not (unit > 0 and low < high):
        raise InputError("the lowest value must be below the highest, and the unit above 0", where, give)
    if (low / unit).denominator > 1 or (high / unit).denominator > 1:
        raise InputError(
            "the bounds must be whole numbers of the unit", where, "Take other bounds, or a smaller unit."
        )
    if max(abs(low / unit), abs(high / unit)) > most:
        raise InputError(
            f"a bound has more than {most:,} units, which is the limit", where, "Take a larger unit."
        )


def range_of(text: str) -> tuple[Fraction, Fraction, Fraction] | None:
    """Lowest value, highest value and unit of a text such as ``0:100:0.01``; None for any other text."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return None
    low, high, unit = map(Fraction, found.groups())
    return low, high, unit


def slip_of_range(text: str) -> str:
    """What is wrong with a text that was meant as a range, if that can be told; else empty.

    >>> slip_of_range("0:100:0,01"), slip_of_range("0:100"), slip_of_range("06:00,12:00")
    ('bounds and unit need a decimal point, not a comma', 'bounds without a unit', '')
    """
    if _BOUNDS.fullmatch(text):
        return "bounds without a unit"
    found = range_of(text.replace(",", ".")) if "," in text else None
    if found is None:
        return ""
    low, high, unit = found
    whole = unit > 0 and low < high and not (low % unit or high % unit)
    return "bounds and unit need a decimal point, not a comma" if whole else ""


def decimal(number: Fraction) -> str:
    """A number with finitely many decimals, at most nine."""
    whole, rest = divmod(abs(number) * 10**_DECIMALS, 10**_DECIMALS)
    digits = f"{whole}.{int(rest):0{_DECIMALS}}".rstrip("0").rstrip(".")
    return f"-{digits}" if number < 0 else digits
