"""What the Data page says of the columns of trips files."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

ROLES_HELP: Final = (
    "Say what one row is and which column plays which role. What the names of the columns tell is filled in. Columns without a "
    "role are never read."
)
CLOCK_APART: Final = "The time of day has a column of its own"
CLOCK_HELP: Final = "For a file with a date in one column and a time of day in another."
ATTRIBUTES_HELP: Final = "Postal code, gender and type of user are kept with the trips, for synthetic trips, and are deleted with them."
KEPT_HELP: Final = (
    "Say of a column what is kept of each trip: a public list of categories, or the lowest value, the highest value and the unit. Write the "
    "list from what anyone may know, such as the modes of your city. It is never read off the trips. An empty field keeps nothing."
)
KEPT_FORM: Final = (
    "Categories are separated by commas and found as they are written. All other values are counted as other, empty ones as missing. Of "
    "0:100:0.01, values below 0 count as 0 and values above 100 as 100."
)
REMEMBERED: Final = "The roles are as you chose them for a file with the same columns."
FIRST_LINE: Final = (
    "**Choose the columns of {file}**. None of the names in the first line is known. The line may be the first record, so it is not shown. "
    "If it holds the names of the columns, say so below. If it does not, write their names below."
)
FOUND_BY_NAME: Final = "{role}: choose its column. It is found by itself if its name is one of {names}."
BY_HAND: Final = "**The names of the columns do not tell all.** Say below what the columns of {file} are."
NAMES_HELP: Final = "Then its names are shown, and you say which column plays which role."
HEADER_HELP: Final = (
    "For a file whose first line is a record already. Write the names of all columns, separated as the fields of the file are, as in "
    "uid,datetime,lat,lng. Names that the field knows need no more; to others you give a role."
)
SHAPE: Final = "The names of the columns, and the types that the file declares. A CSV declares none."
EMPTY_HELP: Final = (
    "Counts among the first records of this file how many fields of each column are empty. These are exact numbers of your trips. A "
    "plan that you make after seeing them is chosen after looking, and its release says so."
)
EMPTY: Final = (
    "Counted among the first {records} records of this file. A release of these trips says that you looked."
)
ORDER_HELP: Final = (
    "Years first, as in 2024-03-31 10:00, are always read, and so are Unix seconds. Day and month are never guessed: if one of them "
    "comes first, say which."
)
ORDERS: Final = MappingProxyType(
    {
        "year-first": "Year first: 2024-04-03",
        "month-first": "Month first: 03/04/2024 is March 4",
        "day-first": "Day first: 03/04/2024 is 3 April",
    }
)
"""Order of times -> what it makes of one date, by which the orders are told apart."""
ROWS: Final = MappingProxyType(
    {
        "trips": "A trip, with coordinates",
        "trips with points": "A trip, with two points (WKT or GeoJSON)",
        "trips along lines": "A trip, with its line (WKT or GeoJSON)",
        "trips between tiles": "A trip, with tiles",
        "trips between stations": "A trip, with stations",
        "records": "A place and a time of a trip",
        "records with geometry": "A point (WKT or GeoJSON) and a time of a trip",
        "points": "A place and a time of a person",
        "points with geometry": "A point (WKT or GeoJSON) and a time of a person",
    }
)
"""Name of a row -> what it is."""
ROLES: Final = MappingProxyType(
    {
        "uid": "Person",
        "tid": "Trip",
        "datetime": "Time",
        "lat": "Latitude",
        "lng": "Longitude",
        "geometry": "Point or line",
        "clock_datetime": "Time of day",
        "clock_started_at": "Start: time of day",
        "clock_ended_at": "End: time of day",
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
        "extra_zip": "Postal code",
        "extra_gender": "Gender",
        "extra_user_type": "Type of user",
    }
)
RULE_HELP: Final = (
    "The file has points of people and no trips. **A gap in time**: a trip ends where its person has no point for longer than the gap. "
    "**Stays**: a trip goes from one stay to the next. The rule is public, and every release names it. With stays only people can "
    "be hidden, not single trips. Choose it without looking at the points."
)
BY_STATION_HELP: Final = (
    "The file has ids of stations besides coordinates. If you count by station, each end of a trip falls into the tile with "
    "the id of its station, and distances are not known. The tiles must be a table of these stations."
)
