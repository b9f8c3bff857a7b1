"""A synthetic release becomes a bundle: a folder that holds everything, appears whole or not at all, and verifies.

Trips are written a batch at a time, so that their number does not matter.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import file_digest, sha256
from pathlib import Path

import pyarrow.parquet as pq

from dpcore.errors import BundleError, InternalError
from dpcore.release import MANIFEST
from dpcore.release.canonical import canonical
from dpcore.release.drawn_tiles import as_drawn, tiles_geojson
from dpcore.release.layout import README, TILES, csv_name, parquet_name
from dpcore.release.table_files import csv_bytes, parquet_bytes
from dpcore.release.writing import put, written_whole
from dpcore.synthetic_release.layout import TRIPS, table_name
from dpcore.synthetic_release.manifest import manifest_of
from dpcore.synthetic_release.reading import verify_bundle
from dpcore.synthetic_release.readme import readme
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.tables import parts_of, table_of
from dpcore.synthetic_release.trips import trip_batches, trip_schema
from dpcore.tessellation import Tessellation


def write_bundle(release: SyntheticRelease, folder: Path) -> str:
    """Write the bundle of a release and return its digest, the SHA-256 of ``manifest.json`` (64 digits).

    The folder appears when all of it lies on the disk and has been read back and verified.

    Raises:
        InputError: the folder is not empty, or cannot be written.
        InternalError: what was written does not verify; nothing is left behind.

    """
    return written_whole(folder, lambda whole: _write(release, whole), _read_back)


def _write(release: SyntheticRelease, folder: Path) -> str:
    """All files of the bundle, each on the disk before the next; the digest of the manifest."""
    tiles = as_drawn(release.tessellation)
    digests = {}
    for name, data in _contents(release, tiles):
        digests[name] = sha256(data).hexdigest()
        put(folder / name, data)
    rows = write_trips(release, folder / TRIPS)
    with (folder / TRIPS).open("rb") as file:
        digests[TRIPS] = file_digest(file, "sha256").hexdigest()
    manifest = canonical(manifest_of(release, tiles, rows, digests))
    put(folder / MANIFEST, manifest)
    return sha256(manifest).hexdigest()


def write_trips(release: SyntheticRelease, place: Path) -> int:
    """Write the trips as one Parquet file, a batch at a time; returns how many."""
    rows, schema = 0, trip_schema(release.choices, release.form)
    with place.open("wb") as file:
        with pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
            for batch in trip_batches(release):
                writer.write_batch(batch)
                rows += len(batch)
        file.flush()
        os.fsync(file.fileno())
    return rows


def _contents(release: SyntheticRelease, tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
    """Every file but trips and manifest, one at a time."""
    yield README, readme(release)
    yield TILES, tiles_geojson(tiles)
    for name in parts_of(release.tables.plan):
        table = table_of(release.tables, name)
        yield csv_name(table_name(name)), csv_bytes(table)
        yield parquet_name(table_name(name)), parquet_bytes(table)


def _read_back(folder: Path, digest: str) -> None:
    """A bundle that nobody could verify must never come to be: its budget is spent for good."""
    try:
        verify_bundle(folder, digest=digest)
    except BundleError as error:
        raise InternalError.at(f"synthetic bundle, {error.what}, {error.where}") from None
