"""A synthetic release becomes a bundle: a folder that holds everything, appears whole or not at all, and verifies.

Trips are written a batch at a time, so that their number does not matter.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import file_digest, sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dpcore.errors import BundleError, InternalError
from dpcore.release import MANIFEST
from dpcore.release.canonical import canonical
from dpcore.release.drawn_tiles import as_drawn, tiles_geojson
from dpcore.release.layout import README, TILES, csv_name, parquet_name
from dpcore.release.table_files import csv_bytes, parquet_bytes
from dpcore.release.writing import put, written_whole
from dpcore.synthetic_release.layout import LEVELS, TRAJECTORIES, TREE, TRIPS, table_name
from dpcore.synthetic_release.levels_table import levels_csv
from dpcore.synthetic_release.manifest import manifest_of
from dpcore.synthetic_release.reading import verify_bundle
from dpcore.synthetic_release.readme import readme
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.tables import parts_of, table_of
from dpcore.synthetic_release.tree_rows import VISITS_SCHEMA, visit_batches
from dpcore.synthetic_release.tree_table import table_of_tree
from dpcore.synthetic_release.trips import trip_batches, trip_schema
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import Source, TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree


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
    rows = 0
    for name, schema, batches in _rows(release):
        rows = _write_rows(folder / name, schema, batches)
        with (folder / name).open("rb") as file:
            digests[name] = file_digest(file, "sha256").hexdigest()
    manifest = canonical(manifest_of(release, tiles, rows, digests))
    put(folder / MANIFEST, manifest)
    return sha256(manifest).hexdigest()


def _rows(release: SyntheticRelease) -> Iterator[tuple[str, pa.Schema, Iterator[pa.RecordBatch]]]:
    """The files of rows: trips come last, where there are any."""
    if isinstance(release.tables, NoisyTree):
        yield TRAJECTORIES, VISITS_SCHEMA, visit_batches(release.tables)
    if not isinstance(release.choices, TreeChoices) or release.choices.making.source is Source.TRIP:
        yield TRIPS, trip_schema(release.choices, release.form), trip_batches(release)


def _write_rows(place: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write one Parquet file, a batch at a time; returns how many rows."""
    rows = 0
    with place.open("wb") as file:
        with pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
            for batch in batches:
                writer.write_batch(batch)
                rows += len(batch)
        file.flush()
        os.fsync(file.fileno())
    return rows


def _contents(release: SyntheticRelease, tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
    """Every file but those of rows and the manifest, one at a time."""
    yield README, readme(release)
    yield TILES, tiles_geojson(tiles)
    if isinstance(release.tables, NoisyTree):
        yield LEVELS, levels_csv(release.tables.plan.levels)
        yield TREE, parquet_bytes(table_of_tree(release.tables))
        return
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
