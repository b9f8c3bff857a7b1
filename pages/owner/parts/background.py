"""Work that no click can cut short.

Streamlit stops a page where it stands when the next event comes. A spend must not stop half way, so it runs in a
thread of its own, begun once; the page only watches it, and may be left, pressed again or reloaded meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Generic, TypeVar

from dpcore.errors import AtlasError, InternalError

Made = TypeVar("Made")
Tell = Callable[[float], None]


class Work(Generic[Made]):
    """One piece of work: begun at most once, however often it is asked for."""

    def __init__(self, task: Callable[[Tell], Made]) -> None:
        self._task: Callable[[Tell], Made] | None = task
        self._begun = Lock()
        self._over = Event()
        self._made: Made | None = None
        self._problem: AtlasError | None = None
        self.share = 0.0
        """How much is done, 0 to 1."""
        self.told = False
        """Whether what came of it was shown."""

    @property
    def begun(self) -> bool:
        """Whether it was started."""
        return self._begun.locked()

    def begin(self) -> None:
        """Start, unless it was started before."""
        if self._begun.acquire(blocking=False):
            task, self._task = self._task, None  # it holds trips, which must go when it is over
            Thread(target=self._run, args=(task,), daemon=True).start()

    def over(self, seconds: float) -> bool:
        """Wait so long at most; whether it has ended."""
        return self._over.wait(seconds)

    def result(self) -> Made:
        """What came of it; raises the AtlasError that ended it."""
        if self._problem is not None:
            raise self._problem
        if self._made is None:
            raise RuntimeError("the work is not over")
        return self._made

    def _run(self, task: Callable[[Tell], Made]) -> None:
        try:
            self._made = task(self._tell)
        except AtlasError as error:
            self._problem = error
        except Exception as error:  # noqa: BLE001 - the text of an unknown error may quote a cell
            self._problem = InternalError.at(type(error).__name__)
        finally:
            self._over.set()

    def _tell(self, share: float) -> None:
        self.share = min(max(share, 0.0), 1.0)
