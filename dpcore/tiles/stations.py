"""A public table of stations becomes tiles, such as ``stops.txt`` of GTFS. It is CSV with one row for each station: id, latitude, longitude.

The tile of a station holds the places nearest to it: its Voronoi cell, cut at a radius. A table that looks like trips is
refused. It would reveal where people were, and messages about tiles may quote its cells.

Distances are those of the azimuthal equal-area projection around the middle of the stations, on the sphere on which trips
are measured. Within ``limits.MAX_STATION_SPREAD_M`` of the middle they are right to 0.3 %. Neighbours share their borders
without any repair: a border point has the same distance to both stations, so both cells are cut at the same places, which
are rounded to the same corners.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.csv_rows import rows_of
from dpcore.tiles.distance import EARTH_RADIUS_M
from dpcore.tiles.faults import one_error, utf8_text
from dpcore.tiles.features import Features, check_count

if TYPE_CHECKING:
    import pyproj

Floats = NDArray[np.float64]
Polygons = tuple[BaseGeometry, ...]
Pairs = tuple[tuple[int, int], ...]

_DECIMALS: Final = 9
_CORNERS: Final = 64
"""Corners of a full circle."""
_NEAR_M: Final = 1.0
"""Two points closer than this count as one place."""
_HIGHEST_LATITUDE: Final = 85.0
_NAMED_PAIRS: Final = 5
_MOST_PAIRS: Final = 10_000


@dataclass(frozen=True)
class _Plane:
    """The points in metres, and the way back to degrees."""

    x: Floats
    y: Floats
    projection: pyproj.Proj

    @classmethod
    def around(cls, lng: Floats, lat: Floats) -> _Plane:
        import pyproj  # noqa: PLC0415 - most tiles are no stations

        middle = (lng.min() + lng.max()) / 2, (lat.min() + lat.max()) / 2
        projection = pyproj.Proj(proj="laea", lon_0=middle[0], lat_0=middle[1], R=EARTH_RADIUS_M)
        x, y = projection(lng, lat)
        return cls(np.asarray(x, np.float64), np.asarray(y, np.float64), projection)

    def degrees(self, x: Floats, y: Floats) -> Floats:
        """Longitude and latitude of corners, rounded to a tenth of a millimetre; shape (corners, 2)."""
        return np.round(np.column_stack(self.projection(x, y, inverse=True)), _DECIMALS)


def cells(lng: Floats, lat: Floats, radius_m: float, source_name: str) -> tuple[Polygons, Pairs]:
    """The tile of each point, in order: the places nearer to it than to any other and at most ``radius_m`` away.

    Points at one place share it: the later one is taken a little to the east, so that each tile has a side of it. These pairs
    are given too.

    Args:
        lng: longitudes, finite and on the globe.
        lat: latitudes.
        radius_m: in metres.
        source_name: name of the file, for messages.

    Raises:
        TessellationError: very many points at one place, points far apart, near a pole or near the 180th meridian.

    """
    if np.abs(lat).max() > _HIGHEST_LATITUDE:
        raise TessellationError(
            "a station is too near a pole",
            source_name,
            f"Stay within {_HIGHEST_LATITUDE:g} degrees of the equator.",
        )
    plane = _Plane.around(lng, lat)
    far = ~(np.hypot(plane.x, plane.y) <= limits.MAX_STATION_SPREAD_M)
    if far.any():
        raise TessellationError(
            f"the stations lie more than {2 * limits.MAX_STATION_SPREAD_M / 1_000:,.0f} km apart",
            source_name,
            "Give the stations of one city or region, and look for wrong coordinates.",
        )
    shared = _at_one_place(plane, source_name)
    for _, later in shared:
        plane.x[later] += 2 * _NEAR_M
    corners, station = _corners(plane, radius_m)
    if (np.abs(corners[:, 0] - lng[station]) > 180).any():
        raise TessellationError(
            "a tile crosses the 180th meridian", source_name, "Keep the stations away from that meridian."
        )
    return _polygons(corners, station, len(lng)), shared


def check_radius(radius_m: float) -> None:
    """Refuse a radius out of range. Raises TessellationError."""
    if (
        isinstance(radius_m, bool)
        or not limits.MIN_STATION_RADIUS_M <= radius_m <= limits.MAX_STATION_RADIUS_M
    ):
        raise TessellationError(
            "the radius of a station's tile is out of range",
            "station radius",
            f"Give {limits.MIN_STATION_RADIUS_M:,} to {limits.MAX_STATION_RADIUS_M:,} metres.",
        )


def _at_one_place(plane: _Plane, source_name: str) -> Pairs:
    """All pairs of points that are at one place."""
    points = shapely.points(plane.x, plane.y)
    tree = shapely.STRtree(points)
    found: list[tuple[int, int]] = []
    for begin in range(0, len(points), 64):  # few at a time, because a table of one place gives every pair
        one, other = tree.query(points[begin : begin + 64], predicate="dwithin", distance=_NEAR_M)
        later = np.flatnonzero(one + begin < other)
        found += [(begin + int(one[k]), int(other[k])) for k in later]
        if len(found) > _MOST_PAIRS:
            raise TessellationError(
                f"more than {_MOST_PAIRS:,} pairs of stations are at one place",
                source_name,
                "Are the coordinates right?",
            )
    return tuple(sorted(found))


def one_place_fault(features: Features, ids: Sequence[str]) -> TessellationError | None:
    """The refusal of stations with different ids at one place; None if there are none."""
    pairs = [(one, other) for one, other in features.shared if ids[one] != ids[other]]
    if not pairs:
        return None
    words = "lines" if features.lines else "features"
    numbers = features.lines or range(1, len(features.polygons) + 1)
    listed = "; ".join(f"{numbers[one]:,} and {numbers[other]:,}" for one, other in pairs[:_NAMED_PAIRS])
    more = f" and {len(pairs) - _NAMED_PAIRS:,} more pairs" if len(pairs) > _NAMED_PAIRS else ""
    return TessellationError(
        f"stations are at the same place: {words} {listed}{more}",
        features.source_name,
        'Trips by id need both. Let each tile keep a side of the place with --overlaps first (in a notebook: overlaps="first"; on the '
        "Data page: who keeps a place that tiles share); a trip by coordinates then counts for one of them. Or correct the coordinates.",
        options=("--overlaps",),
    )


def _corners(plane: _Plane, radius_m: float) -> tuple[Floats, NDArray[np.int64]]:
    """The corners of all tiles, counterclockwise, in degrees, and the station of each.

    A tile is convex and holds its station. So its corners are the near enough corners of its Voronoi cell, the crossings
    of the cell's border with the circle, and the points of the circle inside the cell, sorted by their angle.
    """
    count = len(plane.x)
    voronoi = _voronoi(plane, radius_m)
    places, ring = shapely.get_coordinates(voronoi, return_index=True)
    places -= np.column_stack([plane.x, plane.y])[ring]
    near = np.hypot(*places.T) <= radius_m
    edge = np.flatnonzero(ring[1:] == ring[:-1])
    found = [(ring[near], *places[near].T)]
    found += [(ring[edge[at]], *met.T) for at, met in _crossings(places[edge], places[edge + 1], radius_m)]
    angle = 2 * np.pi * np.arange(_CORNERS) / _CORNERS
    station = np.repeat(np.arange(count), _CORNERS)
    x, y = (np.tile(radius_m * turn, count) for turn in (np.cos(angle), np.sin(angle)))
    shapely.prepare(voronoi)
    inside = shapely.contains_xy(voronoi[station], x + plane.x[station], y + plane.y[station])
    found.append((station[inside], x[inside], y[inside]))
    station, x, y = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((np.arctan2(y, x), station))
    station, x, y = station[order], x[order], y[order]
    return plane.degrees(x + plane.x[station], y + plane.y[station]), station


def _voronoi(plane: _Plane, radius_m: float) -> NDArray[np.object_]:
    """The whole cells, in the order of the points.

    Four points beyond the reach of all others are added. With them one point, two points, and points on a line have cells
    like all others. No border of the added points comes nearer to a point than the radius.
    """
    reach = 4 * (radius_m + np.ptp(plane.x) + np.ptp(plane.y))
    x = np.concatenate([plane.x, plane.x.mean() + reach * np.array([-1, -1, 1, 1])])
    y = np.concatenate([plane.y, plane.y.mean() + reach * np.array([-1, 1, -1, 1])])
    diagram = shapely.voronoi_polygons(shapely.multipoints(np.column_stack([x, y])), ordered=True)
    return np.asarray(shapely.get_parts(diagram)[: len(plane.x)])


def _crossings(start: Floats, end: Floats, radius_m: float) -> list[tuple[NDArray[np.int64], Floats]]:
    """Where edges meet the circle around the origin: the numbers of these edges, and the places, twice."""
    step = end - start
    square, along = (step**2).sum(axis=1), -(start * step).sum(axis=1)
    inner = along**2 - square * ((start**2).sum(axis=1) - radius_m**2)
    root = np.sqrt(np.maximum(inner, 0))
    found = []
    for sign in (-1, 1):
        with np.errstate(divide="ignore", invalid="ignore"):  # for an edge of length 0
            share = (along + sign * root) / square
        met = np.flatnonzero((inner > 0) & (share > 0) & (share < 1))
        found.append((met, start[met] + share[met, None] * step[met]))
    return found


def _polygons(corners: Floats, station: NDArray[np.int64], count: int) -> Polygons:
    """One polygon for each station. Corners that rounding made equal are kept once."""
    same = (corners[1:] == corners[:-1]).all(axis=1) & (station[1:] == station[:-1])
    kept = np.append(True, ~same)
    corners, station = corners[kept], station[kept]
    first = np.searchsorted(station, np.arange(count))
    last = np.searchsorted(station, np.arange(count), side="right") - 1
    ends = np.cumsum(last - first + 2)
    closed = np.insert(corners, last + 1, corners[first], axis=0)
    numbers = np.arange(count + 1)
    shapes = shapely.from_ragged_array(shapely.GeometryType.POLYGON, closed, (np.append(0, ends), numbers))
    return tuple(shapes)


RADIUS_M: Final = 500.0
"""Default reach of a station's tile in metres."""

