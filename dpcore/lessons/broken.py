"""Mechanisms that protect less than they say, with one flaw each. Only lessons may import them; a test of imports holds that."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.dice import Dice

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

BITS = 53
"""Binary digits of a random fraction in most languages."""


def from_fraction(fraction: Floats, epsilon: float) -> Floats:
    """Noise from a fraction between 0 and 1, by the textbook formula in ordinary arithmetic. Broken on purpose.

    On paper every real number can come out whatever the count is. In a computer there are finitely many fractions, so
    finitely many noises, and adding a count rounds them away to other numbers: some outputs belong to one count only
    (Mironov, CCS 2012).
    """
    centred = fraction - 0.5
    return np.asarray(-np.sign(centred) * np.log(1 - 2 * np.abs(centred)) / epsilon)


def float_answers(count: int, epsilon: float, n: int, dice: Dice) -> Floats:
    """``n`` noisy answers for a count that one unit changes by 1."""
    fractions = np.floor(dice.floats.random(n) * (2.0**BITS - 1) + 1) / 2.0**BITS  # never 0
    return count + from_fraction(fractions, epsilon)


def rescaled(truth: NDArray[np.int64], unit_noise: Floats, epsilon: Fraction) -> Floats:
    """What the slider shows at a stop: the same Laplace noise of scale 1, divided by epsilon. Broken: two stops give the truth away."""
    return truth + unit_noise / float(epsilon)


HIDDEN: Final = -1
"""Stands where a count is not shown."""


def small_hidden(counts: Integers, least: int) -> Integers:
    """The table as it is printed: counts below ``least`` are hidden. Broken on purpose."""
    return np.where(counts < least, HIDDEN, counts)


def occupied_kept(expected: Floats) -> Floats:
    """What cells of true count 0, 1, ... show on average if empty cells get no noise.

    Broken: an empty cell stays empty, so a cell that is shown had a trip, for sure.
    """
    shown = expected.copy()
    shown[0] = 0
    return shown


def unbounded_totals(trips_per_person: Integers, epsilon: Fraction, n: int, dice: Dice) -> Integers:
    """``n`` noisy totals; a person with k trips moves them by k, the noise is made for 1. Broken on purpose."""
    return int(trips_per_person.sum()) + dice.discrete_laplace(epsilon, n)


def data_bounded_totals(minutes: Floats, epsilon: Fraction, n: int, dice: Dice) -> Integers:
    """``n`` noisy totals of whole minutes, one trip for each person; the bound is the largest value there is.

    Broken: the width of the noise tells who is there.
    """
    largest = ceil(minutes.max())
    return int(np.rint(minutes).sum()) + dice.discrete_laplace(epsilon / largest, n)


def data_chances(values: Floats, epsilon: float) -> Floats:
    """How likely each value, rising, is to come out: the fewer ranks it misses the middle by, the likelier."""
    middle = len(values) / 2
    smaller = np.searchsorted(values, values)
    up_to = np.searchsorted(values, values, side="right")
    missed = np.maximum(np.maximum(smaller - middle, middle - up_to), 0)
    weight = np.exp(-epsilon * missed)  # one person moves a miss by 1/2 at most
    return np.asarray(weight / weight.sum())


def data_medians(values: Floats, epsilon: float, n: int, dice: Dice) -> Floats:
    """``n`` noisy medians, drawn among the values that occur: each is somebody's value. Broken on purpose."""
    return dice.floats.choice(np.sort(values), n, p=data_chances(values, epsilon))
