"""What Spark holds, and how it is released: held tables, shared views, and values sent to workers.

Spark holds the trips of one load at a time: the next successful load releases them. They are also released when their
handle is no longer used. Then a separate thread releases them, because the garbage collector may run in the middle of a
call to Java on any other thread.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import RLock, Thread
from typing import TYPE_CHECKING, Any, Final
from weakref import finalize

from dpcore.errors import InputError
from dpcore.private.sealed import Sealed

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

_LOCK: Final = RLock()
_HELD: Final[list[Holding]] = []
_LEFT: Final[SimpleQueue[Holding]] = SimpleQueue()  # the one kind that a garbage collector may put into
_LETTING_GO: Final[list[Thread]] = []


class Holding(Sealed):
    """What one load or one count holds on Spark. Nothing can be added after it was released."""

    __slots__ = ("_gone", "_lasting", "_name", "_undo")

    def __init__(self, name: str) -> None:
        """Hold nothing yet. ``name`` is that of the trips, for messages."""
        self._name = name
        self._undo: list[Callable[[], Any]] = []
        self._gone = self._lasting = False
        with _LOCK:
            _HELD.append(self)

    def table(self, frame: DataFrame) -> DataFrame:
        """The same table, held once it is made. Raises InputError if everything was released."""
        with _LOCK:
            self.must_be_there()
            self._undo.append(frame.unpersist)
            return frame.persist()

    def view(self, frame: DataFrame, name: str) -> None:
        """A table under a name in its own session. Raises as ``table`` does."""
        with _LOCK:
            self.must_be_there()
            catalog = frame.sparkSession.catalog
            self._undo.append(lambda: catalog.dropTempView(name))
            frame.createOrReplaceTempView(name)

    def shared_view(self, frame: DataFrame, name: str) -> str:
        """A table under a name that every session of this Spark knows, and that name. Raises as ``table`` does."""
        with _LOCK:
            self.must_be_there()
            catalog = frame.sparkSession.catalog
            self._undo.append(lambda: catalog.dropGlobalTempView(name))
            frame.createOrReplaceGlobalTempView(name)
        return f"global_temp.{name}"

    def sent(self, value: Broadcast[bytes]) -> Broadcast[bytes]:
        """A value sent to the workers. Raises as ``table`` does."""
        with _LOCK:
            self._undo.append(value.destroy)
            self.must_be_there()
        return value

    def must_be_there(self) -> None:
        """Refuse to go on if everything was released."""
        if self._gone:
            raise InputError(
                "Spark no longer holds these trips: they were forgotten, or others were loaded in their place",
                self._name,
                "Load them again.",
            )

    def let_go(self) -> None:
        """Release everything, the last first. Never raises: a Spark that ended holds nothing."""
        with _LOCK:
            self._gone = True
            undo, self._undo = self._undo, []
            if self in _HELD:
                _HELD.remove(self)
        for step in reversed(undo):
            with suppress(Exception):
                step()

    def take_the_place(self, handle: object) -> None:
        """Last as long as a handle, and release the trips of every earlier load."""
        with _LOCK:
            self.must_be_there()
            before = [one for one in _HELD if one._lasting]  # noqa: SLF001 - of this class
            self._lasting = True
            finalize(handle, _LEFT.put, self).atexit = False  # Spark ends with the process
            if not _LETTING_GO:
                _LETTING_GO.append(Thread(target=_let_go_of_what_is_left, daemon=True))
                _LETTING_GO[0].start()
        for one in before:
            one.let_go()


def let_go_of_all() -> None:
    """Release everything that Spark holds, for any load or count."""
    with _LOCK:
        every = [*_HELD]
    for one in every:
        one.let_go()


def _let_go_of_what_is_left() -> None:
    while True:
        _LEFT.get().let_go()
