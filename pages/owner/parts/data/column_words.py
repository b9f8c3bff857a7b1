"""What the Data page says of the columns of trips files."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from dpcore.api.mending import reworded

ROLES_HELP: Final = (
    "Say what one row is and which column plays which role. What the names of the columns tell is filled in. Columns without a "
    "role are never read."
)
CLOCK_APART: Final = "The time of day has a column of its own"
CLOCK_HELP: Final = "For a file with a date in one column and a time of day in another."
DECLARED: Final = MappingProxyType(
    {
        "one_trip": "Each row is one trip: {column} counts something else",
        "no_person": "No people are told apart by {column}",
        "lat_first": "The latitude comes first in {column}",
        "duration_s": "{column} holds seconds",
        "duration_min": "{column} holds minutes",
        "duration_hhmm": "{column} holds hours and minutes (0:20)",
        "duration_mmss": "{column} holds minutes and seconds (20:00)",
    }
)
"""Role that an owner declares of a column -> what the box says."""
ORDERED: Final = ("year-first", "month-first", "day-first")
"""Those that say which of day, month and year is first."""
_ONE_TRIP_HELP: Final = (
    "The name of this column says that a row is a number of trips. One person may have added many trips to such a number, so hiding a row would "
    "hide nobody, and the file is refused. Press this only if each row is one trip, and the column says something else, such as how many "
    "passengers it had."
)
_NO_PERSON_HELP: Final = (
    "If one of them names people, choose it as Person above. If none does, or if each trip id stands for one trip of one person, or each number of "
    "a person for one person in all households, press this. Without people only single trips can be hidden."
)
_LAT_FIRST_HELP: Final = (
    "WKT and GeoJSON have the longitude first, as in POINT (13.4 52.5). Some files have POINT (52.5 13.4)."
)
_UNIT_HELP: Final = "How long a trip lasted stands in for the time of its end. The unit of its numbers is never guessed; 0:20:00 tells its own."
DECLARED_HELP: Final = MappingProxyType(
    {
        "one_trip": _ONE_TRIP_HELP,
        "no_person": _NO_PERSON_HELP,
        "lat_first": _LAT_FIRST_HELP,
        "duration_s": _UNIT_HELP,
        "duration_min": _UNIT_HELP,
        "duration_hhmm": _UNIT_HELP,
        "duration_mmss": _UNIT_HELP,
    }
)
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
    "If it holds the names of the columns, say so below. If it does not, write their names below, or the number of the line that holds them."
)
FOUND_BY_NAME: Final = "{role}: choose its column. It is found by itself if its name is one of {names}."
BY_HAND: Final = "**The names of the columns do not tell all.** Say below what the columns of {file} are."
NAMES_HELP: Final = "Then its names are shown, and you say which column plays which role."
HEADER_HELP: Final = (
    "For a file whose first line is a record already. Write the names of all columns, separated as the fields of the file are, as in "
    "uid,datetime,lat,lng. If the names stand below titles or remarks, write the number of their line, such as 4. Names that the field knows need no more; to others you give a role."
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
    "comes first, say which. Dates alone make all hours 0. Times of day alone are those of 1 January 2000, so dates mean nothing."
)
ORDERS: Final = MappingProxyType(
    {
        "year-first": "Year first: 2024-04-03",
        "month-first": "Month first: 03/04/2024 is March 4",
        "day-first": "Day first: 03/04/2024 is 3 April",
        "dates": "Dates alone, read as midnight",
        "of-day": "Times of day alone",
        "excel": "Days as Excel counts them: 45352.4",
        "wall-clock": "Leave a zone out: 10:00 EST is 10:00 here",
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
        "visits at places": "One end of a trip, with coordinates (pick-ups)",
        "visits at points": "One end of a trip, with a point (WKT or GeoJSON)",
        "visits at tiles": "One end of a trip, with a tile",
        "visits at stations": "One end of a trip, with a station",
        "trips without times": "A trip, with coordinates, no times",
        "trips with points without times": "A trip, with two points, no times",
        "trips along lines without times": "A trip, with its line, no times",
        "trips between tiles without times": "A trip, with tiles, no times",
        "trips between stations without times": "A trip, with stations, no times",
        "records without times": "A place of a trip, in an order without times",
        "records with geometry without times": "A point of a trip, in an order without times",
        "visits at places without times": "One end of a trip, with coordinates, no times",
        "visits at points without times": "One end of a trip, with a point, no times",
        "visits at tiles without times": "One end of a trip, with a tile, no times",
        "visits at stations without times": "One end of a trip, with a station, no times",
    }
)
"""Name of a row -> what it is."""
ROLES: Final = MappingProxyType(
    {
        "one_trip": "Each row is one trip",
        "no_person": "No person",
        "no_end": "No other end",
        "no_times": "No times",
        "lat_first": "Latitude first",
        "duration_s": "Duration in seconds",
        "duration_min": "Duration in minutes",
        "duration_hhmm": "Duration as H:MM",
        "duration_mmss": "Duration as MM:SS",
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
ORDER_OF_PLACES: Final = "Order of the places (no_times)"
"""What stands for the time in rows without times."""
RULE_HELP: Final = (
    "The file has points of people and no trips. **A gap in time**: a trip ends where its person has no point for longer than the gap. "
    "**Stays**: a trip goes from one stay to the next. The rule is public, and every release names it. With stays only people can "
    "be hidden, not single trips. Choose it without looking at the points."
)
BY_STATION_HELP: Final = (
    "The file has ids of stations besides coordinates. If you count by station, each end of a trip falls into the tile with "
    "the id of its station, and distances are not known. The tiles must be a table of these stations."
)


def on_page(text: str) -> str:
    """What mends a refusal of trips, in the words of the controls of the page."""
    return reworded(text, _by_roles, _by_control, "'Leave out the bad records'")


def _by_roles(roles: Sequence[tuple[str, str]]) -> str:
    """The controls for some roles, below the trips."""
    boxes = [DECLARED[role].format(column=column) for role, column in roles if role in DECLARED]
    named = [ROLES.get(role, role.replace("_", " ")) for role, _ in roles if role not in DECLARED]
    said = [f"the box '{label}'" for label in boxes]
    said += [f"'Roles of the columns': {', '.join(named)}"] if named else []
    return " and ".join(said)


def _by_control(option: str, value: str) -> str:
    if option == "times":
        return f"'Times are written': {ORDERS.get(value, value)}"
    if option == "header":
        return f"'No header: the names of the columns': {value}"
    return "'Points become trips'"
