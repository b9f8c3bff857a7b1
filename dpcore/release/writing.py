"""A release becomes a bundle: a folder that holds everything, appears whole or not at all, and verifies."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from dpcore.errors import BundleError, InputError, InternalError
from dpcore.release import layout
from dpcore.release.canonical import canonical
from dpcore.release.drawn_tiles import as_drawn, map_geojson, tiles_geojson
from dpcore.release.five_numbers import five_numbers_table
from dpcore.release.manifest import manifest_of
from dpcore.release.reading import verified_files, verify_bundle
from dpcore.release.readme import readme
from dpcore.release.registry import registry_yaml
from dpcore.release.release import Release
from dpcore.release.table_files import csv_bytes, parquet_bytes
from dpcore.release.tables import table_of
from dpcore.tessellation import Tessellation

_FIRST_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE: Final = 0o100644 << 16
_UNIX: Final = 3


def write_bundle(release: Release, folder: Path) -> str:
    """Write the bundle of a release and return its digest, the SHA-256 of ``manifest.json`` (64 digits).

    The folder appears when all of it lies on the disk and has been read back and verified. The same release gives the
    same bytes.

    Raises:
        InputError: the folder is not empty, or cannot be written.
        InternalError: what was written does not verify; nothing is left behind.

    """
    return written_whole(folder, lambda whole: _write(release, whole), _read_back)


def written_whole(folder: Path, write: Callable[[Path], str], read_back: Callable[[Path, str], None]) -> str:
    """A folder that appears when all of it is written and ``read_back`` has accepted it; returns the digest of ``write``.

    Raises InputError where the folder is not empty, or cannot be written; then nothing is left behind.
    """
    target = folder.resolve()
    _must_be_free(target)
    part = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
        whole = part / "bundle"
        digest = write(whole)
        for place in (whole, *(path for path in whole.iterdir() if path.is_dir())):
            _settle(place)
        read_back(whole, digest)
        if target.exists():
            target.rmdir()
        whole.rename(target)
        _settle(target.parent)
    except OSError:
        raise InputError("the folder cannot be written", str(folder), "Choose another one.") from None
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    return digest


def zipped(folder: Path) -> bytes:
    """The bundle in a folder as one zip archive, under one top folder named by the release; the same bytes each time.

    Raises BundleError for a folder that does not verify.
    """
    release_id, files = verified_files(folder)
    top = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in release_id) or "release"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(f"{top}/{name}", _FIRST_ZIP_DATE)
            member.create_system = _UNIX
            member.external_attr = _PLAIN_FILE
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, files[name])
    return packed.getvalue()


def _write(release: Release, folder: Path) -> str:
    """All files of the bundle, each on the disk before the next; the digest of the manifest."""
    tiles = as_drawn(release.tessellation)
    digests = {}
    for name, data in _contents(release, tiles):
        digests[name] = sha256(data).hexdigest()
        put(folder / name, data)
    manifest = canonical(manifest_of(release, tiles, digests))
    put(folder / layout.MANIFEST, manifest)
    return sha256(manifest).hexdigest()


def _contents(release: Release, tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
    """Every file but the manifest, one at a time: tables of flows are large."""
    yield layout.README, readme(release)
    yield layout.REGISTRY, registry_yaml(release)
    yield layout.TILES, tiles_geojson(tiles)
    if layout.MAPPED in release.measurements:
        yield layout.MAP, map_geojson(tiles, release.measurements[layout.MAPPED])
    for name, measurement in release.measurements.items():
        table = table_of(measurement, tiles)
        yield layout.csv_name(name), csv_bytes(table)
        yield layout.parquet_name(name), parquet_bytes(table)
    if release.five_numbers is not None:
        table = five_numbers_table(release)
        yield layout.csv_name(layout.FIVE_NUMBERS), csv_bytes(table)
        yield layout.parquet_name(layout.FIVE_NUMBERS), parquet_bytes(table)


def put(place: Path, data: bytes) -> None:
    """Write a file of a bundle; its bytes reach the disk."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _settle(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read_back(folder: Path, digest: str) -> None:
    """A bundle that nobody could verify must never come to be: its budget is spent for good."""
    try:
        verify_bundle(folder, digest=digest)
    except BundleError as error:
        raise InternalError.at(f"release bundle, {error.what}, {error.where}") from None


def _must_be_free(target: Path) -> None:
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InputError("the folder is not empty", str(target), "Choose a new one.")
