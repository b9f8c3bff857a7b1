"""A small city for Spark and for this computer: with trips that have one end only, and equal trips of one person."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dpcore import demo
from dpcore.tiles import Tessellation, read_tessellation

ZONE = "Europe/Berlin"


def tiles_of(folder: Path) -> Tessellation:
    return read_tessellation(folder / "tiles.geojson", "tiles.geojson")


def write(folder: Path, trips: int, tiles: int) -> Path:
    """A Parquet file: one trip in fifteen has no end, three people have one trip twenty times, and fares are as people write them."""
    demo.write_city(folder, trips, tiles, 7)
    table = pq.read_table(folder / "trips.parquet")
    lost = pa.array(np.arange(len(table)) % 15 == 3)
    for name in ("end_lat", "end_lng"):
        number = table.schema.get_field_index(name)
        column = table[name].combine_chunks()
        thinned = pa.array(column.to_numpy(), pa.float64(), mask=lost.to_numpy(zero_copy_only=False))
        table = table.set_column(number, name, thinned)
    purposes = pa.array(["work", "other errand", None])
    table = table.append_column("purpose", purposes.take(pa.array(np.arange(len(table)) % 3)))
    fares = pa.array(["12.345", "-3", "2,50", None, "1,234", "free", "nan", "1e3", " 7.025 ", "-7.5"])
    table = table.append_column("fare", fares.take(pa.array(np.arange(len(table)) % len(fares))))
    again = np.repeat([5, 50, 500], 20)
    place = folder / "more.parquet"
    pq.write_table(
        pa.concat_tables([table, table.take(again)]), place, row_group_size=min(8_192, len(table) // 3)
    )
    return place
