"""LocalRows: the prepared rows of a data set, part by part or in shards of whole people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Self

import numpy as np
import pyarrow as pa

from dpcore.private.prepared.part import Part
from dpcore.private.prepared.stored import BUCKETS, STORED, sizes
from dpcore.private.sealed import Sealed
from dpcore.private.source.extras import ROLE

SHARD_ROWS: Final = 2_000_000
"""Size of a shard, about, in rows with nothing on their way; one bucket is never cut, however large it is."""


@dataclass(frozen=True, repr=False, eq=False)
class Shard(Sealed):
    """All rows of some people: of a user either all trips of the data set are here, or none."""

    parts: tuple[Part, ...]
    buckets: range
    columns: tuple[str, ...]
    rows: int
    """How many rows."""
    size: int
    """The room that the rows take, in rows with nothing on their way."""

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows with some columns or all, in memory, in no order of meaning; each column is one chunk.

        Raises:
            InputError: the prepared rows were damaged.

        """
        wanted = list(self.columns if columns is None else columns)
        pieces = [batch for part in self.parts for batch in part.rows(self.buckets, wanted)]
        if not pieces:
            schema = self.parts[0].schema if self.parts else STORED
            return pa.schema([schema.field(name) for name in wanted]).empty_table()
        # concat_arrays copies even one array, so that nothing of a larger batch is held
        return pa.table(
            [pa.concat_arrays([piece.column(number) for piece in pieces]) for number in range(len(wanted))],
            names=wanted,
        )


@dataclass(frozen=True, repr=False, eq=False)
class LocalRows(Sealed):
    """The prepared rows of one data set on this computer."""

    parts: tuple[Part, ...]
    columns: tuple[str, ...]
    """Those of ``STORED``, then the attributes that all parts have."""

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        """The rows of some parts, whatever order they are given in."""
        common = [name for name in parts[0].extras if all(name in part.extras for part in parts)]
        return cls(tuple(parts), (*STORED.names, *(ROLE + name for name in common)))

    @property
    def count(self) -> int:
        """How many rows."""
        return sum(part.count for part in self.parts)

    def shards(self) -> tuple[Shard, ...]:
        """The rows in shards, each row in one; about ``SHARD_ROWS`` each, an even number of them or one."""
        rows, tiles = np.zeros(BUCKETS + 1, np.int64), np.zeros(BUCKETS + 1, np.int64)
        for part in self.parts:
            for run in part.runs:
                rows += run.offsets
                tiles += run.tiles
        size = sizes(rows, tiles)
        count = -(-int(size[-1]) // SHARD_ROWS)
        count += count > 1 and count % 2
        marks = np.searchsorted(size, np.arange(1, count) * (size[-1] / max(count, 1)), side="left")
        cuts = np.unique([0, *np.clip(marks, 1, BUCKETS), BUCKETS]).tolist()
        return tuple(
            Shard(
                self.parts,
                range(begin, end),
                self.columns,
                int(rows[end] - rows[begin]),
                int(size[end] - size[begin]),
            )
            for begin, end in pairwise(cuts)
            if len(cuts) == 2 or rows[end] > rows[begin]
        )

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Every row once, in no order, a few at a time."""
        for part in self.parts:
            yield from part.rows(range(BUCKETS), columns)
