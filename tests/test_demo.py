"""The demo city keeps its promises: same seed, same bytes, and a town that behaves like one."""

from __future__ import annotations

import hashlib
import json
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
import shapely

from dpcore import demo
from dpcore.demo import trips as making
from dpcore.demo.land import land_of, to_degrees
from dpcore.errors import InputError

SEED = demo.DEMO_SEED
FIRST = np.datetime64(demo.DEMO_PERIOD.first, "D")


class Town:
    """The trips of the first screen, as numpy columns."""

    def __init__(self):
        table = demo.city_trips(demo.DEMO_TRIPS, SEED)
        self.table = table
        self.start = table["started_at"].to_numpy()
        self.end = table["ended_at"].to_numpy()
        self.day = (self.start.astype("M8[D]") - FIRST).astype(int)
        self.hour = (self.start - self.start.astype("M8[D]")).astype("m8[h]").astype(int)
        self.weekday = self.day % 7
        self.tiles = demo.city_tiles(demo.DEMO_TILES, SEED)
        tree = shapely.STRtree(self.tiles.polygons)
        self.origin, self.goal = (self.locate(tree, end) for end in ("start", "end"))

    def locate(self, tree, end):
        """Tile number of each point, -1 outside."""
        points = shapely.points(self.table[f"{end}_lng"].to_numpy(), self.table[f"{end}_lat"].to_numpy())
        found = np.full(len(points), -1)
        which, tile = tree.query(points, predicate="intersects")
        found[which] = tile
        return found

    def tile_of(self, landmark):
        point = shapely.Point(to_degrees(np.array([land_of(SEED).landmarks[landmark]]))[0])
        return int(shapely.STRtree(self.tiles.polygons).query(point, predicate="intersects")[0])


@lru_cache(maxsize=1)
def the_town():
    return Town()


@pytest.fixture
def town():
    return the_town()


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_same_arguments_give_the_same_bytes(tmp_path):
    for name in ("first", "second"):
        demo.write_city(tmp_path / name, 3_000, 40, 5)
    demo.write_city(tmp_path / "other", 3_000, 40, 6)
    first, second, other = (digests(tmp_path / name) for name in ("first", "second", "other"))
    assert set(first) == {"trips.parquet", "trips.csv", "tiles.geojson"}
    assert first == second
    assert not set(first.values()) & set(other.values())


def test_files_hold_the_same_city(tmp_path):
    demo.write_city(tmp_path, 2_000, 30, 5)
    trips, tiles = demo.city_trips(2_000, 5), demo.city_tiles(30, 5)
    assert pa.parquet.read_table(tmp_path / "trips.parquet").equals(trips)
    as_csv = pa.csv.read_csv(
        tmp_path / "trips.csv",
        convert_options=pa.csv.ConvertOptions(column_types=trips.schema),
    )
    assert as_csv.equals(trips)
    features = json.loads((tmp_path / "tiles.geojson").read_text(encoding="utf-8"))["features"]
    assert [f["properties"] for f in features] == [
        {"tile_id": tile_id, "tile_name": name} for tile_id, name in zip(tiles.ids, tiles.names, strict=True)
    ]
    read = [shapely.from_geojson(json.dumps(f["geometry"])) for f in features]
    assert shapely.equals_exact(shapely.normalize(read), shapely.normalize(tiles.polygons)).all()


def test_a_refused_city_writes_nothing(tmp_path):
    with pytest.raises(InputError):
        demo.write_city(tmp_path / "city", 0, 30, 5)
    assert not (tmp_path / "city").exists()


@pytest.mark.parametrize(("tiles", "seed"), [(12, 0), (12, 3), (13, 1), (47, 2), (150, SEED), (400, 4)])
def test_districts_share_their_borders_bit_for_bit(tiles, seed):
    ids, names, polygons = demo.city_tiles(tiles, seed)
    corners = shapely.get_coordinates(polygons)
    assert len(ids) == len(names) == len(polygons) == tiles
    assert len(set(ids)) == len(set(names)) == tiles
    assert ids == sorted(ids)
    assert ids[0] == "D001"
    assert (np.round(corners, 7) == corners).all()
    assert shapely.coverage_is_valid(polygons)
    assert shapely.is_valid(polygons).all()
    assert (shapely.get_type_id(polygons) == shapely.GeometryType.POLYGON).all()
    assert (shapely.area(polygons) > 0).all()


