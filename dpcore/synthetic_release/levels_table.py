"""The public levels of a tree as a table of its bundle: every place, those that are Critical too."""

from __future__ import annotations

import pyarrow as pa

from dpcore.release.table_files import csv_bytes
from dpcore.trajectory_tree.levels import Levels
from dpcore.trajectory_tree.levels_file import PRIVACY, TILE


def levels_csv(levels: Levels) -> bytes:
    """One row a place, in the order of the tiles; ``levels_file.read_levels`` reads it too."""
    names = pa.array([one.name for one in levels.descriptors], pa.string())
    return csv_bytes(
        pa.table({TILE: pa.array(levels.tiles, pa.string()), PRIVACY: names.take(pa.array(levels.level - 1))})
    )
