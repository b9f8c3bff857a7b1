"""The trips of the demo city, and the files of the city.

Each person goes out for a reason, stays a while and comes back. The same arguments give the same bytes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import shapely

from dpcore import disk, limits
from dpcore.demo.city import CityTiles, city_tiles
from dpcore.demo.land import Floats, Indices, Places, land_of, places_of, to_degrees
from dpcore.demo.people import (
    CLOCKS_CHANGE,
    DAYS,
    DEMO_PERIOD,
    MATCH_SHARE,
    PROFILES,
    PURPOSES,
    People,
    day_table,
    distance,
    nearest,
)
from dpcore.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

CHUNK: Final = 500_000
"""Trips made at a time. All trips of a person are in one chunk."""

SCHEMA: Final = pa.schema(
    [
        ("user_id", pa.string()),
        ("started_at", pa.timestamp("us")),
        ("ended_at", pa.timestamp("us")),
        ("start_lat", pa.float64()),
        ("start_lng", pa.float64()),
        ("end_lat", pa.float64()),
        ("end_lng", pa.float64()),
        ("mode", pa.string()),
    ]
)
MODES: Final = ("walk", "bike", "bus", "rail", "car")
"""The attribute ``mode`` of its trips."""

_PURPOSE: Final = {name: number for number, name in enumerate(PURPOSES)}
_DAY_STEPS: Final = 2_048
_DAY, _HOUR = 86_400, 3_600
# Walking, cycling, bus and car: km/h on the ground, then minutes lost on the way.
_SPEED: Final = np.array([4.7, 14.0, 18.0, 30.0])
_MEANS: Final = ("walk", "bike", "bus", "car")
_RAIL_KM: Final = 5.0  # the way from which on a bus may be a train
_LOST: Final = np.array([0.5, 1.5, 6.0, 3.0])
_DETOUR: Final = 1.3


def city_trips(trips: int, seed: int) -> pa.Table:
    """Exactly ``trips`` trips of a city. The same arguments give the same rows.

    Columns: ``user_id`` text, ``started_at`` and ``ended_at`` timestamp[us] on the wall clock of
    ``DEMO_TIMEZONE``, ``start_lat``, ``start_lng``, ``end_lat``, ``end_lng`` float64 degrees in WGS84 with
    6 decimals, and ``mode``, one of ``MODES``. Within each half million, rows are in the order of their start.

    Raises:
        InputError: ``trips`` is not between 1 and a thousand million, or the seed is negative.
    """
    return pa.concat_tables(trip_tables(trips, seed))


def trip_tables(trips: int, seed: int) -> Iterator[pa.Table]:
    """The rows of ``city_trips`` in tables of at most half a million, never all in memory."""
    if not 1 <= trips <= limits.MAX_TRIP_ROWS:
        raise InputError(
            "the number of trips is out of range",
            f"{trips} trips",
            f"Choose a whole number from 1 to {limits.MAX_TRIP_ROWS}.",
        )
    land_of(seed)  # refuses a bad seed here, not at the first table
    return _tables(trips, seed)


def _tables(trips: int, seed: int) -> Iterator[pa.Table]:
    places = places_of(seed)
    width = max(5, len(str(trips // 8)))
    users = 0
    for chunk, first in enumerate(range(0, trips, CHUNK)):
        rng = np.random.default_rng([seed, 3, chunk])
        count = min(CHUNK, trips - first)
        people = People.drawn(places, count, rng)
        user, columns, means = _trips(places, people, rng)
        # Modes have a stream of their own, so all else is as it would be without them.
        modes = _modes(means, np.random.default_rng([seed, 6, chunk]))
        names = pa.array(
            [f"u{number:0{width}d}" for number in range(users + 1, users + len(people.trips) + 1)]
        )
        users += len(people.trips)
        yield pa.table([names.take(pa.array(user)), *columns, modes], schema=SCHEMA)


def _trips(
    places: Places, people: People, rng: np.random.Generator
) -> tuple[Indices, list[NDArray[np.generic]], Indices]:
    """The person of each trip, the columns of times and places, and the means of transport, in the order of the start."""
    # An outing is a trip out and a trip back. Who makes an odd number of trips never returns from the last outing.
    outings = (people.trips + 1) // 2
    who = np.repeat(np.arange(len(outings)), outings)
    rank = np.arange(len(who)) - np.repeat(np.cumsum(outings) - outings, outings)
    purpose = _reasons(people.profile[who], rank, rng)
    origin, goal = _ends_of_outings(places, people, who, purpose, rng)
    # Equal steps through the month from each person's own first day, so that hardly anybody commutes twice on one day.
    share = (rng.random(len(outings))[who] + (rank + 0.8 * rng.random(len(who))) / outings[who]) % 1
    day = day_table(_DAY_STEPS)[purpose, (share * _DAY_STEPS).astype(np.int64)]
    leave = day * _DAY + (_hours(purpose, day, rng) * _HOUR).astype(np.int64)
    stay = np.array([kind.stay for kind in PURPOSES.values()])[purpose]
    stays = np.maximum(stay[:, 0] + stay[:, 1] * rng.standard_normal(len(who)), 0.1) * _HOUR
    out, by = _seconds(origin, goal, rng)
    back = leave + out + stays.astype(np.int64)

    returns = np.flatnonzero((rank < outings[who] - 1) | (people.trips[who] % 2 == 0))
    user = np.concatenate([who, who[returns]])
    start = np.concatenate([leave, back[returns]])
    home, home_by = _seconds(goal[returns], origin[returns], rng)
    lasts = np.concatenate([out, home])
    ends = [np.concatenate([origin, goal[returns]]), np.concatenate([goal, origin[returns]])]
    # The few who come home after the last midnight are placed in the night before the first day.
    start, end = _on_the_clock(start % (DAYS * _DAY), lasts)
    order = np.argsort(start, kind="stable")
    columns: list[NDArray[np.generic]] = [start[order], end[order]]
    for points in ends:
        shaken = points[order] + rng.standard_normal(points.shape) * 0.018  # km: error of a phone's position
        lng, lat = np.round(to_degrees(shaken), 6).T
        columns += [lat, lng]
    return user[order], columns, np.concatenate([by, home_by])[order]


def _modes(means: Indices, rng: np.random.Generator) -> pa.Array:
    """The mode of each trip. Of long ways by bus every other one is by train."""
    train = (means == len(_MEANS)) & (rng.random(len(means)) < 0.5)
    names = pa.array([*_MEANS, "bus", "rail"])
    return names.take(pa.array(np.where(train, len(_MEANS) + 1, means)))


def _reasons(profile: Indices, rank: Indices, rng: np.random.Generator) -> Indices:
    """Purpose of each outing."""
    weights = np.array([[kind.reasons.get(name, 0) for name in PURPOSES] for kind in PROFILES])
    ends = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    coin = rng.random(len(profile))
    purpose = np.empty(len(profile), np.int64)
    for number in range(len(PROFILES)):
        of = profile == number
        purpose[of] = np.searchsorted(ends[number], coin[of], side="right")
    purpose[(rank == 0) & (rng.random(len(profile)) < MATCH_SHARE)] = _PURPOSE["match"]
    return purpose


def _ends_of_outings(
    places: Places, people: People, who: Indices, purpose: Indices, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Both ends of each outing: east and north in km; two arrays of shape (n, 2)."""
    kinds = list(places.kinds)
    start = people.home[who].copy()
    lunch, deliver = purpose == _PURPOSE["lunch"], purpose == _PURPOSE["deliver"]
    start[lunch] = people.main[who][lunch]
    start[deliver] = places.drawn(np.full(deliver.sum(), kinds.index("shop")), rng.random(int(deliver.sum())))
    origin = places.points[start]
    own = {"main": "job", "near": "job"}  # drawn like any other, then replaced below
    kind = np.array([kinds.index(own.get(p.goal, p.goal)) for p in PURPOSES.values()])[purpose]
    tries = np.array([p.tries for p in PURPOSES.values()])[purpose]
    goal = places.points[nearest(places, origin, kind, tries, rng)]
    main = np.array([p.goal == "main" for p in PURPOSES.values()])[purpose]
    goal[main] = places.points[people.main[who[main]]]
    near = purpose == _PURPOSE["near"]
    goal[near] = origin[near] + rng.standard_normal((int(near.sum()), 2)) * 0.22
    return origin, goal


