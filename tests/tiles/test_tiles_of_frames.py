"""Frames take the road of files: the same tiles are reprojected alike, named by ``tiles_crs``, or refused."""

from __future__ import annotations

import sqlite3

import geopandas as gpd
import numpy as np
import pandas as pd
import pyproj
import pytest
from made_formats import METRES, geoparquet, with_gdal
from shapely import box

import dpcore
from dpcore.errors import InputError, TessellationError
from dpcore.tiles import child, read_tessellation
from dpcore.tiles.projection import UNKNOWN, system_of, system_of_crs

NO_DATUM = {
    "transverse Mercator": "+proj=tmerc +lon_0=9 +x_0=3500000 +ellps=bessel",
    "degrees": "+proj=longlat +ellps=bessel",
    "like UTM": "+proj=utm +zone=32 +ellps=GRS80",
    "undefined globe": 'GEOGCRS["Undefined geographic SRS",DATUM["unknown",ELLIPSOID["unknown",6378137,298.257223563]],'
    'CS[ellipsoidal,2],AXIS["latitude",north],AXIS["longitude",east],ANGLEUNIT["degree",0.0174532925199433]]',
    "undefined plane": 'ENGCRS["Undefined Cartesian SRS",EDATUM[""],CS[Cartesian,2],AXIS["(E)",east],AXIS["(N)",north],'
    'LENGTHUNIT["metre",1]]',
}
SAYS = r"undefined or unknown.*--tiles-crs EPSG:\.\.\. \(in a notebook: tiles_crs;"
SQUARE = box(3_500_000, 5_500_000, 3_501_000, 5_501_000)


def frame_in(crs) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame({"tile_id": ["a"]}, geometry=[SQUARE], crs=crs)


@pytest.mark.parametrize("crs", NO_DATUM.values(), ids=NO_DATUM)
def test_a_frame_without_a_known_datum_is_refused_or_named(crs):
    assert system_of_crs(crs) == UNKNOWN
    with pytest.raises(TessellationError, match=r"undefined or unknown.*tiles_crs=") as found:
        dpcore.load_tiles(frame_in(crs))
    assert (found.value.where, "--tiles-crs" in str(found.value)) == ("data frame", False)
    tiles = dpcore.load_tiles(frame_in(crs), tiles_crs="EPSG:31467")
    assert tiles.notes == ("coordinates were reprojected from EPSG:31467 to WGS84",)
    assert tiles.bounds.west == pytest.approx(8.99896, abs=1e-5)


KNOWN = {
    "a code": "EPSG:25833",
    "WGS84": "EPSG:4326",
    "three axes": "EPSG:4979",
    "a datum": "+proj=utm +zone=33 +datum=WGS84",
    "an ensemble": pyproj.CRS("EPSG:4326").to_wkt(),
    "of a country": pyproj.CRS("EPSG:31467").to_json(),
    "bound": "+proj=tmerc +lat_0=0 +lon_0=9 +k=1 +x_0=3500000 +ellps=bessel +towgs84=598.1,73.7,418.2,0.202,0.045,-2.455,6.7",
    "in no register": "+proj=laea +lat_0=50 +lon_0=9 +datum=WGS84",
    "no system": "no system",
    "of another register": "ESRI:102003",
}


@pytest.mark.parametrize("crs", (NO_DATUM | KNOWN).values(), ids=NO_DATUM | KNOWN)
def test_a_frame_and_the_child_that_reads_files_name_a_system_alike(crs):
    """The child imports nothing of this package, so it has the rule for itself."""
    assert system_of_crs(crs) == system_of(child._code(crs))
    assert system_of_crs(None) is child._code(None) is None


@pytest.mark.parametrize("kind", ["shp", "gpkg", "fgb", "parquet"])
def test_a_file_without_a_known_datum_is_refused_or_named_too(kind, tmp_path):
    crs = pyproj.CRS.from_user_input("+proj=utm +zone=33 +ellps=GRS80")
    driver = {"shp": "ESRI Shapefile", "gpkg": "GPKG", "fgb": "FlatGeobuf"}.get(kind)
    place = tmp_path / f"zones.{kind}"
    if driver is None:
        place.write_bytes(geoparquet(crs.to_json_dict()))
    else:
        with_gdal(tmp_path, place.name, driver, METRES, crs.to_wkt())
    with pytest.raises(TessellationError, match=SAYS):
        read_tessellation(place, place.name)
    assert read_tessellation(place, place.name, tiles_crs="EPSG:25833").notes


