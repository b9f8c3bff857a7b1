"""The private folder: exact counts, prepared trips and the bounding key live here and nowhere else.

Folders have mode 0700 and files 0600. Names are keyed digests, so that a listing of the folder does not
let anyone test which file was loaded. Every file is written beside its place and moved there in one
step: a reader sees all of it or nothing, and a crash leaves nothing half-written.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import platformdirs

from dpcore.errors import InputError

_STALE_SECONDS: Final = 24 * 3600


def home() -> Path:
    """The project's data folder: ``EPSILON_ATLAS_HOME``, else the user's data folder."""
    chosen = os.environ.get("EPSILON_ATLAS_HOME")
    return Path(chosen) if chosen else platformdirs.user_data_path("epsilon-atlas", appauthor=False)


def folder(*parts: str) -> Path:
    """A folder below ``private`` that only its owner can enter; made if missing."""
    place = home() / "private"
    for part in ("", *parts):
        place = place / part
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.chmod(0o700)
        except OSError as error:
            raise InputError(
                "the private folder cannot be written",
                str(place),
                "Set EPSILON_ATLAS_HOME to a folder of your own.",
            ) from error
    return place


@contextmanager
def written(target: Path) -> Iterator[Path]:
    """A temporary path that becomes ``target`` when the block ends well, and vanishes otherwise."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    os.close(handle)  # mkstemp made it with mode 0600
    part = Path(name)
    try:
        yield part
        part.replace(target)
    except OSError as error:
        raise InputError(
            "the private folder is full or cannot be written",
            str(target.parent),
            "Free some space, or set EPSILON_ATLAS_HOME to another folder.",
        ) from error
    finally:
        part.unlink(missing_ok=True)


def write_once(target: Path, content: bytes) -> None:
    """Write a file unless it is there already; of several processes the first one wins."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    with os.fdopen(handle, "wb") as part:
        part.write(content)
    with suppress(FileExistsError):
        os.link(name, target)
    Path(name).unlink()


@contextmanager
def scratch() -> Iterator[Path]:
    """A private temporary folder for spill files; removed at the end of the block."""
    place = Path(tempfile.mkdtemp(dir=folder("scratch")))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def sweep() -> None:
    """Remove what interrupted runs left behind a day ago or earlier."""
    oldest = time.time() - _STALE_SECONDS
    left = [*folder("scratch").iterdir(), *folder("cache").glob("*/.part-*")]
    for path in left:
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def forget() -> None:
    """Delete every cached trip and count; keys stay."""
    shutil.rmtree(folder("cache"), ignore_errors=True)
