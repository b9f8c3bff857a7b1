"""Files that appear whole or not at all, and are still there after a power cut.

Every file is written next to its place, in a folder that only its owner can enter, synced to disk and moved in one step. A
reader sees all of it or nothing.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from dpcore.errors import InputError

FOR_OWNER: Final = 0o600
"""Mode of a file that only its owner can read."""
FOR_READERS: Final = 0o666
"""Mode of a file that others may read, as far as the umask of the process lets them."""
PART: Final = ".part-"
"""How names begin that an interrupted run may leave behind."""
_CLAIM_SECONDS: Final = 10.0  # far longer than moving a file takes
_NO_SYNC_OF_FOLDERS: Final = {
    errno.EACCES,
    errno.EBADF,
    errno.EINVAL,
    errno.EISDIR,
    errno.ENOTSUP,
    errno.EPERM,
}


@contextmanager
def written(target: Path, mode: int = FOR_OWNER, *, lasting: bool = True) -> Iterator[Path]:
    """An empty file that becomes ``target`` if the block ends without an error, and is removed otherwise.

    Its bytes are synced before it gets its name, so after a power cut there is all of it or nothing. Raises OSError.
    ``lasting``: False does not wait for the disk, for what has a checksum and can be made again.
    """
    with _part_of(target, mode) as part:
        yield part
        if lasting:
            sync(part)
        part.replace(target)
        if lasting:
            sync_folder(target.parent)


@contextmanager
def written_once(target: Path) -> Iterator[Path]:
    """As ``written``, but a file that is there already stays: of several processes the first one wins. Raises OSError.

    Nobody ever sees a part of it, even on file systems without hard links.
    """
    with _part_of(target, FOR_OWNER) as part:
        yield part
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
        sync_folder(target.parent)


def write_whole(
    out: Path, content: bytes, mode: int = FOR_READERS, mend: str = "Choose another place."
) -> None:
    """Write a file that somebody asked for, and the folders above it. Raises InputError, with ``mend``, where there can be no file."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with written(out, mode) as part:
            part.write_bytes(content)
    except OSError:
        raise InputError("the file cannot be written", str(out), mend) from None


def sync(file: Path) -> None:
    """Wait until the bytes of a file are on the disk. Raises OSError."""
    # Windows syncs only what is open for writing; elsewhere a file may be one that nobody may write.
    handle = os.open(file, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(place: Path) -> None:
    """Wait until the names in a folder are on the disk. Raises OSError.

    Not every system can wait for names. Elsewhere they become permanent a few seconds later.
    """
    try:
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_SYNC_OF_FOLDERS:
            raise


@contextmanager
def _part_of(target: Path, mode: int) -> Iterator[Path]:
    """An empty file that is removed at the end unless it was moved, with all that is made beside it."""
    with TemporaryDirectory(dir=target.parent, prefix=PART, ignore_cleanup_errors=True) as folder:
        part = Path(folder) / target.name
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield part


def _move_once(part: Path, target: Path) -> None:
    """Move a file to its place unless something is there already.

    A move would replace an existing file, so only the one process that made the claim may move. The target itself cannot be
    the claim: it would be empty for a moment, and permanently after a power cut.
    """
    claim = target.with_name(f"{PART}claim-{target.name}")
    end = time.monotonic() + _CLAIM_SECONDS
    while not target.exists():
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FOR_OWNER))
        except FileExistsError:
            if time.monotonic() > end:  # the claiming process ended
                raise
            time.sleep(0.01)
            continue
        try:
            if not target.exists():
                part.replace(target)
        finally:
            claim.unlink()
