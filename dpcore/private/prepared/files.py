"""Stored rows: their columns, the bucket of a row, and files of rows with a checksum of every column.

A run holds some prepared rows in order of bucket, as an Arrow file of small batches. A checksum finds damage of the disk, not
forgery: whoever can write to the private folder can write anything. A changed column is never returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.private import store
from dpcore.private.prepare import PREPARED
from dpcore.private.sealed import Sealed
from dpcore.private.source.extras import ROLE

VERSION: Final = "11"
"""Version of prepared and stored rows. Raise it when reading, preparing or storing gives other rows, files or file names."""

STORED: Final = PREPARED.set(0, pa.field("user_id", pa.int64()))
"""``PREPARED`` with the keyed hash of the id's text as ``user_id``; null if the form has no users."""

BUCKETS: Final = 256
"""Number of groups of people by which rows are ordered."""

TILES_A_ROW: Final = 16
"""So many tiles on the way of a trip take at most the room of one row without any, stored or being counted."""

_TOP: Final = np.uint64(56)


def extra_columns(extras: tuple[str, ...]) -> list[pa.Field]:
    """The stored columns of some attributes: text, null if a trip has none."""
    return [pa.field(ROLE + name, pa.string()) for name in extras]


def user_key(key: bytes) -> bytes:
    """The key for hashing ids of users. It is derived from the bounding key and serves this purpose alone."""
    return blake2b(b"user ids of stored rows", key=key, digest_size=16).digest()


def buckets_of(batch: pa.RecordBatch) -> NDArray[np.uint8]:
    """The bucket of each row: the top 8 bits of the user's hash, or of ``rnd`` if there is no user."""
    users = batch["user_id"]
    if users.null_count == len(users):
        return _top(batch["rnd"].to_numpy())
    if not users.null_count:
        return _top(users.to_numpy())
    known = users.is_valid().to_numpy(zero_copy_only=False)
    return np.where(known, _top(users.fill_null(0).to_numpy()), _top(batch["rnd"].to_numpy()))


def sizes(rows: NDArray[np.int64], tiles: NDArray[np.int64]) -> NDArray[np.int64]:
    """The room of rows with the tiles on their ways, in rows without any."""
    return rows + tiles // TILES_A_ROW


def _top(words: NDArray[np.int64]) -> NDArray[np.uint8]:
    return (words.view(np.uint64) >> _TOP).astype(np.uint8)


Checks = NDArray[np.uint64]


_BUFFER: Final = 2**22


class DamagedError(Exception):
    """A stored file was changed or damaged. The error holds no value."""


class CheckedWriter:
    """Writes batches of one schema to a new file of mode 0600, and remembers their checksums."""

    def __init__(self, place: Path, schema: pa.Schema) -> None:
        self._schema = schema
        # buffered, because every column of every batch would be a write of its own
        self._sink = pa.BufferedOutputStream(pa.OSFile(str(store.new_file(place)), "wb"), _BUFFER)
        self._writer = pa.ipc.new_file(self._sink, schema)
        self._checks: list[Checks] = []

    def write(self, batch: pa.RecordBatch) -> None:
        """Write one batch. Raises OSError, for example for a full disk."""
        # The checksum covers what a reader will get, to the last bit, so slices and unused bits are removed first.
        read = pa.ipc.read_record_batch(batch.serialize(), self._schema)
        self._checks.append(checks_of(read.columns))
        self._writer.write_batch(read)

    @property
    def checks(self) -> Checks:
        """One row for each batch, one number for each column."""
        return np.array(self._checks, np.uint64).reshape(-1, len(self._schema))

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()
        self._sink.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file. An unfinished file stays unreadable."""
        if kind is None:
            self.close()
        else:
            self._sink.close()


def read_batches(
    place: Path, schema: pa.Schema, checks: Checks, batches: Iterable[int], columns: Sequence[str]
) -> list[pa.RecordBatch]:
    """Some batches of a file with some of its columns. Each is checked, and has its own memory.

    Raises:
        DamagedError: missing, cut off, or changed.
        OSError: the system is out of files, for example.

    """
    positions = sorted(schema.get_field_index(name) for name in columns)
    options = pa.ipc.IpcReadOptions(included_fields=positions, use_threads=False)
    damaged = False
    found: list[pa.RecordBatch] = []
    try:
        with pa.OSFile(str(place)) as source, pa.ipc.open_file(source, options=options) as reader:
            damaged = reader.num_record_batches != len(checks) or reader.schema != pa.schema(
                [schema.field(position) for position in positions]
            )
            for number in () if damaged else batches:
                batch = reader.get_batch(number)
                batch.validate()  # lengths and counts are outside the checksummed buffers
                damaged |= not np.array_equal(checks_of(batch.columns), checks[number][positions])
                found.append(batch)
    except (FileNotFoundError, pa.ArrowException, ValueError):
        damaged = True
    except OSError as error:  # what cannot be decoded has no error number; a full table of files has
        if error.errno is not None:
            raise
        damaged = True
    if damaged:
        raise DamagedError
    return [batch.select(list(columns)) for batch in found]


def checks_of(columns: Sequence[pa.Array]) -> Checks:
    """The checksum of each column's buffers."""
    from dpcore.private.prepared.kernel import fill_checksums  # noqa: PLC0415 - numba takes long to load, and known answers need no rows

    sums = np.array([len(column) for column in columns], np.uint64)
    buffers = [(buffer, number) for number, column in enumerate(columns) for buffer in column.buffers()]
    starts = [buffer.address if buffer is not None and buffer.size else 0 for buffer, _ in buffers]
    sizes = [buffer.size if start else 0 for start, (buffer, _) in zip(starts, buffers, strict=True)]
    numbers = np.array([number for _, number in buffers], np.int64)
    fill_checksums(np.array(starts, np.uint64), np.array(sizes, np.int64), numbers, sums)
    return sums


