"""The forms of trips files: which roles make up a trip, a record or a point, and which files the field publishes.

A form is a set of roles. Their columns are found by the names in ``vocabulary``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from dpcore.private.source.vocabulary import normal_name

Layout = Literal["trips", "records", "points"]
"""One row for each trip; for each record (a place and a time) of a trip; or for each place and time of a user, without trips."""

Times = Literal["year-first", "month-first", "day-first", "dates", "of-day", "excel", "wall-clock"]
"""How a time may be written beside 2024-03-01 10:00: not otherwise, 3/1/2024 10:00, 1/3/2024 10:00, a date alone (its midnight), a time of
day alone (of 1 January 2000), days as Excel counts them, or with a zone that is left out."""

TIMES: Final[tuple[Times, ...]] = get_args(Times)


@dataclass(frozen=True)
class Track:
    """How the rows of one publisher hold whole tracks; see ``tracks``."""

    every_s: int
    """Seconds from each place of a track to the next, as the publisher states."""
    whole: str
    """The column that says ``False`` where no place of a track is missing."""


@dataclass(frozen=True)
class Form:
    """One form: the roles that its columns have, and what its header must hold besides."""

    name: str
    layout: Layout
    headers: Mapping[str, str]
    """Role -> the usual name of its column."""
    signs: frozenset[str] = frozenset()
    """Other columns that must be present, as normal names."""
    times: Times = "year-first"
    """How the publisher of these files writes times, if nobody says it."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Attribute of a trip that is read (see ``extras``) -> the name of its column, which may be absent."""
    published: bool = False
    """Whether the file of one publisher is meant: then the columns have their usual names and no other, and no user is named."""

    track: Track | None = None
    """Where the end of a trip follows from the number of its places."""

    def fits(self, roles: Collection[str], normal: Collection[str]) -> bool:
        """Whether a header with these roles and normal names has this form."""
        if not (self.headers.keys() <= {*roles} and self.signs <= {*normal}):
            return False
        usual = {*map(normal_name, self.headers.values())}
        return not self.published or ("uid" not in roles and usual <= {*normal})


_TIMES: Final = {name: name for name in ("started_at", "ended_at")}
_POINTS: Final = {name: name for name in ("start_lat", "start_lng", "end_lat", "end_lng")}
_GEOMETRIES: Final = {name: name for name in ("start_geometry", "end_geometry")}
_LINE: Final = {"geometry": "geometry"}
_TILES: Final = {name: name for name in ("start_tile", "end_tile")}
_STATIONS: Final = {"start_station": "start_station_id", "end_station": "end_station_id"}
_USER: Final = {"uid": "user_id"}
_RECORD: Final = {name: name for name in ("tid", "datetime")}
_PLACE: Final = {name: name for name in ("lat", "lng")}

_OLD_TIMES: Final = {"started_at": "starttime", "ended_at": "stoptime"}
_OLD_EXTRAS: Final = {"zip": "postal code", "gender": "gender", "user_type": "usertype"}
_NEW_EXTRAS: Final = {"user_type": "member_casual"}
_RIDE: Final = frozenset({"rideid"})
_SYNTHETIC: Final = frozenset({"syntheticid"})
_SYNTHETIC_EXTRAS: Final = {name: name for name in ("zip", "gender", "user_type")}


def _published(
    name: str,
    headers: Mapping[str, str],
    times: Times = "year-first",
    *,
    signs: frozenset[str] = frozenset(),
    extras: Mapping[str, str] | None = None,
    track: Track | None = None,
) -> Form:
    return Form(name, "trips", headers, signs, times, extras or {}, published=True, track=track)


def _taxi(name: str, pickup: str, dropoff: str) -> Form:
    zones = {"start_tile": "PULocationID", "end_tile": "DOLocationID"}
    return _published(name, {"started_at": pickup, "ended_at": dropoff} | zones)


