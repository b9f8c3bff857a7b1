"""The private folder: exact counts, prepared trips and the bounding key are stored here and nowhere else.

Folders have mode 0700 and files 0600. Names are keyed digests, so that nobody can test by a listing of the folder which file
was loaded. Every file is written next to its place, synced to disk and moved there in one step. A reader sees all of it or
nothing, and neither a crash nor a power cut leaves anything half-written.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from dpcore import places
from dpcore.errors import InputError

home = places.home
"""The project's data folder. The private folder is in it."""

STALE_SECONDS: Final = 24 * 3600
_CLAIM_SECONDS: Final = 10.0  # far longer than moving a file takes


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
def written(target: Path) -> Iterator[Path]:
    """A temporary path that becomes ``target`` if the block ends without an error, and is removed otherwise.

    Its bytes are synced before it gets its name, so after a power cut there is all of it or nothing.
    """
    with _part_of(target) as part:
        yield part
        sync(part)
        part.replace(target)
        _sync_folder(target.parent)


def new_file(place: Path) -> Path:
    """An empty file of mode 0600 at a place, for code that opens it by name. An earlier file there is gone."""
    os.close(os.open(place, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
    return place


def write_once(target: Path, content: bytes) -> None:
    """Write a file unless it exists already. Of several processes the first one wins.

    As with ``written``, nobody ever sees a part of it, even on file systems without hard links.
    """
    with _part_of(target) as part:
        part.write_bytes(content)
        sync(part)
        try:
            os.link(part, target)
        except FileExistsError:
            return
        except OSError:
            linked = False  # FAT, some network drives
        else:
            linked = True
        if not linked:
            _move_once(part, target)
        _sync_folder(target.parent)


def _move_once(part: Path, target: Path) -> None:
    """Move a file to its place unless something is there already.

    A move would replace an existing file, so only the one process that made the claim may move. The target itself cannot be
    the claim: it would be empty for a moment, and permanently after a power cut.
    """
    claim = target.with_name(f".part-claim-{target.name}")
    end = time.monotonic() + _CLAIM_SECONDS
    while not target.exists():
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            if time.monotonic() > end:  # the claiming process ended; sweep removes the claim after a day
                raise
            time.sleep(0.01)
            continue
        try:
            if not target.exists():
                part.replace(target)
        finally:
            claim.unlink()


@contextmanager
def _part_of(target: Path) -> Iterator[Path]:
    """An empty file of mode 0600 next to ``target``. It is removed at the end unless it was moved there."""
    part = None
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")  # makes it with mode 0600
        part = Path(name)
        os.close(handle)
        yield part
    except OSError as error:
        raise _full(target.parent, error) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


@contextmanager
def new_folder(parent: Path) -> Iterator[Path]:
    """A folder that is removed at the end of the block, unless ``appear`` gave it its name."""
    try:
        place = Path(tempfile.mkdtemp(dir=parent, prefix=".part-"))  # makes it with mode 0700
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)
    except OSError as error:
        raise _full(parent, error) from error


def appear(place: Path, target: Path) -> bool:
    """Give a new folder its name in one step, with all its files synced. False if another folder has that name."""
    for path in place.iterdir():
        sync(path)
    _sync_folder(place)
    try:
        place.rename(target)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
            raise
        return False
    _sync_folder(target.parent)
    return True


def move_into(place: Path, target: Path, last: str) -> None:
    """Move all files of a folder to another one, each in one step, and the file named ``last`` after all others.

    At no moment does a reader miss a file that was there before. Other files stay.
    """
    for path in sorted(place.iterdir(), key=lambda path: path.name == last):
        if path.name == last:
            _sync_folder(target)
        sync(path)
        path.replace(target / path.name)
    _sync_folder(target)


def forget_answers(place: Path) -> None:
    """Remove the answers that were counted for the earlier rows of a folder."""
    for stale in place.glob("*.npy"):
        stale.unlink(missing_ok=True)


def _full(place: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError("the private folder was emptied meanwhile", str(place), "Load the trips again.")
    return InputError(
        "the private folder is full or cannot be written",
        str(place),
        "Free some space, or set EPSILON_ATLAS_HOME to another folder.",
    )


def sync(part: Path) -> None:
    """Sync the bytes of a file to disk."""
    handle = os.open(part, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(place: Path) -> None:
    """Sync the names in a folder. Not every system can; elsewhere they become permanent a few seconds later."""
    with suppress(OSError):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def scratch() -> Iterator[Path]:
    """A private temporary folder for spill files. It is removed at the end of the block."""
    place = Path(tempfile.mkdtemp(dir=folder("scratch")))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def sweep(older_than_seconds: float = STALE_SECONDS) -> None:
    """Remove what interrupted runs left behind, by default after a day.

    The age of a folder is that of its youngest content, so a long run keeps its spill files.
    """
    oldest = time.time() - older_than_seconds
    cache = folder("cache")
    left = [*folder("scratch").iterdir()]
    for place in (
        *(folder("keys"), folder("digests"), *folder("projects").iterdir()),
        *(cache, *cache.iterdir()),
    ):
        with suppress(OSError):  # it was removed meanwhile, and so was everything below it
            left += place.glob(".part-*")
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
