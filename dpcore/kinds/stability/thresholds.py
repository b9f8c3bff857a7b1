"""The noisy count from which a key is shown (the threshold), and its delta. Public, no data.

This is the stability-based histogram (Korolova, Kenthapadi, Mishra, Ntoulas 2009; Bun, Nissim, Stemmer 2016) with exact discrete
noise V on occupied keys only. If a key that only one unit holds is shown, it reveals that this unit is there. Delta is the
probability of that. Keys that others hold too are covered by epsilon.

Every reported delta is an upper bound. Probabilities are decimals, and each step rounds towards the larger delta. The
exponential of ``decimal`` is rounded correctly, so the next larger decimal is a bound. Every operation names its context,
because a plain minus sign would round to the default of 28 digits.
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
    """An upper bound on ``exp(-x)``, for x of 0 or more."""
    return _UP.next_plus(_UP.exp(_quotient(x, _DOWN).copy_negate()))


def exp_below(x: Fraction) -> Decimal:
    """A lower bound on ``exp(-x)``, for x of 0 or more."""
    return max(Decimal(0), _DOWN.next_minus(_DOWN.exp(_quotient(x, _UP).copy_negate())))


def reaches(rho: Fraction, distance: int) -> Decimal:
    """An upper bound on ``P(V >= distance)`` for discrete Laplace noise V of rate ``rho``; never above 1.

    With ``q = exp(-rho)`` it is ``q**distance / (1 + q)``; for a negative distance ``1 - q**(1 - distance) / (1 + q)``.
    """
    if distance >= 0:
        return min(Decimal(1), _UP.divide(exp_above(rho * distance), _DOWN.add(Decimal(1), exp_below(rho))))
    misses = _DOWN.divide(exp_below(rho * (1 - distance)), _UP.add(Decimal(1), exp_above(rho)))
    return min(Decimal(1), _UP.subtract(Decimal(1), misses))


def any_of(probability: Decimal, times: int) -> Decimal:
    """An upper bound on the probability that any of ``times`` independent events of one probability happens."""
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
    """An upper bound on ``P(1 + V >= threshold)``, the probability that a key of one single trip is shown.

    It also holds if one trip is replaced. Then one key may vanish and another appear, but each direction of the
    definition involves only one of them.
    """
    return reaches(rho, threshold - 1)


def delta_of_user(rho: Fraction, threshold: int, most: int) -> Decimal:
    """An upper bound on the probability that any key of one single person with at most ``most`` trips is shown.

    Let ``p(c) = P(c + V >= threshold)`` for a key of c trips. No key is shown with the product of ``1 - p(c)`` as probability.
    Below the threshold ``-log(1 - p(c))`` is convex in c: moving a trip from the smaller of two keys to the larger never
    helps to hide, until the smaller has one left. So the worst person has ``most`` keys of one trip, or one key of all.
    With a threshold of ``most`` or less this step does not hold, and such a key is shown in half of all cases: delta is 1.
    """
    if threshold <= most:
        return Decimal(1)
    return max(any_of(reaches(rho, threshold - 1), most), reaches(rho, threshold - most))


def lowest(delta: Callable[[int], Decimal], allowed: Fraction) -> int:
    """The lowest threshold whose certified delta is at most ``allowed``; ``delta`` must be decreasing."""
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
    """The true delta of the published continuous mechanism: a quarter of the claimed one.

    ``P(Laplace(b) >= b t) = exp(-t) / 2`` at ``t = ln(2 / delta)``, for one key, see ``delta_of_trip``.
    """
    return delta / 4
