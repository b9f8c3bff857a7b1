"""How choices of a synthesis are written down and read back: JSON without floats, nothing guessed.

What is read may come from anyone: each function raises KeyError, TypeError or ValueError for what was never written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Final

from dpcore import limits
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, PrivacyUnit

_MOST_TEXTS: Final = limits.MAX_PERIOD_DAYS
_FRACTION: Final = re.compile(r"[0-9]{1,40}(/[0-9]{1,40})?")
"""Looked at before anything is worked out: ``Fraction("1e9999999999")`` would occupy its reader for good."""
_MOST_CHARACTERS: Final = 200


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
    if not isinstance(text, str) or not _FRACTION.fullmatch(text) or text.endswith("/0"):
        raise ValueError("no exact fraction")
    found = Fraction(text)
    if str(found) != text:
        raise ValueError("no exact fraction as it is written")
    return found


def texts_of(value: object, most: int = _MOST_TEXTS) -> tuple[str, ...]:
    """A list of texts, none longer than a line."""
    if not isinstance(value, list | tuple) or len(value) > most:
        raise TypeError("a list of texts is missing")
    if not all(isinstance(text, str) and len(text) <= _MOST_CHARACTERS for text in value):
        raise TypeError("a text is missing or too long")
    return tuple(value)
