"""Which files a synthetic bundle has; the plan alone decides, so a bundle can neither lack one nor hold one too many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dpcore.release.layout import README, TILES, csv_name, parquet_name

TRIPS: Final = "trips.parquet"
"""The trips; they load like any trips file."""

TREE: Final = "tree.parquet"
"""The noisy tree of a release of trajectories."""
LEVELS: Final = "levels.csv"
"""The privacy level of every place of such a tree."""
TRAJECTORIES: Final = "trajectories.parquet"
"""The synthetic trajectories, one row a visit."""


def table_name(group: str) -> str:
    """The name of a table as files have it: ``start-end`` for the group ``start+end``."""
    return group.replace("+", "-")


def listed_files(groups: Iterable[str]) -> tuple[str, ...]:
    """Every file of a bundle of tables but the manifest, sorted."""
    names = [table_name(group) for group in groups]
    tables = [place for name in names for place in (csv_name(name), parquet_name(name))]
    return tuple(sorted([README, TILES, TRIPS, *tables]))


def tree_files(*, trips: bool) -> tuple[str, ...]:
    """Every file of a bundle of a tree but the manifest, sorted; ``trips``: whether a trajectory is a trip."""
    return tuple(sorted([README, TILES, TREE, LEVELS, TRAJECTORIES, *([TRIPS] if trips else [])]))
