"""Colour breaks that are the same at every epsilon, and axis ranges that hold what is drawn.

Both are made from noisy values, those of the highest rung first: colours that followed the slider would hide the
noise, and a range made from true counts would leak them. An axis grows at a rung whose intervals need more room.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Measurement

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


def few_below(breaks: tuple[int, ...]) -> int:
    """What is few on a map of these colours: its second break, a fortieth or so of its busiest tiles if they have 100 or more.

    A count whose 95 % range ends below it is known to be small, though noise could have made it
    (``ladder_colours.js`` has the same rule).
    """
    return breaks[1]


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
    rung: int,
    truth: NDArray[np.int64] | None = None,
    cells: NDArray[np.int64] | None = None,
) -> tuple[int, int]:
    """A range that holds every value at a rung with its whole 95 % interval, and 0.

    It is that of the highest rung wherever that suffices, so that most steps of epsilon change the noise alone. With
    ``truth`` (owner pages only) the top makes room for the true values beside the noisy ones. With ``cells``
    (positions among the listed ones) the chart shows no others.
    """
    shown = slice(None) if cells is None else cells
    finest, values = measurement.values[-1][shown], measurement.values[rung][shown]
    tops = [
        int(finest.max(initial=1)) + measurement.half_widths[-1],
        int(values.max(initial=1)) + measurement.half_widths[rung],
    ]
    if truth is not None:
        tops.append(int(truth[shown].max(initial=1)))
    lowest = int(values.min(initial=tops[1])) - measurement.half_widths[rung]
    bottom = -_round_up(-lowest) if lowest < 0 else 0
    return bottom, _round_up(max(tops))


def _round_up(wanted: int) -> int:
    """The smallest number of two digits and zeros that is no smaller, and at least 1."""
    step = 10 ** max(0, len(str(wanted)) - 2)
    return int(max(1, -(-wanted // step) * step))
