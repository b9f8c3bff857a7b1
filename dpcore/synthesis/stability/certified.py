"""Probabilities of the noise as decimals that are surely not too small: what is reported as delta is an upper bound.

Each step rounds away from the side that matters. The exponential of ``decimal`` is rounded correctly, so the next
decimal above it is a bound. Every operation names its context: a plain minus sign would round to the usual 28 digits.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Final

_DIGITS: Final = 60
_UP: Final = Context(prec=_DIGITS, rounding=ROUND_CEILING)
_DOWN: Final = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
_SHOWN: Final = Context(prec=6, rounding=ROUND_CEILING)


def _quotient(x: Fraction, context: Context) -> Decimal:
    return context.divide(context.create_decimal(x.numerator), context.create_decimal(x.denominator))


def exp_above(x: Fraction) -> Decimal:
    """At least ``exp(-x)``, for x of 0 or more."""
    return _UP.next_plus(_UP.exp(_quotient(x, _DOWN).copy_negate()))


def exp_below(x: Fraction) -> Decimal:
    """At most ``exp(-x)``, for x of 0 or more."""
    return max(Decimal(0), _DOWN.next_minus(_DOWN.exp(_quotient(x, _UP).copy_negate())))


def reaches(rho: Fraction, distance: int) -> Decimal:
    """At least ``P(V >= distance)`` for discrete Laplace noise V of rate ``rho``, at most 1.

    ``q**distance / (1 + q)`` with ``q = exp(-rho)``; for a negative distance 1 minus ``q**(1 - distance) / (1 + q)``.
    """
    if distance >= 0:
        return min(Decimal(1), _UP.divide(exp_above(rho * distance), _DOWN.add(Decimal(1), exp_below(rho))))
    misses = _DOWN.divide(exp_below(rho * (1 - distance)), _UP.add(Decimal(1), exp_above(rho)))
    return min(Decimal(1), _UP.subtract(Decimal(1), misses))


def any_of(probability: Decimal, times: int) -> Decimal:
    """At least the probability that one or more of ``times`` independent events happen, each with the given one."""
    none, power, left = Decimal(1), _DOWN.subtract(Decimal(1), probability), times
    while left:
        if left % 2:
            none = _DOWN.multiply(none, power)
        power = _DOWN.multiply(power, power)
        left //= 2
    return min(Decimal(1), _UP.subtract(Decimal(1), none))


def shown(probability: Decimal) -> Fraction:
    """The probability rounded up to six digits: short enough for a ledger."""
    return Fraction(_SHOWN.create_decimal(probability))
