"""What was read and counted before, and whether it is still the same.

Every name in the cache is a keyed digest of all that its content depends on, so a stale answer has another
name. The names tell nobody which file was loaded.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures import Measure
from dpcore.private import store
from dpcore.private.bounding import BoundedTrips, key_identity
from dpcore.private.package_code import code_digest
from dpcore.private.prepared.part import part_version
from dpcore.private.prepared.stored import VERSION
from dpcore.private.source import BadRecords, Inspection, TripsFile
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation

SET_FILE: Final = "set"
"""In the folder of a data set of several parts: its version."""
_FIRST_VERSIONS: Final = "trips.parquet"
"""In the folders of versions 1 to 4."""


def sweep(older_than_seconds: float = store.STALE_SECONDS) -> None:
    """Remove what interrupted runs left, and what earlier versions prepared: nobody asks for it by its name again."""
    store.sweep(older_than_seconds)
    oldest = time.time() - older_than_seconds
    for folder in store.folder("cache").iterdir():
        with suppress(OSError):  # another process was quicker
            if _of_another_version(folder) and _last_change(folder) < oldest:
                shutil.rmtree(folder)


def _of_another_version(folder: Path) -> bool:
    """Whether a folder of the cache was made by another version; of what cannot be told, no."""
    of_set = _text(folder / SET_FILE)
    if of_set is not None:
        return of_set.isdecimal() and of_set != VERSION
    version = part_version(folder)
    return version != VERSION if version is not None else (folder / _FIRST_VERSIONS).exists()


def _last_change(folder: Path) -> float:
    return max(found.lstat().st_mtime for found in (folder, *folder.rglob("*")))


def part_folder(
    digest: str,
    inspection: Inspection,
    tessellation: Tessellation,
    *,
    timezone: str | None,
    bad_records: BadRecords,
    key: bytes,
) -> Path:
    """The place of the part that these inputs give; it may not be there.

    Args:
        digest: of the file, as ``digest_of`` gives it.
        inspection: its form and columns.
        tessellation: the tiles.
        timezone: IANA name of the city's clock.
        bad_records: what happens to them.
        key: the bounding key.

    """
    parts = (
        VERSION,
        str(limits.MAX_POINTS_PER_TRIP),
        key_identity(key),
        digest,
        tessellation.digest,
        inspection.form,
        json.dumps(sorted(inspection.needed.items())),
        str(timezone),
        bad_records.value,
    )
    return store.folder("cache") / _name("\n".join(parts), key)


def set_folder(parts: Sequence[Path], key: bytes) -> Path:
    """The folder of what is counted of several parts together, in whatever order they are given; made if missing."""
    names = sorted(part.name for part in parts)
    folder = store.folder("cache", _name("\n".join((VERSION, *names)), key))
    about = folder / SET_FILE
    if _text(about) != VERSION:
        with store.written(about) as new:
            new.write_text(VERSION, encoding="ascii")
    return folder


def digest_of_set(digests: Sequence[str], key: bytes) -> str:
    """One digest for files with these, in whatever order; that of one file is its own."""
    if len(digests) == 1:
        return digests[0]
    return blake2b("\n".join(sorted(digests)).encode(), key=key, digest_size=32).hexdigest()


def answer_file(bounded: BoundedTrips, measure: Measure) -> Path:
    """The file of a measure's exact answer; its name follows what is counted, by which engine and with which code."""
    of_measure = (measure.sql, *(f"{table.name}\n{table.sql}" for table in measure.tables))
    texts = "\n".join((bounded.trips.engine.value, code_digest(), *of_measure))
    counted_by = blake2b(texts.encode(), digest_size=16).hexdigest()
    bound = bounded.bound
    return bounded.trips.folder / f"{measure.name}-{bound.unit.value}-{bound.trips}-{counted_by}.npy"


def digest_of(file: TripsFile, key: bytes, *, afresh: bool = False) -> str:
    """Keyed digest of the bytes of a file; a large one that did not change is not read again for it.

    A file on disk is known by its path, size, times of change and inode. What keeps all of these is missed,
    which is why reading afresh can be asked for.
    """
    known = None if afresh else known_digest(file, key)
    if known is not None:
        return known
    identity = file.identity()
    digest = file.digest(key)
    must_be_unchanged(file, identity)
    remember_digest(file, digest, key)
    return digest


def known_digest(file: TripsFile, key: bytes) -> str | None:
    """The digest of a file that did not change since it was read for it, or of an upload; else None."""
    identity = file.identity()
    if identity is None:  # an upload is in memory already, and small
        return file.digest(key)
    known = re.fullmatch(r"([0-9a-f]{64})-([0-9a-f]{32})", _text(_digest_file(identity, key)) or "")
    return known[1] if known is not None and known[2] == _name(known[1], key) else None


def remember_digest(file: TripsFile, digest: str, key: bytes) -> None:
    """Remember the digest of a file on disk, as it is now, with a checksum: a damaged one would name other trips."""
    identity = file.identity()
    if identity is not None:
        with store.written(_digest_file(identity, key)) as part:
            part.write_text(f"{digest}-{_name(digest, key)}", encoding="ascii")


def _digest_file(identity: str, key: bytes) -> Path:
    return store.folder("digests") / _name(identity, key)


def must_be_unchanged(file: TripsFile, identity: str | None) -> None:
    """Refuse what was read of a file that changed meanwhile: it would be kept under the wrong name."""
    if file.identity() != identity:
        raise InputError(
            "the file changed while it was read", file.name, "Wait until it is complete, then load it again."
        )


def drop_if_damaged(trips: PrivateTrips) -> None:
    """Say so if prepared trips were removed or damaged, and forget them; else do nothing."""
    rows = trips.local_rows()
    for _ in rows.batches(rows.columns):  # every column of every row is checked
        pass


def _text(place: Path) -> str | None:
    """What a small file says, whatever became of it; None where there is none."""
    with suppress(OSError):
        return place.read_text(encoding="ascii", errors="replace")
    return None


def _name(text: str, key: bytes) -> str:
    return blake2b(text.encode(), key=key, digest_size=16).hexdigest()
