"""Store the choices of a synthesis as JSON without floats, and read them back. Nothing is guessed.

What is read may come from anyone. Every reader raises KeyError, TypeError or ValueError for what no writer here gave.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

from dpcore import limits
from dpcore.exact_json import read_as
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, PrivacyUnit

_MOST_TEXTS: Final = limits.MAX_PERIOD_DAYS
_MOST_CHARACTERS: Final = 200


def bound_terms(bound: ContributionBound) -> dict[str, object]:
    """Unit and M."""
    return {"unit": bound.unit.value, "max_trips": bound.max_trips}


def bound_of(terms: Mapping[str, object]) -> ContributionBound:
    """The bound that ``bound_terms`` wrote."""
    return ContributionBound(PrivacyUnit(terms["unit"]), read_as(int | None, terms["max_trips"]))


def period_terms(period: Period) -> dict[str, object]:
    """First and last day."""
    return {"first": period.first.isoformat(), "last": period.last.isoformat()}


def period_of(terms: Mapping[str, object]) -> Period:
    """The period that ``period_terms`` wrote."""
    first, last = (read_as(date, terms[name]) for name in ("first", "last"))
    return Period(first, last)


def fraction_of(text: object) -> Fraction:
    """The fraction of which this is the ``str``."""
    found: Fraction = read_as(Fraction, text)
    if found < 0 or str(found) != text:
        raise ValueError("not the canonical form of a fraction")
    return found


def texts_of(value: object, most: int = _MOST_TEXTS, characters: int = _MOST_CHARACTERS) -> tuple[str, ...]:
    """A list of at most ``most`` texts of at most so many characters."""
    if not isinstance(value, list | tuple) or len(value) > most:
        raise TypeError("a list of texts is missing")
    if not all(isinstance(text, str) and len(text) <= characters for text in value):
        raise TypeError("a text is missing or too long")
    return tuple(value)


Term: TypeAlias = "tuple[Callable[[Any], object], Callable[[Any], object]]"
"""The writer and the reader of one choice."""


def _days_of(value: object) -> frozenset[date]:
    return frozenset(date.fromisoformat(day) for day in texts_of(value))


FRACTION: Final[Term] = (str, fraction_of)
WHOLE: Final[Term] = (int, partial(read_as, int))
FLAG: Final[Term] = (bool, partial(read_as, bool))
DAYS: Final[Term] = (lambda days: sorted(day.isoformat() for day in days), _days_of)
PERIOD: Final[Term] = (period_terms, period_of)


def texts(most: int) -> Term:
    """A list of at most ``most`` texts."""
    return list, lambda value: texts_of(value, most)


def member(of: type[Enum]) -> Term:
    """A member of an enumeration, stored as its value."""
    return lambda one: one.value, of


def optional(term: Term) -> Term:
    """The same term, or None."""
    write, read = term
    return (
        lambda one: None if one is None else write(one),
        lambda value: None if value is None else read(value),
    )


def terms_of(choices: object, terms: Mapping[str, Term], later: Collection[str] = ()) -> dict[str, object]:
    """The attributes of some choices that ``terms`` names, as they are stored.

    ``later``: those that earlier versions do not have, written only where they are chosen.
    """
    chosen = {name: value for name, value in vars(choices).items() if value or name not in later}
    return {name: write(chosen[name]) for name, (write, _) in terms.items() if name in chosen}


def read_terms(
    found: Mapping[str, object], terms: Mapping[str, Term], later: Collection[str] = ()
) -> dict[str, Any]:
    """The attributes from what ``terms_of`` gave."""
    if not isinstance(found, Mapping):
        raise TypeError("choices")
    return {
        name: read(found[name]) for name, (_, read) in terms.items() if name in found or name not in later
    }
