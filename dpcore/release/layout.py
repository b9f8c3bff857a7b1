"""Names of the files of a bundle. Which of them one has, its kind says: the plan alone decides."""

from __future__ import annotations

from typing import Final

MANIFEST: Final = "manifest.json"
README: Final = "README.md"
TILES: Final = "tiles.geojson"
TILES_PARQUET: Final = "tiles.parquet"
TILES_GPKG: Final = "tiles.gpkg"
FOR_MAPS: Final = (TILES_GPKG, TILES_PARQUET)
"""The tiles for QGIS and geopandas, with what was released on them. Bundles of schema version 1 have neither."""

REGISTRY: Final = "registry.yaml"
MAP: Final = "maps/visits_per_tile.geojson"
"""Tiles with their visits as properties; only where visits were released."""
MAPPED: Final = "visits_per_tile"
"""The measure that the map shows."""
FIVE_NUMBERS: Final = "five_numbers"
"""Name of the table of bought five-number summaries; a bundle that bought none has none."""

TRIPS: Final = "trips.parquet"
"""Synthetic trips; they load like any trips file."""
TREE: Final = "tree.parquet"
"""The noisy tree of a release of trajectories."""
LEVELS: Final = "levels.csv"
"""The privacy level of every place of such a tree."""
TRAJECTORIES: Final = "trajectories.parquet"
"""The synthetic trajectories, one row a visit."""


def csv_name(table: str) -> str:
    """Where a table lies for spreadsheets and maps."""
    return f"tables/{table}.csv"


def parquet_name(table: str) -> str:
    """Where a table lies for programs; values are read from here."""
    return f"tables/{table}.parquet"
