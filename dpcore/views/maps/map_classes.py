"""The class of each tile on a map, which gives its colour: drowned by noise, few, or one of the classes of counts.

Screens have the same rule (``levelOfRange`` in ``ladder_estimates.js``); pictures and reports are made with this one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Ranged
from dpcore.measures.measurement import Measurement
from dpcore.views.ground.plain import number
from dpcore.views.ground.reading import coloured_from, few_below, few_or_none
from dpcore.views.ground.style import DROWNED, FEW, class_colours

HIDDEN, SMALL, FIRST = range(3)
"""Classes: drowned by noise, few or none, and the first one of counts."""
Classes = NDArray[np.int64]
Numbers = NDArray[np.float64] | NDArray[np.int64]


def classes_of(values: Numbers, breaks: Sequence[int], known: NDArray[np.bool_]) -> Classes:
    """The class of each number: drowned where it is not ``known``."""
    found = np.where(known, FIRST + np.searchsorted(breaks, values, side="right"), HIDDEN)
    return found.astype(np.int64)


def classes_of_estimates(shown: Ranged, breaks: Sequence[int]) -> Classes:
    """The class of each estimate: few if its likely range ends below what is few, drowned if half of that range is as wide as itself."""
    found = classes_of(shown.values, breaks, (shown.high - shown.low) / 2 < shown.values)
    return np.where(shown.high < few_below(breaks), SMALL, found)


def classes_of_counts(measurement: Measurement, rung: int, breaks: Sequence[int], few: int) -> Classes:
    """The class of each listed count at a rung: drowned if noise alone could have made it; ``few``: what is few on the map."""
    values = measurement.values[rung]
    found = classes_of(values, breaks, values >= coloured_from(measurement, rung))
    return np.where(few_or_none(measurement, rung, few), SMALL, found)


def colours_of(breaks: Sequence[int]) -> tuple[str, ...]:
    """The colour of each class on light ground."""
    return (DROWNED, FEW, *class_colours(len(breaks) + 1))


def few_words(few: int, *, estimated: bool) -> str:
    """What the colour of few means in a legend."""
    return f"{'likely' if estimated else 'surely'} below {number(few)}"
