"""What was read and counted before, and whether it is still the same.

Every name in the cache is a keyed digest of all that its content depends on, so a stale answer has another
name. The names tell nobody which file was loaded.
"""

from __future__ import annotations

import json
import shutil
from hashlib import blake2b
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures import Measure
from dpcore.private import store
from dpcore.private.bounding import COUNTED_BY, BoundedTrips, key_identity
from dpcore.private.engine.duckdb import KEPT_VIA
from dpcore.private.source import BadRecords, Inspection, TripsFile
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation

_VERSION: Final = "4"  # of prepared rows: raise it when reading or preparing gives other rows


def trips_folder(
    file: TripsFile,
    inspection: Inspection,
    tessellation: Tessellation,
    *,
    timezone: str | None,
    bad_records: BadRecords,
    key: bytes,
    afresh: bool,
) -> Path:
    """The folder of the prepared trips that these inputs give."""
    parts = (
        _VERSION,
        str(limits.MAX_POINTS_PER_TRIP),
        key_identity(key),
        digest_of(file, key, afresh=afresh),
        tessellation.digest,
        inspection.form,
        json.dumps(sorted(inspection.needed.items())),
        str(timezone),
        bad_records.value,
    )
    return store.folder("cache", _name("\n".join(parts), key))


def answer_file(bounded: BoundedTrips, measure: Measure) -> Path:
    """The file of a measure's exact answer; its name follows the SQL that counts it."""
    texts = "\n".join((measure.sql, *(table.sql for table in measure.tables), *COUNTED_BY, KEPT_VIA))
    counted_by = blake2b(texts.encode(), digest_size=4).hexdigest()
    bound = bounded.bound
    return bounded.trips.folder / f"{measure.name}-{bound.unit.value}-{bound.trips}-{counted_by}.npy"


def digest_of(file: TripsFile, key: bytes, *, afresh: bool = False) -> str:
    """Keyed digest of the bytes of a file; a large one that did not change is not read again for it.

    A file on disk is known by its path, size, times of change and inode. What keeps all of these is missed,
    which is why reading afresh can be asked for.
    """
    identity = file.identity()
    if identity is None:  # an upload is in memory already
        return file.digest(key)
    known = store.folder("digests") / _name(identity, key)
    if known.exists() and not afresh:
        return known.read_text(encoding="ascii")
    digest = file.digest(key)
    must_be_unchanged(file, identity)
    with store.written(known) as part:
        part.write_text(digest, encoding="ascii")
    return digest


def must_be_unchanged(file: TripsFile, identity: str | None) -> None:
    """Refuse what was read of a file that changed meanwhile: it would be kept under the wrong name."""
    if file.identity() != identity:
        raise InputError(
            "the file changed while it was read", file.name, "Wait until it is complete, then load it again."
        )


def drop_if_damaged(trips: PrivateTrips) -> None:
    """Remove prepared trips that cannot be read any more, and say so; else do nothing."""
    try:
        for _ in pq.ParquetFile(trips.rows).iter_batches():  # the footer alone tells nothing of the pages
            pass
    except (FileNotFoundError, pa.ArrowException):
        damaged = True
    except OSError as error:  # pages that cannot be decoded have no error number; a full table of files has
        damaged = error.errno is None
    else:
        damaged = False
    if damaged:
        shutil.rmtree(trips.folder, ignore_errors=True)
        raise InputError("the prepared trips were removed or damaged", trips.name, "Load the file again.")


def _name(text: str, key: bytes) -> str:
    return blake2b(text.encode(), key=key, digest_size=16).hexdigest()
