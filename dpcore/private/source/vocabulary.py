"""The names by which the field calls the columns of trips: a public table of roles, and of attributes of a trip.

A column has a role because of its name, never because of its values. ``normal_name`` says which spellings are one name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final


def _words(*texts: str) -> tuple[str, ...]:
    return tuple(word for text in texts for word in text.split())


VEHICLES: Final = frozenset(
    _words(
        "bike bikeid bikenr bikenumber bicycleid bici vehicle vehicleid vehicleno scooterid carid cabid taxi "
        "taxiid medallion busid mmsi platenumber licenseplate"
    )
)
"""Columns that name a vehicle. A vehicle is never a user, although its ids look like those of users."""

MAY_BE_PEOPLE: Final = frozenset(
    _words(
        "device deviceid adid advertiserid advertisingid aaid idfa gaid maid caid imei imsi msisdn phone "
        "phoneid phonenumber mobileid subscriber subscriberid simid hashedid hashid anonid anonymousid "
        "anonymizedid pseudonym client clientid account accountid passenger passengerid commuter commuterid "
        "visitor visitorid owner ownerid driver driverid employee employeeid worker workerid household "
        "householdid hhid respondent respondentid ticketid tokenid pid patientid studentid username userhash "
        "useruuid login loginid email name nickname fullname"
    )
)
"""Names of columns that may be of people, which only their owner knows: a device may be a telephone or a scooter."""

_PARTS: Final = frozenset(
    _words(
        "year yr y month mon m day dd d hour hh h minute week quarter weekday date dt ds ymd ym yyyymm yyyymmdd yearmonth yearweek "
        "monthofyear dayofmonth dayofweek partitiondate ingestdate loaddate eventdate tripdate servicedate season part batch chunk "
        "shard split bucket source system city town country region state district province feed version format type kind status "
        "dataset table snapshot network scenario wave survey"
    )
)
"""Names by which sets of files are parted that are of no people."""

_OF_POINTS: Final = frozenset(
    _words(
        "speed speedkmh speedms velocity heading bearing course direction altitude alt ele elevation height z accuracy "
        "horizontalaccuracy verticalaccuracy precision hdop vdop pdop satellites sats fix provider battery signal sequence seq order stop "
        "stopsequence pointid pointno index idx rowid rownumber row distance duration road street edge link lane place "
        "placename tile zone cell h3 temperature odometer ignition occupied"
    )
)
"""Names of columns beside the points of a trip that are of no people."""
PERSON_NUMBERS: Final = frozenset(
    _words("personid personno personnumber perno persno pno persid pnum memberid memberno individualid")
)
"""Names of a person's number that may start again in each household."""
HOUSEHOLDS: Final = frozenset(
    _words(
        "household householdid householdno hhid hhno hhnr houseid hid sampno sampn caseid haushalt haushaltid hhsernr"
    )
)

_STRIPPED: Final = str.maketrans("", "", ' _-."\t\u00a0')


def normal_name(header: str) -> str:
    """A column name without differences of case, blanks, underscores, hyphens, dots and quotes.

    >>> normal_name(' "Start-Station_ID" ')
    'startstationid'
    """
    return header.casefold().translate(_STRIPPED)


def may_be_of_people(name: str) -> bool:
    """Whether a column or a folder of this name may tell people apart: all do whose name is not known to mean something else.

    >>> [may_be_of_people(name) for name in ("device_id", "cust_no", "year", "mode", "speed")]
    [True, True, False, False, False]
    """
    known = normal_name(name)
    return ROLE_OF.get(known) == "uid" or known not in _OTHERS


def _names(fronts: str, backs: str, *more: str) -> tuple[str, ...]:
    """Every front with every back, then some more names."""
    made = (front + back for front in fronts.split() for back in backs.split())
    return (*made, *_words(*more))


_STARTS: Final = (
    "start from origin orig pickup departure begin boarding tapon entry checkout unlock unplug dep o"
)
_ENDS: Final = "end to destination dest dropoff arrival return finish alighting tapoff exit lock plug arr d"
_STARTED: Final = "start pickup tpeppickup lpeppickup trippickup tripstart departure begin boarding tapon entry origin checkout unlock unplug dep"
_ENDED: Final = "end stop dropoff tpepdropoff lpepdropoff tripdropoff tripend tripstop arrival return finish alighting tapoff exit destination lock plug arr"
_START_POINTS: Final = f"{_STARTS} startstation fromstation departurestation pickupcentroid startcentroid"
_END_POINTS: Final = f"{_ENDS} endstation tostation returnstation dropoffcentroid endcentroid"
_TIME: Final = "time datetime timestamp date timems timelocal"
_LATITUDE: Final = "lat latitude"
_LONGITUDE: Final = "lng lon long longitude"
_GEOMETRY: Final = "geometry geom wkt point geojson"
_TILE: Final = "tile tileid zone zoneid taz cell cellid areaid locationid h3"
_STATION: Final = (
    "stationid stationnumber stationcode stationno stationlogicalterminal terminal stopid kioskid"
)

