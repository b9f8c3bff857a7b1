"""Results of earlier work, stored in the private folder under a name that covers all that they depend on.

The name of a stored file is a keyed digest of everything that its content follows from: the bytes that were read, how they
were to be read, and the code that reads or counts. If any of these changes, the name changes, so an outdated answer is
never found. The names reveal to nobody which file was loaded. A file is its content and then a checksum, has mode 0600,
and is written whole or not at all (``store.written``). A file that is damaged or missing is computed again: only time is
lost. ``store.forget`` deletes all of them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

import pyarrow as pa

from dpcore.errors import InputError
from dpcore.private import store
from dpcore.version import FOLDER, VERSION

Content = TypeVar("Content")

_CHECKSUM_BYTES: Final = 32
_PIECE: Final = 2**20
_MOST_KEPT: Final = 24
"""Number of files of one kind that ``remembered`` keeps. The oldest are deleted."""
_SHAPES: Final = "shapely"
_COUNTING: Final = ("numpy", "numba", "duckdb", "pyarrow", _SHAPES)
"""The libraries that count and process shapes, and this one last."""
_FIRST: Final = "__init__.py"
_SETTLED_NS: Final = 2_000_000_000
"""After so long another change of a file has another time, on every file system."""
_DAMAGE: Final = (OSError, ValueError, KeyError, TypeError, EOFError, RecursionError, pa.ArrowException)
"""What is raised on reading a file that is missing or was changed."""


def name_of(key: bytes, *parts: str | bytes) -> str:
    """The name of what follows from the parts: 32 hexadecimal digits, made with a secret key."""
    name = blake2b(key=key, digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        name.update(len(content).to_bytes(8, "little"))
        name.update(content)
    return name.hexdigest()


@lru_cache(1)
def code_digest() -> str:
    """Digest of all code of the package, and of the versions of the libraries that count and process shapes.

    If any byte of the package or any of these versions changes, stored results are made anew. Files are read again only
    where the file system marks one as changed: hundreds of files, at each start.
    """
    marks = _marks_of_code()
    place = None
    if marks is not None:
        with suppress(
            InputError
        ):  # the private folder cannot be written; code that needs it will report that
            place = store.folder("cache", "code") / name_of(b"", marks)
    return remembered(place, _digest_of_code, str.encode, lambda content: str(content, "ascii"))


def _digest_of_code() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - known answers need none

    import shapely  # noqa: PLC0415 - as above

    digest = blake2b(digest_size=16)
    versions = (VERSION, *map(version, _COUNTING), shapely.geos_version_string)
    digest.update("\n".join(versions).encode())
    for path in sorted(FOLDER.rglob("*.py")):
        digest.update(path.relative_to(FOLDER).as_posix().encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def _marks_of_code() -> str | None:
    """Path, size, inode and times of every file that ``code_digest`` follows from. A change of any of them changes its marks.

    The time of the last change of a file cannot be set, so no change that keeps its other marks is missed. None where that
    does not hold: the change is so recent that the next one may get the same time, or the shapes are processed by a library of
    the system, which has files elsewhere.
    """
    packages = [folder for name in _COUNTING if (folder := _folder_of(name)) is not None]
    bundled = packages[-1].with_name(f"{_SHAPES}.libs") if packages else FOLDER
    if len(packages) < len(_COUNTING) or not bundled.is_dir():
        return None
    files = [str(folder / _FIRST) for folder in packages]
    files += map(str, (*packages[-1].glob("*.so"), *bundled.iterdir()))
    for place, _, names in os.walk(FOLDER):
        files += [f"{place}/{name}" for name in names if name.endswith(".py")]
    marks, latest = [], 0
    for file in sorted(files):
        seen = os.stat(file)  # noqa: PTH116 - for hundreds of files, at each start
        latest = max(latest, seen.st_ctime_ns)
        marks.append(f"{file} {seen.st_size} {seen.st_ino} {seen.st_mtime_ns} {seen.st_ctime_ns}")
    return None if time.time_ns() - latest < _SETTLED_NS else "\n".join(marks)


def _folder_of(package: str) -> Path | None:
    """The folder from which Python would import a package; None if it lies in none."""
    places = (Path(place, package) for place in sys.path)
    return next((folder for folder in places if (folder / _FIRST).is_file()), None)


def keep(place: Path, write: Callable[[BinaryIO], object], key: bytes = b"", *, lasting: bool = True) -> None:
    """Store what a function writes, whole or not at all. Raises InputError if the disk is full.

    ``key``: of 1 to 64 bytes makes the checksum one that only who knows the key can write. ``lasting``: False for what can be
    made again, so that nobody waits for the disk: what a power cut damaged is not found.
    """
    with store.written(place, lasting=lasting) as part, part.open("w+b") as out:
        write(out)
        out.write(_checksum(out, out.tell(), key))


def stored_content(place: Path, read: Callable[[BinaryIO], Content], key: bytes = b"") -> Content | None:
    """What a function reads from a stored file. None if there is none, it was changed, or it was stored with another key.

    The function gets the file at its beginning. The checksum follows after the content.
    """
    try:
        with place.open("rb") as source:
            length = source.seek(0, 2) - _CHECKSUM_BYTES
            if length < 0 or _checksum(source, length, key) != source.read():
                return None
            source.seek(0)
            return read(source)
    except _DAMAGE:
        return None


def kept_content(place: Path, unpacked: Callable[[memoryview], Content], key: bytes = b"") -> Content | None:
    """What a function makes of the content of a stored file. None as for ``stored_content``."""
    return stored_content(place, lambda source: unpacked(memoryview(source.read())[:-_CHECKSUM_BYTES]), key)


def remembered(
    place: Path | None,
    make: Callable[[], Content],
    packed: Callable[[Content], bytes | pa.Buffer],
    unpacked: Callable[[memoryview], Content],
) -> Content:
    """What a function makes, or what it made before. The newest few files in the same folder stay.

    Args:
        place: where it is stored; None where nothing can be stored. With a full disk nothing is stored, which costs only
            time at the next start.
        make: makes it.
        packed: turns it into what is stored.
        unpacked: turns that back. It may raise any error if it cannot.

    """
    found = None if place is None else kept_content(place, unpacked)
    if found is not None:
        return found
    made = make()
    if place is not None:
        with suppress(InputError):
            keep(place, lambda out: out.write(packed(made)), lasting=False)
            for old in _oldest(place.parent):
                old.unlink(missing_ok=True)
    return made


def _oldest(folder: Path) -> list[Path]:
    """The files to delete, so that the newest few stay."""
    with suppress(OSError):  # another process deleted it first
        return sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST_KEPT]
    return []


def _checksum(source: BinaryIO, length: int, key: bytes) -> bytes:
    """The checksum of the first bytes of a file, which is stored after them."""
    source.seek(0)
    digest = blake2b(key=key, digest_size=_CHECKSUM_BYTES)
    for begin in range(0, length, _PIECE):
        digest.update(source.read(min(_PIECE, length - begin)))
    return digest.digest()
