"""The synthetic trajectories of a released tree as rows: one a visit, and for trips one a trip.

They follow from the tree and nothing is drawn, so a reader makes them again and compares every row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa

from dpcore.trajectory_tree.noisy_tree import NoisyTree, Trajectories
from dpcore.trajectory_tree.paths import Ending

ENDINGS: Final = ("complete", "cut", "unknown")
"""By number of an ``Ending``."""
VISITS_SCHEMA: Final = pa.schema(
    [("trajectory", pa.int64()), ("position", pa.int64()), ("tile_id", pa.string()), ("ending", pa.string())]
)
BATCH_VISITS: Final = 1_000_000


def walked(noisy: NoisyTree) -> Iterator[tuple[int, Trajectories]]:
    """The trajectories in batches, each with how many came before it."""
    before = 0
    for batch in noisy.writer.batches(BATCH_VISITS):
        yield before, batch
        before += len(batch)


def visit_batches(noisy: NoisyTree) -> Iterator[pa.RecordBatch]:
    """The visits: number of the trajectory and place in it, both from 1, the tile, and how the trajectory ends."""
    tiles, endings = pa.array(noisy.plan.levels.tiles, pa.string()), pa.array(ENDINGS, pa.string())
    for before, batch in walked(noisy):
        lengths = np.diff(batch.offsets)
        row = np.repeat(np.arange(len(batch)), lengths)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(row + before + 1),
                pa.array(np.arange(len(row)) - batch.offsets[row] + 1),
                tiles.take(pa.array(batch.symbols)),
                endings.take(pa.array(batch.ending[row].astype(np.int64))),
            ],
            schema=VISITS_SCHEMA,
        )


def ends_of_batches(noisy: NoisyTree, tiles: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """First and last tile number of each trajectory, -1 for outside and for an end that is not known."""
    for _, batch in walked(noisy):
        first = batch.symbols[batch.offsets[:-1]].astype(np.int64)
        last = batch.symbols[batch.offsets[1:] - 1].astype(np.int64)
        known = (batch.ending == Ending.COMPLETE) & (last < tiles)
        yield np.where(first < tiles, first, -1), np.where(known, last, -1)
