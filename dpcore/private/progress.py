"""Progress of a long step: a function that gets the share that is done, 0 to 1, and may raise to end the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

Progress = Callable[[float], None]


@overload
def share(progress: Progress, begin: float, end: float) -> Progress: ...


@overload
def share(progress: None, begin: float, end: float) -> None: ...


@overload
def share(progress: Progress | None, begin: float, end: float) -> Progress | None: ...


def share(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Progress of a step that covers the range from one share of the whole to another."""
    if progress is None:
        return None
    return lambda done: progress(begin + (end - begin) * done)