RUN_ROWS: Final = 2_000_000
"""Approximate size of a run in rows with nothing on their way. So much is held in memory until it is written."""
BATCH_ROWS: Final = 4_096
"""Fewest rows of a batch, if there are so many. A reader of one row reads at least one batch."""


@dataclass(frozen=True, repr=False, eq=False)
class Piece(Sealed):
    """A batch in order of bucket. Within a bucket the rows keep their order."""

    rows: pa.RecordBatch
    offsets: NDArray[np.int64]
    """Where the rows of each bucket begin, then the number of rows."""
    tiles: NDArray[np.int64]
    """Number of tiles on the ways of trips before those of each bucket, then of all trips."""

    @classmethod
    def of(cls, batch: pa.RecordBatch) -> Piece:
        """A batch of stored columns, ordered."""
        bucket = buckets_of(batch)
        offsets = np.append(0, np.cumsum(np.bincount(bucket, minlength=BUCKETS)))
        tiles, ways = np.zeros(BUCKETS, np.int64), batch["via"]
        if ways.null_count < len(ways):
            lengths = pc.fill_null(ways.value_lengths(), 0).to_numpy(zero_copy_only=False)
            tiles = np.bincount(bucket, weights=lengths, minlength=BUCKETS).astype(np.int64)
        order = pa.array(np.argsort(bucket, kind="stable"))
        columns = [
            one if one.null_count == len(one) else pc.take(one, order, boundscheck=False)
            for one in batch.columns
        ]
        rows = pa.RecordBatch.from_arrays(columns, schema=batch.schema)
        return cls(rows, offsets, np.append(0, np.cumsum(tiles)))

    @property
    def size(self) -> int:
        """The room of the rows, in rows with nothing on their way."""
        return int(sizes(self.offsets, self.tiles)[-1])


@dataclass(frozen=True, repr=False, eq=False)
class Run(Sealed):
    """Where the rows of a run are, and their checksums when they were written."""

    offsets: NDArray[np.int64]
    """Where the rows of each bucket begin, then the number of rows."""
    tiles: NDArray[np.int64]
    """Number of tiles on the ways of trips before those of each bucket, then of all trips."""
    checks: Checks
    """One row for each batch, one number for each column."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.offsets[-1])

    @cached_property
    def cuts(self) -> NDArray[np.int64]:
        """The first bucket of each batch, then ``BUCKETS``. It follows from the offsets alone."""
        return _cuts(self.offsets)


def run_name(number: int) -> str:
    """The file of the run with a number."""
    return f"run-{number:04}.arrow"


def write_run(place: Path, pieces: Sequence[Piece]) -> Run:
    """Write the rows of some pieces in order of bucket. Raises OSError, for example for a full disk."""
    offsets = np.sum([piece.offsets for piece in pieces], axis=0)
    cuts = _cuts(offsets)
    schema = pieces[0].rows.schema
    with CheckedWriter(place, schema) as writer:
        for begin, end in pairwise(cuts.tolist()):
            rows = [
                piece.rows.slice(*reach(piece.offsets, bucket, bucket + 1))
                for bucket in range(begin, end)
                for piece in pieces
            ]
            writer.write(pa.concat_batches(rows))
    return Run(offsets, np.sum([piece.tiles for piece in pieces], axis=0), writer.checks)


def reach(offsets: NDArray[np.int64], begin: int, end: int) -> tuple[int, int]:
    """Where the rows of some buckets begin, and their number."""
    return int(offsets[begin]), int(offsets[end] - offsets[begin])


def _cuts(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Buckets at which batches begin, so that each has about ``BATCH_ROWS``. The last batch takes the rest."""
    cuts = [0]
    for bucket in range(1, BUCKETS):
        rest = offsets[-1] - offsets[bucket]
        if rest >= BATCH_ROWS and offsets[bucket] - offsets[cuts[-1]] >= BATCH_ROWS:
            cuts.append(bucket)
    return np.array([*cuts, BUCKETS])
