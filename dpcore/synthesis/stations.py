"""Public stations: where trips start and end, how far apart, and in which band of distances a pair lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.synthesis.attributes import Attribute
from dpcore.synthesis.place_names import must_not_be_a_place
from dpcore.tessellation.distance import distance_m

NOT_LISTED: Final = "not listed"
"""Category of ids that are on no list."""
BAND_EDGES: Final = (0.001, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
"""Kilometres at which a new band begins; the first band holds round trips to the same place."""


@dataclass(frozen=True)
class Stations:
    """The public list of stations with their coordinates in degrees (WGS84)."""

    ids: tuple[str, ...]
    latitudes: tuple[float, ...]
    longitudes: tuple[float, ...]

    def __post_init__(self) -> None:
        """Each station is listed once, under a name of its own, with both coordinates on the globe."""
        places = np.array([self.latitudes, self.longitudes], np.float64)
        fit = places.shape == (2, len(self.ids)) and bool((np.abs(places).T <= [90, 180]).all())
        if not self.ids or len(set(self.ids)) != len(self.ids) or not fit:
            raise PrivacyError(
                "the list of stations cannot be used",
                f"{len(self.ids):,} stations",
                "Give each station once, with latitude and longitude in degrees.",
            )
        must_not_be_a_place(NOT_LISTED, self.ids)

    @cached_property
    def attribute(self) -> Attribute:
        """The ids as an attribute; an unlisted id is its last category, which no table counts."""
        return Attribute("station", self.ids, unknown=NOT_LISTED)

    @cached_property
    def kilometres(self) -> NDArray[np.float64]:
        """Great-circle distances, shape (stations, stations)."""
        lat, lng = np.array(self.latitudes), np.array(self.longitudes)
        return distance_m(lat[:, None], lng[:, None], lat, lng) / 1_000

    @cached_property
    def bands(self) -> tuple[str, ...]:
        """The bands of distances in which some pair of stations lies, nearest first."""
        edges = ("0", *(f"{edge:g}" for edge in BAND_EDGES[1:]), "inf")
        names = (
            "same place",
            *(f"{low} to {high} km" for low, high in pairwise(edges)),
        )
        return tuple(names[number] for number in np.unique(self._band_numbers))

    @cached_property
    def band_of_pair(self) -> NDArray[np.int64]:
        """Position in ``bands`` of each pair, shape (stations, stations)."""
        return np.searchsorted(np.unique(self._band_numbers), self._band_numbers)

    @cached_property
    def _band_numbers(self) -> NDArray[np.int64]:
        return np.searchsorted(np.array(BAND_EDGES), self.kilometres, side="right")
