"""The class of each tile on a map, which gives its colour: drowned by noise, few, or one of the classes of counts.

Screens have the same rule (``levelOfRange`` in ``ladder_estimates.js``); pictures and reports are made with this one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpcore.views.ground.plain import number
from dpcore.views.ground.reading import breaks_of_counts, few_below
from dpcore.views.ground.shown import Shown
from dpcore.views.ground.style import DROWNED, FEW, class_colours

HIDDEN, SMALL, FIRST = range(3)
"""Classes: drowned by noise, few or none, and the first one of counts."""
Classes = NDArray[np.int64]
Numbers = NDArray[np.float64] | NDArray[np.int64]


def classes_of(
    values: Numbers, breaks: Sequence[float], known: NDArray[np.bool_], first: int = FIRST
) -> Classes:
    """The class of each number: drowned where it is not ``known``, else the ``first`` one or a higher one."""
    found = np.where(known, first + np.searchsorted(breaks, values, side="right"), HIDDEN)
    return found.astype(np.int64)


def classes_of_shown(shown: Shown, breaks: Sequence[int]) -> Classes:
    """The class of each number of a table.

    Drawn counts are drowned if noise alone could have made them, and few if they are known to be (``few_or_none``). Estimates are few if
    their likely range ends below what is few, and drowned if half of that range is as wide as they are.
    """
    numbers, few = shown.numbers, few_of(shown, breaks)
    small = numbers.high < few
    if shown.is_drawn:
        small &= ~shown.readable & (numbers.high - numbers.values < few)
    found = classes_of(numbers.values, breaks, shown.readable & np.isfinite(numbers.high))
    return np.where(small, SMALL, found)


def few_of(shown: Shown, breaks: Sequence[int]) -> int:
    """What is few on a map (``few_below``): of drawn counts by the breaks of all counts of the highest rung."""
    return few_below(
        breaks if shown.finest is None else breaks_of_counts(shown.finest.values.astype(np.int64))
    )


def colours_of(breaks: Sequence[float]) -> tuple[str, ...]:
    """The colour of each class on light ground."""
    return (DROWNED, FEW, *class_colours(len(breaks) + 1))


def few_words(few: int, *, estimated: bool) -> str:
    """What the colour of few means in a legend."""
    return f"{'likely' if estimated else 'surely'} below {number(few)}"
