"""Prepared batches become a part: users are hashed, rows ordered, runs written, all in a pipeline.

The stages of a pipeline run at the same time, each on its own thread and a little ahead of the next. The last results are
taken in the calling thread. Progress is reported there, and its exception (a page that reruns, Ctrl-C) ends the work there.
However the block is left, every thread has ended by then.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

import numpy as np
import pyarrow as pa

from dpcore.errors import AtlasError, InternalError
from dpcore.private.prepare import Preparation, long_ways
from dpcore.private.prepared.files import (
    RUN_ROWS,
    STORED,
    CheckedWriter,
    Checks,
    Piece,
    Run,
    extra_columns,
    run_name,
    user_key,
    write_run,
)
from dpcore.private.prepared.part import USERS_FILE, Held, Part
from dpcore.private.prepared.unknown_ids import UnknownCounter
from dpcore.private.prepared.users import USERS, SharedHashError, UserTable, shared_hash
from dpcore.private.source.attributes import kept_fields
from dpcore.private.source.report import ReadReport

Item = TypeVar("Item")

_PATIENCE: Final = 0.1
"""Seconds after which a waiting thread checks whether it is to end, and the calling thread reports its progress."""


class StoppedError(Exception):
    """The work was ended from outside. It never leaves a stage."""


class Pipeline:
    """Threads that end with the block. Each runs one stage."""

    def __init__(self) -> None:
        self._stop = Event()
        self._threads: list[Thread] = []

    def must_go_on(self) -> None:
        """Raise StoppedError in a stage whose work is no longer wanted."""
        if self._stop.is_set():
            raise StoppedError

    def run(
        self, items: Iterable[Item], ahead: int, tell: Callable[[], None] | None = None
    ) -> Iterator[Item]:
        """The same items, made on another thread, at most ``ahead`` of them before they are taken.

        Args:
            items: made lazily. Their error is raised where the items are taken, without the text of an engine.
            ahead: how many may wait.
            tell: called in the thread that takes, while it waits.

        """
        stage: queue.Queue[_Made[Item]] = queue.Queue(ahead)

        def work() -> None:
            last: _Made[Item] = _Made(end=True)
            try:
                for item in items:
                    self._put_when_free(stage, _Made([item]))
            except StoppedError:
                return
            except (AtlasError, OSError, MemoryError) as error:
                last = _Made(error=error)
            except BaseException as error:  # noqa: BLE001 - its text may quote a cell: only its type leaves
                last = _Made(error=InternalError.at(f"preparing trips ({type(error).__name__})"))
            try:
                self._put_when_free(stage, last)
            except StoppedError:
                return

        thread = Thread(target=work, name="loading trips", daemon=True)
        self._threads.append(thread)
        thread.start()
        return self._items_of_stage(stage, tell or self.must_go_on)

    def _put_when_free(self, stage: queue.Queue[_Made[Item]], made: _Made[Item]) -> None:
        while True:
            self.must_go_on()
            try:
                stage.put(made, timeout=_PATIENCE)
            except queue.Full:
                continue
            return

    def _items_of_stage(self, stage: queue.Queue[_Made[Item]], tell: Callable[[], None]) -> Iterator[Item]:
        while True:
            made = None
            with suppress(queue.Empty):
                made = stage.get(timeout=_PATIENCE)
            if made is None:
                tell()
            elif made.error is not None:
                raise made.error
            elif made.end:
                return
            else:
                yield from made.items

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every stage and wait for it."""
        self._stop.set()
        for thread in self._threads:
            thread.join()


class _Made(Generic[Item]):
    """What a stage passes on: an item, an error, or the end."""

    def __init__(
        self, items: Iterable[Item] = (), error: BaseException | None = None, *, end: bool = False
    ) -> None:
        self.items, self.error, self.end = items, error, end


_USER_ROWS: Final = 65_536
_AHEAD: Final = 2
"""Batches that may wait for the next stage."""
_ORDERED: Final = 8
"""Ordered batches that may wait while a run is written: enough that the stages before need not wait."""
_RUNS: Final = 16
"""Written runs that may wait."""


