"""Names of the files of a bundle. The plan alone decides which of them a bundle has, see ``Kind.files``."""

from __future__ import annotations

from typing import Final

MANIFEST: Final = "manifest.json"
README: Final = "README.md"
TILES: Final = "tiles.geojson"
TILES_PARQUET: Final = "tiles.parquet"
TILES_GPKG: Final = "tiles.gpkg"
CONTEXT: Final = "context.geojson"
"""What lies under the tiles on maps; only if the owner put it in."""
CONTEXT_SINCE: Final = 4
"""The version of the schema since which a bundle may hold it. A bundle without it is written as before."""
FOR_MAPS: Final = (TILES_GPKG, TILES_PARQUET)
"""The tiles for QGIS and geopandas, with what was released on them."""

FOR_MAPS_SINCE: Final = 2
"""The version of the schema since which bundles hold the files of ``FOR_MAPS``."""
STATED_SINCE: Final = 3
"""The version since which they hold those of ``Kind.stated_files``: the estimates of a release of tables."""
DRAWS_SINCE: Final = 5
"""The version of bundles with joint draws of estimates. A bundle that cannot have any is written as before."""

REGISTRY: Final = "registry.yaml"
MAP: Final = "maps/visits_per_tile.geojson"
"""Tiles with their visits as properties; only if visits were released."""
MAPPED: Final = "visits_per_tile"
"""The measure that the map shows."""
FIVE_NUMBERS: Final = "five_numbers"
"""Name of the table of five-number summaries; only if some were bought."""

TRIPS: Final = "trips.parquet"
"""Synthetic trips; the file loads like any trips file."""
TREE: Final = "tree.parquet"
"""The noisy tree of a release of trajectories."""
LEVELS: Final = "levels.csv"
"""The privacy level of every place of such a tree."""
TRAJECTORIES: Final = "trajectories.parquet"
"""The synthetic trajectories, one row a visit."""


def csv_name(table: str) -> str:
    """File of a table for spreadsheets and maps."""
    return f"tables/{table}.csv"


def parquet_name(table: str) -> str:
    """File of a table for programs; a reader takes the values from here."""
    return f"tables/{table}.parquet"


def estimate_csv_name(measure: str) -> str:
    """File of the estimates of a measure for spreadsheets."""
    return f"estimates/{measure}.csv"


def estimate_parquet_name(measure: str) -> str:
    """The same for programs."""
    return f"estimates/{measure}.parquet"


def draws_csv_name(measure: str) -> str:
    """File of the joint draws of a measure for spreadsheets."""
    return f"draws/{measure}.csv"


def draws_parquet_name(measure: str) -> str:
    """The same for programs."""
    return f"draws/{measure}.parquet"
