"""Visits per tile and flows by another engine: ``python engine_counts.py ENGINE CITY OUT``. Runs in the environment of that engine.

Each does it in the fastest way that we found: flows in one pass over the trips, visits as sums of flows. Which tile a point is in
says the engine's own join of shapes, or a tree of shapely: it finds the boxes around a point, then the one outline that holds it.
Writes ``visits_per_tile.csv`` and ``od_flows.csv`` into OUT, as ours are written, and prints one line of JSON.
"""

from __future__ import annotations

import csv
import json
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

ENDS = ("start_lng", "start_lat", "end_lng", "end_lat")
OUTSIDE = "outside"
Flows = Iterable[tuple[Any, Any, int]]
"""Origin, destination and number of trips; a tile by its id, None outside."""


def sedonadb(trips: Path, tiles: Path) -> Flows:
    """Two joins of shapes in one query."""
    import pyarrow as pa
    import sedonadb as engine
    import shapely

    ids, shapes = outlines(tiles)
    context = engine.connect()
    context.read_parquet(str(trips)).to_view("trips")
    table = pa.table({"tile_id": ids, "shape": pa.array(shapely.to_wkb(shapes).tolist(), pa.binary())})
    context.create_data_frame(table).to_view("shapes")
    context.sql("SELECT tile_id, ST_GeomFromWKB(shape) AS shape FROM shapes").to_memtable().to_view("tiles")
    found = context.sql(f"""
        SELECT a.tile_id AS origin, b.tile_id AS destination, count(*) AS trips
        FROM (SELECT {point("start")}, {point("end")} FROM trips) t
        LEFT JOIN tiles a ON ST_Intersects(a.shape, t.start_point)
        LEFT JOIN tiles b ON ST_Intersects(b.shape, t.end_point)
        GROUP BY 1, 2""")
    return rows(pa.table(found).to_pydict())


def polars(trips: Path, tiles: Path) -> Flows:
    """A tree of shapely, then groups."""
    import polars as pl

    table = pl.read_parquet(trips, columns=list(ENDS))
    ids, tile_of = by_tree(tiles)
    lng, lat, end_lng, end_lat = (table[name].to_numpy() for name in ENDS)
    frame = pl.DataFrame({"origin": tile_of(lng, lat), "destination": tile_of(end_lng, end_lat)})
    return named(rows(frame.group_by("origin", "destination").len("trips").to_dict(as_series=False)), ids)


def duckdb_tree(trips: Path, tiles: Path) -> Flows:
    """A tree of shapely, and DuckDB for all else."""
    import duckdb

    connection = duckdb.connect()
    table = connection.execute(f"SELECT {', '.join(ENDS)} FROM read_parquet(?)", [str(trips)]).fetchnumpy()
    ids, tile_of = by_tree(tiles)
    lng, lat, end_lng, end_lat = (table[name] for name in ENDS)
    ends = {"origin": tile_of(lng, lat), "destination": tile_of(end_lng, end_lat)}
    connection.register("ends", ends)
    found = connection.execute("SELECT origin, destination, count(*) AS trips FROM ends GROUP BY 1, 2")
    return named(rows({name: column.tolist() for name, column in found.fetchnumpy().items()}), ids)


def duckdb_spatial(trips: Path, tiles: Path) -> Flows:
    """Two joins of shapes in one query, by the extension that a wheel brings."""
    import duckdb
    from duckdb_extensions import import_extension

    connection = duckdb.connect(config={"extension_directory": str(trips.parent / "extensions")})
    import_extension("spatial", con=connection)
    connection.execute("LOAD spatial")
    connection.execute(
        "CREATE TABLE tiles AS SELECT tile_id, geom AS shape FROM ST_Read(?)",
        [str(tiles)],
    )
    found = connection.execute(
        f"""
        SELECT a.tile_id AS origin, b.tile_id AS destination, count(*) AS trips
        FROM (SELECT {point("start")}, {point("end")} FROM read_parquet(?)) t
        LEFT JOIN tiles a ON ST_Intersects(a.shape, t.start_point)
        LEFT JOIN tiles b ON ST_Intersects(b.shape, t.end_point)
        GROUP BY 1, 2""",
        [str(trips)],
    )
    return found.fetchall()


