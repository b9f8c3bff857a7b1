"""One run: some prepared rows in order of bucket, as an Arrow file of small batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.private.prepared.checked_file import CheckedWriter, Checks
from dpcore.private.prepared.stored import BUCKETS, buckets_of, sizes
from dpcore.private.sealed import Sealed

RUN_ROWS: Final = 2_000_000
"""Size of a run, about, in rows with nothing on their way: so much is held in memory until it is written."""
BATCH_ROWS: Final = 4_096
"""Rows of a batch, at least, where there are so many: the least that is read to get at one row."""


@dataclass(frozen=True, repr=False, eq=False)
class Ordered(Sealed):
    """A batch in order of bucket; of one bucket the rows keep their order."""

    rows: pa.RecordBatch
    offsets: NDArray[np.int64]
    """Where the rows of each bucket begin, then how many rows there are."""
    tiles: NDArray[np.int64]
    """How many tiles are on the ways of trips before those of each bucket, then of all."""

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> Ordered:
        """A batch of stored columns, ordered."""
        bucket = buckets_of(batch)
        offsets = np.append(0, np.cumsum(np.bincount(bucket, minlength=BUCKETS)))
        lengths = pc.fill_null(batch["via"].value_lengths(), 0).to_numpy(zero_copy_only=False)
        tiles = np.bincount(bucket, weights=lengths, minlength=BUCKETS).astype(np.int64)
        rows = batch.take(pa.array(np.argsort(bucket, kind="stable")))
        return cls(rows, offsets, np.append(0, np.cumsum(tiles)))

    @property
    def size(self) -> int:
        """The room that the rows take, in rows with nothing on their way."""
        return int(sizes(self.offsets, self.tiles)[-1])


@dataclass(frozen=True, repr=False, eq=False)
class Run(Sealed):
    """Where the rows of a run stand, and what they were when they were written."""

    offsets: NDArray[np.int64]
    """Where the rows of each bucket begin, then how many rows there are."""
    tiles: NDArray[np.int64]
    """How many tiles are on the ways of trips before those of each bucket, then of all."""
    checks: Checks
    """One row a batch, one number a column."""

    @property
    def rows(self) -> int:
        """How many rows."""
        return int(self.offsets[-1])

    @cached_property
    def cuts(self) -> NDArray[np.int64]:
        """The first bucket of each batch, then ``BUCKETS``: told by the offsets alone."""
        return _cuts(self.offsets)


def run_name(number: int) -> str:
    """The file of the run with a number."""
    return f"run-{number:04}.arrow"


def write_run(place: Path, pieces: Sequence[Ordered]) -> Run:
    """Write the rows of some batches in order of bucket. Raises OSError, for example for a full disk."""
    offsets = np.sum([piece.offsets for piece in pieces], axis=0)
    cuts = _cuts(offsets)
    schema = pieces[0].rows.schema
    with CheckedWriter(place, schema) as writer:
        for begin, end in pairwise(cuts.tolist()):
            rows = [piece.rows.slice(*_reach(piece.offsets, begin, end)) for piece in pieces]
            columns = [
                pa.concat_arrays([row.column(number) for row in rows]) for number in range(len(schema))
            ]
            batch = pa.RecordBatch.from_arrays(columns, schema=schema)
            # each piece is in order; several behind each other are not, unless they are of one bucket
            writer.write(batch if len(rows) == 1 or end - begin == 1 else Ordered.of(batch).rows)
    return Run(offsets, np.sum([piece.tiles for piece in pieces], axis=0), writer.checks)


def _reach(offsets: NDArray[np.int64], begin: int, end: int) -> tuple[int, int]:
    """Where the rows of some buckets begin, and how many they are."""
    return int(offsets[begin]), int(offsets[end] - offsets[begin])


def _cuts(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Buckets at which batches begin: as many as it takes for ``BATCH_ROWS``; the last takes the rest."""
    cuts = [0]
    for bucket in range(1, BUCKETS):
        rest = offsets[-1] - offsets[bucket]
        if rest >= BATCH_ROWS and offsets[bucket] - offsets[cuts[-1]] >= BATCH_ROWS:
            cuts.append(bucket)
    return np.array([*cuts, BUCKETS])
