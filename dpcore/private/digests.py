"""Digests of trips files. By its digest, what was read of a file is found again, whatever the file is called."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from dpcore.errors import InputError
from dpcore.private import kept, store
from dpcore.private.bounding import bounding_key
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.source import TripsFile

_TELL_EVERY: Final = 0.1  # seconds


@dataclass(frozen=True, repr=False, eq=False)
class Digested(Sealed):
    """A file, and the keyed digest of its bytes. The digest holds as long as the file does not change."""

    file: TripsFile
    identity: str | None
    """Identity of the file before it was digested."""
    digest: str
    place: Path | None = None
    """Where to store the digest; None for a known file, and for an upload, which has no identity."""

    def must_be_unchanged(self) -> None:
        """Refuse a file that changed while it was read: its rows would be stored under the wrong name."""
        if self.file.identity() != self.identity:
            raise InputError(
                "the file changed while it was read",
                self.file.name,
                "Wait until it is complete, then load it again.",
            )

    def keep(self) -> None:
        """Store the digest once the file was read. A file that was refused or called off thus leaves nothing behind."""
        if self.place is not None:
            # The file holds a keyed digest, and behind it the checksum of that digest. So neither tells anything of the bytes
            # to somebody without the key, even if the file left the private folder.
            kept.keep(self.place, lambda out: out.write(self.digest.encode()), lasting=False)


def digested(
    files: Sequence[TripsFile],
    key: bytes,
    progress: Progress | None = None,
    *,
    afresh: bool = False,
    told: Sequence[Hashable] | None = None,
) -> list[Digested]:
    """The digests of some files. A file on disk that did not change is not read again for it.

    A file on disk is recognised by its path, size, times of change and inode. A change that keeps all of these is missed;
    that is why ``afresh`` exists.

    Args:
        files: each is read at most once.
        key: the bounding key.
        progress: called in this thread with the share of bytes that were read, 0 to 1; not called if all are known. An
            exception of it ends the work.
        afresh: read known files again.
        told: of each file what its folders tell of all its records: equal bytes of two people are not the same trips. None: all
            that they tell.

    Raises:
        InputError: a file changed meanwhile, is gone, or has the bytes of another one.

    """
    found = {file: _stored_digest(file, key) for file in files} if not afresh else {}
    unknown = [file for file in dict.fromkeys(files) if found.get(file) is None]
    total, done = max(1, sum(file.size for file in unknown)), 0
    tell = _now_and_then(progress)
    for file in unknown:

        def tell_part(read: float, before: int = done, size: int = file.size) -> None:
            tell((before + read * size) / total)

        tell_part(0.0)
        found[file] = _worked_out(file, key, tell_part)
        done += file.size
    known = [one for file in files if (one := found[file]) is not None]
    _must_differ(known, [file.folders for file in files] if told is None else told)
    return known


def fingerprints(files: Sequence[TripsFile]) -> tuple[str, ...]:
    """The digest of each file, by which loaded trips name it too; stored, so that a look at a large file reads it once.

    Raises InputError as ``digested`` does.
    """
    known = digested(files, bounding_key())
    for one in known:
        one.keep()
    return tuple(one.digest for one in known)


def digest_of_set(files: Sequence[Digested], key: bytes) -> str:
    """One digest for some files, in any order. The digest of a single file is its own."""
    digests = sorted(one.digest for one in files)
    if len(digests) == 1:
        return digests[0]
    return blake2b("\n".join(digests).encode(), key=key, digest_size=32).hexdigest()


def _must_differ(known: Sequence[Digested], told: Sequence[Hashable]) -> None:
    """Refuse the same bytes twice, because every trip would count twice."""
    first: dict[Hashable, str] = {}
    for one, more in zip(known, told, strict=True):
        same = one.digest, more
        if same in first:
            raise InputError(
                "the same trips twice",
                f"{first[same]} and {one.file.name}",
                "Leave one out if it is a copy. If each holds trips of its own, put them into one file.",
            )
        first[same] = one.file.name


def _stored_digest(file: TripsFile, key: bytes) -> Digested | None:
    """The stored digest of a file that did not change, or the digest of an upload; otherwise None."""
    identity = file.identity()
    if identity is None:  # an upload is in memory already, and small
        return Digested(file, None, file.digest(key))
    known = kept.kept_content(_place(identity, key), lambda content: str(content, "ascii"))
    return None if known is None else Digested(file, identity, known)


def _worked_out(file: TripsFile, key: bytes, tell: Progress) -> Digested:
    identity = file.identity()
    place = None if identity is None else _place(identity, key)
    found = Digested(file, identity, file.digest(key, tell), place)
    found.must_be_unchanged()
    return found


def _place(identity: str, key: bytes) -> Path:
    return store.folder("digests") / kept.name_of(key, identity)


def _now_and_then(progress: Progress | None) -> Progress:
    """Progress that is reported at most ten times a second, because a page draws each report."""
    last = 0.0

    def tell(share: float) -> None:
        nonlocal last
        if progress is not None and time.monotonic() - last >= _TELL_EVERY:
            progress(share)
            last = time.monotonic()

    return tell
