"""A rectangle of longitudes and latitudes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

from dpcore.errors import TessellationError


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in WGS84 degrees that does not cross the 180th meridian; unpacks as west, south, east, north.

    Raises TessellationError if it is empty, upside down or not on the globe.
    """

    west: float
    """Smallest longitude, -180 or more."""
    south: float
    """Smallest latitude, -90 or more."""
    east: float
    """Largest longitude, 180 or less."""
    north: float
    """Largest latitude, 90 or less."""

    def __post_init__(self) -> None:
        """Refuse a box that is none."""
        if not all(isfinite(side) for side in self):
            raise TessellationError("a side of the box is no number", "box", "Give four numbers in degrees.")
        if not (-180 <= self.west < self.east <= 180 and -90 <= self.south < self.north <= 90):
            raise TessellationError(
                "the box is empty or not on the globe",
                f"west {self.west:g}, south {self.south:g}, east {self.east:g}, north {self.north:g}",
                "Give degrees with west < east within -180 to 180 and south < north within -90 to 90; "
                "a box across the 180th meridian is laid as two.",
            )

    def __iter__(self) -> Iterator[float]:
        return iter((self.west, self.south, self.east, self.north))

    @property
    def middle_latitude(self) -> float:
        """Latitude halfway between south and north."""
        return (self.south + self.north) / 2