def test_many_districts_keep_their_names_and_ids_apart():
    ids, names, polygons = demo.city_tiles(2_000, 1)
    assert len(set(names)) == len(set(ids)) == 2_000
    assert shapely.coverage_is_valid(polygons)


def test_all_tilings_of_a_seed_cover_the_same_ground():
    coarse, fine = (shapely.union_all(demo.city_tiles(tiles, SEED).polygons) for tiles in (20, 150))
    assert shapely.symmetric_difference(coarse, fine).area < 1e-6 * fine.area


def test_the_city_is_round_with_a_river_and_small_districts_in_the_middle(town):
    polygons = town.tiles.polygons
    ground = shapely.union_all(polygons)
    west, south, east, north = ground.bounds
    assert 0.55 < ground.area / ((east - west) * (north - south)) < 0.85
    assert len(shapely.get_parts(ground)) == 2
    area = shapely.area(polygons)
    assert np.median(area[-40:]) > 5 * np.median(area[:20])


def test_columns_are_canonical(town):
    us = pa.timestamp("us")
    assert {field.name: field.type for field in town.table.schema} == {
        "user_id": pa.string(),
        "started_at": us,
        "ended_at": us,
        "start_lat": pa.float64(),
        "start_lng": pa.float64(),
        "end_lat": pa.float64(),
        "end_lng": pa.float64(),
        "mode": pa.string(),
    }
    assert town.table.num_rows == demo.DEMO_TRIPS
    assert all(town.table[name].null_count == 0 for name in town.table.column_names)
    for name in town.table.column_names[3:7]:
        values = town.table[name].to_numpy()
        assert (np.round(values, 6) == values).all()
    assert all(len(user) == 6 and user[0] == "u" for user in town.table["user_id"].unique().to_pylist())


def test_trips_lie_in_the_period_and_end_after_they_start(town):
    assert len(demo.DEMO_PERIOD.days) == 28
    assert set(town.day.tolist()) == set(range(28))
    assert (town.end >= town.start).all()
    assert (town.end - town.start).max() < np.timedelta64(4, "h")
    assert 100 < (town.end.astype("M8[D]") > town.start.astype("M8[D]")).sum() < 0.02 * demo.DEMO_TRIPS


def test_no_trip_touches_the_hour_that_does_not_exist(town):
    jump = np.datetime64("2024-03-31T02:00")
    for times in (town.start, town.end):
        assert not ((times >= jump) & (times < jump + np.timedelta64(1, "h"))).any()


def test_about_one_point_in_fifty_is_outside(town):
    outside = np.concatenate([town.origin, town.goal]) < 0
    assert 0.005 < outside.mean() < 0.04
    assert 0.03 < ((town.origin == town.goal) & (town.origin >= 0)).mean() < 0.2
    assert len(set(town.origin.tolist())) == demo.DEMO_TILES + 1


def test_most_people_travel_little_and_a_few_very_much(town):
    each = np.array([entry["counts"] for entry in town.table["user_id"].value_counts().to_pylist()])
    assert 3 <= np.median(each) <= 8
    assert (each <= 15).mean() > 0.75
    assert 0.001 < (each > 100).mean() < 0.02
    assert each.max() > 150


def test_weekdays_commute_and_weekends_start_late(town):
    week = np.bincount(town.hour[town.weekday < 5], minlength=24) / 20
    weekend = np.bincount(town.hour[town.weekday == 6], minlength=24) / 4
    assert week.argmax() in (7, 8)
    assert week[7] > 2.2 * week[10]
    assert week[12] > 1.3 * week[10] < week[17] / 1.3
    assert week[12] > 1.3 * week[14] < week[17] / 1.3
    assert 14 <= weekend.argmax() <= 18
    assert weekend[7] < 0.2 * weekend[16]
    assert weekend[:4].sum() > 2 * week[:4].sum()