NEAREST: Final = "each tile holds the places nearest to its station"
"""How the note begins that tiles of stations have."""
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
    | {
        "user",
        "person",
        "personid",
        "agent",
        "cardid",
        "athleteid",
        "driverid",
        "vehicleid",
        "taxiid",
        "deviceid",
    }
    | {
        "trajectoryid",
        "trajid",
        "activityid",
        "journeyid",
        "tracker",
        "time",
        "t",
        "trackedat",
        "recordedat",
        "utctime",
    }
    | {"tapdatetime", "taptime", "checkintime", "eventtime", "gpstime", "unixtime", "localtime"}
)
_SHAPES: Final = frozenset(
    {
        "wkt",
        "geometry",
        "geom",
        "thegeom",
        "wkbgeometry",
        "wktgeometry",
        "geowkt",
        "shape",
        "geoshape",
        "multipolygon",
        "polygon",
    }
)
_SEPARATORS: Final = ",;\t"
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_COMMA: Final = re.compile(r"[+-]?[0-9]{1,3},[0-9]+")
_GTFS_KIND: Final = "locationtype"
_GTFS_NO_STOPS: Final = frozenset({"2", "3", "4"})
"""Entrances, generic nodes and boarding areas (GTFS Schedule Reference, stops.txt, ``location_type``): nobody boards there.
pandas writes them as 2.0 where other stops have none."""
_WHOLE: Final = re.compile(r"([0-9]+)\.0")
_COLUMNS: Final = "Give the columns id, name, lat and lng, WGS84."


