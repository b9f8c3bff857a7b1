"""Tiles are read a second time, by GDAL through pyogrio: the same ids, and each shape corner by corner.

Our readers of GeoJSON, TopoJSON, GeoPackage and tables share nothing with GDAL. Of the other formats GDAL reads the file for us, in a
process of its own; there the comparison is of what we do with it.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import pyogrio
import pytest
import shapely

from tests.formats.door import bytes_of, tiles_of
from tests.formats.tiles_index import BRITISH, TILES, TilesCase

NO_READER = {
    "gbfs_2_3.json": "is no format of GDAL",
    "gbfs_3_0.json": "is no format of GDAL",
    "parishes_32632.parquet": "is in no wheel of pyogrio",
}
"""Files that GDAL cannot open here, and why."""
CASES = [case for case in TILES if not case.refused and case.file not in NO_READER]
REAL = (
    ("real/nyc_taxi/taxi_zones.geojson", "--merge-ids"),
    ("real/boston/Boston_Neighborhoods.geojson", ""),
    ("real/boston/cambridge.geo.json", ""),
    ("real/boston/hubway_stations.csv", ""),
    ("real/citibike_jersey_city/grid500m.geojson", ""),
    ("oracle-mini/tiles.geojson", ""),
    *((f"front-door-2/{name}.geojson", "") for name in ("b20", "b23", "b23l", "berlin", "f12p", "nyc", "rome", "zones")),
)  # fmt: skip
MENDED = {
    "sf_overlaps.geojson": 2e-3,
    "oslo_overlaps.geojson": 3e-3,
    "real/nyc_taxi/taxi_zones.geojson": 1e-5,
    "real/boston/Boston_Neighborhoods.geojson": 1e-5,
}
"""Files whose shapes overlap or cross themselves, which we mend and GDAL does not: the largest share of a shape that this may change."""
COLUMNS = {
    "GEOM_POSSIBLE_NAMES": "the_geom,geometry,wkt,geom",
    "X_POSSIBLE_NAMES": "lng,lon,longitude,x,stop_lon",
    "Y_POSSIBLE_NAMES": "lat,latitude,y,stop_lat",
}


def by_gdal(case: TilesCase, path: Path) -> geopandas.GeoDataFrame:
    """The features of a file in WGS84, each with its ``tile``: the column that has our ids."""
    place, options = str(path), {}
    if path.suffix == ".zip":
        (shapes,) = (name for name in zipfile.ZipFile(path).namelist() if name.endswith(".shp"))
        place = f"/vsizip/{path}/{shapes}"
    elif path.suffix in {".csv", ".txt"}:
        place, options = f"CSV:{path}" if path.suffix == ".txt" else place, COLUMNS
    found = geopandas.read_file(place, engine="pyogrio", **options)
    system = "EPSG:27700" if BRITISH in case.options else found.crs or "EPSG:4326"
    return found.set_geometry(found.geometry.set_crs(system, allow_override=True).to_crs(4326))


def with_ids(found: geopandas.GeoDataFrame, ids: tuple[str, ...]) -> geopandas.GeoDataFrame:
    """The features that are tiles, under their ids as we write them."""
    for name in found.columns.drop(found.geometry.name):
        numbers = found[name].dtype.kind == "f" and (found[name] % 1 == 0).all()
        texts = found[name].astype("int64" if numbers else str).astype(str)
        if {*texts} == {*ids}:
            return found.assign(tile=texts)
    raise AssertionError(f"no column of GDAL has the ids {ids[:3]}")


def areas(shape: shapely.Geometry) -> shapely.Geometry:
    """The areas of a shape, without heights."""
    flat = shapely.force_2d(shapely.make_valid(shape))
    return shapely.union_all([part for part in shapely.get_parts(flat) if shapely.area(part)])


def compared(case: TilesCase, data: bytes, folder: Path) -> tuple[int, float, float]:
    """Number of tiles, and of their shapes the largest share of the area and the largest distance in degrees that differ."""
    ours = tiles_of(case, data, folder)
    found = by_gdal(case, folder / case.file)
    if "location_type" in found:
        found = found[~found["location_type"].isin(["2", "3", "4"])]
    if {*found.geom_type} == {"Point"}:
        found = with_ids(found, ours.tile_ids)
        at = ours.index.assign(found.geometry.x.to_numpy(), found.geometry.y.to_numpy())
        assert [ours.tile_ids[tile] for tile in at] == [*found["tile"]]
        return len(found), 0.0, 0.0
    found = with_ids(found[found.geom_type != "Point"], ours.tile_ids)
    shapes = {
        tile: areas(shapely.union_all(mine.to_numpy())) for tile, mine in found.groupby("tile").geometry
    }
    theirs = np.array([shapes[tile] for tile in ours.tile_ids])
    polygons = np.array(ours.polygons)
    apart = shapely.area(shapely.symmetric_difference(polygons, theirs)) / shapely.area(theirs)
    return len(theirs), float(apart.max()), float(shapely.hausdorff_distance(polygons, theirs).max())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gdal_reads_the_same_tiles(case, tmp_path):
    number, area, distance = compared(case, bytes_of(case, tmp_path), tmp_path)
    assert number == len(case.ids)
    if case.file in MENDED:
        assert 0 < area <= MENDED[case.file]
    else:
        assert (area, distance) == (0, 0)


@pytest.mark.parametrize(("path", "options"), REAL, ids=[path for path, _ in REAL])
def test_gdal_reads_the_same_tiles_of_published_files(path, options, shared, tmp_path):
    file = shared(path)
    case = TilesCase(file.name, "", options=options)
    number, area, _ = compared(case, file.read_bytes(), tmp_path)
    assert number > 1
    assert area <= MENDED.get(path, 0)


@pytest.mark.parametrize("file", NO_READER)
def test_what_gdal_cannot_read_is_known(file, tmp_path):
    """If a later GDAL can, it is compared as well."""
    (case,) = (one for one in TILES if one.file == file)
    path = tmp_path / file
    path.write_bytes(bytes_of(case, tmp_path))
    with pytest.raises(pyogrio.errors.DataSourceError):
        geopandas.read_file(path, engine="pyogrio")


def test_a_tile_that_is_elsewhere_would_be_noticed(tmp_path):
    """The tester is tested."""
    case = next(one for one in CASES if one.file == "squares.geojson")
    data = bytes_of(case, tmp_path)
    (tmp_path / "moved").mkdir()
    moved = tiles_of(case, data.replace(b"52.5", b"52.6"), tmp_path / "moved")
    (tmp_path / case.file).write_bytes(data)
    found = with_ids(by_gdal(case, tmp_path / case.file), moved.tile_ids)
    apart = [p.symmetric_difference(q).area for p, q in zip(moved.polygons, found.geometry, strict=True)]
    assert min(apart) > 0
    with pytest.raises(AssertionError, match="no column"):
        with_ids(pd.DataFrame(found).pipe(geopandas.GeoDataFrame), ("b0", "b1"))
