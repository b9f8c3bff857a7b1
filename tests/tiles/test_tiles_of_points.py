"""Stations in every form in which they are published: GBFS feeds, GTFS stops, points of any format, decimal commas, and one place for two."""

from __future__ import annotations

import json

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from made_formats import zipped
from made_tiles import blob, collection, feature, geopackage, ring

import dpcore
from dpcore.errors import AtlasError, TessellationError
from dpcore.tiles import read_tessellation

A, B = (13.40, 52.50), (13.42, 52.51)
NEAREST = "each tile holds the places nearest to its station, up to 500 m away"


def feed(stations, version="2.3"):
    head = {"last_updated": 1709280000, "ttl": 60, "version": version}
    return json.dumps({**head, "data": {"stations": stations}}).encode()


def station(number, place, name=None, **more):
    lng, lat = place
    return {"station_id": str(number), "name": name or f"S{number}", "lat": lat, "lon": lng, **more}


GBFS_2 = feed([station(1, A, short_name="52.10", capacity=9), station(2, B, rental_methods=["key"])])
GBFS_3 = feed(
    [
        station(n, at, [{"text": f"S{n}", "language": "de"}], is_virtual_station=False)
        for n, at in ((1, A), (2, B))
    ],
    "3.0",
)
GTFS = (
    "stop_id,stop_code,stop_name,stop_desc,stop_lat,stop_lon,zone_id,location_type,parent_station\r\n"
    "1,1,S1,,  52.500000, 13.400000,,,\r\n2,2,S2,,  52.510000, 13.420000,,0,\r\n3,3,Door,,52.51,13.42,,2,2\r\n4,4,Node,,,,,3,2\r\n"
)  # fmt: skip
COMMAS = "id;name;LATITUDE;LONGITUDE\n1;S1;52,5000;13,4000\n2;S2;52,51;13,42\n"
POINTS = [
    feature({"station_id": str(n), "name": f"S{n}"}, list(at), kind="Point") for n, at in ((1, A), (2, B))
]


def frame(crs=4326):
    shapes = gpd.GeoSeries([shapely.Point(A), shapely.Point(B)], crs=4326)
    return gpd.GeoDataFrame({"id": ["1", "2"], "name": ["S1", "S2"]}, geometry=shapes).to_crs(crs)


def written(tmp_path, name, crs=4326):
    place = tmp_path / name
    frame(crs).to_file(place, engine="pyogrio")
    return place


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("station_information.json", GBFS_2),
        ("station_information.json", GBFS_3),
        ("feed.geojson", GBFS_2),
        ("stops.txt", GTFS.encode()),
        ("stops.csv", GTFS.encode()),
        ("stations.tsv", GTFS.replace(",", "\t").encode()),
        ("stations.csv", COMMAS.encode()),
        ("stations.csv", COMMAS.replace(",", '","').replace(";", ",").replace('2","5', '"2,5').encode().replace(b'"', b"")
         .replace(b"52,5000", b'"52,5000"').replace(b"13,4000", b'"13,4000"').replace(b"52,51", b'"52,51"').replace(b"13,42", b'"13,42"')),
        ("points.geojson", collection(POINTS)),
        ("points.geojsonl", b"\n".join(json.dumps(one).encode() for one in POINTS)),
        ("points.gpkg", geopackage([("1", blob(shapely.Point(A))), ("2", blob(shapely.Point(B)))])),
    ],
)  # fmt: skip
def test_stations_of_every_form_are_the_tiles_of_the_places_nearest_to_them(name, data):
    tiles = read_tessellation(data, name)
    assert tiles.tile_ids == ("1", "2")
    assert tiles.notes[0] == NEAREST
    lng, lat = np.array([A, B]).T
    assert tiles.index.assign(lng, lat).tolist() == [0, 1]
    if "gpkg" not in name:
        assert tiles.tile_names == ("S1", "S2")


@pytest.mark.parametrize("name", ["points.shp", "points.fgb", "points.gpkg"])
@pytest.mark.parametrize("crs", [4326, 25833])
def test_points_of_other_formats_are_stations_in_their_system(tmp_path, name, crs):
    tiles = read_tessellation(written(tmp_path, name, crs), name)
    assert tiles.tile_ids == ("1", "2")
    assert NEAREST in tiles.notes
    lng, lat = np.array([A, B]).T
    assert tiles.index.assign(lng, lat).tolist() == [0, 1]
    of_frame = dpcore.load_tiles(frame(crs))
    assert of_frame.tile_ids == ("1", "2")


def test_notes_say_what_was_read_and_left_out():
    assert (
        "rows of entrances, nodes and boarding areas (location_type) were left out: 2"
        in read_tessellation(GTFS.encode(), "stops.txt").notes
    )
    by_pandas = (
        GTFS.replace(",,2,2\r", ",,2.0,2\r").replace(",,3,2\r", ",,3.0,2\r").replace(",,0,\r", ",,0.0,\r")
    )
    assert by_pandas.count(".0,") == 3
    tiles = read_tessellation(by_pandas.encode(), "stops.txt")
    assert tiles.tile_ids == ("1", "2")
    assert "rows of entrances, nodes and boarding areas (location_type) were left out: 2" in tiles.notes
    assert "decimal commas were read as points" in read_tessellation(COMMAS.encode(), "s.csv").notes
    beside = [feature({"tile_id": "a"}, [ring(0, 0)]), *POINTS]
    tiles = read_tessellation(collection(beside), "tiles.geojson")
    assert tiles.tile_ids == ("a",)
    assert tiles.notes == ("points beside areas were left out: 2",)


