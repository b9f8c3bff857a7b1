"""Prepared batches become a part: users hashed, rows ordered, runs written and brought to the disk, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dpcore.private import store
from dpcore.private.prepare import Preparation
from dpcore.private.prepared.checked_file import CheckedWriter, Checks
from dpcore.private.prepared.lanes import Lanes
from dpcore.private.prepared.meeting import shared_hash
from dpcore.private.prepared.part import USERS_FILE, Part
from dpcore.private.prepared.run_file import RUN_ROWS, Ordered, Run, run_name, write_run
from dpcore.private.prepared.stored import STORED, extra_columns, user_key
from dpcore.private.prepared.user_table import USERS, SharedHashError, UserTable
from dpcore.private.source.report import ReadReport
from dpcore.private.via import MOST

_USER_ROWS: Final = 65_536
_AHEAD: Final = 2
"""Batches that wait for the next step."""
_ORDERED: Final = 8
"""Ordered batches that wait while a run is written: enough that the steps before need not wait as well."""
_RUNS: Final = 16
"""Written runs that wait for the disk."""


class PartWriter:
    """Makes one part in an empty folder."""

    def __init__(self, folder: Path, name: str, prepare: Preparation) -> None:
        self._folder, self._name, self._prepare = folder, name, prepare
        self._schema = pa.schema([*STORED, *extra_columns(prepare.extras)])
        self._users = UserTable(user_key(prepare.key))
        self.long = 0
        """Trips that have as many tiles on their way as are kept of one, so that there may have been more."""

    def write(
        self, lanes: Lanes, batches: Iterable[pa.RecordBatch], tell: Callable[[], None] | None = None
    ) -> tuple[Run, ...]:
        """Write the runs of a reader's batches; all are on the disk at the end.

        Args:
            lanes: end with the work, however it ends.
            batches: as ``Reading.batches`` gives them; taken on another thread.
            tell: called in this thread every now and then; what it raises ends the work.

        Raises:
            InputError: something in the batches cannot be used.
            OSError: the disk is full, for example.

        """
        read = lanes.run(batches, _AHEAD)
        prepared = lanes.run((self._prepare(batch) for batch in read), _AHEAD)
        ordered = lanes.run((self._stored(batch) for batch in prepared), _ORDERED)
        written = lanes.run(self._runs(ordered), _RUNS)
        synced = lanes.run((self._synced(number, run) for number, run in enumerate(written)), _RUNS, tell)
        return tuple(synced)

    def describe(self, runs: tuple[Run, ...], report: ReadReport) -> Part:
        """Write all that makes the runs a part."""
        part = Part(self._folder, self._name, self._prepare.extras, report, runs, self._write_users())
        part.describe()
        return part

    def _stored(self, prepared: pa.RecordBatch) -> Ordered:
        self.long += pc.sum(pc.equal(prepared["via"].value_lengths(), MOST)).as_py() or 0
        shared = False
        try:
            hashes = self._users.hashes(prepared["user_id"])
        except SharedHashError:
            shared = True
        if shared:
            raise shared_hash(self._name)
        extras = [column.cast(pa.string()) for column in prepared.columns[len(STORED) :]]
        columns = [hashes, *prepared.columns[1 : len(STORED)], *extras]
        return Ordered.of(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def _runs(self, ordered: Iterable[Ordered]) -> Iterator[Run]:
        waiting: list[Ordered] = []
        size = number = 0
        for piece in ordered:
            waiting.append(piece)
            size += piece.size
            if size >= RUN_ROWS:
                yield write_run(self._folder / run_name(number), waiting)
                waiting, size, number = [], 0, number + 1
        if size:
            yield write_run(self._folder / run_name(number), waiting)

    def _synced(self, number: int, run: Run) -> Run:
        store.sync(self._folder / run_name(number))
        return run

    def _write_users(self) -> Checks:
        with CheckedWriter(self._folder / USERS_FILE, USERS) as writer:
            for batch in self._users.users(_USER_ROWS):
                writer.write(batch)
        return writer.checks
