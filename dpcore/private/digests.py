"""Digests of trips files, remembered: a large file that did not change is not read again to know it.

A file on disk is known by its path, size, time of change and inode. A rewrite that keeps all four is missed,
which is why counting afresh can be asked for. Names and digests are keyed: the folder tells nobody which
file was loaded.
"""

from __future__ import annotations

from hashlib import blake2b

from dpcore.private import store
from dpcore.private.source import TripsFile


def digest_of(file: TripsFile, key: bytes, *, afresh: bool = False) -> str:
    """Keyed digest of the bytes of a file, from memory where the file is the same as before."""
    identity = file.identity()
    if identity is None:  # an upload is in memory already
        return file.digest(key)
    known = store.folder("digests") / blake2b(identity.encode(), key=key, digest_size=16).hexdigest()
    if known.exists() and not afresh:
        return known.read_text(encoding="ascii")
    digest = file.digest(key)
    if file.identity() == identity:  # unchanged while it was read
        with store.written(known) as part:
            part.write_text(digest, encoding="ascii")
    return digest
