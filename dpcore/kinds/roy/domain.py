"""The public domain of trips between stations: everything that is known before the data are read, and trips in that domain.

Every list is fixed before anyone looks at the data. A value that is not listed is refused or counted as unknown, row by
row, so data never extend a list. The bins of durations are the same for all cities, so neither bins nor outliers are read
off the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.kinds.roy import declared as declared_codes
from dpcore.measures import attribute as declaring
from dpcore.measures.keys import Period
from dpcore.measures.riders import Attribute
from dpcore.tiles.distance import distance_m
from dpcore.tiles.tile_ids import must_not_be_a_place

Codes = NDArray[np.int32]

NOT_LISTED: Final = "not listed"
"""Category of ids that are not on the list."""
BAND_EDGES: Final = (0.001, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
"""Kilometres at which a new distance band begins; the first band holds round trips to the same place."""
DURATION_EDGES: Final[tuple[int, ...]] = (
    60, 84, 119, 167, 236, 332, 467, 657, 926, 1303, 1835, 2585, 3640, 5125, 7200, 86_400,
)  # fmt: skip
"""Seconds. 14 bins of equal ratio (1.41) from one minute to two hours, rounded to whole seconds, and one bin up to a day. More
bins there would hold mostly noise, and a phantom trip of half a day weighs as much in the mean as seventy real ones. Trips
shorter than the first edge, or as long as the last one or longer, are outliers by definition and are not counted."""
DURATION_BINS: Final = tuple(f"{low} to {high} s" for low, high in pairwise(DURATION_EDGES))
"""Names of the bins of durations; each ends where the next begins."""
_DAY_TYPES: Final = ("working day", "weekend or holiday")
_MONTHS_NEED_DAYS: Final = 14
TRIP_COLUMNS: Final = ("start", "end", "date", "second", "seconds")
"""Names of the columns of a trip that every domain has."""
PLACE_AND_TIME: Final = ("start", "end", "band", "month", "day_type", "date", "hour", "duration")
"""The attributes of every trip, in the order in which they are drawn."""


@dataclass(frozen=True)
class Group:
    """Attributes that are counted together."""

    axes: tuple[str, ...]
    """Names of attributes; the last one varies fastest in the table."""
    weight: int
    """Weight for the share of epsilon."""

    @property
    def name(self) -> str:
        """The names of its attributes, such as ``start+end``."""
        return "+".join(self.axes)


@dataclass(frozen=True)
class Stations:
    """The public list of stations with their coordinates in degrees (WGS84)."""

    ids: tuple[str, ...]
    latitudes: tuple[float, ...]
    longitudes: tuple[float, ...]
    band_edges: tuple[float, ...] = BAND_EDGES
    """Kilometres at which a new distance band begins, ascending; the first band holds round trips."""

    def __post_init__(self) -> None:
        places = np.array([self.latitudes, self.longitudes], np.float64)
        fit = places.shape == (2, len(self.ids)) and bool((np.abs(places).T <= [90, 180]).all())
        if not self.ids or len(set(self.ids)) != len(self.ids) or not fit:
            raise PrivacyError(
                "the list of stations cannot be used",
                f"{len(self.ids):,} stations",
                "Give each station once, with latitude and longitude in degrees.",
            )
        steps = np.array([0.0, *self.band_edges, np.inf])
        if not self.band_edges or not bool((np.diff(steps) > 0).all()):
            raise PrivacyError(
                "the steps of distance do not ascend",
                "bands",
                "Give kilometres above 0, each larger than the one before.",
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
        edges = ("0", *(f"{edge:g}" for edge in self.band_edges[1:]), "inf")
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
        return np.searchsorted(np.array(self.band_edges), self.kilometres, side="right")


def durations_counted(seconds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which durations (seconds) are counted: those that are not outliers."""
    return (seconds >= DURATION_EDGES[0]) & (seconds < DURATION_EDGES[-1])


def duration_bins(seconds: NDArray[np.int32]) -> NDArray[np.int64]:
    """The number of the bin of each duration (seconds); outliers go to the nearest bin."""
    return np.clip(
        np.searchsorted(np.array(DURATION_EDGES), seconds, side="right") - 1, 0, len(DURATION_BINS) - 1
    )


