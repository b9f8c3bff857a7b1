"""Public bins of histograms and public grids for purchased quantiles. They are chosen for cities in general, never from data.

*Bins.* The first bin is open below and the last one above, so every value has a bin. An owner may choose other edges
(``dpcore.measures.choices``), which are public too.

*Grids.* A quantile chosen among the values of the data is private for no epsilon, because a neighbour may lack that
value. So each value is first rounded down to a point of a public grid; values beyond the grid go to its first or last
point. A purchased quantile is always a point of the grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from math import floor
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures.keys import Axis, bin_axis

_MOST: Final = 10**6  # largest absolute value of an edge
_FINE: Final = 10_000  # a unit is split into at most so many steps if messages are to name the step

LEVELS: Final[Mapping[str, int]] = MappingProxyType({"p5": 1, "p25": 5, "p50": 10, "p75": 15, "p95": 19})
"""The five numbers and their levels, in twentieths: ``p25`` is the value that 5 of 20 parts lie below.

There is no minimum and no maximum: each is the value of one trip or one person, so a useful answer would be about them.
The public ends of the grid stand for them. 5 % and 95 % say where almost all values lie.
"""
PARTS: Final = 20
"""Levels are multiples of 1/20, so that every score is a whole number."""
MOST_BINS: Final = 10
"""A purchased range is cut into at least this many equal bins."""


@dataclass(frozen=True)
class Bins:
    """Half-open bins between rising public edges, which the engine tells apart without rounding."""

    edges: tuple[str, ...]
    """Decimal texts in the unit that people read, such as ``0.5`` hours."""
    units: int = 1
    """How many of the engine's units (microseconds, metres) make one such unit. Each edge is a whole number of them."""
    least: int | None = 0
    """No value can be smaller, whatever the data. None where values may be negative."""
    most: int | None = None
    """No value can be larger. None where there is no limit."""

    def __post_init__(self) -> None:
        """Edges must rise and be whole numbers for the engine. A fault here is a fault of this program."""
        if not _fit(self.edges, self.units):
            raise ValueError("edges of bins must rise and be whole numbers for the engine")

    def between(self, edges: Sequence[str], name: str = "a histogram") -> Bins:
        """Bins of the same measure between other edges, which are brought to their shortest decimal form.

        Raises PrivacyError, with the name of the measure, for edges that are not numbers, do not rise, are finer than the
        engine counts, lie where no value can, or are too many.
        """
        try:
            numbers = [Decimal(edge.strip()) for edge in edges]
            fit = all(abs(number) <= _MOST for number in numbers) and _fit(edges, self.units)
        except (InvalidOperation, ValueError):
            fit = False
        if not fit or not 1 <= len(edges) <= limits.MAX_BINS:
            raise PrivacyError(
                "these are not edges of bins",
                f"edges of {name}",
                f"Give 1 to {limits.MAX_BINS} rising numbers such as 0,5,10,20, each a multiple of "
                f"{Decimal(1) / self.units if self.units <= _FINE else 'a microsecond'}.",
            )
        if (self.least is not None and numbers[0] < self.least) or (
            self.most is not None and numbers[-1] > self.most
        ):
            raise PrivacyError(
                "an edge lies where no value can",
                f"edges of {name}",
                f"Give edges from {self.least}" + (" on." if self.most is None else f" to {self.most}."),
            )
        return replace(self, edges=tuple(decimal_form(number) for number in numbers))

    @classmethod
    def at(cls, edges: str, units: int = 1, least: int | None = 0, most: int | None = None) -> Bins:
        """Bins between edges given as one text, such as ``5 10 20``."""
        return cls(tuple(edges.split()), units, least, most)

    @property
    def axis(self) -> Axis:
        """The key columns of the bins."""
        return bin_axis(self.edges)

    def number(self, value: str) -> str:
        """SQL for the number of the bin that holds a value (in the engine's units); see ``bin_axis``."""
        edges = self.whole_edges
        below = " ".join(f"WHEN {value} < {edge} THEN {number}" for number, edge in enumerate(edges))
        return f"CASE {below} ELSE {len(edges)} END"

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """What ``number`` gives for each value, an int64 or float64 array. Unknown values (NaN) go to the last bin."""
        return np.searchsorted(np.asarray(self.whole_edges, values.dtype), values, side="right")

    @property
    def compared_edges(self) -> tuple[int, ...] | None:
        """The edges with which each value is compared; None where ``numbers`` finds bins in another way."""
        return self.whole_edges

    @cached_property
    def whole_edges(self) -> tuple[int, ...]:
        """The edges in the engine's units."""
        return tuple(int(Decimal(edge) * self.units) for edge in self.edges)


def _fit(edges: Sequence[str], units: int) -> bool:
    """Whether the edges rise and each is a whole number for the engine."""
    scaled = [Decimal(edge) * units for edge in edges]
    return scaled == sorted(set(scaled)) and all(edge == int(edge) for edge in scaled)


