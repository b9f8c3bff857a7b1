"""The files of ``tiles/`` and those that ``made`` writes: what each one is, what it takes to load it, and what must be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "tiles"


@dataclass(frozen=True)
class TilesCase:
    """One file."""

    file: str
    what: str
    """The format or publisher, as the table of the docs names it."""
    ids: tuple[str, ...] = ()
    """The ids of the tiles, sorted."""
    at: tuple[float, float, str] = (0.0, 0.0, "")
    """Longitude and latitude of a place, and the id of the tile it lies in."""
    options: str = ""
    """The words that the command line needs beside the file."""
    refused: str = ""
    """For a file that is refused: the beginning of the message."""
    remark: str = ""
    """What the table of the docs says about it."""

    def __str__(self) -> str:
        """Its name, for the names of tests."""
        return self.file


BERLIN_AT, BRITISH_AT = (13.43, 52.51), (-0.120969, 51.508369)
FEET_AT, UTM_AT = (-74.006313, 40.722492), (10.748389, 59.919618)
B = ("b0", "b1", "b2")
WARDS, PARISHES = ("E05001", "E05002", "E05003"), ("0301", "0302", "0303")
BRITISH = "--tiles-crs EPSG:27700"

GEOJSON = (
    TilesCase("squares.geojson", "GeoJSON", B, (*BERLIN_AT, "b1")),
    TilesCase("heights_and_bom.geojson", "GeoJSON with heights and a byte-order mark", ("1", "2", "3"), (*BERLIN_AT, "2")),
    TilesCase("feature_ids.geojson", "GeoJSON with ids of features alone", ("w0", "w1", "w2"), (*BERLIN_AT, "w1")),
    TilesCase("geometry_collection.geojson", "GeoJSON with geometry collections", ("g0", "g1", "g2"), (*BERLIN_AT, "g1"), remark="the areas of a collection are the tile"),
    TilesCase("crs84_member.geojson", "US census tracts, GeoJSON of GDAL", ("06075010100", "06075010101", "06075010102"), (-122.41, 37.77, "06075010100")),
    TilesCase("crs_2263_member.geojson", "GeoJSON with an old crs member, New York feet", ("1", "2", "3"), (*FEET_AT, "1")),
    TilesCase("crs_3857_member.json", "GeoJSON with an old crs member, web Mercator", ("C0", "C1", "C2"), (13.393881, 52.499772, "C0")),
    TilesCase("crs_25833_member.geojson", "Districts of Oslo, GeoJSON in UTM", ("0301", "0302", "0303"), (10.755228, 59.916753, "0301"), "--tile-id bydelsnr"),
    TilesCase("no_crs_projected.geojson", "GeoJSON in metres that does not say its system", ("E05000", "E05001", "E05002"), (*BRITISH_AT, "E05000"), BRITISH),
    TilesCase("qgis_grid.geojson", "A grid of QGIS", ("1", "2", "3"), (*BERLIN_AT, "2")),
    TilesCase("sf_overlaps.geojson", "Neighbourhoods of San Francisco, which overlap by 0.15 %", ("Cable Hill", "Ferry Flats", "Mission Yard"), (-122.41, 37.77, "Cable Hill"), "--overlaps first"),
    TilesCase("oslo_overlaps.geojson", "Districts of Oslo, which overlap", ("0301", "0302", "0303"), (10.725, 59.91, "0302"), "--overlaps smaller"),
    TilesCase("taxi_zones.geojson", "Taxi zones of New York, ids of zones of several parts repeat", ("55", "56", "57"), (-73.92, 40.71, "56"), "--merge-ids"),
    TilesCase("two_candidates.geojson", "Planning areas with several unique columns", ("HILLSIDE", "HARBOUR", "OLD TOWN"), (103.81, 1.31, "HILLSIDE"), "--tile-id PLN_AREA_N"),
    TilesCase("lines.geojsonl", "GeoJSON, one feature a line", ("l0", "l1", "l2"), (*BERLIN_AT, "l1")),
    TilesCase("h3_cells.geojson", "H3 cells as GeoJSON", ("881f1d4883fffff", "881f1d4891fffff", "881f1d4895fffff", "881f1d4897fffff"), (13.3865, 52.5219, "881f1d4883fffff")),
)  # fmt: skip

MAPS = (
    TilesCase("squares.gpkg", "GeoPackage", B, (*BERLIN_AT, "b1")),
    TilesCase("parishes_32632.gpkg", "GeoPackage in UTM", PARISHES, (*UTM_AT, "0301"), "--tile-id parish_id"),
    TilesCase("taxi_zones_2263.zip", "Shapefile (zip)", ("1", "2", "3"), (*FEET_AT, "1")),
    TilesCase("wards_without_prj.zip", "Shapefile (zip) without .prj", WARDS, (*BRITISH_AT, "E05001"), BRITISH),
    TilesCase("wards_27700.fgb", "FlatGeobuf", WARDS, (*BRITISH_AT, "E05001")),
    TilesCase("parishes_32632.parquet", "GeoParquet", PARISHES, (*UTM_AT, "0301"), "--tile-id parish_id"),
    TilesCase("ogr_schema.kml", "KML of GDAL, with a schema", ("k0", "k1", "k2"), (*BERLIN_AT, "k1"), "--tile-id area_id"),
    TilesCase("google_earth.kml", "KML of Google Earth", ("District 0", "District 1", "District 2"), (*BERLIN_AT, "District 1"), remark="of several folders, name one with `--layer`, or take all with `--layer '*'`; pins and notes beside areas are left out, which is said"),
    TilesCase("areas.gml", "GML of a web feature service", ("01", "02", "03"), (*BERLIN_AT, "02"), "--tile-id key"),
    TilesCase("esri.json", "JSON of Esri", ("e0", "e1", "e2"), (*BERLIN_AT, "e1")),
    TilesCase("quantized.topojson", "TopoJSON", ("t0", "t1"), (13.41, 52.51, "t0")),
    TilesCase("socrata_wkt.csv", "WKT in CSV, open data portal", ("201", "202", "203"), (-73.96, 40.71, "202")),
    TilesCase("postgis_wkt.csv", "WKT in CSV, PostGIS", ("1", "2", "3"), (*BERLIN_AT, "2"), "--tile-id gid"),
    TilesCase("geopandas_wkt_27700.csv", "WKT in CSV, geopandas, British national grid", ("E05000", "E05001", "E05002"), (*BRITISH_AT, "E05000"), f"{BRITISH} --tile-id ward", remark="the index of the frame is a column that could be an id"),
)  # fmt: skip

STATIONS = (
    TilesCase("gbfs_stations.csv", "Stations of GBFS as CSV", ("23", "24", "25"), (-71.0602, 42.3551, "23")),
    TilesCase("divvy_stations.csv", "Stations of Divvy", ("901", "902", "903"), (-87.6302, 41.8805, "901")),
    TilesCase("hsl_stations.csv", "Stations of HSL, x and y in degrees", ("094", "100", "113"), (24.9502, 60.1551, "094")),
    TilesCase("gbfs_2_3.json", "GBFS 2.3, station_information.json", ("23", "24", "25"), (-71.0602, 42.3551, "23"), remark="other ids of the feed, such as short_name: --tile-id short_name"),
    TilesCase("gbfs_3_0.json", "GBFS 3.0, station_information.json", ("23", "24", "25"), (-71.0602, 42.3551, "23")),
    TilesCase("gtfs_stops.txt", "GTFS, stops.txt", ("23", "24", "25"), (-71.0602, 42.3551, "23"), remark="entrances, nodes and boarding areas are left out, which is said"),
    TilesCase("station_points.geojson", "Stations as points, GeoJSON", ("23", "24", "25"), (-71.0602, 42.3551, "23"), remark="points of every format are stations; beside areas they are labels and left out, which is said"),
    TilesCase("decimal_commas.csv", "Stations with decimal commas", ("23", "24", "25"), (-71.0602, 42.3551, "23")),
    TilesCase("hubway_stations.csv", "Stations of the Hubway challenge", ("23", "24", "25"), (-71.0602, 42.3551, "23")),
)  # fmt: skip

REFUSED = (
    TilesCase(
        "h3_cells.csv",
        "H3 cells as a list",
        refused="no column for the latitude of a station",
        remark="lay H3 hexagons on the Data page, or give the cells with their shapes",
    ),
)

TILES = (*GEOJSON, *MAPS, *STATIONS, *REFUSED)
