"""From which noisy count on a key is shown, and the delta that this costs. Public: no data.

Stability-based histogram (Korolova, Kenthapadi, Mishra, Ntoulas 2009; Bun, Nissim, Stemmer 2016) with exact discrete
noise V on occupied keys only. A key that only one unit holds shows that this unit is there, if it is shown at all: the
probability of that is delta. Keys that others hold as well pay epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import log

from dpcore.errors import InternalError
from dpcore.synthesis.stability.certified import any_of, reaches, shown


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


def reported(delta: Decimal) -> Fraction:
    """A certified delta, rounded up to six digits."""
    return shown(delta)
