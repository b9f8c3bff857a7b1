"""Which files a bundle has; the plan alone decides, so a bundle can neither lack one nor hold one too many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MANIFEST: Final = "manifest.json"
README: Final = "README.md"
REGISTRY: Final = "registry.yaml"
TILES: Final = "tiles.geojson"
MAP: Final = "maps/visits_per_tile.geojson"
"""Tiles with their visits as properties; only where visits were released."""

MAPPED: Final = "visits_per_tile"
"""The measure that the map shows."""

FIVE_NUMBERS: Final = "five_numbers"
"""Name of the table of bought five-number summaries; a bundle that bought none has none."""


def csv_name(measure: str) -> str:
    """Where the table of a measure lies for spreadsheets and maps."""
    return f"tables/{measure}.csv"


def parquet_name(measure: str) -> str:
    """Where the table of a measure lies for programs; values are read from here."""
    return f"tables/{measure}.parquet"


def listed_files(measures: Iterable[str], *, five_numbers: bool = False) -> tuple[str, ...]:
    """Every file of the bundle but the manifest, sorted; ``five_numbers``: whether summaries were bought."""
    names = list(measures)
    tabled = [*names, FIVE_NUMBERS] if five_numbers else names
    tables = [name for measure in tabled for name in (csv_name(measure), parquet_name(measure))]
    maps = [MAP] if MAPPED in names else []
    return tuple(sorted([README, REGISTRY, TILES, *tables, *maps]))
