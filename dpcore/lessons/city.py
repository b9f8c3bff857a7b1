"""The demo city as lessons see it: counted like any data set. Every trip may be shown, because nobody made it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import demo
from dpcore.api.owner import PrivateTrips, demo_city, exact_table
from dpcore.demo.city import CityTiles
from dpcore.measures.choices import KeyChoices
from dpcore.privacy import ContributionBound
from dpcore.tiles import Tessellation
from dpcore.tiles.index import TileIndex

Integers = NDArray[np.int64]
Points = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class City:
    """The built-in city: its tiles, and one row for each trip, ordered by person and then by time."""

    trips: PrivateTrips
    """As owners load them: for counting."""
    tessellation: Tessellation
    people: tuple[str, ...]
    """Names of the people, sorted."""
    person: Integers
    """Who made each trip, as a place in ``people``."""
    start: Integers
    """Tile number at the start of each trip; -1 outside."""
    end: Integers
    """Tile number at the end."""
    day: Integers
    """Days since the first day of the period, by the end of the trip."""
    hour: Integers
    """Hour of the day at which the trip starts, 0 to 23."""
    minutes: NDArray[np.float64]
    """How long the trip took."""
    end_hour: Integers
    """Hour of the day at which the trip ends, 0 to 23."""
    points: tuple[Points, Points]
    """Longitudes and latitudes of the start and of the end of each trip, each of shape ``(2, trips)``."""

    @property
    def trips_per_person(self) -> Integers:
        """Number of trips of each person, shape ``(people,)``."""
        return np.bincount(self.person, minlength=len(self.people))

    @property
    def number(self) -> Integers:
        """The place of each trip among those of its person, from 0, by time."""
        return np.arange(len(self.person)) - np.searchsorted(self.person, self.person)

    def of(self, person: int) -> slice:
        """The rows of one person."""
        first, last = np.searchsorted(self.person, [person, person + 1])
        return slice(int(first), int(last))

    @property
    def tiles(self) -> int:
        """How many tiles there are."""
        return len(self.tessellation.tile_ids)

    def tile_name(self, tile: int) -> str:
        """A tile as Explore calls it, by its number: its name and its id."""
        return f"{self.tessellation.called[tile]} ({self.tessellation.tile_ids[tile]})"

    @property
    def starts(self) -> Integers:
        """True starts of trips in each tile, shape ``(tiles,)``: one trip changes it by 1."""
        return np.bincount(self.start[self.start >= 0], minlength=self.tiles)

    def arrivals(self, place: int) -> Integers:
        """Trips to one tile by day and by the tile they come from, shape ``(days, tiles)``: a trip changes it by 1."""
        rows = (self.end == place) & (self.start >= 0)
        cells = self.day[rows] * self.tiles + self.start[rows]
        days = int(self.day.max()) + 1
        return np.bincount(cells, minlength=days * self.tiles).reshape(days, self.tiles)

    @property
    def flows(self) -> Integers:
        """True flows, shape ``(tiles, tiles)``: from the row to the column."""
        inside = (self.start >= 0) & (self.end >= 0)
        pairs = self.start[inside] * self.tiles + self.end[inside]
        return np.bincount(pairs, minlength=self.tiles**2).reshape(self.tiles, self.tiles)


def _rows() -> pa.Table:
    """The trips of the city, ordered by person and then by time."""
    rows = demo.city_trips(demo.DEMO_TRIPS, demo.DEMO_SEED)
    return rows.sort_by([("user_id", "ascending"), ("started_at", "ascending")])


def _points(rows: pa.Table) -> tuple[Points, Points]:
    start, end = (
        np.stack([rows[f"{which}_lng"].to_numpy(), rows[f"{which}_lat"].to_numpy()])
        for which in ("start", "end")
    )
    return start, end


def _assigned(points: tuple[Points, Points], index: TileIndex) -> tuple[Integers, Integers]:
    """The tiles of both ends of each trip, by number; -1 outside."""
    start, end = (index.assign(*ends).astype(np.int64) for ends in points)
    return start, end


@lru_cache(1)
def city() -> City:
    """The built-in city, the same for everybody; read once in each process (its truth is public)."""
    trips, tessellation = demo_city()
    rows = _rows()
    names, person = np.unique(np.asarray(rows["user_id"]), return_inverse=True)
    started, ended = (rows[name].to_numpy() for name in ("started_at", "ended_at"))
    points = _points(rows)
    start, end = _assigned(points, tessellation.index)
    first = np.datetime64(demo.DEMO_PERIOD.first)
    return City(
        trips,
        tessellation,
        tuple(names.tolist()),
        person.astype(np.int64),
        start,
        end,
        (ended.astype("datetime64[D]") - first).astype(np.int64),
        (started.astype("datetime64[h]").astype(np.int64) % 24),
        (ended - started) / np.timedelta64(1, "m"),
        end_hour=(ended.astype("datetime64[h]").astype(np.int64) % 24),
        points=points,
    )


@lru_cache(64)
def city_counts(measure: str, max_trips: int | None = None) -> Integers:
    """The exact counts of a measure of the whole city, in the order of its keys; as any owner counts.

    ``measure``: not the flows, which ``City.flows`` has; ``max_trips``: M, the trips of each person that count; None: all.
    """
    bound = None if max_trips is None else ContributionBound.per_user(max_trips)
    table = exact_table(city().trips, measure, bound, KeyChoices(demo.DEMO_PERIOD))
    return np.array(table["value"], np.int64)


@lru_cache(2)
def flows_between(tiles: int) -> Integers:
    """True flows of the whole city cut into so many districts, shape ``(tiles**2,)``, origin by origin.

    A trip adds 1 to one flow. The ground stays the same, so more districts are finer ones.
    """
    mine = city()
    if tiles == mine.tiles:
        return mine.flows.ravel()
    start, end = _assigned(mine.points, TileIndex(demo.city_tiles(tiles, demo.DEMO_SEED).polygons))
    inside = (start >= 0) & (end >= 0)
    return np.bincount(start[inside] * tiles + end[inside], minlength=tiles**2)


@lru_cache(1)
def ends_in(tiles: int) -> tuple[CityTiles, Integers, Integers]:
    """The city cut into so many districts: these, and the district at the start and at the end of each trip.

    In the order of the trips of ``city()``; -1 outside.
    """
    districts = demo.city_tiles(tiles, demo.DEMO_SEED)
    return districts, *_assigned(city().points, TileIndex(districts.polygons))
