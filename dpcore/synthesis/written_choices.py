"""How choices of a synthesis are written down and read back: JSON without floats, nothing guessed.

What is read may come from anyone: each function raises KeyError, TypeError or ValueError for what was never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Final

from dpcore import limits
from dpcore.keys import Period
from dpcore.privacy import ContributionBound, PrivacyUnit

_MOST_TEXTS: Final = limits.MAX_PERIOD_DAYS
_MOST_CHARACTERS: Final = 81


def bound_terms(bound: ContributionBound) -> dict[str, object]:
    """Unit and M."""
    return {"unit": bound.unit.value, "max_trips": bound.max_trips}


def bound_of(terms: Mapping[str, object]) -> ContributionBound:
    """The bound that ``bound_terms`` wrote."""
    most = terms["max_trips"]
    if most is not None and (not isinstance(most, int) or isinstance(most, bool)):
        raise TypeError("max_trips")
    return ContributionBound(PrivacyUnit(terms["unit"]), most)


def period_terms(period: Period) -> dict[str, object]:
    """First and last day."""
    return {"first": period.first.isoformat(), "last": period.last.isoformat()}


def period_of(terms: Mapping[str, object]) -> Period:
    """The period that ``period_terms`` wrote."""
    if not isinstance(terms, Mapping):
        raise TypeError("period")
    return Period(date.fromisoformat(str(terms["first"])), date.fromisoformat(str(terms["last"])))


def fraction_of(text: object) -> Fraction:
    """The fraction whose ``str`` this is."""
    if not isinstance(text, str) or len(text) > _MOST_CHARACTERS or str(found := Fraction(text)) != text:
        raise ValueError("no exact fraction")
    return found


def texts_of(value: object, most: int = _MOST_TEXTS) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list | tuple) or len(value) > most or not all(isinstance(x, str) for x in value):
        raise TypeError("a list of texts is missing")
    return tuple(value)
