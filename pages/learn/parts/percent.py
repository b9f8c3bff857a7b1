"""Bounds on probabilities as the lessons print them."""

from math import ceil


def at_most(share: float, digits: int = 1) -> str:
    """An upper bound in per cent, rounded up, so that what is printed is a bound too.

    >>> at_most(0.73105), at_most(0.65135, 2)
    ('73.2 %', '65.14 %')
    """
    steps = 10**digits
    return f"{ceil(100 * steps * share) / steps:.{digits}f} %"