def _hours(purpose: Indices, day: Indices, rng: np.random.Generator) -> Floats:
    """Hour of leaving, within the day."""
    clocks = np.array([(p.weekday, p.weekend) for p in PURPOSES.values()])[
        purpose, (day % 7 > 4).astype(np.int64)
    ]
    late = rng.random(len(day)) >= clocks[:, 0]
    hour = np.where(late, clocks[:, 3], clocks[:, 1])
    spread = np.where(late, clocks[:, 4], clocks[:, 2])
    return np.clip(hour + spread * rng.standard_normal(len(day)), 0, 23.99)


def _seconds(start: Floats, end: Floats, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """The time that each way takes, in whole seconds, and its means of transport, which fits the way.

    Means are places in ``_MEANS``; a long way by bus has the number after the last one.
    """
    way = distance(start, end) * _DETOUR
    coin = rng.random(len(way))
    # Shares of walking, then cycling, then the bus. The rest goes by car.
    walk = np.interp(way, [0.5, 1.5, 3.5], [0.95, 0.6, 0.0])
    cycle = walk + (1 - walk) * np.interp(way, [1.0, 4.0, 10.0], [0.8, 0.3, 0.0])
    bus = cycle + (1 - cycle) * 0.45
    means = (coin >= walk).astype(np.int64) + (coin >= cycle) + (coin >= bus)
    minutes = (way / _SPEED[means] * 60 + _LOST[means]) * np.exp(0.18 * rng.standard_normal(len(way)))
    seconds: Indices = np.maximum(np.rint(minutes * 60), 45).astype(np.int64)
    long = (means == _MEANS.index("bus")) & (way >= _RAIL_KM)
    return seconds, np.where(long, len(_MEANS), means)


def _on_the_clock(start: Indices, lasts: Indices) -> tuple[NDArray[np.datetime64], NDArray[np.datetime64]]:
    """Start and end in wall clock time, datetime64[us]. The arguments are seconds since the first midnight."""
    jump = int((CLOCKS_CHANGE - np.datetime64(DEMO_PERIOD.first, "s")).astype(np.int64))
    end = start + lasts
    end = np.where((start < jump + _HOUR) & (end >= jump), end + _HOUR, end)
    start = np.where((start >= jump) & (start < jump + _HOUR), start + _HOUR, start)
    midnight = np.datetime64(DEMO_PERIOD.first, "us")
    return midnight + start * np.timedelta64(1_000_000, "us"), midnight + end * np.timedelta64(
        1_000_000, "us"
    )


def write_city(out: Path, trips: int, tiles: int, seed: int) -> None:
    """Write ``trips.parquet``, ``trips.csv`` and ``tiles.geojson`` into the folder ``out``, which is made if missing.

    A file appears under its name only when it is complete. Columns are those of ``city_trips``. A tile has the properties
    ``tile_id`` and ``tile_name``.

    Raises:
        InputError: A size is out of range. Nothing was written then.
    """
    districts = city_tiles(tiles, seed)
    tables = trip_tables(trips, seed)
    out.mkdir(parents=True, exist_ok=True)
    with disk.written(out / "tiles.geojson", disk.FOR_READERS) as path:
        _write_tiles(path, districts)
    seconds = pa.schema(
        [
            field.with_type(pa.timestamp("s")) if pa.types.is_timestamp(field.type) else field
            for field in SCHEMA
        ]
    )
    with (
        disk.written(out / "trips.csv", disk.FOR_READERS) as csv_path,
        disk.written(out / "trips.parquet", disk.FOR_READERS) as parquet_path,
        pa.csv.CSVWriter(csv_path, seconds) as csv_file,
        pa.parquet.ParquetWriter(parquet_path, SCHEMA, compression="zstd") as parquet_file,
    ):
        for table in tables:
            parquet_file.write_table(table)
            csv_file.write_table(table.cast(seconds))


def _write_tiles(path: Path, districts: CityTiles) -> None:
    """One feature on each line: GeoJSON of RFC 7946, longitude before latitude."""
    lines = []
    for tile_id, name, polygon in zip(*districts, strict=True):
        ccw = shapely.orient_polygons(polygon)
        rings = [ring.coords[:] for ring in (ccw.exterior, *ccw.interiors)]
        feature = {
            "type": "Feature",
            "properties": {"tile_id": tile_id, "tile_name": name},
            "geometry": {"type": "Polygon", "coordinates": rings},
        }
        lines.append(json.dumps(feature, separators=(",", ":")))
    text = '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"
    path.write_text(text, encoding="utf-8", newline="\n")
