"""From which noisy count on a key is shown, and the delta that this costs. Public: no data.

Stability-based histogram (Korolova, Kenthapadi, Mishra, Ntoulas 2009; Bun, Nissim, Stemmer 2016) with exact discrete
noise V on occupied keys only. A key that only one unit holds shows that this unit is there, if it is shown at all: the
probability of that is delta. Keys that others hold as well pay epsilon.

Probabilities are decimals that are surely not too small: what is reported as delta is an upper bound. Each step rounds
away from the side that matters. The exponential of ``decimal`` is rounded correctly, so the next decimal above it is a
bound. Every operation names its context: a plain minus sign would round to the usual 28 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import log
from typing import Final

from dpcore.errors import InternalError

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


def reported(delta: Decimal) -> Fraction:
    """A certified delta, rounded up to six digits: short enough for a ledger."""
    return Fraction(_SHOWN.create_decimal(delta))


def delta_of_trip(rho: Fraction, threshold: int) -> Decimal:
    """At least ``P(1 + V >= threshold)``: that a key of one trip alone is shown; also where one trip is replaced.

    Of a replaced trip one key may vanish and another appear, but each direction of the definition has one of the two.
    """
    return reaches(rho, threshold - 1)


def delta_of_user(rho: Fraction, threshold: int, most: int) -> Decimal:
    """At least the probability that some key of one person alone is shown, with at most ``most`` trips.

    With ``p(c) = P(c + V >= threshold)`` and c trips in a key, none is shown with the product of ``1 - p(c)``. Below the
    threshold ``-log(1 - p(c))`` is convex in c, so the worst person has either ``most`` keys of one trip or one key of
    all (moving a trip from the smaller of two keys to the larger never helps hiding, until the smaller has one left).
    A threshold of ``most`` or less would show such a key in half of all cases, where the last step does not hold: 1.
    """
    if threshold <= most:
        return Decimal(1)
    return max(any_of(reaches(rho, threshold - 1), most), reaches(rho, threshold - most))


def lowest(delta: Callable[[int], Decimal], allowed: Fraction) -> int:
    """The lowest threshold whose certified delta is at most ``allowed``; ``delta`` falls."""
    low, high = 1, 2
    while Fraction(delta(high)) > allowed:
        low, high = high, 2 * high
        if high > 2**40:
            raise InternalError.at("threshold of a stability histogram")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(delta(middle)) > allowed else (low, middle)
    return high


def published_threshold(epsilon: Fraction, delta: Fraction) -> float:
    """The threshold of Asghar, Tyler and Kaafar (2017): ``2 ln(2 / delta) / epsilon + 1``, for continuous noise.

    With epsilon 1 and 2 and delta 1/8,000,000 it is 34.18 and 17.59, and the smallest published counts are 34 and 18.
    """
    return 2 * log(2 / float(delta)) / float(epsilon) + 1


def published_delta(delta: Fraction) -> Fraction:
    """The delta that the published continuous mechanism really has: a quarter of the one it claims.

    ``P(Laplace(b) >= b t) = exp(-t) / 2`` at ``t = ln(2 / delta)``, and one key at a time, see ``delta_of_trip``.
    """
    return delta / 4
