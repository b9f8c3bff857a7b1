"""Record batches in one Arrow file, with a checksum of every column of every batch.

The checksum finds damage of the disk, not forgery: whoever can write the private folder can write anything. A column
that is not what was written is never handed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numba as nb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private import store

Checks = NDArray[np.uint64]

_PRIME: Final = np.uint64(0x9E3779B97F4A7C15)
_LANES: Final = 4


class DamagedError(Exception):
    """A stored file is not what was written; holds no value."""


class CheckedWriter:
    """Writes batches of one schema to a new file of mode 0600, and remembers their checksums."""

    def __init__(self, place: Path, schema: pa.Schema) -> None:
        self._schema = schema
        self._sink = pa.OSFile(str(store.new_file(place)), "wb")
        self._writer = pa.ipc.new_file(self._sink, schema)
        self._checks: list[Checks] = []

    def write(self, batch: pa.RecordBatch) -> None:
        """Write one batch; raises OSError, for example for a full disk."""
        # what is checked is what a reader will get, to the last bit: slices and unused bits are gone from it
        read = pa.ipc.read_record_batch(batch.serialize(), self._schema)
        self._checks.append(checks_of(read.columns))
        self._writer.write_batch(read)

    @property
    def checks(self) -> Checks:
        """One row a batch, one number a column."""
        return np.array(self._checks, np.uint64).reshape(-1, len(self._schema))

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()
        self._sink.close()

    def __enter__(self) -> Self:
        """The writer."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; what was not finished stays unreadable."""
        if kind is None:
            self.close()
        else:
            self._sink.close()


def read_batches(
    place: Path, schema: pa.Schema, checks: Checks, batches: Iterable[int], columns: Sequence[str]
) -> list[pa.RecordBatch]:
    """Some batches of a file with some of its columns, each checked, in memory of their own.

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
                batch.validate()  # lengths and counts stand outside the buffers
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
    sums = np.zeros(len(columns), np.uint64)
    for number, column in enumerate(columns):
        total = np.uint64(len(column))
        for buffer in column.buffers():
            data = np.frombuffer(buffer, np.uint8) if buffer is not None and buffer.size else _NOTHING
            whole = len(data) // 8 * 8
            total = np.uint64(_sum(data[:whole].view(np.uint64), data[whole:], total))
        sums[number] = total
    return sums


_NOTHING: Final = np.empty(0, np.uint8)


@nb.njit(nogil=True, cache=True)
def _sum(words: NDArray[np.uint64], tail: NDArray[np.uint8], total: np.uint64) -> np.uint64:
    """Every step is one-to-one in the word it takes, so that no single damaged word goes unseen."""
    prime = np.uint64(0x9E3779B97F4A7C15)
    one, two, three, four = total, total + prime, total ^ prime, ~total
    whole = len(words) // 4 * 4
    for i in range(0, whole, 4):
        one = (one ^ words[i]) * prime
        two = (two ^ words[i + 1]) * prime
        three = (three ^ words[i + 2]) * prime
        four = (four ^ words[i + 3]) * prime
        one ^= one >> np.uint64(29)
        two ^= two >> np.uint64(29)
        three ^= three >> np.uint64(29)
        four ^= four >> np.uint64(29)
    for i in range(whole, len(words)):
        one = (one ^ words[i]) * prime
        one ^= one >> np.uint64(29)
    for i in range(len(tail)):
        one = (one ^ np.uint64(tail[i])) * prime
    for lane in (two, three, four):
        one = (one ^ lane) * prime
        one ^= one >> np.uint64(29)
    return one ^ np.uint64(8 * len(words) + len(tail))
