"""The files of the demo city, the same bytes for the same arguments."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import shapely

from dpcore.demo.city import CityTiles, city_tiles
from dpcore.demo.trips import SCHEMA, trip_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def write_city(out: Path, trips: int, tiles: int, seed: int) -> None:
    """Write ``trips.parquet``, ``trips.csv`` and ``tiles.geojson`` into the folder ``out``, made if missing.

    Each file appears under its name only when it is complete. Columns are those of ``city_trips``; a tile
    has the properties ``tile_id`` and ``tile_name``.

    Raises:
        InputError: A size is out of range; then nothing was written.
    """
    districts = city_tiles(tiles, seed)
    tables = trip_tables(trips, seed)
    out.mkdir(parents=True, exist_ok=True)
    with _complete(out / "tiles.geojson") as path:
        _write_tiles(path, districts)
    seconds = pa.schema(
        [
            field.with_type(pa.timestamp("s")) if pa.types.is_timestamp(field.type) else field
            for field in SCHEMA
        ]
    )
    with (
        _complete(out / "trips.csv") as csv_path,
        _complete(out / "trips.parquet") as parquet_path,
        pa.csv.CSVWriter(csv_path, seconds) as csv_file,
        pa.parquet.ParquetWriter(parquet_path, SCHEMA, compression="zstd") as parquet_file,
    ):
        for table in tables:
            parquet_file.write_table(table)
            csv_file.write_table(table.cast(seconds))


def _write_tiles(path: Path, districts: CityTiles) -> None:
    """One feature a line: GeoJSON as RFC 7946 has it, longitude before latitude."""
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


@contextmanager
def _complete(path: Path) -> Iterator[Path]:
    """A path to write to; the file moves to ``path`` if all went well, and is removed if not."""
    part = path.with_name(path.name + ".part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
