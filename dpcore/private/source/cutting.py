"""The points of people become trips by a public rule. ``measures.trip_rule`` says what the rule means and why it is private.

What is cut depends on the points of one person alone, and on nothing but their times and places: not on their order in the
file, on the file they are in, or on anybody else's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.trip_rule import TripRule
from dpcore.private.sealed import Sealed

_SECOND_US: Final = 1_000_000


@dataclass(frozen=True, repr=False, eq=False)
class Positions(Sealed):
    """Points, each with a person, a time and a place. All arrays are equally long."""

    person: NDArray[np.int64]
    """A number for each person. Its value means nothing."""
    us: NDArray[np.int64]
    """Instants in microseconds since 1970-01-01 00:00 UTC."""
    lat: NDArray[np.float64]
    """Degrees, WGS84."""
    lng: NDArray[np.float64]

    def __len__(self) -> int:
        """Number of points."""
        return len(self.us)

    def ordered(self) -> Positions:
        """The same points by person, time, latitude and longitude. Points that are still equal are the same point."""
        person, us = self.person, self.us
        later = (person[1:] > person[:-1]) | ((person[1:] == person[:-1]) & (us[1:] > us[:-1]))
        if later.all():
            return self
        found = self.at(np.lexsort((us, person)))
        person, us = found.person, found.us
        ties = (person[1:] == person[:-1]) & (us[1:] == us[:-1])
        if ties.any():
            # Only points that share person and time are left to be sorted by place. In most files they are few.
            tied = np.flatnonzero(np.append(ties, False) | np.append(False, ties))
            order = np.arange(len(found))
            order[tied] = tied[np.lexsort((found.lng[tied], found.lat[tied], us[tied], person[tied]))]
            found = found.at(order)
        return found

    def at(self, order: NDArray[np.int64]) -> Positions:
        """Some of the points, or all in another order."""
        return Positions(self.person[order], self.us[order], self.lat[order], self.lng[order])


@dataclass(frozen=True, repr=False, eq=False)
class Cuts(Sealed):
    """The first and the last point of each trip, by their numbers among the ordered points. All points between are on its way."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    """Never before ``first``; the same for a trip of a single point."""


def cuts_of(points: Positions, rule: TripRule) -> Cuts:
    """The trips of ordered points. A point is in one trip at most, or the end of one and the start of the next."""
    if not len(points):
        return Cuts(np.zeros(0, np.int64), np.zeros(0, np.int64))
    if rule.gap_s is not None:
        new = np.diff(points.person, prepend=-1) != 0
        # a time is a whole number of microseconds, so the comparison is exact
        new |= np.diff(points.us, prepend=points.us[0]) > rule.gap_s * _SECOND_US
        first = np.flatnonzero(new)
        return Cuts(first, np.append(first[1:], len(points)) - 1)
    from dpcore.private.source.stays_kernel import stays  # noqa: PLC0415 - numba takes long to load, and few files hold points

    # A trip runs from the last point of a stay to the first point of the same person's next stay.
    first, last = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    number_of_stays = stays(
        points.person,
        points.us,
        points.lat,
        points.lng,
        float(rule.metres or 0),
        (rule.stay_s or 0) * _SECOND_US,
        first,
        last,
    )
    person = points.person[first[:number_of_stays]]
    has_next = np.flatnonzero(person[1:] == person[:-1])
    return Cuts(last[has_next], first[has_next + 1])