def shape_column(data: bytes, source_name: str) -> str | None:
    """The column with the shapes of tiles; None if this is a table of stations.

    Raises TessellationError if the table looks like trips.
    """
    first = re.search(rb"[^\r\n]+", data)
    header = [name.strip() for name in next(_rows(first.group(), source_name), (1, []))[1]] if first else []
    keys = [_key(name) for name in header]
    if set(keys) & {*_LATITUDES, *_LONGITUDES} or not set(keys) & _SHAPES:
        return None
    _refuse_trips(keys, source_name)
    return next(name for name, key in zip(header, keys, strict=True) if key in _SHAPES)


def features(data: bytes, source_name: str, radius_m: float) -> Features:
    """The stations of a table in file order, each with the properties of its row and its tile.

    The separator is a comma, a semicolon or a tab. Any line ends are accepted. Rows that are equal in all columns are one
    station. ``23.0``, which spreadsheets make of an id 23, is read as 23. Columns without a name are left out.

    Args:
        data: the whole file, UTF-8, with or without byte-order mark.
        source_name: name of the file, for messages.
        radius_m: how far a tile reaches from its station, metres.

    Raises:
        TessellationError: not a table of stations. The first wrong line is named.

    """
    check_radius(radius_m)
    rows = _rows(data, source_name)
    header = [name.strip() for name in next(rows, (1, []))[1]]
    at = _check_header(header, source_name)
    lines: dict[tuple[str, ...], int] = {}
    faults = []
    repeated = left_out = 0
    kind_at = next((place for place, name in enumerate(header) if _key(name) == _GTFS_KIND), None)
    for line, row in rows:
        if len(row) != len(header):
            fields = "1 field" if len(row) == 1 else f"{len(row):,} fields"
            faults.append(
                TessellationError(
                    f"has {fields}, the header {len(header):,}",
                    f"{source_name}, line {line:,}",
                    "Quote fields that hold a separator.",
                )
            )
            continue
        cells = tuple(map(str.strip, row))
        if kind_at is not None and cells[kind_at].removesuffix(".0") in _GTFS_NO_STOPS:
            left_out += 1
            continue
        known = lines.setdefault(cells, line)
        repeated += known != line
        check_count(len(lines), source_name)
    if not lines:
        if faults:
            raise one_error(faults, source_name)
        raise TessellationError("there are no stations", source_name, "Give at least one station.")
    lat, lng = (
        _degrees(
            [row[place] for row in lines], list(lines.values()), limit, header[place], source_name, faults
        )
        for place, limit in zip(at, (90, 180), strict=True)
    )
    notes = [
        f"rows of entrances, nodes and boarding areas (location_type) were left out: {left_out:,}"
    ] * bool(left_out)
    if any("," in row[place] for row in lines for place in at):
        notes.append("decimal commas were read as points")
    if repeated:
        notes.append(
            f"{repeated:,} {'row repeats' if repeated == 1 else 'rows repeat'} another one and counted once"
        )
    properties = tuple(_properties(header, row) for row in lines)
    return of_places(source_name, properties, lng, lat, radius_m, (notes, faults), tuple(lines.values()))


