"""What was worked out before, kept in the private folder under all that it depends on.

The name of a kept file is a keyed digest of everything that its content follows from: the bytes that were read, how they
were asked to be read, and the code that reads or counts. With any other of these it has another name, so a stale answer is
never found, and names tell nobody which file was loaded. A file is its content and then a checksum, mode 0600, written whole
or not at all (``store.written``). What is damaged or gone is worked out again: nothing is lost but the time.
``store.forget`` deletes all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

import duckdb
import numba
import numpy as np
import pyarrow as pa
import shapely

import dpcore
from dpcore.errors import InputError
from dpcore.private import store

Content = TypeVar("Content")

_CHECKSUM_BYTES: Final = 32
_PIECE: Final = 2**20
_MOST_KEPT: Final = 24
"""Files of one kind that ``remembered`` leaves; the oldest go."""
_DAMAGE: Final = (OSError, ValueError, KeyError, TypeError, EOFError, pa.ArrowException)
"""What reading a file raises that is missing, or is something else than was written."""


def name_of(key: bytes, *parts: str | bytes) -> str:
    """The name of what follows from the parts: 32 hexadecimal digits, by a secret key."""
    name = blake2b(key=key, digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        name.update(len(content).to_bytes(8, "little"))
        name.update(content)
    return name.hexdigest()


@lru_cache(1)
def code_digest() -> str:
    """Digest of all code of the package and of the versions of what counts and works on shapes.

    With any other byte of the package, or another version below it, what is kept is made anew.
    """
    root = Path(dpcore.__file__).parent
    digest = blake2b(digest_size=16)
    versions = (
        *(dpcore.__version__, shapely.__version__, shapely.geos_version_string),
        *(np.__version__, numba.__version__, duckdb.__version__, pa.__version__),
    )
    digest.update("\n".join(versions).encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def keep(place: Path, write: Callable[[BinaryIO], object]) -> None:
    """Keep what a function writes, whole or not at all; raises InputError where the disk is full."""
    with store.written(place) as part, part.open("w+b") as out:
        write(out)
        out.write(_checksum(out, out.tell()))


def kept(place: Path, read: Callable[[BinaryIO], Content]) -> Content | None:
    """What a function reads of a kept file; None where there is none, or something else than was written.

    The function gets the file at its beginning. Behind the content stands its checksum.
    """
    try:
        with place.open("rb") as source:
            length = source.seek(0, 2) - _CHECKSUM_BYTES
            if length < 0 or _checksum(source, length) != source.read():
                return None
            source.seek(0)
            return read(source)
    except _DAMAGE:
        return None


def kept_content(place: Path, unpacked: Callable[[memoryview], Content]) -> Content | None:
    """What a function makes of the content of a kept file; None as of ``kept``."""
    return kept(place, lambda source: unpacked(memoryview(source.read())[:-_CHECKSUM_BYTES]))


def remembered(
    place: Path | None,
    make: Callable[[], Content],
    packed: Callable[[Content], bytes | pa.Buffer],
    unpacked: Callable[[memoryview], Content],
) -> Content:
    """What a function makes, from its place if it was made before; of what lies beside it the newest few stay.

    Args:
        place: where it is kept; None where nothing can be kept. A full disk costs the next start some time and this
            one nothing.
        make: makes it.
        packed: what is kept of it.
        unpacked: gives it back from that; may raise what is no fault of ours where it cannot.

    """
    found = None if place is None else kept_content(place, unpacked)
    if found is not None:
        return found
    made = make()
    if place is not None:
        with suppress(InputError):
            keep(place, lambda out: out.write(packed(made)))
            for old in _oldest(place.parent):
                old.unlink(missing_ok=True)
    return made


def _oldest(folder: Path) -> list[Path]:
    """What goes, so that the newest few stay."""
    with suppress(OSError):  # another process was quicker
        return sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST_KEPT]
    return []


def _checksum(source: BinaryIO, length: int) -> bytes:
    """The checksum of the first bytes of a file, which stands behind them then."""
    source.seek(0)
    digest = blake2b(digest_size=_CHECKSUM_BYTES)
    for begin in range(0, length, _PIECE):
        digest.update(source.read(min(_PIECE, length - begin)))
    return digest.digest()
