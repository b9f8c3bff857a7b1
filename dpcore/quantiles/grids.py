"""Public grids on which quantiles are bought: chosen once, for cities in general, and never from data.

A quantile that is chosen among the values of the data is private for no epsilon: its neighbour may lack the value. So
every value first goes to the point of a public grid at or below it (those beyond the grid to its first or last point),
and a bought quantile is always a point of the grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import floor
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.public_bins import BINS, Bins

LEVELS: Final[Mapping[str, int]] = MappingProxyType({"p5": 1, "p25": 5, "p50": 10, "p75": 15, "p95": 19})
"""The five numbers and their levels, in twentieths: ``p25`` is the value that 5 of 20 parts lie below.

No minimum and no maximum: each is the value of one trip or one person, so any useful answer would be about them. The
public ends of the grid are the honest ones, and 5 % and 95 % tell where almost all values lie.
"""
PARTS: Final = 20
"""Levels are whole parts of so many, so that every score is a whole number."""
MOST_BINS: Final = 10
"""Equal bins that a bought range is cut into, at least."""


@dataclass(frozen=True)
class Grid:
    """Public points for the values of one measure: evenly spaced within each stretch, wider where values are larger.

    Every point that no value is near competes with those that are, so a fine grid over large values would cost accuracy
    and tell nobody more: whoever travels for ten hours does not ask for the minute.
    """

    measure: str
    unit: str
    """What people read it in, such as ``minutes``; empty for a plain number."""
    stretches: tuple[tuple[Decimal, Decimal, Decimal], ...]
    """First point, end and step of each stretch; a stretch begins where the one before ends."""
    lowest: Decimal | None = None
    """Below it no value can lie, whatever the data: where the first open bin really begins."""
    highest: Decimal | None = None
    """Above it no value can lie."""

    @cached_property
    def points(self) -> tuple[Decimal, ...]:
        """All points, rising; the end of the last stretch is the last."""
        listed = [
            first + number * step
            for first, end, step in self.stretches
            for number in range(int((end - first) / step))
        ]
        return (*listed, self.stretches[-1][1])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The points as their shortest decimal texts."""
        return tuple(decimal_form(point) for point in self.points)

    @property
    def size(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def step(self) -> Decimal:
        """The smallest distance of two points."""
        return min(step for _, _, step in self.stretches)

    def number(self, text: str) -> int:
        """The number of the point that a text names in its one form; ValueError where it names none."""
        if text not in self.texts:
            raise ValueError("no point of the public grid")
        return self.texts.index(text)

    @property
    def bins(self) -> Bins:
        """The grid as bins: point ``i`` stands for all values from it to the next; the ends are open."""
        return _GridBins(self.texts[1:], BINS[self.measure].units, grid=self)

    @property
    def ranged(self) -> bool:
        """Whether its range can be bought: not where both ends are known to everyone."""
        return self.lowest is None or self.highest is None

    @property
    def ends(self) -> tuple[str, ...]:
        """The statistics that a range takes: both ends, or the upper one alone where the lower one is known."""
        return ("p95",) if self.lowest is not None else ("p5", "p95")


@dataclass(frozen=True)
class _GridBins(Bins):
    """Bins of equal width in each stretch, found by one division instead of hundreds of comparisons."""

    grid: Grid | None = None

    def number(self, value: str) -> str:
        """SQL for the number of the point; exact, because a quotient of whole numbers below 2**53 never rounds up past one."""
        before, whens = 0, []
        for first, end, step in self._scaled:
            inside = f"greatest({value}, {first}) - ({first})"
            whens.append(
                f"WHEN {value} < {end} THEN {before} + CAST(floor(CAST({inside} AS DOUBLE) / {step}) AS INT)"
            )
            before += (end - first) // step
        return f"CASE {' '.join(whens)} ELSE {before} END"

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """What ``number`` gives, by the same operations."""
        before, found = 0, np.full(len(values), -1, np.int64)
        for first, end, step in self._scaled:
            here = (found < 0) & (values < end)
            inside = (np.maximum(values[here], first) - first).astype(np.float64)
            found[here] = before + np.floor(inside / step).astype(np.int64)
            before += (end - first) // step
        return np.where(found < 0, before, found)

    @property
    def compared_edges(self) -> None:
        """None: a division finds the point."""

    @property
    def _scaled(self) -> list[list[int]]:
        """The stretches in the engine's units."""
        if self.grid is None:
            raise ValueError("bins of a grid need it")
        return [[int(number * self.units) for number in stretch] for stretch in self.grid.stretches]


def _grid(measure: str, unit: str, points: str, lowest: str | None, highest: str | None = None) -> Grid:
    """A grid that is written as its first point, then a step and where it ends, and so on."""
    numbers = [Decimal(text) for text in points.split()]
    stretches = zip(numbers[:-1:2], numbers[2::2], numbers[1::2], strict=True)
    low, high = (None if text is None else Decimal(text) for text in (lowest, highest))
    return Grid(measure, unit, tuple(stretches), low, high)


_KILOMETRES: Final = "0 0.1 10 0.2 20 0.5 50 1 100 5 200"

GRIDS: Final[Mapping[str, Grid]] = MappingProxyType(
    {
        grid.measure: grid
        for grid in (
            _grid("travel_time", "minutes", "0 0.5 60 1 120 2 240 5 480 15 1440", "0"),
            _grid("jump_length", "km", _KILOMETRES, "0"),
            _grid("trips_per_user", "trips", "1 1 50 2 100 5 200 10 500 25 1000", "1"),
            _grid("user_time_delta", "hours", "-24 1 -4 0.25 0 0.1 12 0.25 24 0.5 72 2 168 6 336", None),
            _grid("radius_of_gyration", "km", _KILOMETRES, "0"),
            _grid("user_tile_count", "tiles", "0 1 50 2 100 5 200 10 500", "0"),
            _grid("mobility_entropy", "", "0 0.01 1", "0", "1"),
        )
    }
)
"""The grid of every histogram measure: points, and between them the step from one to the next."""


def round_edges(measure: str, low: str | None, high: str) -> tuple[str, ...]:
    """Edges of equal bins with round widths over a bought range; at least ten bins, the open ones included.

    A pure function of what was bought: it knows no data. The width is 1, 2 or 5 times a power of ten, the widest that
    gives ten bins, and never finer than the grid; edges are multiples of it.

    >>> round_edges("travel_time", None, "61.5")
    ('5', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55', '60', '65')
    >>> round_edges("user_tile_count", None, "3")
    ('1', '2', '3', '4', '5', '6', '7', '8', '9', '10')
    """
    grid = GRIDS[measure]
    start = grid.lowest if low is None else Decimal(low)
    if start is None:
        raise ValueError("this range needs its lower end")
    top = max(Decimal(high), start)
    width = _width((top - start) / MOST_BINS, grid.step)
    at = floor(start / width) * width
    count = max(MOST_BINS, -floor((at - top) / width))  # the last edge is not below the upper end
    edges = [at + number * width for number in range(count + 1)]
    if low is None:
        edges = [edge for edge in edges if edge > start]  # nothing lies below a natural start
    return tuple(decimal_form(edge) for edge in edges)


def _width(most: Decimal, least: Decimal) -> Decimal:
    """The largest of 1, 2 and 5 times a power of ten that is at most ``most``, but a multiple of the step ``least``."""
    fitting = [
        width
        for power in range(-4, 7)
        for digit in (1, 2, 5)
        if (width := digit * Decimal(10) ** power) >= least and width % least == 0
    ]
    return max((width for width in fitting if width <= most), default=fitting[0])


def decimal_form(number: Decimal) -> str:
    """The one decimal text of a number: no exponent, no zeros at its end.

    >>> decimal_form(Decimal("-0.0")), decimal_form(Decimal("1.50")), decimal_form(Decimal("1E+2"))
    ('0', '1.5', '100')
    """
    return f"{number.normalize() + 0:f}"
