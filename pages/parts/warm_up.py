"""What is imported and made in the background from the start of the server on, before the first visit."""

import sys
from collections.abc import Callable
from contextlib import suppress
from gc import disable, enable, freeze
from threading import Event, Thread
from typing import Final

from dpcore.errors import AtlasError

ready: Final = Event()
"""Set once a page was shown, also that of a visitor without a role."""

_SHORT: Final = 0.0005  # seconds
_imported: Final = Event()
_begun: Final = Event()

Made = Callable[[], None] | None
"""Makes what the first page needs; None if nothing is to be made."""


def wait() -> None:
    """Wait for what is imported since the start of the server: two threads that import at once would hinder each other."""
    if _begun.is_set():
        _imported.wait()


def start(load: Callable[[], Made]) -> None:
    """Begin in a thread of its own."""
    _begun.set()
    Thread(target=begin, args=(load,), daemon=True).start()


def begin(load: Callable[[], Made]) -> None:
    """Import, then make what all visitors share.

    An import holds the interpreter for as long as it is let. A browser asks for sixty files at once, and would wait for each.
    Modules stay for good. Python does not look through them for garbage, neither meanwhile, which would take a fifth of the time, nor later.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SHORT)
    disable()
    try:
        made = load()
    finally:
        sys.setswitchinterval(usual)
        freeze()
        enable()
        _imported.set()
    if made is None:
        return
    with suppress(AtlasError):  # whoever visits a page meets the same fault and is told
        made()
