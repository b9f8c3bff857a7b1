"""Read the members of a manifest one by one, each with its type. Nothing is guessed or converted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Final

from dpcore.errors import BundleError
from dpcore.release.texts import is_visible

_EXACT: Final = re.compile(r"[0-9]{1,40}/[0-9]{1,40}")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_ITEMS: Final = 1_000
_MOST_MATCHED: Final = 200


class Fields:
    """One object of a manifest and its place. Every method raises BundleError, naming the member, if it is not as expected."""

    def __init__(self, members: object, place: str) -> None:
        if not isinstance(members, dict):
            raise wrong(place, "an object")
        self._members: Mapping[str, object] = members
        self._place = place

    def place(self, name: str) -> str:
        """The place of a member, for messages."""
        return f"{self._place}, {name}"

    def has(self, name: str) -> bool:
        """Whether a member is there and is not null."""
        return self._members.get(name) is not None

    def fields(self, name: str) -> Fields:
        """An object."""
        return Fields(self._members.get(name), self.place(name))

    def plain(self, name: str) -> Mapping[str, object]:
        """The members of an object as they are, for a reader that checks each."""
        return self.fields(name)._members  # noqa: SLF001 - the same class

    def listed(self, name: str) -> tuple[Fields, ...]:
        """A list of objects, at least one."""
        found = self._members.get(name)
        if not isinstance(found, list) or not 1 <= len(found) <= _MOST_ITEMS:
            raise wrong(self.place(name), "a list with at least one entry")
        return tuple(Fields(item, f"{self.place(name)} {number}") for number, item in enumerate(found, 1))

    def text(self, name: str, most: int) -> str:
        """A text of one line with at most ``most`` visible characters."""
        found = self._members.get(name)
        if not isinstance(found, str) or len(found) > most or not is_visible(found):
            raise wrong(self.place(name), f"a text of at most {most:,} visible characters")
        return found

    def matching(self, name: str, pattern: re.Pattern[str], expected: str) -> str:
        """A short text that matches a pattern; ``expected`` says in words what it should be."""
        found = self.text(name, _MOST_MATCHED)
        if not pattern.fullmatch(found):
            raise wrong(self.place(name), expected)
        return found

    def lines(self, name: str, most: int) -> str:
        """A text of several lines with at most ``most`` visible characters."""
        found = self._members.get(name)
        if not isinstance(found, str) or len(found) > most or not is_visible(found.replace("\n", "")):
            raise wrong(self.place(name), f"a text of at most {most:,} visible characters")
        return found

    def texts(self, name: str, most: int) -> dict[str, str]:
        """An object whose names and values are texts of at most ``most`` visible characters."""
        keys = self.names(name)
        if len(keys) > _MOST_ITEMS or not all(len(key) <= most and is_visible(key) for key in keys):
            raise wrong(self.place(name), "an object of short texts")
        members = self.fields(name)
        return {key: members.text(key, most) for key in keys}

    def names(self, name: str) -> tuple[str, ...]:
        """The names of the members of an object."""
        return tuple(self.fields(name)._members)  # noqa: SLF001 - the same class

    def whole(self, name: str, most: int) -> int:
        """A whole number from 0 to ``most``."""
        found = self._members.get(name)
        if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
            raise wrong(self.place(name), f"a whole number of at most {most:,}")
        return found

    def fraction(self, name: str) -> Fraction:
        """The exact fraction of an epsilon or delta, 0 or more."""
        exact = self.fields(name).text("exact", 81)
        if not _EXACT.fullmatch(exact) or not int(exact.partition("/")[2]):
            raise wrong(self.place(name), "an exact fraction such as 1/10")
        return Fraction(exact)

    def moment(self, name: str) -> datetime:
        """A time in UTC."""
        text = self.text(name, 40)
        try:
            if _TIME.fullmatch(text):
                return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=UTC)
        except ValueError:
            pass
        raise wrong(self.place(name), "a time such as 2024-05-01T12:00:00Z")

    def day(self, name: str) -> date:
        """A date."""
        text = self.text(name, 40)
        try:
            if _DATE.fullmatch(text):
                return date.fromisoformat(text)
        except ValueError:
            pass
        raise wrong(self.place(name), "a date such as 2024-05-01")


def wrong(place: str, expected: str) -> BundleError:
    """The error for a member that is missing or not as expected."""
    return BundleError(
        f"this should be {expected}", place, "The file was changed, or another program wrote it."
    )


def difference(found: object, expected: object, place: str) -> str | None:
    """The first place where two JSON values differ, in words; None where they are equal."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in sorted(found.keys() | expected.keys()):
            if name not in found or name not in expected:
                return f"{place}, {name} ({'missing' if name in expected else 'not expected'})"
            within = difference(found[name], expected[name], f"{place}, {name}")
            if within:
                return within
        return None
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = zip(found, expected, strict=True)
        withins = (difference(one, other, f"{place} {n}") for n, (one, other) in enumerate(pairs, 1))
        return next(filter(None, withins), None)
    return None if type(found) is type(expected) and found == expected else place
