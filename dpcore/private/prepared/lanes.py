"""Lanes: steps of one work that run beside each other, each on a thread of its own a little ahead of the next.

Whoever takes the last results stays in the calling thread: progress is told there, and whatever that raises (the
rerun of a page, Ctrl-C) ends the work there. However the block is left, every thread has ended then.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

from dpcore.errors import AtlasError, InternalError

Item = TypeVar("Item")
Result = TypeVar("Result")

_PATIENCE: Final = 0.1
"""Seconds after which a waiting thread looks whether it is to end, and the calling one tells its progress."""


class StoppedError(Exception):
    """The work was ended from outside; never leaves a lane."""


class Lanes:
    """Threads that end with the block."""

    def __init__(self) -> None:
        self._stop = Event()
        self._threads: list[Thread] = []

    def must_go_on(self) -> None:
        """Raise StoppedError in a lane whose work is no longer wanted."""
        if self._stop.is_set():
            raise StoppedError

    def run(
        self, items: Iterable[Item], ahead: int, tell: Callable[[], None] | None = None
    ) -> Iterator[Item]:
        """The same items, made on a thread of their own, at most so many ahead of those that were taken.

        Args:
            items: made lazily; an error of theirs is raised where the items are taken, with no text of an engine.
            ahead: how many may wait.
            tell: called while nothing is there to be taken, in the thread that takes.

        """
        lane: queue.Queue[_Made[Item]] = queue.Queue(ahead)

        def work() -> None:
            last: _Made[Item] = _Made(end=True)
            try:
                for item in items:
                    self._put(lane, _Made([item]))
            except StoppedError:
                return
            except (AtlasError, OSError, MemoryError) as error:
                last = _Made(error=error)
            except BaseException as error:  # noqa: BLE001 - its text may quote a cell: only its type leaves
                last = _Made(error=InternalError.at(f"preparing trips ({type(error).__name__})"))
            try:
                self._put(lane, last)
            except StoppedError:
                return

        thread = Thread(target=work, name="loading trips", daemon=True)
        self._threads.append(thread)
        thread.start()
        return self._taken(lane, tell or self.must_go_on)

    def _put(self, lane: queue.Queue[_Made[Item]], made: _Made[Item]) -> None:
        while True:
            self.must_go_on()
            try:
                lane.put(made, timeout=_PATIENCE)
            except queue.Full:
                continue
            return

    def _taken(self, lane: queue.Queue[_Made[Item]], tell: Callable[[], None]) -> Iterator[Item]:
        while True:
            made = None
            with suppress(queue.Empty):
                made = lane.get(timeout=_PATIENCE)
            if made is None:
                tell()
            elif made.error is not None:
                raise made.error
            elif made.end:
                return
            else:
                yield from made.items

    def __enter__(self) -> Self:
        """The lanes, none of which runs yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every lane and wait for it."""
        self._stop.set()
        for thread in self._threads:
            thread.join()


class _Made(Generic[Item]):
    """What a lane hands on: an item, an error, or that this was all."""

    def __init__(
        self, items: Iterable[Item] = (), error: BaseException | None = None, *, end: bool = False
    ) -> None:
        self.items, self.error, self.end = items, error, end
