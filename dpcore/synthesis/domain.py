"""The public domain of trips between stations: everything that may be known before the data are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.measures.keys import Period
from dpcore.synthesis import durations
from dpcore.synthesis.attributes import Attribute
from dpcore.synthesis.stations import Stations

_DAY_TYPES: Final = ("working day", "weekend or holiday")
_MONTHS_NEED_DAYS: Final = 14
_OWN: Final = ("start", "end", "hour", "day_type", "date", "month", "band", "duration")


@dataclass(frozen=True)
class TripDomain:
    """Stations, dates and attributes of the people, as everybody may know them."""

    stations: Stations
    period: Period
    holidays: frozenset[date] = frozenset()
    """Public holidays; they count as weekend."""
    area: Attribute | None = None
    """Where a person lives, such as a zip code."""
    person: tuple[Attribute, ...] = ()
    """What else is said of a person, such as user type and gender."""
    by_month: bool = False
    """Whether stations may be busy in different months: costs one more table."""

    def __post_init__(self) -> None:
        """Names of attributes must differ, and months need a period of two weeks or more."""
        names = [*_OWN, *(attribute.name for attribute in self.extras)]
        if len(set(names)) != len(names):
            raise PrivacyError(
                "two attributes have one name",
                ", ".join(names[len(_OWN) :]),
                f"Choose names that differ from each other and from {', '.join(_OWN)}.",
            )
        if self.by_month and len(self.period.days) < _MONTHS_NEED_DAYS:
            raise PrivacyError(
                "the period is too short to tell months apart",
                f"{self.period.first} to {self.period.last}",
                f"Leave months out, or give a period of {_MONTHS_NEED_DAYS} days or more.",
            )

    @property
    def extras(self) -> tuple[Attribute, ...]:
        """The attributes beyond place and time."""
        return (*(() if self.area is None else (self.area,)), *self.person)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """How many values each attribute has, derived ones included."""
        stations = len(self.stations.ids)
        own = {
            "start": stations,
            "end": stations,
            "hour": 24,
            "day_type": len(self.day_types),
            "date": len(self.period.days),
            "month": len(self.months),
            "band": len(self.stations.bands),
            "duration": len(durations.BINS),
        }
        return MappingProxyType(own | {attribute.name: len(attribute.labels) for attribute in self.extras})

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
        own: dict[str, tuple[str, ...]] = {
            "start": self.stations.ids,
            "end": self.stations.ids,
            "hour": tuple(str(hour) for hour in range(24)),
            "day_type": self.day_types,
            "date": tuple(day.isoformat() for day in self.period.days),
            "month": self.months,
            "band": self.stations.bands,
            "duration": durations.BINS,
        }
        return (own | {attribute.name: attribute.labels for attribute in self.extras})[name]


@dataclass(frozen=True, repr=False, eq=False)
class TripColumns:
    """Trips as columns of codes, one row a trip: synthetic or invented. Real ones are of a sealed type made from it."""

    start: NDArray[np.int32]
    """Station number."""
    end: NDArray[np.int32]
    date: NDArray[np.int32]
    """Days since the first of the period."""
    second: NDArray[np.int32]
    """Start on the wall clock, seconds since midnight, 0 to 86,399."""
    seconds: NDArray[np.int32]
    """Duration."""
    extras: Mapping[str, NDArray[np.int32]] = field(default_factory=dict)
    """Codes of the attributes beyond place and time, by name."""

    def __repr__(self) -> str:
        """The name of the class: a type made from this one holds real trips."""
        return f"<{type(self).__name__}>"

    def __len__(self) -> int:
        return len(self.start)

    def codes(self, domain: TripDomain, name: str) -> NDArray[np.int64]:
        """The codes of an attribute, derived ones included."""
        match name:
            case "start":
                codes: NDArray[np.int64] | NDArray[np.int32] = self.start
            case "end":
                codes = self.end
            case "date":
                codes = self.date
            case "hour":
                codes = self.second // 3_600
            case "day_type":
                codes = domain.day_type_of_date[self.date]
            case "month":
                codes = domain.month_of_date[self.date]
            case "band":
                codes = domain.stations.band_of_pair[self.start, self.end]
            case "duration":
                codes = durations.bin_of(self.seconds)
            case _:
                codes = self.extras[name]
        return codes.astype(np.int64, copy=False)

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Self:
        """Some of the trips, of the same type: what is sealed stays sealed."""
        return replace(
            self,
            start=self.start[rows],
            end=self.end[rows],
            date=self.date[rows],
            second=self.second[rows],
            seconds=self.seconds[rows],
            extras={name: codes[rows] for name, codes in self.extras.items()},
        )
