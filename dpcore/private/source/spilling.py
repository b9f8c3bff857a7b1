"""Batches that come back in parts, each with all rows of some keys: from memory or, above a limit, through private files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.private import store
from dpcore.private.siphash import hash_texts

_PARTS: Final = 64
_NO_SECRET: Final = bytes(16)  # it only balances the files; it hides nothing, and no result depends on it


class Spill:
    """Batches of one schema, held in memory until ``write`` moves them to files.

    It is a context manager. Its files hold raw rows, so they are in a folder with mode 0700 and are removed when the block
    ends, however it ends.
    """

    def __init__(
        self,
        schema: pa.Schema,
        keys: Callable[[pa.RecordBatch], NDArray[np.uint64]],
        work_folder: Path | None,
    ) -> None:
        """``keys``: a hash for each row. Rows with one hash come back in one part."""
        self._schema, self._keys, self._work_folder = schema, keys, work_folder
        self.held: list[pa.RecordBatch] = []
        """What is in memory."""
        self._open = ExitStack()
        self._folder: Path | None = None
        self._writers: list[pa.RecordBatchStreamWriter] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def write(self) -> None:
        """Move what is held to files. Raises InputError: the work folder is full or cannot be written."""
        with suppress(OSError):
            self._write_parts()
            self.held = []
            return
        raise InputError(
            "the work folder is full or cannot be written",
            str(self._work_folder or tempfile.gettempdir()),
            "Free some space; pairing needs about the size of the file.",
        )

    def parts(self) -> Iterator[pa.Table]:
        """All rows once, in parts that have no key in common. Nothing can be added afterwards."""
        if self._folder is None:
            held, self.held = self.held, []
            yield pa.Table.from_batches(held, self._schema)
            return
        self.write()
        for writer in self._writers:
            writer.close()
        for part in range(_PARTS):
            with pa.OSFile(str(self._folder / str(part))) as file, pa.ipc.open_stream(file) as stream:
                yield stream.read_all()

    def _write_parts(self) -> None:
        if self._folder is None:
            self._folder = Path(
                self._open.enter_context(
                    tempfile.TemporaryDirectory(dir=self._work_folder, prefix="pairing-")
                )
            )
            for part in range(_PARTS):
                file = self._open.enter_context(
                    pa.OSFile(str(store.new_file(self._folder / str(part))), "wb")
                )
                self._writers.append(self._open.enter_context(pa.ipc.new_stream(file, self._schema)))
        for batch in self.held:
            parts = self._keys(batch) >> np.uint64(58)
            order = np.argsort(parts, kind="stable")
            ends = np.searchsorted(parts[order], np.arange(_PARTS + 1, dtype=np.uint64))
            by_part = batch.take(pa.array(order))
            for number, writer in enumerate(self._writers):
                if ends[number + 1] > ends[number]:
                    writer.write_batch(by_part.slice(ends[number], ends[number + 1] - ends[number]))


def hashes_of(texts: pa.Array) -> NDArray[np.uint64]:
    """One number for each text, equal for equal texts. Different texts may share one."""
    large = texts.cast(pa.large_string())
    _, offsets, data = large.buffers()
    starts = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    return hash_texts(starts, np.frombuffer(data or b"", np.uint8), _NO_SECRET)