class PartWriter:
    """Makes one part in an empty folder."""

    def __init__(
        self, folder: Path, name: str, prepare: Preparation, tile_names: Sequence[str] = (), room: int = 0
    ) -> None:
        """``tile_names``: what the tiles are called, for a word on trips that say names in place of ids.

        ``room``: bytes of rows that are held in memory and not written. If there are more, all are written.
        """
        self._folder, self._name, self._prepare = folder, name, prepare
        self._unknown = UnknownCounter(prepare.tessellation.tile_ids, tile_names, prepare.key)
        self._schema = pa.schema([*STORED, *extra_columns(prepare.extras), *kept_fields(prepare.attributes)])
        self._users = UserTable(user_key(prepare.key))
        self._held: list[Piece] = []
        self._room = room
        self.long = 0
        """Number of trips with the most tiles on their way that are kept. They may have had more."""

    def write(
        self, pipeline: Pipeline, batches: Iterable[pa.RecordBatch], tell: Callable[[], None] | None = None
    ) -> tuple[Run, ...]:
        """Write the runs of a reader's batches, which are taken on another thread.

        ``tell`` is called in this thread from time to time; its exception ends the work. Raises InputError if something in
        the batches cannot be used, and OSError for example for a full disk.
        """
        read = pipeline.run(batches, _AHEAD)
        prepared = pipeline.run((self._prepared(batch) for batch in read), _AHEAD)
        ordered = pipeline.run((self._stored(batch) for batch in prepared), _ORDERED)
        return tuple(pipeline.run(self._runs(ordered), _RUNS, tell))

    def describe(self, runs: tuple[Run, ...], report: ReadReport) -> Part:
        """The part that these runs are of, with everything else written; or that is in memory, of which nothing is written."""
        of, unknown = self._prepare, self._unknown.counted()
        texts = [*self._users.users(_USER_ROWS)]
        users = np.zeros((0, len(USERS)), np.uint64) if self._held else self._write_users(texts)
        part = Part(self._folder, self._name, of.extras, report, runs, users, of.attributes, unknown)
        if self._held:
            return replace(part, held=Held(tuple(self._held), tuple(texts)))
        part.describe()
        return part

    def _prepared(self, read: pa.RecordBatch) -> pa.RecordBatch:
        prepared = self._prepare(read)
        self._unknown.add(read, prepared)
        return prepared

    def _stored(self, prepared: pa.RecordBatch) -> Piece:
        self.long += long_ways(prepared)
        shared = False
        try:
            hashes = self._users.hashes(prepared["user_id"])
        except SharedHashError:
            shared = True
        if shared:
            raise shared_hash(self._name)
        extras = [prepared[field.name].cast(field.type) for field in [*self._schema][len(STORED) :]]
        columns = [hashes, *prepared.columns[1 : len(STORED)], *extras]
        return Piece.of(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def _too_many(self, pieces: Iterable[Piece]) -> Iterator[Piece]:
        """The pieces if there is no room for all of them; none otherwise."""
        for piece in pieces:
            self._held.append(piece)
            self._room -= piece.rows.nbytes
            while self._room <= 0 and self._held:
                yield self._held.pop(0)

    def _runs(self, pieces: Iterable[Piece]) -> Iterator[Run]:
        waiting: list[Piece] = []
        size = number = 0
        for piece in self._too_many(pieces):
            waiting.append(piece)
            size += piece.size
            if size >= RUN_ROWS:
                yield write_run(self._folder / run_name(number), waiting)
                waiting, size, number = [], 0, number + 1
        if size:
            yield write_run(self._folder / run_name(number), waiting)

    def _write_users(self, texts: Sequence[pa.RecordBatch]) -> Checks:
        with CheckedWriter(self._folder / USERS_FILE, USERS) as writer:
            for batch in texts:
                writer.write(batch)
        return writer.checks
