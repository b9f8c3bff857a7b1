"""Exact amounts: privacy losses as fractions, how they are written down, and how they are said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

_DECIMALS: Final = 12


@dataclass(frozen=True)
class Loss:
    """A privacy loss (epsilon, delta). Losses add up one after the other; sums and comparisons are exact."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    def __add__(self, other: Loss) -> Loss:
        return Loss(self.epsilon + other.epsilon, self.delta + other.delta)

    def __sub__(self, other: Loss) -> Loss:
        return Loss(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, other: Loss) -> bool:
        """Whether neither epsilon nor delta is beyond the other's."""
        return self.epsilon <= other.epsilon and self.delta <= other.delta


def largest(losses: Iterable[Loss]) -> Loss:
    """The largest epsilon and the largest delta of some losses; nothing for none of them."""
    every = [Loss(), *losses]
    return Loss(max(loss.epsilon for loss in every), max(loss.delta for loss in every))


def written(amount: Fraction) -> str:
    """An amount as it stands in the ledger: lowest terms, such as ``1/3`` or ``2``."""
    return str(amount)


def read(text: object) -> Fraction:
    """The amount that ``written`` wrote; ValueError for any other text, so that an amount has one spelling."""
    amount = Fraction(text) if isinstance(text, str) else None
    if amount is None or written(amount) != text:
        raise ValueError("no exact amount")
    return amount


def said(amount: Fraction) -> str:
    """An amount for people: its exact decimals where they end soon, else the fraction and a decimal near it.

    >>> said(Fraction(3, 10)), said(Fraction(1, 3)), said(Fraction(1, 10**6)), said(Fraction(-2))
    ('0.3', '1/3 (about 0.333333)', '0.000001', '-2')
    """
    if 10**_DECIMALS % amount.denominator == 0:
        return _decimals(amount, _DECIMALS)
    return f"{amount} (about {_decimals(amount, 6)})"


def _decimals(amount: Fraction, places: int) -> str:
    sign = "-" if amount < 0 else ""
    whole, part = divmod(round(abs(amount) * 10**places), 10**places)
    return f"{sign}{whole}.{part:0{places}d}".rstrip("0").rstrip(".")