def test_market_match_and_rain_show(town):
    days = np.bincount(town.day, minlength=28)
    usual = np.median(days[np.arange(28) % 7 < 5])
    match = (demo.STADIUM_DAY - demo.DEMO_PERIOD.first).days
    rain = (demo.RAINY_DAY - demo.DEMO_PERIOD.first).days
    assert days.argmax() == match
    assert days[match] > 1.15 * usual
    assert days[rain] < 0.8 * usual
    assert (days[5::7].max() < usual) & (days[6::7].max() < days[5::7].min())
    stadium = np.bincount(town.day[town.goal == town.tile_of("Stadium")], minlength=28)
    assert stadium[match] > 4 * np.median(stadium)
    market = np.bincount(town.day[town.goal == town.tile_of("Market Square")], minlength=28)
    share = market / days
    assert share[5::7].min() > 1.5 * np.median(share[np.arange(28) % 7 < 5])


def test_the_station_and_the_university_are_the_strongest_pair(town):
    pairs = town.origin * demo.DEMO_TILES + town.goal
    inside = (town.origin >= 0) & (town.goal >= 0) & (town.origin != town.goal)
    top = np.bincount(pairs[inside]).argsort()[-2:]
    ends = {town.tile_of("Central Station"), town.tile_of("University")}
    assert all({int(pair) // demo.DEMO_TILES, int(pair) % demo.DEMO_TILES} == ends for pair in top)


def test_chunks_have_the_exact_size_and_share_no_person(monkeypatch):
    monkeypatch.setattr(making, "CHUNK", 1_000)
    tables = list(demo.trip_tables(2_501, 3))
    assert [table.num_rows for table in tables] == [1_000, 1_000, 501]
    users = [set(table["user_id"].to_pylist()) for table in tables]
    assert sum(map(len, users)) == len(set.union(*users))
    assert all((np.diff(table["started_at"].to_numpy()) >= np.timedelta64(0)).all() for table in tables)


def test_modes_fit_the_way_and_have_a_stream_of_their_own(monkeypatch):
    trips = demo.city_trips(20_000, 3)
    modes = trips["mode"].to_numpy(zero_copy_only=False)
    assert {*modes} == {*demo.MODES}
    far = np.abs(trips["end_lng"].to_numpy() - trips["start_lng"].to_numpy())
    assert far[modes == "walk"].mean() < far[modes == "bike"].mean() < far[modes == "rail"].mean()
    assert all((modes == mode).mean() > 0.03 for mode in demo.MODES)
    monkeypatch.setattr(making, "_modes", lambda means, _: pa.array(["walk"] * len(means)))
    assert demo.city_trips(20_000, 3).drop_columns("mode").equals(trips.drop_columns("mode"))


def test_the_smallest_city_is_one_trip():
    assert demo.city_trips(1, 0).num_rows == 1


@pytest.mark.parametrize("trips", [0, -1, 10**9 + 1])
def test_number_of_trips_is_checked_before_the_first_table(trips):
    with pytest.raises(InputError, match="number of trips is out of range"):
        demo.trip_tables(trips, 1)


@pytest.mark.parametrize("tiles", [11, 0, 5_001])
def test_number_of_tiles_is_checked(tiles):
    with pytest.raises(InputError, match="number of tiles is out of range"):
        demo.city_tiles(tiles, 1)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seed_is_checked(seed):
    for make in (demo.city_tiles, demo.trip_tables):
        with pytest.raises(InputError, match="seed is out of range"):
            make(100, seed)


def test_special_days_are_in_the_period():
    for day in (demo.RAINY_DAY, demo.STADIUM_DAY):
        assert demo.DEMO_PERIOD.first <= day <= demo.DEMO_PERIOD.last
    assert demo.DEMO_PERIOD.first == date(2024, 3, 4)
    assert demo.DEMO_PERIOD.last - demo.DEMO_PERIOD.first == timedelta(days=27)
