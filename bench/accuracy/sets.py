"""The trips that are measured: the built-in city, and real trips where they are there."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from math import cos, radians, sqrt
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.csv

from dpcore import demo
from dpcore.api import owner
from dpcore.measures.keys import Period
from dpcore.noise.forecast import Facts
from dpcore.tiles import Box, Tessellation, read_tessellation, square_grid

NEW_YORK = "America/New_York"
TRIPS = 300_000
JUDGED_TILES = 500
MOST_TILES = 5_000
METRES_PER_DEGREE = 111_195


@dataclass(frozen=True, eq=False)
class Loaded:
    """Trips that are ready to be counted."""

    name: str
    trips: owner.PrivateTrips
    tiles: Tessellation
    period: Period
    facts: Facts
    """What is declared: of the numbers of trips and people one digit, as owners know them beforehand."""
    folder: Path | None = None
    """Of a city: where its files are."""
    kind: str = ""
    """``city`` or ``bikes`` where something is demanded of the figures."""


class AbsentError(Exception):
    """Data that do not come with the project are not there; the text says which."""


@dataclass(frozen=True)
class Places:
    """Where data are and where cities are written."""

    shared: Path
    home: Path
    seed: int
    trips: int = TRIPS
    """Trips of a city."""

    def real(self, name: str) -> Path:
        """A file or folder of the real data. Raises AbsentError."""
        place = self.shared / "real" / name
        if not place.exists():
            raise AbsentError(f"{name} is not among the data beside the project")
        return place


def city(tiles: int, places: Places) -> Loaded:
    """The built-in city of so many tiles; its truth is public. More than it can have are squares laid over it."""
    own = min(tiles, MOST_TILES)
    folder = places.home / "cities" / f"{places.trips}-{own}-{places.seed}"
    if not (folder / "tiles.geojson").exists():
        demo.write_city(folder, places.trips, own, places.seed)
    tessellation = read_tessellation(folder / "tiles.geojson", "tiles.geojson")
    if tiles > own:
        tessellation = _squares(tessellation.bounds, tiles)
    trips = _load([folder / "trips.parquet"], tessellation, demo.DEMO_TIMEZONE)
    name, kind = f"city of {len(tessellation.tile_ids):,} tiles", "city" if tiles == JUDGED_TILES else ""
    return Loaded(name, trips, tessellation, demo.DEMO_PERIOD, _declared(trips), folder, kind)


def _squares(box: Box, tiles: int) -> Tessellation:
    """Squares over a box, as many as come next to so many."""
    height = box.north - box.south
    width = (box.east - box.west) * cos(radians(box.middle_latitude))
    return square_grid(box, METRES_PER_DEGREE * sqrt(height * width / tiles))


def bikes(places: Places) -> Loaded:
    """Three months of the bikes of Jersey City, without people."""
    folder = places.real("citibike_jersey_city")
    tessellation = read_tessellation(folder / "grid500m.geojson", "grid500m.geojson")
    trips = _load(sorted(folder.glob("JC-*.csv")), tessellation, NEW_YORK)
    return replace(_measured("bikes of Jersey City", trips, tessellation), kind="bikes")


def by_bike(places: Places) -> Loaded:
    """The same trips with a bike in the role of a person."""
    folder = places.real("citibike_jersey_city")
    tessellation = read_tessellation(folder / "grid500m.geojson", "grid500m.geojson")
    file = places.home / "by-bike.csv"
    if not file.exists():
        rows = [row for month in sorted(folder.glob("JC-*.csv")) for row in _rides(month)]
        columns = ("user_id", "started_at", "ended_at", "start_lat", "start_lng", "end_lat", "end_lng")
        table = pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))
        pyarrow.csv.write_csv(table, file)
    return _measured("bikes of Jersey City by bike", _load([file], tessellation, NEW_YORK), tessellation)


def taxis(places: Places) -> Loaded:
    """A sample of the taxis of New York in March, by zone, without people."""
    zones = places.real("nyc_taxi/taxi_zones.geojson")
    tessellation = read_tessellation(zones, "taxi_zones.geojson", tile_id="LocationID", merge_ids=True)
    trips = _load([places.real("nyc_taxi/raw_taxis.csv")], tessellation, NEW_YORK)
    return _measured("taxis of New York", trips, tessellation)


def check_ins(places: Places) -> Loaded:
    """Trips between check-ins of some thousand people in New York."""
    zones = places.real("nyc_taxi/taxi_zones.geojson")
    tessellation = read_tessellation(zones, "taxi_zones.geojson", tile_id="LocationID", merge_ids=True)
    file = places.real("foursquare_nyc/trips.csv.gz")
    return _measured("check-ins of New York", _load([file], tessellation, NEW_YORK), tessellation)


def posts(places: Places) -> Loaded:
    """Geolocated posts."""
    places.real("posts")
    raise AbsentError("no reader is written for posts")


def boston(places: Places) -> Loaded:
    """Bikes of Boston in January."""
    places.real("boston/hubway_trips.csv.gz")
    raise AbsentError("no reader is written for the trips of Boston")


def _load(files: list[Path], tessellation: Tessellation, zone: str) -> owner.PrivateTrips:
    found = [owner.TripsFile.on_disk(file) for file in files]
    return owner.load(
        found,
        [owner.inspect(file) for file in found],
        tessellation,
        timezone=zone,
        bad_records=owner.BadRecords.DROP,
    )


def _measured(name: str, trips: owner.PrivateTrips, tessellation: Tessellation) -> Loaded:
    """What an owner knows beforehand of real trips: the days, and about how many there are."""
    period = owner.observed_period(trips)
    if period is None:
        raise AbsentError(f"{name} has no trips")
    return Loaded(name, trips, tessellation, period, _declared(trips))


def _declared(trips: owner.PrivateTrips) -> Facts:
    table = owner.exact_table(trips, "ds_statistics", None)
    numbers = dict(zip(table["statistic"], map(int, table["value"]), strict=True))
    users = _one_digit(numbers["users"]) if trips.has_users else None
    return Facts(_one_digit(numbers["trips"]), users, len(trips.tile_ids))


def _one_digit(number: int) -> int:
    """3 for 3, 70,000 for 67,994."""
    scale = 10 ** (len(str(number)) - 1)
    return round(number / scale) * scale


def _rides(file: Path) -> Iterator[tuple[object, ...]]:
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8", newline="") as text:
        rows = csv.reader(text)
        next(rows)
        for row in rows:
            yield row[11], _clock(row[1]), _clock(row[2]), *(float(row[at]) for at in (5, 6, 9, 10))


def _clock(text: str) -> datetime:
    form = "%m/%d/%y %H:%M" if "/" in text else "%Y-%m-%d %H:%M:%S"
    return datetime.strptime(text, form)  # noqa: DTZ007 - a city's wall clock


SETS: MappingProxyType[str, Callable[[Places], Loaded]] = MappingProxyType(
    {
        "city-500": partial(city, 500),
        "city-2000": partial(city, 2_000),
        "bikes": bikes,
        "by-bike": by_bike,
        "check-ins": check_ins,
        "posts": posts,
        "boston": boston,
    }
)
"""By the name that the command takes."""