def test_a_fault_of_a_frame_names_the_frame_and_no_file():
    frame = gpd.GeoDataFrame(
        {"tile_id": ["a", "outside"]},
        geometry=[box(9, 50, 9.01, 50.01), box(9.02, 50, 9.03, 50.01)],
        crs=4326,
    )
    with pytest.raises(TessellationError, match='"outside"') as found:
        dpcore.load_tiles(frame)
    assert found.value.where == 'data frame, feature 2, property "tile_id"'


def test_frames_get_the_note_and_the_degrees_of_files(tmp_path):
    frame = frame_in("EPSG:31467")
    frame.to_file(tmp_path / "tiles.gpkg", driver="GPKG")
    of_file, of_frame = dpcore.load_tiles(tmp_path / "tiles.gpkg"), dpcore.load_tiles(frame)
    assert of_frame.notes == of_file.notes == ("coordinates were reprojected from EPSG:31467 to WGS84",)
    assert of_frame.digest == of_file.digest
    assert dpcore.load_tiles(frame.to_crs(4326)).notes == ()
    with pytest.raises(
        TessellationError, match="the file declares EPSG:31467, and --tiles-crs says EPSG:25832"
    ):
        dpcore.load_tiles(frame, tiles_crs="EPSG:25832")
    bare = frame.set_crs(None, allow_override=True)
    assert dpcore.load_tiles(bare, tiles_crs="EPSG:31467").digest == of_file.digest


@pytest.mark.parametrize("reference", [-1, 0])
def test_a_geopackage_frame_of_an_undefined_system_gets_advice(reference, tmp_path):
    place = tmp_path / "tiles.gpkg"
    frame_in("EPSG:4326").assign(geometry=[box(9, 50, 9.01, 50.01)]).to_file(place, driver="GPKG")
    with sqlite3.connect(place) as database:
        triggers = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            database.execute(f'DROP TRIGGER "{name}"')
        for table in ("gpkg_geometry_columns", "gpkg_contents"):
            database.execute(f"UPDATE {table} SET srs_id = ?", (reference,))
    frame = gpd.read_file(place)
    with pytest.raises(TessellationError, match=r"coordinate system|undefined or unknown") as found:
        dpcore.load_tiles(frame)
    assert found.value.mend
    assert dpcore.load_tiles(frame, tiles_crs="EPSG:4326").bounds.west == 9


def points_in(crs, at=(3_500_500, 5_500_500)) -> gpd.GeoDataFrame:
    rows = {
        "uid": ["a", "a"],
        "tid": [1, 1],
        "datetime": pd.to_datetime(["2024-03-05 08:00", "2024-03-05 09:00"]),
    }
    return gpd.GeoDataFrame(rows, geometry=gpd.points_from_xy(*np.array([at, at]).T), crs=crs)


@pytest.mark.parametrize("crs", NO_DATUM.values(), ids=NO_DATUM)
def test_points_without_a_known_datum_are_refused(crs):
    tiles = dpcore.load_tiles(frame_in("EPSG:31467"))
    with pytest.raises(InputError, match=r"undefined or unknown.*set_crs\(25833, allow_override=True\)"):
        dpcore.load_trips(points_in(crs), tiles, timezone="Europe/Berlin")


def test_points_are_turned_as_tiles_are():
    tiles = dpcore.load_tiles(frame_in("EPSG:31467"))
    trips = dpcore.load_trips(points_in("EPSG:31467"), tiles, timezone="Europe/Berlin")
    visits = dpcore.exact_table(trips, "visits_per_tile").set_index("tile_id")["value"]
    assert visits.to_dict() == {"a": 2, "outside": 0}
    with pytest.raises(InputError, match="column lat"):
        dpcore.load_trips(points_in("EPSG:31467", (1e12, 1e12)), tiles, timezone="Europe/Berlin")
