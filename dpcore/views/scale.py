"""Colour breaks and axis ranges, the same at every epsilon.

They are made from the noisy values of the highest rung: a range that followed the slider would hide the
noise, and one made from true counts would leak them.
"""

from __future__ import annotations

from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measurement import Measurement

CLASSES: Final = 8
"""Colour classes of a map."""


def _round_numbers() -> list[int]:
    """1, 2, 5, 10, 20, 50 and so on, up to 5e17."""
    return [digit * 10**power for power in range(18) for digit in (1, 2, 5)]


def colour_breaks(measurement: Measurement) -> tuple[int, ...]:
    """Seven rising round numbers that part the noisy counts of the highest rung into eight classes."""
    finest = measurement.values[-1]
    high = int(np.quantile(finest, 0.98)) if finest.size else 0
    below = [number for number in _round_numbers() if number <= max(high, 1)]
    wanted = CLASSES - 1
    start = max(0, len(below) - wanted)
    return tuple(_round_numbers()[start : start + wanted])


def breaks_of_readable(measurement: Measurement, readable_from: int) -> tuple[int, ...]:
    """``colour_breaks`` for a picture that shows counts from ``readable_from`` (at the highest rung) on alone.

    Where most cells are noise their classes would be wasted; without one that can be read it is as usual.
    """
    finest = measurement.values[-1]
    readable = finest[finest >= readable_from]
    if not readable.size:
        return colour_breaks(measurement)
    high = int(np.quantile(readable, 0.98))
    wanted = CLASSES - 1
    below = [number for number in _round_numbers() if number <= max(high, 1)]
    return tuple(_round_numbers()[max(0, len(below) - wanted) :][:wanted])


def difference_breaks(breaks: tuple[int, ...]) -> tuple[int, ...]:
    """Three rising sizes of a difference, from the breaks of the counts themselves."""
    return breaks[1], breaks[3], breaks[5]


def axis_range(
    measurement: Measurement,
    truth: NDArray[np.int64] | None = None,
    cells: NDArray[np.int64] | None = None,
) -> tuple[int, int]:
    """A fixed range for a chart of all rungs: from 0, or a little below where noise goes below 0.

    With ``truth`` (owner pages only) the top makes room for the true values beside the noisy ones. With ``cells``
    (positions among the listed ones) the chart shows no others.
    """
    shown = slice(None) if cells is None else cells
    values = measurement.values[:, shown]
    tops = [int(values[-1].max(initial=1))]
    if truth is not None:
        tops.append(int(truth[shown].max(initial=1)))
    wanted = max(1, int(max(tops) * 1.08))
    step = 10 ** max(0, len(str(wanted)) - 2)
    top = next(number for number in count(step, step) if number >= wanted)
    bottom = -top // 6 if int(values.min(initial=0)) < 0 else 0
    return bottom, top