_OF_POINTS: Final = (
    _published(
        "bike share (old)",
        _OLD_TIMES
        | {
            "start_lat": "start station latitude",
            "start_lng": "start station longitude",
            "end_lat": "end station latitude",
            "end_lng": "end station longitude",
        },
        "month-first",
        extras=_OLD_EXTRAS,
    ),
    _published("bike share (new)", _TIMES | _POINTS, "month-first", signs=_RIDE, extras=_NEW_EXTRAS),
    _published("synthetic trips", _TIMES | _POINTS, signs=_SYNTHETIC, extras=_SYNTHETIC_EXTRAS),
    _published(  # 15 seconds: the description of the data of the ECML/PKDD discovery challenge 2015
        "taxis of Porto",
        {"datetime": "TIMESTAMP", "geometry": "POLYLINE"},
        signs=frozenset({"tripid", "taxiid", "missingdata"}),
        track=Track(15, "MISSING_DATA"),
    ),
)
_OF_TILES: Final = (
    _published("synthetic trips between tiles", _TIMES | _TILES, signs=_SYNTHETIC, extras=_SYNTHETIC_EXTRAS),
    _taxi("taxi zones (yellow)", "tpep_pickup_datetime", "tpep_dropoff_datetime"),
    _taxi("taxi zones (green)", "lpep_pickup_datetime", "lpep_dropoff_datetime"),
    _taxi("taxi zones (for hire)", "pickup_datetime", "dropoff_datetime"),
)
_OF_STATIONS: Final = (
    _published(
        "bike share (old), by station",
        _OLD_TIMES | {"start_station": "start station id", "end_station": "end station id"},
        "month-first",
        extras=_OLD_EXTRAS,
    ),
    _published(
        "bike share (new), by station",
        _TIMES | _STATIONS,
        "month-first",
        signs=_RIDE,
        extras=_NEW_EXTRAS,
    ),
    _published(
        "Hubway (MAPC)",
        {
            "started_at": "start_date",
            "ended_at": "end_date",
            "start_station": "strt_statn",
            "end_station": "end_statn",
        },
        "month-first",
        extras={"zip": "zip_code", "gender": "gender", "user_type": "subsc_type"},
    ),
    *(
        _published(
            name,
            times | {"start_station": "from_station_id", "end_station": "to_station_id"},
            "month-first",
        )
        for name, times in (
            ("Divvy (until 2016)", _OLD_TIMES),
            ("Divvy (until 2019)", {"started_at": "start_time", "ended_at": "end_time"}),
        )
    ),
    _published(
        "Capital Bikeshare (old)",
        {
            "started_at": "Start date",
            "ended_at": "End date",
            "start_station": "Start station number",
            "end_station": "End station number",
        },
        "month-first",
        signs=frozenset({"membertype"}),
    ),
    _published(
        "Santander Cycles (old)",
        {
            "started_at": "Start Date",
            "ended_at": "End Date",
            "start_station": "StartStation Id",
            "end_station": "EndStation Id",
        },
        "day-first",
        signs=frozenset({"rentalid"}),
    ),
    _published(
        "Ecobici",
        {
            "started_at": "Fecha_Retiro",
            "ended_at": "Fecha_Arribo",
            "start_station": "Ciclo_Estacion_Retiro",
            "end_station": "Ciclo_EstacionArribo",
        },
        "day-first",
        signs=frozenset({"horaretiro", "horaarribo"}),
    ),
)


def _trips(kind: str, place: dict[str, str]) -> tuple[Form, Form]:
    """Trips of users, and trips of nobody in particular, with places of one kind."""
    return (
        Form(f"trips{kind}", "trips", _USER | _TIMES | place),
        Form(f"trips{kind}, without users", "trips", _TIMES | place),
    )


FORMS: Final = (
    *(_OF_POINTS + _trips("", _POINTS)),
    *_trips(" with points", _GEOMETRIES),
    *_trips(" along lines", _LINE),
    *(_OF_TILES + _trips(" between tiles", _TILES)),
    *(_OF_STATIONS + _trips(" between stations", _STATIONS)),
    Form("records", "records", {"uid": "uid"} | _RECORD | _PLACE),
    Form("records without users", "records", _RECORD | _PLACE),
    Form("records with geometry", "records", {"uid": "uid"} | _RECORD | _LINE),
    Form("records with geometry, without users", "records", _RECORD | _LINE),
    Form("points", "points", {"uid": "uid", "datetime": "datetime"} | _PLACE),
    Form("points with geometry", "points", {"uid": "uid", "datetime": "datetime"} | _LINE),
)
"""All forms. A header has the first one that it fits."""

VISITS: Final = tuple(
    Form(f"visits {kind}{apart}", "trips", user | {"started_at": "started_at"} | place)
    for kind, place in (
        ("at places", {name: name for name in ("start_lat", "start_lng")}),
        ("at points", {"start_geometry": "start_geometry"}),
        ("at tiles", {"start_tile": "start_tile"}),
        ("at stations", {"start_station": "start_station_id"}),
    )
    for user, apart in ((_USER, ""), ({}, ", without users"))
)
"""One end of each trip, such as a pick-up: only where the owner declares that no other is known."""

UNTIMED: Final = tuple(
    replace(form, name=f"{form.name} without times".replace(", without users without", ", without users and"),
            headers={role: name for role, name in form.headers.items() if role not in _TIMES})
    for form in (*FORMS, *VISITS) if not form.published and form.layout != "points"
)  # fmt: skip
"""Trips, records and visits without times: only where the owner declares that there are none. In records ``datetime`` is the order."""