NAMES: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "uid": (
        _names("user person individual participant rider agent traveller traveler card member customer athlete", "id",
               "uid usuarioid idusuario userno personno smartcardid cardno individuallocalidentifier"),
        _words("user person individual participant rider agent"),
    ),
    "tid": (_words("tid tripid trajectoryid trajid traj journeyid trackid rideid activityid tripno"), ()),
    "datetime": (
        _words("datetime timestamp time trackedat recordedat utctime utctimestamp localtime gpstime eventtime "
               "checkintime taptime tapdatetime dateandtime unixtime fechahora"),
        ("t", "ts"),
    ),
    "lat": (_words(_LATITUDE, "locationlat stoplat stationlatitude gpslatitude"), ("y",)),
    "lng": (_words(_LONGITUDE, "locationlong stoplon stationlongitude gpslongitude"), ("x",)),
    "geometry": (_words(_GEOMETRY, "thegeom wktgeom"), _words("route location position coordinates polyline")),
    "started_at": (
        _names(_STARTED, _TIME, "startedat startat departedat departure tapon "
               "01rentaldetailslocalstarttime fecharetiro iniciodelviaje fechaorigenrecorrido"),
        (),
    ),
    "ended_at": (
        _names(_ENDED, _TIME, "endedat finishedat stoppedat endat arrivedat arrival return tapoff "
               "01rentaldetailslocalendtime fechaarribo findelviaje fechadestinorecorrido"),
        (),
    ),
    "start_lat": (_names(_START_POINTS, _LATITUDE, "latestacionorigen"), _names(_STARTS, "y")),
    "start_lng": (_names(_START_POINTS, _LONGITUDE, "longestacionorigen"), _names(_STARTS, "x")),
    "end_lat": (_names(_END_POINTS, _LATITUDE, "latestaciondestino"), _names(_ENDS, "y")),
    "end_lng": (_names(_END_POINTS, _LONGITUDE, "longestaciondestino"), _names(_ENDS, "x")),
    "start_geometry": (_names(_STARTS, _GEOMETRY), _names(_STARTS, "location position coordinates")),
    "end_geometry": (_names(_ENDS, _GEOMETRY), _names(_ENDS, "location position coordinates")),
    "start_tile": (_names(f"{_STARTS} pu", _TILE), ("origin", "o")),
    "end_tile": (_names(f"{_ENDS} do", _TILE), ("destination", "d")),
    "start_station": (
        _names(_STARTS, _STATION, "strtstatn 03rentalstartstationid cicloestacionretiro origenid idestacionorigen emplacementpkstart"),
        _names(_STARTS, "station stop"),
    ),
    "end_station": (
        _names(_ENDS, _STATION, "endstatn 02rentalendstationid cicloestacionarribo destinoid idestaciondestino emplacementpkend"),
        _names(_ENDS, "station stop"),
    ),
}  # fmt: skip
"""Role -> the normal names that stand for it, and names that do so only where none of the others is there."""

GEOMETRIES: Final = frozenset({"geometry", "start_geometry", "end_geometry"})
"""Roles of columns that hold points or lines."""

CLOCK: Final = "clock_"
"""Prefix of the role of a time of day, before the role of its date."""

CLOCKS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "datetime": (("date", "time"), ("fecha", "hora"), ("date", "timeofday")),
    "started_at": (*((f"{front}date", f"{front}time") for front in _STARTED.split()), ("fecharetiro", "horaretiro")),
    "ended_at": (*((f"{front}date", f"{front}time") for front in _ENDED.split()), ("fechaarribo", "horaarribo")),
}  # fmt: skip
"""Role of a time -> the names of two columns that hold it together: the date, and the time of day."""

ATTRIBUTES: Final[Mapping[str, tuple[str, ...]]] = {
    "mode": _words("mode travelmode transportmode transportationmode modeoftransport mainmode transport"),
    "purpose": _words("purpose trippurpose activity activitytype motive"),
    "user_type": _words("membercasual usertype membertype membershiptype memberstatus subsctype "
                        "subscribertype subscriptiontype passholdertype ridertype ismember cardtype tickettype"),
    "vehicle_type": _words("rideabletype vehicletype biketype bikemodel bikecategory propulsiontypes"),
    "fare": _words("fareamount fare basepassengerfare totalamount triptotal cost price"),
    "payment": _words("paymenttype payment paymentmethod"),
    "gender": _words("gender sex membergender generousuario genero"),
    "age": _words("age birthyear birthday birthdate yearofbirth memberbirthyear edadusuario"),
    "zip": _words("postalcode zipcode zip postcode"),
    "operator": _words("providername providerid operator operatorid vendorid company hvfhslicensenum"),
}  # fmt: skip
"""Attribute of a trip -> the normal names of its column. The owner declares its categories; they are never listed from values."""


def attributes_in(normal: Sequence[str], taken: Collection[int]) -> dict[str, int]:
    """Attribute -> position of its column among normal names, for those that are there and not taken."""
    first = {
        name: next((normal.index(one) for one in names if one in normal), None)
        for name, names in ATTRIBUTES.items()
    }
    return {name: at for name, at in first.items() if at is not None and at not in taken}


UNNAMED: Final[Mapping[frozenset[str], int]] = {
    frozenset(["lpeppickupdatetime", "lpepdropoffdatetime", "pickuplongitude", "triptype"]): 2,
}
"""Normal names of a header -> how many fields, all empty, its records have beyond those that it names, as its publisher writes them."""

ROLE_OF: Final[Mapping[str, str]] = {
    name: role for role, both in NAMES.items() for names in both for name in names
}
"""Normal name -> the one role that it stands for."""

_OTHERS: Final = frozenset(
    (*ROLE_OF, *_PARTS, *_OF_POINTS, *VEHICLES, *(one for names in ATTRIBUTES.values() for one in names))
)
"""Names that are known to mean something else than people, but for those of ``uid``."""

_ALIASES: Final = {"user_id": "uid"}


def role_named(name: str) -> str:
    """A role by the name that an owner writes, which may be an older one."""
    return _ALIASES.get(name, name)
