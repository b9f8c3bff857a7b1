"""Published files with their real faults, where they are at hand."""

from pathlib import Path

import numpy as np
import pytest
import shapely

from dpcore.errors import TessellationError
from dpcore.tiles import describe_properties, read_tessellation
from tests.end_of_run import NOT_OURS

SHARED_DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


def real(path):
    found = SHARED_DATA / path
    if not found.exists():
        pytest.skip(f"{NOT_OURS} {path}, which do not come with the project")
    return found


def read(path, **options):
    found = real(path)
    return read_tessellation(found, found.name, **options)


def assert_sound(tiles):
    assert shapely.coverage_is_valid(list(tiles.polygons))
    corners = np.unique(shapely.get_coordinates(list(tiles.polygons)), axis=0)
    west, south, east, north = tiles.bounds
    rng = np.random.default_rng(0)
    points = rng.uniform((west, south), (east, north), (20_000, 2))
    found = tiles.index.assign(points[:, 0], points[:, 1])
    tree = shapely.STRtree(tiles.polygons)
    which, tile = tree.query(shapely.points(points), predicate="within")
    expected = np.full(len(points), -1)
    expected[which] = tile
    assert (found == expected).all()
    whole = shapely.union_all(tiles.polygons)
    shapely.prepare(whole)
    surrounded = shapely.contains_xy(whole, corners)
    assert (tiles.index.assign(corners[:, 0], corners[:, 1])[surrounded] >= 0).all()


def test_taxi_zones_repeat_two_ids_and_have_slivers():
    with pytest.raises(TessellationError, match='"56", "103"') as refused:
        read("real/nyc_taxi/taxi_zones.geojson")
    assert 'Trips with zone ids name their tiles by "LocationID"' in refused.value.mend
    assert "OBJECTID" not in str(refused.value)
    tiles = read("real/nyc_taxi/taxi_zones.geojson", merge_ids=True)
    assert len(tiles.tile_ids) == 260
    merged, joined = tiles.notes
    assert merged == '5 features were merged into 2 tiles: "103", "56"'
    assert "borders of" in joined
    assert tiles.tile_names[tiles.tile_ids.index("1")] == "Newark Airport"
    assert_sound(tiles)


def test_taxi_zones_propose_the_id_that_trips_have_though_another_is_unique():
    path = real("real/nyc_taxi/taxi_zones.geojson")
    seen = {each.column: each for each in describe_properties(path, path.name)}
    assert seen["LocationID"].proposed
    assert seen["LocationID"].repeats
    assert not seen["OBJECTID"].repeats
    assert len(read_tessellation(path, path.name, tile_id="OBJECTID").tile_ids) == 263


def test_boston_has_an_invalid_outline_and_slivers():
    tiles = read("real/boston/Boston_Neighborhoods.geojson")
    assert len(tiles.tile_ids) == 26
    repaired, joined = tiles.notes
    assert "crossed itself" in repaired
    assert "borders of" in joined
    assert tiles.tile_names[tiles.tile_ids.index("15")] == "Roslindale"
    assert_sound(tiles)


def test_cambridge_has_census_ids():
    tiles = read("real/boston/cambridge.geo.json")
    assert len(tiles.tile_ids) == 32
    assert tiles.tile_ids[0] == "25017352101"
    assert tiles.tile_names[0] == "Census Tract 3521.01"
    assert_sound(tiles)


def test_squares_over_jersey_city_need_no_repair():
    tiles = read("real/citibike_jersey_city/grid500m.geojson")
    assert len(tiles.tile_ids) == 208
    assert tiles.notes == ()
    assert_sound(tiles)


def test_the_small_oracle_city_gives_its_stated_counts():
    csv = real("oracle-mini/trips.csv")
    tiles = read("oracle-mini/tiles.geojson")
    assert tiles.tile_ids == tuple(f"T{i:02d}" for i in range(1, 13))
    assert tiles.notes == ()
    lng, lat = [], []
    for line in csv.read_text().splitlines()[1:]:
        lat.append(float(line.split(",")[3]))
        lng.append(float(line.split(",")[4]))
    found = tiles.index.assign(lng, lat)
    expected = {}
    for line in real("oracle-mini/expected/visits_per_tile.csv").read_text().splitlines()[1:]:
        tile, *counts = line.split(",")
        expected[tile] = max(map(int, counts))
    names = (*tiles.tile_ids, "outside")
    assert {names[i]: int((found == (i if i < 12 else -1)).sum()) for i in range(13)} == expected
    assert_sound(tiles)


def test_census_tracts_are_the_same_from_a_shapefile_of_the_state(tmp_path):
    """As the Commonwealth publishes them: state plane metres, with the definition of Esri instead of a code."""
    import geopandas

    tiles = read("real/boston/cambridge.geo.json")
    frame = geopandas.read_file(real("real/boston/cambridge.geo.json")).to_crs(26986)
    frame.to_file(tmp_path / "tracts.shp", encoding="utf-8")
    again = read_tessellation(tmp_path / "tracts.shp", "tracts.shp")
    assert (again.tile_ids, again.tile_names) == (tiles.tile_ids, tiles.tile_names)
    assert again.notes[0] == "coordinates were reprojected from EPSG:26986 to WGS84"
    for one, other in zip(again.polygons, tiles.polygons, strict=True):
        assert shapely.hausdorff_distance(one, other) < 1e-7