@dataclass(frozen=True)
class Grid:
    """Public points for the values of one measure: evenly spaced within a stretch, farther apart where values are larger.

    Points without values near them compete with those that have some, so a fine grid over large values costs accuracy.
    It would gain nothing: nobody needs the minute of a ten-hour trip.
    """

    unit: str
    """What people read it in, such as ``minutes``; empty for a plain number."""
    stretches: tuple[tuple[Decimal, Decimal, Decimal], ...]
    """First point, end and step of each stretch. A stretch begins where the one before it ends."""
    lowest: Decimal | None = None
    """No value can be smaller, whatever the data: the first, open bin begins here. None if there is no limit."""
    highest: Decimal | None = None
    """No value can be larger."""
    units: int = 1
    """How many of the engine's units make one such unit."""

    @classmethod
    def of(
        cls, bins: Bins, unit: str, points: str, *, lowest: str | None = None, highest: str | None = None
    ) -> Grid:
        """A grid for the values of some bins. ``points`` is the first point, then a step and an end, and so on."""
        numbers = [Decimal(text) for text in points.split()]
        stretches = zip(numbers[:-1:2], numbers[2::2], numbers[1::2], strict=True)
        low, high = (None if text is None else Decimal(text) for text in (lowest, highest))
        return cls(unit, tuple(stretches), low, high, bins.units)

    @cached_property
    def points(self) -> tuple[Decimal, ...]:
        """All points, rising. The last one is the end of the last stretch."""
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
        """The smallest distance between two points."""
        return min(step for _, _, step in self.stretches)

    def number(self, text: str) -> int:
        """The number of the point with this exact text; ValueError if there is none."""
        if text not in self.texts:
            raise ValueError("not a point of the public grid")
        return self.texts.index(text)

    @property
    def bins(self) -> Bins:
        """The grid as bins: bin ``i`` holds the values from point ``i`` to the next one. The ends are open."""
        return _GridBins(self.texts[1:], self.units, grid=self)

    @property
    def ranged(self) -> bool:
        """Whether its range can be purchased. It cannot where both ends are public."""
        return self.lowest is None or self.highest is None

    @property
    def ends(self) -> tuple[str, ...]:
        """The quantiles that a range needs: both ends, or only the upper one where the lower end is public."""
        return ("p95",) if self.lowest is not None else ("p5", "p95")

    def round_edges(self, low: str | None, high: str) -> tuple[str, ...]:
        """Edges of equal bins with round widths over a purchased range: at least ten bins, with the open ones.

        This is a function of the purchased numbers alone, so it is post-processing. The width is 1, 2 or 5 times a power
        of ten: the widest one that gives ten bins and is no finer than the grid. Edges are multiples of the width.

        >>> Grid.of(Bins(("1",)), "minutes", "0 0.5 60 1 120", lowest="0").round_edges(None, "61.5")
        ('5', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55', '60', '65')
        >>> Grid.of(Bins(("1",)), "tiles", "0 1 50", lowest="0").round_edges(None, "3")
        ('1', '2', '3', '4', '5', '6', '7', '8', '9', '10')
        """
        start = self.lowest if low is None else Decimal(low)
        if start is None:
            raise ValueError("this range needs its lower end")
        top = max(Decimal(high), start)
        width = _width((top - start) / MOST_BINS, self.step)
        at = floor(start / width) * width
        count = max(MOST_BINS, -floor((at - top) / width))  # the last edge is at or above the upper end
        edges = [at + number * width for number in range(count + 1)]
        if low is None:
            edges = [edge for edge in edges if edge > start]  # no value lies below the public lower end
        return tuple(decimal_form(edge) for edge in edges)


@dataclass(frozen=True)
class _GridBins(Bins):
    """Bins of equal width in each stretch. One division finds a bin, instead of hundreds of comparisons."""

    grid: Grid | None = None

    def number(self, value: str) -> str:
        """SQL for the number of the point. Exact: a quotient of whole numbers below 2**53 is never rounded up to the next one."""
        before, whens = 0, []
        for first, end, step in self._stretches_in_units:
            inside = f"greatest({value}, {first}) - ({first})"
            whens.append(
                f"WHEN {value} < {end} THEN {before} + CAST(floor(CAST({inside} AS DOUBLE) / {step}) AS INT)"
            )
            before += (end - first) // step
        return f"CASE {' '.join(whens)} ELSE {before} END"

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """What ``number`` gives, with the same operations."""
        before, found = 0, np.full(len(values), -1, np.int64)
        for first, end, step in self._stretches_in_units:
            here = (found < 0) & (values < end)
            inside = (np.maximum(values[here], first) - first).astype(np.float64)
            found[here] = before + np.floor(inside / step).astype(np.int64)
            before += (end - first) // step
        return np.where(found < 0, before, found)

    @property
    def compared_edges(self) -> None:
        """None: a division finds the point."""

    @property
    def _stretches_in_units(self) -> list[list[int]]:
        if self.grid is None:
            raise ValueError("bins of a grid need the grid")
        return [[int(number * self.units) for number in stretch] for stretch in self.grid.stretches]


def _width(most: Decimal, least: Decimal) -> Decimal:
    """The largest 1, 2 or 5 times a power of ten that is at most ``most`` and a multiple of the step ``least``."""
    fitting = [
        width
        for power in range(-4, 7)
        for digit in (1, 2, 5)
        if (width := digit * Decimal(10) ** power) >= least and width % least == 0
    ]
    return max((width for width in fitting if width <= most), default=fitting[0])


def decimal_form(number: Decimal) -> str:
    """The one decimal text of a number, without an exponent and without zeros at its end.

    >>> decimal_form(Decimal("-0.0")), decimal_form(Decimal("1.50")), decimal_form(Decimal("1E+2"))
    ('0', '1.5', '100')
    """
    return f"{number.normalize() + 0:f}"
