"""Spark's own folder. It exists as long as this process. If the process is killed, the next one removes it.

Java keeps the first folder that it was given, and Spark writes there at any time. Deleting it while the process lives would
break Spark, so it is not where spill files are swept. A living process holds a lock on its folder, which the system
releases however the process ends.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final

from dpcore.errors import InputError
from dpcore.private import store
from dpcore.version import FOLDER

_LOCK_FILE: Final = "lock"
_YOUNG_SECONDS: Final = 60.0  # far longer than the time between making a folder and locking it
_MAKING: Final = Lock()
_MADE: Final[dict[Path, int]] = {}
"""The folder of this process in each private folder, and the open file that holds its lock."""


def place() -> Path:
    """The folder of this process, made at first use. Raises InputError: the private folder cannot be written."""
    parent = store.folder("spark")
    with _MAKING:
        for made in _MADE:
            if made.parent == parent and made.exists():
                return made
        try:
            made = Path(tempfile.mkdtemp(dir=parent))
            handle = os.open(made / _LOCK_FILE, os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            handle = None
        if handle is not None:
            _MADE[made] = handle
            atexit.register(shutil.rmtree, made, ignore_errors=True)
            return made
    raise InputError(
        "the private folder is full or cannot be written",
        str(parent),
        "Free some space, or set EPSILON_ATLAS_HOME to another folder.",
    )


def sweep() -> None:
    """Remove the folders of processes that ended without removing them."""
    for left in store.folder("spark").iterdir():
        with suppress(OSError):  # another process removed it first
            if left.stat().st_mtime < time.time() - _YOUNG_SECONDS and not _lives(left):
                shutil.rmtree(left)


def _lives(folder: Path) -> bool:
    try:
        handle = os.open(folder / _LOCK_FILE, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def write_package(place: Path) -> Path:
    """Write the source of dpcore, and nothing else, as a zip from which Python can import.

    Raises OSError: the file cannot be written.
    """
    root = FOLDER
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.suffix in {".py", ".csv", ".css", ".js", ".typed"}:
                archive.write(file, Path(root.name) / file.relative_to(root))
    return place
