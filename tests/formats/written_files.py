"""The files of formats that no person can open in an editor: written from tables and squares when a test asks for them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import geopandas
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

WGS84, BRITISH, NEW_YORK_FEET, UTM_32 = 4326, 27700, 2263, 32632


def taxi_parquet() -> bytes:
    """Two trips of a yellow taxi as the commission publishes them today: times without zone, whole numbers for zones."""
    times = [
        datetime(2023, 1, 1, 0, 32, 10),
        datetime(2023, 1, 1, 0, 40, 36),
        datetime(2023, 1, 1, 23, 55, 8),
    ]
    table = pa.table(
        {
            "VendorID": pa.array([2, 1], pa.int64()),
            "tpep_pickup_datetime": pa.array([times[0], times[2]], pa.timestamp("us")),
            "tpep_dropoff_datetime": pa.array([times[1], None], pa.timestamp("us")),
            "passenger_count": pa.array([1.0, None], pa.float64()),
            "trip_distance": pa.array([0.97, 1.1], pa.float64()),
            "PULocationID": pa.array([161, 43], pa.int64()),
            "DOLocationID": pa.array([141, 265], pa.int64()),
            "airport_fee": pa.array([0.0, None], pa.float64()),
        }
    )
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def areas(
    system: int, west: float, south: float, side: float, **columns: list[object]
) -> geopandas.GeoDataFrame:
    """Three squares side by side in this EPSG system, with these columns."""
    boxes = [shapely.box(west + i * side, south, west + (i + 1) * side, south + side) for i in range(3)]
    return geopandas.GeoDataFrame(columns, geometry=boxes, crs=system)


def wards() -> geopandas.GeoDataFrame:
    """Wards in the British national grid."""
    return areas(BRITISH, 530_000, 180_000, 1_000, ward=["E05001", "E05002", "E05003"])


def zones() -> geopandas.GeoDataFrame:
    """Taxi zones in feet of New York's plane."""
    return areas(NEW_YORK_FEET, 980_000, 200_000, 5_000, LocationID=[1, 2, 3], zone=["Pier", "Park", "Yard"])


def parishes() -> geopandas.GeoDataFrame:
    """Parishes in a zone of UTM, whose ids begin with a zero."""
    return areas(
        UTM_32, 597_000, 6_643_000, 1_500, parish_id=["0301", "0302", "0303"], name=["Elv", "Ås", "Sjø"]
    )


def squares() -> geopandas.GeoDataFrame:
    """Squares in WGS84."""
    return areas(WGS84, 13.40, 52.50, 0.02, tile_id=["b0", "b1", "b2"])


def written(frame: geopandas.GeoDataFrame, folder: Path, name: str, driver: str) -> Path:
    """The frame as one file, or as several with one stem."""
    path = folder / name
    frame.to_file(path, driver=driver)
    return path


def zipped_shapes(
    frame: geopandas.GeoDataFrame, folder: Path, *, leave_out: str = "", inside: str = ""
) -> bytes:
    """A Shapefile as it is published: all of its files in one zip."""
    written(frame, folder, "areas.shp", "ESRI Shapefile")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.glob("areas.*")):
            if path.suffix != leave_out:
                archive.writestr(inside + path.name, path.read_bytes())
    return out.getvalue()


def geoparquet(frame: geopandas.GeoDataFrame) -> bytes:
    """GeoParquet 1.0 with geometries as WKB."""
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


MADE: Mapping[str, Callable[[Path], bytes]] = {
    "tlc_yellow_2023.parquet": lambda _: taxi_parquet(),
    "taxi_zones_2263.zip": lambda folder: zipped_shapes(zones(), folder, inside="taxi_zones/"),
    "wards_without_prj.zip": lambda folder: zipped_shapes(wards(), folder, leave_out=".prj"),
    "parishes_32632.gpkg": lambda folder: written(parishes(), folder, "parishes.gpkg", "GPKG").read_bytes(),
    "squares.gpkg": lambda folder: written(squares(), folder, "squares.gpkg", "GPKG").read_bytes(),
    "wards_27700.fgb": lambda folder: written(wards(), folder, "wards.fgb", "FlatGeobuf").read_bytes(),
    "parishes_32632.parquet": lambda _: geoparquet(parishes()),
}
"""Name of a file -> what writes it, given a folder of its own."""
