"""Write a release as a bundle: a folder that appears whole or not at all, and only after it was read back."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from dpcore import disk
from dpcore.context.file import context_bytes
from dpcore.errors import BundleError, InputError, InternalError
from dpcore.release.canonical import canonical
from dpcore.release.kinds import kind_of
from dpcore.release.layout import CONTEXT, MANIFEST, README, TILES, TILES_GPKG, TILES_PARQUET
from dpcore.release.manifest import manifest_of, readme_of
from dpcore.release.reading import digest_of, read_bundle, verified
from dpcore.release.release import AnyRelease
from dpcore.release.tile_files import geopackage_bytes, geoparquet_bytes
from dpcore.tiles import Tessellation
from dpcore.tiles.drawn import tiles_geojson

_FIRST_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE: Final = 0o100644 << 16
_UNIX: Final = 3


@dataclass(frozen=True)
class WrittenBundle:
    """A bundle that was written to disk and read back."""

    digest: str
    """The SHA-256 of ``manifest.json``, 64 hexadecimal digits."""
    release: AnyRelease
    """What was read back, every check passed."""


def write_bundle(
    release: AnyRelease, folder: Path, progress: Callable[[float], None] | None = None
) -> WrittenBundle:
    """Write the bundle of a release, and return its digest and what was read back.

    The folder appears after all of it reached the disk and was read back. The same release gives the same bytes. Whatever
    fails leaves nothing behind. ``progress`` is called with the share that is done, 0 to 1. Raises InputError if the folder is
    not empty or cannot be written, InternalError if what was written cannot be read.
    """
    target = folder.resolve()
    _must_be_free(target)
    part = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        whole = part / "bundle"
        digest = _write(kind_of(release.plan).to_write(release, progress), whole)
        for place in (whole, *(path for path in whole.iterdir() if path.is_dir())):
            disk.sync_folder(place)
        written = WrittenBundle(digest, _read_back(whole, digest))
        if target.exists():
            target.rmdir()
        whole.rename(target)
        disk.sync_folder(target.parent)
    except OSError:
        raise InputError("the folder cannot be written", str(folder), "Choose another one.") from None
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    return written


def zipped(folder: Path) -> bytes:
    """The bundle in a folder as one zip archive, with one top folder named after the release. The bytes are reproducible.

    Raises BundleError if a file was changed. Estimates are not computed again: ``verify_bundle`` does that.
    """
    packed = io.BytesIO()
    with verified(folder) as (release, files, manifest), zipfile.ZipFile(packed, "w") as archive:
        kind = kind_of(release.plan)
        top = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in release.id) or "release"
        for name in sorted([MANIFEST, *files.names]):
            member = zipfile.ZipInfo(f"{top}/{name}", _FIRST_ZIP_DATE)
            member.create_system = _UNIX
            member.external_attr = _PLAIN_FILE
            member.compress_type = zipfile.ZIP_STORED if name in kind.packed else zipfile.ZIP_DEFLATED
            content = manifest if name == MANIFEST else files.content(name)
            archive.writestr(member, content, compresslevel=6)
    return packed.getvalue()


def _write(release: AnyRelease, folder: Path) -> str:
    """Write all files of a bundle, each to disk before the next one; return the digest of the manifest."""
    tiles, digests = kind_of(release.plan).tiles(release.plan, release.tessellation), {}
    for name, data in _contents(release, tiles):
        digests[name] = sha256(data).hexdigest()
        _write_to_disk(folder / name, data)
    rows = 0
    for name, schema, batches in kind_of(release.plan).rows(release):
        rows = _write_rows(folder / name, schema, batches)
        with (folder / name).open("rb") as file:
            digests[name] = file_digest(file, "sha256").hexdigest()
    manifest = canonical(manifest_of(release, tiles, rows, digests))
    _write_to_disk(folder / MANIFEST, manifest)
    return sha256(manifest).hexdigest()


def _contents(release: AnyRelease, tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every file but the manifest and those of ``Kind.rows``, one at a time."""
    yield README, readme_of(release)
    yield TILES, tiles_geojson(tiles)
    if release.context is not None:
        yield CONTEXT, context_bytes(release.context)
    kind = kind_of(release.plan)
    told = kind.on_tiles(release)
    yield TILES_PARQUET, geoparquet_bytes(tiles, told)
    yield TILES_GPKG, geopackage_bytes(tiles, told, release.created)
    yield from kind.contents(release, tiles)


def _write_rows(place: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write one Parquet file a batch at a time, so that any number of rows fits into memory; return that number."""
    rows = 0
    with pq.ParquetWriter(place.absolute(), schema, compression="zstd", store_schema=False) as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows += len(batch)
    disk.sync(place)
    return rows


def _write_to_disk(place: Path, data: bytes) -> None:
    """Write a file and wait until its bytes are on the disk."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    disk.sync(place)


def _read_back(folder: Path, digest: str) -> AnyRelease:
    """Read what was written: a bundle that nobody can read must never be published, because its budget is spent.

    Estimates were computed a moment ago and are not computed again, so their last digits can fail no release that is paid.
    """
    try:
        found = digest_of(folder)
        release = read_bundle(folder)
    except BundleError as error:
        raise InternalError.at(f"release bundle, {error.what}, {error.where}") from None
    if found != digest:
        raise InternalError.at("release bundle, which changed while it was written")
    return release


def _must_be_free(target: Path) -> None:
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InputError("the folder is not empty", str(target), "Choose a new one.")
