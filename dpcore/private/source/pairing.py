"""The long form: runs of records -> trips, in memory or, beyond a limit, through private files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.siphash import hash_texts
from dpcore.private.source.batch import MISSING
from dpcore.private.source.runs import RUNS

_PARTS: Final = 64
_LATEST: Final = np.int64(np.iinfo(np.int64).max)
_NO_SECRET: Final = bytes(
    16
)  # only balances the files; nothing is hidden behind it and nothing depends on it


class Pairing:
    """Collects runs and gives back one row a trip; the same (uid, tid) anywhere in the file is one trip.

    A context manager: the files it may write hold raw rows, so they lie in a folder with mode 0700 and are
    removed when the block ends, however it ends.
    """

    def __init__(self, work_folder: Path | None) -> None:
        self._work_folder = work_folder
        self._held: list[pa.RecordBatch] = []
        self._rows = 0
        self._open = ExitStack()
        self._folder: Path | None = None
        self._writers: list[pa.RecordBatchStreamWriter] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def add(self, runs: pa.RecordBatch) -> None:
        """Runs of the next batch.

        Raises:
            InputError: the work folder is full or cannot be written.

        """
        self._held += self._joined(runs)
        self._rows += runs.num_rows
        if self._rows > limits.MAX_RUNS_IN_MEMORY:
            self._spill()

    def trips(self) -> Iterator[pa.Table]:
        """One row a trip, columns as in RUNS, in parts that have no trip in common.

        ``first_*`` is the earliest record of the trip with a time and ``last_*`` the latest, ties ordered
        by (lat, lng); ``timed`` counts the records with a time, and ``missing_*`` the empty fields of all.
        """
        if self._folder is None:
            yield merged(pa.Table.from_batches(self._held, RUNS))
            return
        self._spill()
        for writer in self._writers:
            writer.close()
        for part in range(_PARTS):
            with pa.OSFile(str(self._folder / str(part))) as file, pa.ipc.open_stream(file) as stream:
                yield merged(stream.read_all())

    def _joined(self, runs: pa.RecordBatch) -> list[pa.RecordBatch]:
        """The runs, after joining the trip that the border of two batches cut.

        In files whose records are in order nothing is then left to merge.
        """
        if self._held and runs.num_rows:
            before, first = self._held[-1], runs.slice(0, 1)
            last = before.slice(before.num_rows - 1)
            if last.select(["uid", "tid"]).equals(first.select(["uid", "tid"])):
                self._held[-1:] = [before.slice(0, before.num_rows - 1)] if before.num_rows > 1 else []
                whole = _merged_exactly(pa.Table.from_batches([last, first]).combine_chunks())
                return [*whole.to_batches(), *([runs.slice(1)] if runs.num_rows > 1 else [])]
        return [runs] if runs.num_rows else []

    def _spill(self) -> None:
        with suppress(OSError):
            self._write_parts()
            self._held, self._rows = [], 0
            return
        raise InputError(
            "the work folder is full or cannot be written",
            str(self._work_folder or tempfile.gettempdir()),
            "Free some space; pairing needs about the size of the file.",
        )

    def _write_parts(self) -> None:
        if self._folder is None:
            self._folder = Path(
                self._open.enter_context(
                    tempfile.TemporaryDirectory(dir=self._work_folder, prefix="pairing-")
                )
            )
            for part in range(_PARTS):
                file = self._open.enter_context(pa.OSFile(str(self._folder / str(part)), "wb"))
                self._writers.append(self._open.enter_context(pa.ipc.new_stream(file, RUNS)))
        for runs in self._held:
            parts = _balance(runs["uid"], runs["tid"]) >> np.uint64(58)
            order = np.argsort(parts, kind="stable")
            ends = np.searchsorted(parts[order], np.arange(_PARTS + 1, dtype=np.uint64))
            by_part = runs.take(pa.array(order))
            for number, writer in enumerate(self._writers):
                if ends[number + 1] > ends[number]:
                    writer.write_batch(by_part.slice(ends[number], ends[number + 1] - ends[number]))


def merged(runs: pa.Table) -> pa.Table:
    """One row for each (uid, tid), wherever its runs stand."""
    if runs.num_rows < 2:
        return runs
    hashes = np.concatenate([_balance(batch["uid"], batch["tid"]) for batch in runs.to_batches()])
    order = np.argsort(hashes)
    same = hashes[order][1:] == hashes[order][:-1]
    if not same.any():
        return runs  # different hashes, so different trips
    again = np.zeros(len(order), np.bool_)
    again[order[1:][same]] = True
    again[order[:-1][same]] = True
    several = runs.filter(pa.array(again)).combine_chunks()
    # equal hashes are only a hint: what belongs together is told by the texts themselves
    return pa.concat_tables([runs.filter(pa.array(~again)), _merged_exactly(several)])


def _merged_exactly(runs: pa.Table) -> pa.Table:
    users, trips = _codes(runs["uid"]), _codes(runs["tid"])
    key = users * (trips.max() + 1) + trips
    order = np.argsort(key)
    new = np.flatnonzero(np.diff(key[order], prepend=-1))
    column = {name: runs[name].to_numpy()[order] for name in RUNS.names[2:]}
    untimed = column["timed"] == 0
    first = _extreme(column, "first", np.where(untimed, _LATEST, column["first_us"]), new)
    last = _extreme(column, "last", np.where(untimed, _LATEST, -column["last_us"]), new)
    taken = pa.array(order[first])
    return pa.Table.from_arrays(
        [
            runs["uid"].take(taken),
            runs["tid"].take(taken),
            pa.array(np.minimum.reduceat(column["record"], new)),
            pa.array(np.add.reduceat(column["timed"], new)),
            *(pa.array(column[f"first_{name}"][first]) for name in ("us", "lat", "lng")),
            *(pa.array(column[f"last_{name}"][last]) for name in ("us", "lat", "lng")),
            *(pa.array(np.add.reduceat(column[name], new)) for name in MISSING),
        ],
        schema=RUNS,
    )


def _extreme(
    column: dict[str, NDArray[Any]], which: str, rank: NDArray[np.int64], new: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Position of the lowest rank in each group; of equal ones the first (or the last) by (lat, lng)."""
    group = np.repeat(np.arange(len(new)), np.diff(new, append=len(rank)))
    found = np.flatnonzero(rank == np.minimum.reduceat(rank, new)[group])
    if len(found) > len(new):
        lat, lng = column[f"{which}_lat"][found], column[f"{which}_lng"][found]
        found = found[np.lexsort((lng, lat, group[found]))]
    border = {"prepend": -1} if which == "first" else {"append": len(new)}
    return np.asarray(found[np.diff(group[found], **border) != 0], np.int64)


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.asarray(column.combine_chunks().dictionary_encode().indices, np.int64)


def _balance(uid: pa.Array, tid: pa.Array) -> NDArray[np.uint64]:
    """One number for each (uid, tid), the same for equal texts."""
    return _hash(uid) * np.uint64(3) + _hash(tid)


def _hash(texts: pa.Array) -> NDArray[np.uint64]:
    large = texts.cast(pa.large_string())
    _, offsets, data = large.buffers()
    starts = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    return hash_texts(starts, np.frombuffer(data or b"", np.uint8), _NO_SECRET)
