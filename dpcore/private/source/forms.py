"""The forms of trips files that are recognised by the names of their columns. These names are public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

Layout = Literal["trips", "records", "points"]
"""One row for each trip; for each record (a place and a time) of a trip; or for each place and time of a user, without trips."""

VEHICLES: Final = frozenset({"bikeid", "bikenr", "bikenumber", "vehicleid"})
"""Columns that name a vehicle. A vehicle is never a user, although its ids look like those of users."""


@dataclass(frozen=True)
class Form:
    """One form: which column has which role.

    Roles with one row for each trip: ``user_id, started_at, ended_at`` and ``start_lat, start_lng, end_lat, end_lng`` or
    ``start_zone, end_zone``. Roles with one row for each record: ``uid, tid, datetime, lat, lng``.
    """

    name: str
    layout: Layout
    headers: Mapping[str, str]
    """Role -> the name of its column."""
    signs: frozenset[str] = frozenset()
    """Other columns that must be present, as normal names."""
    strangers: frozenset[str] = frozenset()
    """Columns that must not be present, because they belong to another form."""
    month_first: bool = False
    """Whether times may be written as 1/31/17 0:21."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Attribute of a trip (see ``extras``) -> the name of its column, which may be absent."""
    stations: bool = False
    """Whether zones are ids of stations that may have gone through a spreadsheet: 23.0 is then read as 23."""
    by_choice: bool = False
    """Whether the form is used only if its roles are named, because another form reads the same columns."""

    @property
    def user_role(self) -> str | None:
        """The role of the user's id, if the form has one."""
        return next((role for role in ("user_id", "uid") if role in self.headers), None)

    def columns_of(self, normal: Sequence[str]) -> dict[str, int]:
        """Role -> position of the column with the usual name in this form."""
        wanted = {role: normal_name(header) for role, header in self.headers.items()}
        return {role: normal.index(name) for role, name in wanted.items() if name in normal}

    def extras_of(self, normal: Sequence[str]) -> dict[str, int]:
        """Attribute -> position of its column, for the attributes that are present."""
        wanted = {name: normal_name(header) for name, header in self.extras.items()}
        return {name: normal.index(header) for name, header in wanted.items() if header in normal}

    def matches(self, normal: Sequence[str]) -> bool:
        """Whether a header with these normal names has this form if nobody chooses."""
        return not self.by_choice and self.fits(normal)

    def fits(self, normal: Sequence[str]) -> bool:
        """Whether a header with these normal names has all columns of this form."""
        return len(self.columns_of(normal)) == len(self.headers) and self.admits(normal)

    def admits(self, normal: Sequence[str]) -> bool:
        """Whether the other columns belong to this form: all of its signs and no strangers."""
        return self.signs <= set(normal) and not self.strangers & set(normal)


def normal_name(header: str) -> str:
    """A column name without differences of case, spaces, underscores and quotes.

    >>> normal_name(' "Start Station_ID" ')
    'startstationid'
    """
    return "".join(letter for letter in header.casefold() if letter not in ' _"\t')


_TIMES: Final = {"started_at": "started_at", "ended_at": "ended_at"}
_POINTS: Final = {name: name for name in ("start_lat", "start_lng", "end_lat", "end_lng")}
_USERS: Final = frozenset({"userid"})
_OLD_TIMES: Final = {"started_at": "starttime", "ended_at": "stoptime"}
_OLD_EXTRAS: Final = {"zip": "postal code", "gender": "gender", "user_type": "usertype"}
_NEW_EXTRAS: Final = {"user_type": "member_casual"}
_NEW_SIGNS: Final = frozenset({"rideid"})
_SYNTHETIC_SIGNS: Final = frozenset({"syntheticid"})
_SYNTHETIC_EXTRAS: Final = {name: name for name in ("zip", "gender", "user_type")}


def _taxi(name: str, pickup: str, dropoff: str) -> Form:
    return Form(
        name,
        "trips",
        {"started_at": pickup, "ended_at": dropoff, "start_zone": "PULocationID", "end_zone": "DOLocationID"},
    )


FORMS: Final = (
    Form("trips", "trips", {"user_id": "user_id"} | _TIMES | _POINTS),
    Form(
        "trips between tiles",
        "trips",
        {"user_id": "user_id"} | _TIMES | {"start_zone": "start_tile", "end_zone": "end_tile"},
        strangers=frozenset(map(normal_name, _POINTS)),
    ),
    Form("records", "records", {name: name for name in ("uid", "tid", "datetime", "lat", "lng")}),
    Form(
        "points",
        "points",
        {name: name for name in ("uid", "datetime", "lat", "lng")},
        strangers=frozenset({"tid"}),
    ),
    Form(
        "bike share (old)",
        "trips",
        _OLD_TIMES
        | {
            "start_lat": "start station latitude",
            "start_lng": "start station longitude",
            "end_lat": "end station latitude",
            "end_lng": "end station longitude",
        },
        strangers=_USERS,
        month_first=True,
        extras=_OLD_EXTRAS,
    ),
    Form(
        "bike share (new)",
        "trips",
        _TIMES | _POINTS,
        signs=_NEW_SIGNS,
        strangers=_USERS,
        month_first=True,
        extras=_NEW_EXTRAS,
    ),
    Form(
        "bike share (old), by station",
        "trips",
        _OLD_TIMES | {"start_zone": "start station id", "end_zone": "end station id"},
        strangers=_USERS,
        month_first=True,
        extras=_OLD_EXTRAS,
        stations=True,
        by_choice=True,
    ),
    Form(
        "bike share (new), by station",
        "trips",
        _TIMES | {"start_zone": "start_station_id", "end_zone": "end_station_id"},
        signs=_NEW_SIGNS,
        strangers=_USERS,
        month_first=True,
        extras=_NEW_EXTRAS,
        stations=True,
        by_choice=True,
    ),
    Form(
        "Hubway (MAPC)",
        "trips",
        {
            "started_at": "start_date",
            "ended_at": "end_date",
            "start_zone": "strt_statn",
            "end_zone": "end_statn",
        },
        strangers=_USERS,
        month_first=True,
        extras={"zip": "zip_code", "gender": "gender", "user_type": "subsc_type"},
        stations=True,
    ),
    Form(
        "synthetic trips",
        "trips",
        _TIMES | _POINTS,
        signs=_SYNTHETIC_SIGNS,
        strangers=_USERS,
        extras=_SYNTHETIC_EXTRAS,
    ),
    Form(
        "synthetic trips between tiles",
        "trips",
        _TIMES | {"start_zone": "start_tile", "end_zone": "end_tile"},
        signs=_SYNTHETIC_SIGNS,
        strangers=_USERS | set(map(normal_name, _POINTS)),
        extras=_SYNTHETIC_EXTRAS,
    ),
    _taxi("taxi zones (yellow)", "tpep_pickup_datetime", "tpep_dropoff_datetime"),
    _taxi("taxi zones (green)", "lpep_pickup_datetime", "lpep_dropoff_datetime"),
    _taxi("taxi zones (for hire)", "pickup_datetime", "dropoff_datetime"),
)
"""All forms, the general ones first."""

KNOWN: Final = frozenset(
    name
    for form in FORMS
    for name in (*map(normal_name, form.headers.values()), *form.signs, *form.strangers)
)
"""Normal names of columns by which forms are recognised."""
