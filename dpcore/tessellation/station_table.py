"""Reads a public table of stations: CSV with one row a station, its id, and its latitude and longitude.

Each station becomes the tile of the places nearest to it (``voronoi``). A table that looks like trips is refused: it
would tell where people were, and messages about tiles may quote what stands in them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.csv_rows import rows_of
from dpcore.errors import TessellationError
from dpcore.tessellation import voronoi
from dpcore.tessellation.features import Features, check_count

RADIUS_M: Final = 500.0
"""How far a station's tile reaches without a choice, metres."""

_LATITUDES: Final = ("lat", "latitude", "stationlatitude", "stationlat", "stoplat")
_LONGITUDES: Final = (
    "lng",
    "lon",
    "long",
    "longitude",
    "stationlongitude",
    "stationlng",
    "stationlon",
    "stoplon",
)
_OF_TRIPS: Final = frozenset(
    {"uid", "tid", "userid", "tripid", "rideid", "datetime", "timestamp", "startedat", "endedat", "starttime"}
    | {"startdate", "stoptime", "enddate", "endtime", "bikeid", "bikenr", "tripduration"}
)
_SEPARATORS: Final = ",;\t"
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_WHOLE: Final = re.compile(r"([0-9]+)\.0")
_COLUMNS: Final = "Give the columns id, name, lat and lng, WGS84."


def read(data: bytes, source_name: str, radius_m: float) -> Features:
    """The stations of a table in file order, each with the properties of its row and its tile.

    The separator is a comma, a semicolon or a tab, the ends of lines are of any kind. Rows that are equal in all columns
    are one station. ``23.0``, which spreadsheets make of an id 23, is read as 23. Columns without a name are left out.

    Args:
        data: the whole file, UTF-8, with or without byte-order mark.
        source_name: name of the file, for messages.
        radius_m: how far a tile reaches from its station, metres.

    Raises:
        TessellationError: not a table of stations; the first wrong line is named.

    """
    voronoi.check_radius(radius_m)
    rows = _rows(data, source_name)
    header = [name.strip() for name in next(rows, (1, []))[1]]
    lat_at, lng_at = _check_header(header, source_name)
    lines: dict[tuple[str, ...], int] = {}
    repeated = 0
    for line, row in rows:
        if len(row) != len(header):
            fields = "1 field" if len(row) == 1 else f"{len(row):,} fields"
            raise TessellationError(
                f"has {fields}, the header {len(header):,}",
                f"{source_name}, line {line:,}",
                "Quote fields that hold a separator.",
            )
        known = lines.setdefault(tuple(map(str.strip, row)), line)
        repeated += known != line
        check_count(len(lines), source_name)
    if not lines:
        raise TessellationError("there are no stations", source_name, "Give at least one station.")
    lat, lng = (
        _degrees([row[at] for row in lines], list(lines.values()), limit, header[at], source_name)
        for at, limit in ((lat_at, 90), (lng_at, 180))
    )
    polygons = voronoi.cells(lng, lat, radius_m, np.array(list(lines.values())), source_name)
    return Features(
        source_name,
        tuple(_properties(header, row) for row in lines),
        polygons,
        tuple(_notes(lat, lng, radius_m, repeated)),
    )


def _rows(data: bytes, source_name: str) -> Iterator[tuple[int, Sequence[str]]]:
    """The records with their lines; empty lines are none."""
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        raise TessellationError("the text is not UTF-8", source_name, "Save the file as UTF-8.") from None
    if "\0" in text:
        raise TessellationError("the text holds a NUL character", source_name, "Save the file as CSV, UTF-8.")
    begin = re.search(r"[^\r\n]+", text)
    first = begin.group() if begin else ""
    separator = max(_SEPARATORS, key=first.count)  # of equal counts the comma
    for line, row in rows_of(text, separator):
        if row is None:
            raise TessellationError(
                "the text is not CSV", f"{source_name}, line {line:,}", "Is a quotation mark left open?"
            )
        if any(map(str.strip, row)):
            yield line, row


def _check_header(header: Sequence[str], source_name: str) -> tuple[int, int]:
    """Positions of latitude and longitude; raises TessellationError where they are missing or not alone."""
    if not header:
        raise TessellationError("the file has no header", source_name, _COLUMNS)
    if len(header) > limits.MAX_COLUMNS:
        raise TessellationError(
            f"{len(header):,} columns, the limit is {limits.MAX_COLUMNS}",
            source_name,
            "Keep the needed ones.",
        )
    keys = [re.sub(r"[\s_-]", "", name).casefold() for name in header]
    if _OF_TRIPS & set(keys):
        raise TessellationError(
            "this looks like trips, not like a table of stations",
            source_name,
            "Tiles are public and may not come from the trips. Give a table of the stations: id, name, lat, lng.",
        )
    named = [name for name in header if name]
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise TessellationError("a column is given twice", source_name, "Give each column a name of its own.")
    return _only(keys, _LATITUDES, "latitude", source_name), _only(
        keys, _LONGITUDES, "longitude", source_name
    )


def _only(keys: Sequence[str], known: Sequence[str], what: str, source_name: str) -> int:
    found = [position for position, key in enumerate(keys) if key in known]
    if len(found) != 1:
        many = "no column" if not found else f"{len(found)} columns"
        raise TessellationError(f"{many} for the {what} of a station", source_name, _COLUMNS)
    return found[0]


def _degrees(
    texts: Sequence[str], lines: Sequence[int], limit: int, column: str, source_name: str
) -> NDArray[np.float64]:
    """Finite degrees within the limit; raises TessellationError naming the first line that has none."""
    values = np.empty(len(texts))
    for position, (text, line) in enumerate(zip(texts, lines, strict=True)):
        where = f"{source_name}, line {line:,}, column {column}"
        if not text:
            raise TessellationError("a station without a place", where, "Give its coordinates, or remove it.")
        if _NUMBER.fullmatch(text) is None:
            comma = _NUMBER.fullmatch(text.replace(",", ".")) is not None
            what = "a decimal comma" if comma else "not a number"
            raise TessellationError(what, where, "Give degrees with a point, such as 42.3601.")
        values[position] = float(text)
        if not abs(values[position]) <= limit:
            raise TessellationError(
                f"outside [-{limit}, {limit}]", where, "Give degrees, WGS84; are lat and lng swapped?"
            )
    return values


def _properties(header: Sequence[str], row: Sequence[str]) -> Mapping[str, object]:
    return {
        name: (whole.group(1) if (whole := _WHOLE.fullmatch(text)) else text) or None
        for name, text in zip(header, row, strict=True)
        if name
    }


def _notes(
    lat: NDArray[np.float64], lng: NDArray[np.float64], radius_m: float, repeated: int
) -> Iterator[str]:
    yield f"each tile holds the places nearest to its station, up to {radius_m:,g} m away"
    if repeated:
        yield f"{repeated:,} {'row repeats' if repeated == 1 else 'rows repeat'} another one and counted once"
    if ((lat == 0) & (lng == 0)).any():
        yield "a station at latitude 0, longitude 0: a missing place written as zeros?"