def of_points(found: Features, radius_m: float) -> Features:
    """The tiles of features that are points: each is a station. Features without a place keep their faults."""
    check_radius(radius_m)
    _refuse_trips([*map(_key, found.columns)], found.source_name)
    places = np.full((len(found.polygons), 2), np.nan)
    for position, point in found.points.items():
        places[position] = point[0]
    told = [*found.notes], [*found.faults]
    return of_places(found.source_name, found.properties, places[:, 0], places[:, 1], radius_m, told)


def of_feed(document: object, source_name: str, radius_m: float) -> Features:
    """The stations of a feed, ``station_information.json`` of GBFS.

    Source: General Bikeshare Feed Specification 2.3 and 3.0, station_information.json: ``data.stations`` with ``station_id``,
    ``lat``, ``lon`` and ``name``, which is a text in 2.3 and a list of ``{"text", "language"}`` in 3.0. Raises TessellationError.
    """
    check_radius(radius_m)
    data = document.get("data") if isinstance(document, dict) else None
    rows = data.get("stations") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise TessellationError(
            "this feed of GBFS holds no stations", source_name, "Give its station_information.json."
        )
    check_count(len(rows), source_name)
    if not rows:
        raise TessellationError("there are no stations", source_name, "Give at least one station.")
    faults: list[TessellationError] = []
    lat, lng = (
        _numbers(rows, name, limit, source_name, faults) for name, limit in (("lat", 90), ("lon", 180))
    )
    properties = tuple({name: _plain(value) for name, value in row.items()} for row in rows)
    return of_places(source_name, properties, lng, lat, radius_m, ([], faults))


def _numbers(
    rows: Sequence[Mapping[str, object]],
    name: str,
    limit: int,
    source_name: str,
    faults: list[TessellationError],
) -> Floats:
    """Degrees of a feed; NaN for those that are among the faults."""
    found = np.full(len(rows), np.nan)
    for position, row in enumerate(rows):
        value = row.get(name)
        where = f"{source_name}, station {position + 1:,}, {name}"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            mend = "Give station_information.json, which has lat and lon of each station, and not station_status.json."
            faults.append(TessellationError("a station without coordinates", where, mend))
        elif abs(value) > limit:
            faults.append(TessellationError(f"outside [-{limit}, {limit}]", where, "Give degrees in WGS84."))
        else:
            found[position] = value
    return found


def _plain(value: object) -> object:
    """A value of a feed as a property; of texts in several languages the first."""
    if isinstance(value, list) and value and isinstance(value[0], dict) and "text" in value[0]:
        return value[0]["text"]
    return value if isinstance(value, (str, int, float, bool)) else None


def of_places(  # noqa: PLR0917 - all that features of stations follow from
    source_name: str,
    properties: Sequence[Mapping[str, object]],
    lng: Floats,
    lat: Floats,
    radius_m: float,
    told: tuple[list[str], list[TessellationError]],
    lines: tuple[int, ...] = (),
) -> Features:
    """The tiles of places, one for each, with all that is wrong with them. NaN: the place is among the faults.

    ``told``: notes and faults so far. ``lines``: of each place in a table.
    """
    notes, faults = told
    good = np.flatnonzero(np.isfinite(lng) & np.isfinite(lat))
    polygons = np.full(len(properties), shapely.MultiPolygon(), dtype=object)
    shared: Pairs = ()
    try:
        if len(good):
            polygons[good], found = cells(lng[good], lat[good], radius_m, source_name)
            shared = tuple((int(good[one]), int(good[other])) for one, other in found)
    except TessellationError as error:
        faults.append(error)
        good = good[:0]
    return Features(
        source_name,
        tuple(properties),
        tuple(polygons),
        (*_notes(lat, lng, radius_m), *notes),
        tuple(faults),
        frozenset(range(len(properties))) - {*good.tolist()},
        shared=shared,
        lines=lines,
    )