def refused(data, name="stations.csv", **options):
    with pytest.raises(TessellationError) as caught:
        read_tessellation(data, name, **options)
    return caught.value


def test_an_id_at_two_places_is_one_tile_on_demand():
    table = b"stop_id,lat,lng\n1N,52.5,13.40\n1N,52.503,13.40\n2,52.51,13.42\n"
    error = refused(table)
    assert 'several features have one tile id: "1N"' in str(error)
    assert "--merge-ids" in error.mend
    assert '"lat"' not in str(error)
    tiles = read_tessellation(table, "stations.csv", merge_ids=True)
    assert tiles.tile_ids == ("1N", "2")
    here = tiles.index.assign(np.array([13.40, 13.40, 13.42]), np.array([52.5, 52.503, 52.51]))
    assert here.tolist() == [0, 0, 1]


def test_two_stations_at_one_place_keep_a_side_each_on_demand():
    table = b"id,lat,lng\n1,52.5,13.40\n2,52.51,13.42\n3,52.5,13.40\n1,52.5,13.4000001\n"
    error = refused(table, merge_ids=True)
    assert error.what.startswith("stations are at the same place: lines 2 and 4; 4 and 5")
    assert "Keep one" not in error.mend
    assert error.options == {"--overlaps"}
    tiles = read_tessellation(table, "stations.csv", merge_ids=True, overlaps="first")
    assert tiles.tile_ids == ("1", "2", "3")
    assert "stations at one place share it: each tile has a side" in tiles.notes
    assert shapely.area(np.array(tiles.polygons)).min() > 0


def test_all_faults_of_stations_are_told_at_once_with_those_of_ids():
    table = b"code,twin,lat,lng\n1,1,north,13.4\n2,1,,13.4\n3,2,52.5,200\n4,2,52.5\n5,3,52.51,13.42\n5,3,52.52,13.42\n"
    said = str(refused(table))
    for told in (
        "not a number: stations.csv, line 2, column lat",
        "a station without coordinates: stations.csv, line 3, column lat",
        "outside [-180, 180]: stations.csv, line 4, column lng",
        "has 3 fields, the header 4: stations.csv, line 5",
        "no property is known as tile id",
    ):
        assert told in said
    status = feed([{"station_id": "1", "num_bikes_available": 3}])
    assert "station_information.json, which has lat and lon" in str(refused(status, "station_status.json"))
    feeds = json.dumps(
        {"last_updated": 1, "ttl": 0, "version": "2.3", "data": {"en": {"feeds": []}}}
    ).encode()
    assert "Give its station_information.json" in str(refused(feeds, "gbfs.json"))


METRES = [shapely.box(300_000 + 1_000 * x, 5_800_000, 301_000 + 1_000 * x, 5_801_000) for x in (0, 1)]


def parquet(shapes, about, name="geom"):
    table = pa.table({"tile_id": ["a", "b"], name: pa.array([*map(shapely.to_wkb, shapes)], pa.binary())})
    out = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(about)} if about else None), out)
    return out.getvalue().to_pybytes()


DUCKDB = {
    "version": "1.0.0",
    "primary_column": "geom",
    "columns": {
        "geom": {"encoding": "WKB", "geometry_types": ["Polygon"], "bbox": [3e5, 5.8e6, 3.02e5, 5.801e6]}
    },
}
"""As DuckDB writes it for shapes without a system."""


@pytest.mark.parametrize("about", [DUCKDB, {**DUCKDB, "version": "2.0.0"}, None])
def test_parquet_in_metres_that_names_no_system_loads_after_its_one_refusal(about):
    data = parquet(METRES, about)
    assert refused(data, "tiles.parquet").options == {"--tiles-crs"}
    tiles = read_tessellation(data, "tiles.parquet", tiles_crs="EPSG:25833")
    assert tiles.tile_ids == ("a", "b")
    assert 12 < tiles.bounds.west < 13


@pytest.mark.parametrize("name", ["geometry", "geom", "wkb", "shape"])
def test_well_known_binary_without_metadata_is_read_in_the_system_that_is_named(name):
    boxes = [shapely.box(x, 0, x + 1, 1) for x in (0, 1)]
    data = parquet(boxes, None, name)
    assert "the coordinate system is undefined or unknown" in str(refused(data, "tiles.parquet"))
    assert read_tessellation(data, "tiles.parquet", tiles_crs="EPSG:4326").tile_ids == ("a", "b")


@pytest.mark.parametrize("column", ["uid", "user_id", "timestamp", "tracked_at", "trip id", "device_id"])
def test_points_of_trips_are_no_stations(column):
    error = refused(
        collection([feature({"n": "1", column: "secret"}, list(A), kind="Point")]), "points.geojson"
    )
    assert error.what == "this looks like trips, not like a table of stations"
    assert "secret" not in str(error)


def test_shapes_alone_are_no_tiles():
    with pytest.raises(AtlasError, match="shapes without ids of tiles: GeoSeries"):
        dpcore.load_tiles(frame().geometry)


def test_an_archive_of_stations_is_named():
    assert "the content is a zip archive" in str(refused(zipped({"stops.txt": GTFS.encode()}), "stops.txt"))
