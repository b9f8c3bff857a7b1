"""Public bins of the histograms: chosen once, for cities in general, and never from data.

The first bin is open below and the last one above, so that every value has its bin. An owner may choose other edges,
see ``dpcore.key_choices``; they are public as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.keys import Axis, bin_axis


@dataclass(frozen=True)
class Bins:
    """Half-open bins between rising public edges, and how the engine tells them apart without rounding."""

    edges: tuple[str, ...]
    """Decimal texts in the unit that people read, such as ``0.5`` hours."""
    units: int = 1
    """How many of the engine's own units (microseconds, metres) one such unit has; each edge is a whole number of them."""
    least: int | None = 0
    """No value lies below it, whatever the data; None where values may be negative."""
    most: int | None = None
    """No value lies above it."""

    def __post_init__(self) -> None:
        """Edges rise, and are whole numbers for the engine; a fault here is ours."""
        if not _fit(self.edges, self.units):
            raise ValueError("edges of bins must rise and be whole numbers for the engine")

    def between(self, edges: Sequence[str], name: str = "a histogram") -> Bins:
        """Bins of the same measure between other edges, which get their shortest decimal form.

        Raises PrivacyError, which names the measure, where they are no numbers, do not rise, are finer than the engine
        counts, lie where no value can, or are too many.
        """
        try:
            numbers = [Decimal(edge.strip()) for edge in edges]
            fit = all(abs(number) <= _MOST for number in numbers) and _fit(edges, self.units)
        except (InvalidOperation, ValueError):
            fit = False
        if not fit or not 1 <= len(edges) <= limits.MAX_BINS:
            raise PrivacyError(
                "these are no edges of bins",
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
        return replace(self, edges=tuple(f"{number.normalize() + 0:f}" for number in numbers))

    @property
    def axis(self) -> Axis:
        """The bins as key columns."""
        return bin_axis(self.edges)

    def number(self, value: str) -> str:
        """SQL for the number of the bin that holds a value (in the engine's units); see ``bin_axis``."""
        return bin_number(value, self.whole_edges)

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """What ``number`` gives for each value, an array of int64 or float64; unknown values (NaN) go to the last bin."""
        return np.searchsorted(np.asarray(self.whole_edges, values.dtype), values, side="right")

    @property
    def compared_edges(self) -> tuple[int, ...] | None:
        """The edges to compare one value after another with; None where ``numbers`` finds bins by other means."""
        return self.whole_edges

    @cached_property
    def whole_edges(self) -> tuple[int, ...]:
        """The edges in the engine's units."""
        return tuple(int(Decimal(edge) * self.units) for edge in self.edges)


def bin_number(value: str, edges: Sequence[int]) -> str:
    """SQL for the number of the half-open bin between rising edges that holds a value; see ``bin_axis``."""
    below = " ".join(f"WHEN {value} < {edge} THEN {number}" for number, edge in enumerate(edges))
    return f"CASE {below} ELSE {len(edges)} END"


def _fit(edges: Sequence[str], units: int) -> bool:
    """Whether edges rise and each is a whole number for the engine."""
    scaled = [Decimal(edge) * units for edge in edges]
    return scaled == sorted(set(scaled)) and all(edge == int(edge) for edge in scaled)


def _edges(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MINUTE_US: Final = 60_000_000
_HOUR_US: Final = 60 * _MINUTE_US
_KILOMETRE: Final = 1_000
_MOST: Final = 10**6  # an edge, up or down
_FINE: Final = 10_000  # units whose size people can read

MINUTES: Final = Bins(_edges("5 10 15 20 30 45 60 90 120 180 360 1440"), _MINUTE_US)
"""Of travel times."""
JUMPS: Final = Bins(_edges("0.5 1 2 3 4 5 7.5 10 15 20 30 50 100"), _KILOMETRE)
"""Of distances between start and end, in kilometres."""
GAPS: Final = Bins(_edges("0 0.25 0.5 1 2 4 8 12 16 24 48 72 168"), _HOUR_US, None)
"""Of times between trips, in hours; below 0 lie trips that began before the one before them ended."""
RADII: Final = Bins(_edges("0.5 1 2 3 4 5 7.5 10 15 20 30 50 100"), _KILOMETRE)
"""Of radii of gyration, in kilometres."""
TILE_COUNTS: Final = Bins(_edges("1 2 3 4 5 6 8 11 16 21 31 51"))
"""Of different tiles of a user; the first bin holds who was in none."""
ENTROPIES: Final = Bins(_edges("0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9"), 1_000, most=1)
"""Of mobility entropies."""
# Every bin but the last ends right after a bound that a person would choose (1, 2, 3, 5, 8, 12, 20 and so on), so
# that the trips which such a bound keeps of a busier user are known exactly from the histogram.
TRIPS_PER_USER: Final = Bins(_edges("2 3 4 6 9 13 21 31 51 76 101 151 201 301 501"))
"""Of trips of a user."""

BINS: Final[Mapping[str, Bins]] = MappingProxyType(
    {
        "travel_time": MINUTES,
        "jump_length": JUMPS,
        "trips_per_user": TRIPS_PER_USER,
        "user_time_delta": GAPS,
        "radius_of_gyration": RADII,
        "user_tile_count": TILE_COUNTS,
        "mobility_entropy": ENTROPIES,
    }
)
"""The usual bins by measure."""