@dataclass(frozen=True)
class TripDomain:
    """Public lists of stations, dates and attributes of people."""

    stations: Stations
    period: Period
    holidays: frozenset[date] = frozenset()
    """Public holidays; they count as weekend."""
    area: Attribute | None = None
    """Where a person lives, such as a zip code; None: not counted."""
    person: tuple[Attribute, ...] = ()
    """Other attributes of a person, such as user type and gender."""
    by_month: bool = False
    """Whether stations may be busy in different months, which costs one more table."""
    declared: tuple[declaring.Attribute, ...] = ()
    """Attributes of the trip that its owner declared."""
    together: tuple[Group, ...] = ()
    """Groups of attributes that the owner chose: the last ones are drawn given the ones before. See ``workload``."""
    measured: tuple[Group, ...] = ()
    """Groups whose table is paid for only to tell how its attributes are associated."""

    def __post_init__(self) -> None:
        own = [attribute.name for attribute in self.attributes]
        if len({*own}) != len(own) or {*own} & declaring.RESERVED:
            raise PrivacyError(
                "two attributes have one name",
                ", ".join(own),
                f"Choose names that differ from each other and from {', '.join(PLACE_AND_TIME)}, and from other columns.",
            )
        if self.by_month and len(self.period.days) < _MONTHS_NEED_DAYS:
            raise PrivacyError(
                "the period is too short to tell months apart",
                f"{self.period.first} to {self.period.last}",
                f"Leave months out, or give a period of {_MONTHS_NEED_DAYS} days or more.",
            )

    @property
    def extras(self) -> tuple[Attribute, ...]:
        """Area and person: the attributes that are read as texts."""
        return (*(() if self.area is None else (self.area,)), *self.person)

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """All attributes besides place and time, those that the owner declared last."""
        return (
            *self.extras,
            *(Attribute(one.name, declared_codes.labels_of(one)) for one in self.declared),
        )

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All attributes in the order in which they are drawn."""
        return (*PLACE_AND_TIME, *(attribute.name for attribute in self.attributes))

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Number of values of each attribute, derived ones included."""
        return MappingProxyType({name: len(values) for name, values in self._texts.items()})

    @cached_property
    def _day_type_numbers(self) -> NDArray[np.int64]:
        return np.array([day.weekday() >= 5 or day in self.holidays for day in self.period.days], np.int64)

    @cached_property
    def day_types(self) -> tuple[str, ...]:
        """The day types that occur in the period."""
        return tuple(_DAY_TYPES[number] for number in np.unique(self._day_type_numbers))

    @cached_property
    def day_type_of_date(self) -> NDArray[np.int64]:
        """Position in ``day_types`` of each date of the period."""
        return np.searchsorted(np.unique(self._day_type_numbers), self._day_type_numbers)

    @cached_property
    def months(self) -> tuple[str, ...]:
        """The months of the period, such as ``2024-05``."""
        return tuple(dict.fromkeys(f"{day:%Y-%m}" for day in self.period.days))

    @cached_property
    def month_of_date(self) -> NDArray[np.int64]:
        """Position in ``months`` of each date of the period."""
        place = {month: number for number, month in enumerate(self.months)}
        return np.array([place[f"{day:%Y-%m}"] for day in self.period.days], np.int64)

    def texts(self, name: str) -> tuple[str, ...]:
        """The values of an attribute as text, in the order of its codes."""
        return self._texts[name]

    @cached_property
    def _texts(self) -> Mapping[str, tuple[str, ...]]:
        own = {
            "start": self.stations.ids,
            "end": self.stations.ids,
            "hour": tuple(str(hour) for hour in range(24)),
            "day_type": self.day_types,
            "date": tuple(day.isoformat() for day in self.period.days),
            "month": self.months,
            "band": self.stations.bands,
            "duration": DURATION_BINS,
        }
        return own | {attribute.name: attribute.labels for attribute in self.attributes}


@dataclass(frozen=True, repr=False, eq=False)
class TripColumns:
    """Synthetic or invented trips as columns of codes, one row a trip. A sealed subclass holds real trips."""

    start: NDArray[np.int32]
    """Station number."""
    end: NDArray[np.int32]
    date: NDArray[np.int32]
    """Days since the first of the period."""
    second: NDArray[np.int32]
    """Start in local time, seconds since midnight, 0 to 86,399."""
    seconds: NDArray[np.int32]
    """Duration in seconds."""
    extras: Mapping[str, NDArray[np.int32]] = field(default_factory=dict)
    """Values of the attributes besides place and time, by name: codes, and for amounts units or ``NO_AMOUNT``."""

    def __repr__(self) -> str:
        """Only the name of the class, because a subclass holds real trips."""
        return f"<{type(self).__name__}>"

    def __len__(self) -> int:
        return len(self.start)

    def codes(self, domain: TripDomain, name: str) -> NDArray[np.int64]:
        """The codes of an attribute, derived ones included."""
        match name:
            case "hour":
                codes: NDArray[np.int64] | NDArray[np.int32] = self.second // 3_600
            case "day_type":
                codes = domain.day_type_of_date[self.date]
            case "month":
                codes = domain.month_of_date[self.date]
            case "band":
                codes = domain.stations.band_of_pair[self.start, self.end]
            case "duration":
                codes = duration_bins(self.seconds)
            case _:
                codes = self.all_columns[name]
                for one in domain.declared:
                    codes = declared_codes.codes_of(one, self.extras[name]) if one.name == name else codes
        return codes.astype(np.int64, copy=False)

    @property
    def all_columns(self) -> Mapping[str, NDArray[np.int32]]:
        """Every column by its name, those besides place and time last."""
        return {name: vars(self)[name] for name in TRIP_COLUMNS} | dict(self.extras)

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Some of the trips, in the same class: sealed trips stay sealed."""
        own = {name: vars(self)[name][rows] for name in TRIP_COLUMNS}
        return replace(self, **own, extras={name: codes[rows] for name, codes in self.extras.items()})