def geopandas(trips: Path, tiles: Path) -> Flows:
    """``sjoin`` of each end, then groups of pandas."""
    import geopandas as gpd
    import pandas as pd

    table = pd.read_parquet(trips, columns=list(ENDS))
    shapes = gpd.read_file(tiles)[["tile_id", "geometry"]]

    def joined(end: str) -> Any:  # noqa: ANN401 - a column of pandas
        points = gpd.GeoDataFrame(
            geometry=gpd.points_from_xy(table[f"{end}_lng"], table[f"{end}_lat"]), crs=shapes.crs
        )
        return gpd.sjoin(points, shapes, how="left").tile_id

    ends = pd.DataFrame({"origin": joined("start"), "destination": joined("end")}).fillna(OUTSIDE)
    return [(*pair, number) for pair, number in ends.groupby(["origin", "destination"]).size().items()]


def point(end: str) -> str:
    """An end of a trip as SQL."""
    return f"ST_Point({end}_lng, {end}_lat) AS {end}_point"


def outlines(tiles: Path) -> tuple[list[str], Any]:
    """Ids and shapes of the tiles."""
    import shapely

    features = json.loads(tiles.read_bytes())["features"]
    ids = [one["properties"]["tile_id"] for one in features]
    return ids, shapely.from_geojson([json.dumps(one["geometry"]) for one in features])


def by_tree(tiles: Path) -> tuple[list[str | None], Callable[[Any, Any], Any]]:
    """Ids of the tiles, then None; and the function that finds the number of the tile of each point."""
    import numpy as np
    import shapely

    ids, shapes = outlines(tiles)
    tree = shapely.STRtree(shapes)
    shapely.prepare(shapes)

    def tile_of(lng: Any, lat: Any) -> Any:  # noqa: ANN401 - arrays of numpy
        row, tile = tree.query(shapely.points(lng, lat))
        inside = shapely.intersects_xy(shapes[tile], lng[row], lat[row])
        found = np.full(len(lng), len(ids), np.int32)
        found[row[inside]] = tile[inside]
        return found

    return [*ids, None], tile_of


def rows(columns: dict[str, list[Any]]) -> Flows:
    """Columns as rows."""
    return zip(columns["origin"], columns["destination"], columns["trips"], strict=True)


def named(flows: Flows, ids: list[str | None]) -> Flows:
    """Flows between tiles by their ids."""
    return ((ids[origin], ids[destination], trips) for origin, destination, trips in flows)


def peak_mb() -> float:
    """The most memory of this process. ``getrusage`` tells that of whoever started it, if that had more."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


ENGINES: dict[str, Callable[[Path, Path], Flows]] = {
    "SedonaDB": sedonadb,
    "polars with shapely": polars,
    "DuckDB with a tree of shapely": duckdb_tree,
    "DuckDB spatial": duckdb_spatial,
    "geopandas": geopandas,
}
PINS = {
    "SedonaDB": "sedonadb==0.5.0 pyarrow==26.0.1 shapely==2.2.0 numpy==2.4.6",
    "polars with shapely": "polars==2.1.0 shapely==2.2.0 numpy==2.4.6",
    "DuckDB with a tree of shapely": "duckdb==2.0.0 shapely==2.2.0 numpy==2.4.6",
    "DuckDB spatial": "duckdb==1.4.4 duckdb-extensions==1.4.4 duckdb-extension-spatial==1.4.4 numpy==2.4.6",
    "geopandas": "geopandas==1.2.0 pandas==3.1.1 pyarrow==26.0.1 shapely==2.2.0 numpy==2.4.6",
}
"""What is installed for each engine; the engine itself comes first."""


def main(engine: str, city: Path, out: Path) -> None:
    """Count, write both tables, and say what it took."""
    flows, visits = Counter[tuple[str, str]](), Counter[str]()
    for origin, destination, trips in ENGINES[engine](city / "trips.parquet", city / "tiles.geojson"):
        ends = (origin or OUTSIDE, destination or OUTSIDE)
        flows[ends] += trips
        for end in ends:
            visits[end] += trips
    for name, keys, table in (
        ("visits_per_tile", ("tile_id",), {(tile,): number for tile, number in visits.items()}),
        ("od_flows", ("origin", "destination"), flows),
    ):
        with (out / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*keys, "value"])
            writer.writerows([*key, value] for key, value in table.items())
    name = PINS[engine].split("==")[0]
    print(json.dumps({"version": version(name), "rss_mb": peak_mb()}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