def _rows(data: bytes, source_name: str) -> Iterator[tuple[int, Sequence[str]]]:
    """The records with their line numbers, without empty lines."""
    text = utf8_text(data, source_name)
    if "\0" in text:
        raise TessellationError("the text holds a NUL character", source_name, "Save the file as CSV, UTF-8.")
    begin = re.search(r"[^\r\n]+", text)
    first = begin.group() if begin else ""
    separator = max(_SEPARATORS, key=first.count)  # if counts are equal, the comma
    for line, row in rows_of(text, separator):
        if row is None:
            raise TessellationError(
                "the text is not CSV", f"{source_name}, line {line:,}", "Is a quotation mark left open?"
            )
        if any(map(str.strip, row)):
            yield line, row


def _check_header(header: Sequence[str], source_name: str) -> tuple[int, int]:
    """Positions of latitude and longitude. Raises TessellationError if one is missing or occurs twice."""
    if not header:
        raise TessellationError("the file has no header", source_name, _COLUMNS)
    if len(header) > limits.MAX_COLUMNS:
        raise TessellationError(
            f"{len(header):,} columns, the limit is {limits.MAX_COLUMNS}",
            source_name,
            "Keep only the needed ones.",
        )
    keys = [_key(name) for name in header]
    _refuse_trips(keys, source_name)
    named = [name for name in header if name]
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise TessellationError(
            "two columns have the same name", source_name, "Give each column its own name."
        )
    if {*_LATITUDES, *_LONGITUDES}.isdisjoint(keys):  # x and y may be metres, which then are no degrees
        return _only(keys, ("y",), "latitude", source_name), _only(keys, ("x",), "longitude", source_name)
    return _only(keys, _LATITUDES, "latitude", source_name), _only(
        keys, _LONGITUDES, "longitude", source_name
    )


def _key(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def _refuse_trips(keys: Sequence[str], source_name: str) -> None:
    if _OF_TRIPS & set(keys):
        raise TessellationError(
            "this looks like trips, not like a table of stations",
            source_name,
            "Tiles are public and may not come from the trips. Give a table of the stations: id, name, lat, lng.",
        )


def _only(keys: Sequence[str], known: Sequence[str], what: str, source_name: str) -> int:
    found = [position for position, key in enumerate(keys) if key in known]
    if len(found) != 1:
        many = "no column" if not found else f"{len(found)} columns"
        raise TessellationError(f"{many} for the {what} of a station", source_name, _COLUMNS)
    return found[0]


def _degrees(  # noqa: PLR0917 - the cells of a column, and all that messages say of it
    texts: Sequence[str],
    lines: Sequence[int],
    limit: int,
    column: str,
    source_name: str,
    faults: list[TessellationError],
) -> NDArray[np.float64]:
    """Finite degrees within the limit, with a decimal point or comma; NaN for those that are among the faults."""
    values = np.full(len(texts), np.nan)
    for position, (text, line) in enumerate(zip(texts, lines, strict=True)):
        where = f"{source_name}, line {line:,}, column {column}"
        number = text.replace(",", ".") if _COMMA.fullmatch(text) else text
        if not text:
            what, mend = "a station without coordinates", "Give them, or remove the station."
        elif _NUMBER.fullmatch(number) is None:
            what, mend = "not a number", "Give degrees such as 42.3601."
        elif not abs(value := float(number)) <= limit:
            what = f"outside [-{limit}, {limit}]"
            swapped = abs(value) <= 180  # then it is a latitude that may be a longitude
            mend = f"Give degrees in WGS84.{' Are lat and lng swapped?' * swapped}"
        else:
            values[position] = value
            continue
        faults.append(TessellationError(what, where, mend))
    return values


def _properties(header: Sequence[str], row: Sequence[str]) -> Mapping[str, object]:
    return {
        name: (whole.group(1) if (whole := _WHOLE.fullmatch(text)) else text) or None
        for name, text in zip(header, row, strict=True)
        if name
    }


def _notes(lat: NDArray[np.float64], lng: NDArray[np.float64], radius_m: float) -> Iterator[str]:
    yield f"{NEAREST}, up to {radius_m:,g} m away"
    if ((lat == 0) & (lng == 0)).any():
        yield "a station is at latitude 0, longitude 0: are these zeros a missing place?"
