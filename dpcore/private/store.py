"""The private folder: exact counts, prepared trips and the bounding key are stored here and nowhere else.

Folders have mode 0700 and files 0600. Names are keyed digests, so that nobody can test by a listing of the folder which file
was loaded. Every file appears whole or not at all (``dpcore.disk``).
"""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from dpcore import disk, places
from dpcore.errors import InputError

home = places.home
"""The project's data folder. The private folder is in it."""

STALE_SECONDS: Final = 24 * 3600


def folder(*parts: str) -> Path:
    """A folder below ``private`` that only its owner can enter. It is made if missing."""
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
                "Set EPSILON_ATLAS_HOME to your own folder.",
            ) from error
    return place


@contextmanager
def written(target: Path, *, lasting: bool = True) -> Iterator[Path]:
    """``disk.written`` of mode 0600. Raises InputError where the disk is full."""
    with _full_disk_refused(target.parent), disk.written(target, lasting=lasting) as part:
        yield part


def new_file(place: Path) -> Path:
    """An empty file of mode 0600 at a place, for code that opens it by name. An earlier file there is gone."""
    os.close(os.open(place, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
    return place


def write_once(target: Path, content: bytes) -> None:
    """Write a file of mode 0600 unless it exists already (``disk.written_once``). Raises InputError."""
    with _full_disk_refused(target.parent), disk.written_once(target) as part:
        part.write_bytes(content)


@contextmanager
def new_folder(parent: Path) -> Iterator[Path]:
    """A folder that is removed at the end of the block, unless ``appear`` gave it its name."""
    with (
        _full_disk_refused(parent),
        tempfile.TemporaryDirectory(dir=parent, prefix=disk.PART, ignore_cleanup_errors=True) as place,
    ):
        yield Path(place)


def appear(place: Path, target: Path, *, lasting: bool = True) -> bool:
    """Give a new folder its name in one step. False if another folder has that name.

    ``lasting``: first all its files are synced; False for what has checksums and can be made again.
    """
    if lasting:
        for path in place.iterdir():
            disk.sync(path)
        disk.sync_folder(place)
    try:
        place.rename(target)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise
        return False
    if lasting:
        disk.sync_folder(target.parent)
    return True


def move_into(place: Path, target: Path, last: str) -> None:
    """Move all files of a folder to another one, each in one step, and the file named ``last`` after all others.

    At no moment does a reader miss a file that was there before. Other files stay.
    """
    for path in sorted(place.iterdir(), key=lambda path: path.name == last):
        if path.name == last:
            disk.sync_folder(target)
        disk.sync(path)
        path.replace(target / path.name)
    disk.sync_folder(target)


def forget_answers(place: Path) -> None:
    """Remove the answers that were counted for the earlier rows of a folder."""
    for stale in place.glob("*.npy"):
        stale.unlink(missing_ok=True)


@contextmanager
def _full_disk_refused(place: Path) -> Iterator[None]:
    """Say plainly that the private folder takes no file."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(
            "the private folder was emptied meanwhile", str(place), "Load the trips again."
        ) from error
    except OSError as error:
        raise InputError(
            "the private folder is full or cannot be written",
            str(place),
            "Free some space, or set EPSILON_ATLAS_HOME to another folder.",
        ) from error


@contextmanager
def scratch() -> Iterator[Path]:
    """A private temporary folder for spill files. It is removed at the end of the block."""
    place = Path(tempfile.mkdtemp(dir=folder("scratch")))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def passing_folder() -> Path:
    """A private temporary folder for what is of use to this process alone. It is removed at its end."""
    place = Path(tempfile.mkdtemp(dir=folder("scratch")))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def sweep(older_than_seconds: float = STALE_SECONDS) -> None:
    """Remove what interrupted runs left behind, by default after a day.

    The age of a folder is that of its youngest content, so a long run keeps its spill files.
    """
    oldest = time.time() - older_than_seconds
    cache = folder("cache")
    left = [*folder("scratch").iterdir()]
    for place in (
        *(folder("keys"), folder("digests"), *folder("projects").iterdir()),
        *(folder("looks"), folder("looks", "public"), cache, *cache.iterdir()),
    ):
        with suppress(OSError):  # it was removed meanwhile, and so was everything below it
            left += place.glob(f"{disk.PART}*")
    for path in left:
        with suppress(OSError):  # another process removed it first
            if last_change(path) < oldest:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def last_change(path: Path) -> float:
    """Time of the last change of a file, or of the youngest content of a folder, in seconds. OSError if it is gone."""
    return max(found.lstat().st_mtime for found in (path, *path.rglob("*")))


def forget() -> None:
    """Delete every cached trip and count, the digests of files and all spill files. Keys stay."""
    left = []
    for name in ("cache", "digests", "scratch"):
        place = folder(name)
        shutil.rmtree(place, ignore_errors=True)
        if place.exists():
            left.append(name)
    if left:
        raise InputError(
            "not everything could be deleted",
            f"{', '.join(left)} in the private folder",
            "Delete it by hand.",
        )
