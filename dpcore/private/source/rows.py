"""What one row of a trips file can be, and which roles its columns then have: a table for whoever says it by hand.

It is the general forms of ``forms.FORMS``, in the words of people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dpcore.errors import InputError
from dpcore.private.source.extras import EXTRAS, ROLE
from dpcore.private.source.forms import Times
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.reading import column_names, inspect
from dpcore.private.source.trips_file import TripsFile
from dpcore.private.source.vocabulary import CLOCKS, ROLE_OF, normal_name

USER: Final = "uid"
_ENDS: Final = ("started_at", "ended_at")
_LEAST_LETTERS: Final = 3
_LEAST_KNOWN: Final = 2


@dataclass(frozen=True)
class Row:
    """What one row is."""

    words: str
    layout: str
    needed: tuple[str, ...]
    """Roles that must have a column."""
    optional: tuple[str, ...] = ()
    """Roles that may have one: without a person only single trips can be hidden."""

    def lacks(self, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """The needed roles that have no column yet."""
        return tuple(role for role in self.needed if role not in chosen)


def _trip(words: str, *places: str) -> Row:
    extras = (ROLE + name for name in EXTRAS)
    return Row(words, "trips", (*_ENDS, *places), (USER, *extras))


ROWS: Final = (
    _trip("A trip, with coordinates", "start_lat", "start_lng", "end_lat", "end_lng"),
    _trip("A trip, with tiles", "start_tile", "end_tile"),
    _trip("A trip, with stations", "start_station", "end_station"),
    _trip("A trip, with two points (WKT or GeoJSON)", "start_geometry", "end_geometry"),
    _trip("A trip, with its line (WKT or GeoJSON)", "geometry"),
    Row("A place and a time of a trip", "records", ("tid", "datetime", "lat", "lng"), (USER,)),
    Row("A point (WKT or GeoJSON) and a time of a trip", "records", ("tid", "datetime", "geometry"), (USER,)),
    Row("A place and a time of a person", "points", (USER, "datetime", "lat", "lng")),
    Row("A point (WKT or GeoJSON) and a time of a person", "points", (USER, "datetime", "geometry")),
)  # fmt: skip
"""All that a row can be."""

ROLE_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        USER: "Person",
        "tid": "Trip",
        "datetime": "Time",
        "lat": "Latitude",
        "lng": "Longitude",
        "geometry": "Point or line",
        "started_at": "Start: time",
        "ended_at": "End: time",
        "start_lat": "Start: latitude",
        "start_lng": "Start: longitude",
        "end_lat": "End: latitude",
        "end_lng": "End: longitude",
        "start_geometry": "Start: point",
        "end_geometry": "End: point",
        "start_tile": "Start: tile",
        "end_tile": "End: tile",
        "start_station": "Start: station",
        "end_station": "End: station",
        ROLE + "zip": "Postal code",
        ROLE + "gender": "Gender",
        ROLE + "user_type": "Type of user",
    }
)
"""A role, in the words of people."""


def row_of(seen: Inspection) -> Row:
    """What a row of a recognised file is."""
    roles = seen.mapping.keys() - {USER}
    return next(row for row in ROWS if row.layout == seen.layout and {*row.needed} - {USER} == roles)


def likely_roles(columns: Sequence[str]) -> dict[str, str]:
    """Role -> the first column whose name stands for it; for a time whose date and clock stand apart, that of the date."""
    found: dict[str, str] = {}
    normal = [normal_name(column) for column in columns]
    for column, name in zip(columns, normal, strict=True):
        if name in ROLE_OF:
            found.setdefault(ROLE_OF[name], column)
    for role, pairs in CLOCKS.items():
        dates = [date for date, clock in pairs if {date, clock} <= {*normal}]
        if dates:
            found[role] = columns[normal.index(dates[0])]
    return found


def nearest_row(columns: Sequence[str]) -> Row | None:
    """The row that lacks the smallest share of its needed roles; None where no name stands for a role."""
    known = likely_roles(columns)
    return min(ROWS, key=lambda row: len(row.lacks(known)) / len(row.needed)) if known else None


def surely_names(columns: Sequence[str]) -> bool:
    """Whether the first line certainly holds names. A line of words that nobody knows may be the first record."""
    known = (name for name in map(normal_name, columns) if len(name) >= _LEAST_LETTERS and name in ROLE_OF)
    return sum(1 for _ in known) >= _LEAST_KNOWN


def inspected_as(
    file: TripsFile, row: Row, chosen: Mapping[str, str], times: Times | None = None
) -> tuple[Inspection, Mapping[str, str]]:
    """The inspection that gives every role the column that was chosen, and the roles that had to be named for it.

    As few roles as possible are named: ``inspect`` then also finds what no role names, such as a time of day beside a date,
    and how the publisher of a file writes times. Raises InputError as ``inspect`` does with all roles.
    """
    columns = column_names(file)
    names, likely = [ROLE_OF.get(normal_name(column)) for column in columns], likely_roles(columns)
    renamed = {role: column for role, column in chosen.items() if likely.get(role) != column}
    unsure = {role: column for role, column in chosen.items() if names.count(role) > 1}
    for named in ({}, renamed, unsure | renamed):
        with suppress(InputError):
            found = inspect(file, named, times=times)
            fits = chosen.items() <= found.needed.items() and (USER in chosen or not found.has_users)
            if fits and row_of(found) == row:
                return found, named
    return inspect(file, chosen, times=times), chosen
