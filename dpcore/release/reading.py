"""A bundle becomes a release again, after everything in it was checked. A bundle may come from anyone.

The manifest is read, the tables and tiles are read and compared with it, and then the manifest is written anew from
what was found: any fact in which the two differ, down to a half width, is refused. Texts stay texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.errors import AtlasError, BundleError
from dpcore.release.canonical import AGAIN, CHANGED, must_be_sealed, parsed
from dpcore.release.fields import Fields
from dpcore.release.files import Files, ListedFiles, opened, shown
from dpcore.release.kinds import kind_of_manifest, must_be_a_release
from dpcore.release.kinds.tables import TABLES, not_tables
from dpcore.release.layout import FOR_MAPS, MANIFEST, README, TILES, TILES_GPKG, TILES_PARQUET
from dpcore.release.manifest import (
    has_files_for_maps,
    head_of,
    is_ours,
    manifest_of,
    must_agree,
    must_be_of_this_version,
    must_be_the_readme,
    readme_of,
    sums_of,
)
from dpcore.release.release import AnyRelease, Release
from dpcore.release.tile_files import check_geopackage, check_geoparquet
from dpcore.tiles import Tessellation, read_tessellation
from dpcore.tiles.drawn import as_drawn, tiles_geojson

_REMEMBERED: Final = 2
"""Cities; the releases of one city share their tiles, and a server rarely shows more than two at once."""


@dataclass(frozen=True)
class Verdict:
    """What was found about a bundle that holds together."""

    release: str
    """Id of the release."""
    digest: str
    """SHA-256 of its manifest, 64 hexadecimal digits."""
    files: int
    """Files that were checked, the manifest included."""
    in_ledger: bool
    """Whether the digest was compared with the one in the ledger."""
    other_version: bool = False
    """Whether another version of this program wrote it, so that the wording of its README could not be compared."""

    def __str__(self) -> str:
        """As ``words``."""
        return self.words

    @property
    def words(self) -> str:
        """The verdict in plain words, with what it does not say."""
        found = (
            f"All {self.files:,} files of {self.release} are as they were written: sums, manifest, keys, half widths "
            "and tables agree."
        )
        if self.other_version:
            found += (
                " Another version of this program wrote it, so the wording of its README was not compared: what holds is what "
                "its manifest says."
            )
        if self.in_ledger:
            return f"{found} The digest is the one in the ledger, so this is the release that was paid for."
        return (
            f"{found} Someone who rewrites all files consistently, the manifest included, is found only through the "
            f"digest in the ledger. The digest here is {self.digest}: compare it with that of the ledger's entry."
        )


def read_bundle(place: Path | bytes) -> AnyRelease:
    """The release in a bundle folder or .zip, of whichever kind, checked in every respect; raises BundleError in plain words."""
    with opened(place) as files:
        return _Bundle(files).release()


def read_tables(place: Path | bytes) -> Release:
    """As ``read_bundle``; a release of another kind than tables is refused, before its rows are read."""
    with opened(place) as files:
        bundle = _Bundle(files)
        if bundle.kind is not TABLES:
            raise not_tables()
        return bundle.release()


def verify_bundle(place: Path | bytes, *, digest: str | None = None) -> Verdict:
    """The verdict on a bundle; raises BundleError where anything in it was changed.

    Args:
        place: its folder, its .zip file, or the bytes of one.
        digest: SHA-256 of the manifest as the ledger holds it; compared if given.

    """
    with opened(place) as files:
        bundle = _Bundle(files)
        if digest is not None and bundle.digest != digest:
            raise BundleError(
                "this is not the bundle that the ledger knows",
                MANIFEST,
                f"Its digest is {bundle.digest}, the ledger says {shown(digest)}. {AGAIN}",
            )
        release = bundle.release()
        return Verdict(
            release.id,
            bundle.digest,
            len(files.names),
            digest is not None,
            other_version=not is_ours(release.software),
        )


@contextmanager
def verified(place: Path) -> Iterator[tuple[AnyRelease, ListedFiles, bytes]]:
    """A release, its files, each checked once more when it is taken, and the bytes of its manifest; raises BundleError."""
    with opened(place) as files:
        first = _Bundle(files)
        release = first.release()
    with opened(place) as files:  # counts anew what is unpacked
        again = _Bundle(files)
        if again.digest != first.digest:
            raise BundleError("the bundle changed while it was read", MANIFEST, CHANGED)
        yield release, again.listed, again.manifest


def digest_of(place: Path | bytes) -> str:
    """The SHA-256 of the manifest of a bundle, of which nothing else is read; raises BundleError without one."""
    with opened(place) as files:
        return sha256(files.read(MANIFEST, limits.MAX_MANIFEST_BYTES)).hexdigest()


class _Bundle:
    """One bundle while it is checked."""

    def __init__(self, files: Files) -> None:
        """Read and check the manifest by itself."""
        self.manifest = files.read(MANIFEST, limits.MAX_MANIFEST_BYTES)
        self.digest = sha256(self.manifest).hexdigest()
        self._document = parsed(self.manifest, MANIFEST)
        must_be_a_release(self._document)
        must_be_of_this_version(self._document)
        must_be_sealed(self._document, self.manifest)
        self.kind = kind_of_manifest(self._document)
        self._members = Fields(self._document, MANIFEST)
        self._sums = sums_of(self._members)
        self.listed = ListedFiles(files, self._sums)

    def release(self) -> AnyRelease:
        """Everything else, read and compared."""
        try:
            return self._release()
        except BundleError:
            raise
        except AtlasError as error:  # a plan that cannot be
            raise BundleError(error.what, f"{MANIFEST}, {error.where}", error.mend) from None

    def _release(self) -> AnyRelease:
        kind, members, files = self.kind, self._members, self.listed
        plan, head = kind.plan_of(members), head_of(members)
        tiles = read_tiles(files.content(TILES))
        for_maps = FOR_MAPS if has_files_for_maps(self._document) else ()
        if set(self._sums) != {*kind.files(plan, tiles), *for_maps}:
            raise BundleError("the list of files is not that of the plan", f"{MANIFEST}, files", CHANGED)
        drawn = kind.read(members, plan, tiles, files)
        release: AnyRelease = Release(**head, plan=plan, drawn=drawn, tessellation=tiles)
        words = files.content(README)
        rows = kind.check(release, members, files)
        if for_maps:
            told = kind.on_tiles(release)
            check_geoparquet(files.content(TILES_PARQUET), tiles, told)
            check_geopackage(files.content(TILES_GPKG), tiles, told)
        must_agree(self._document, manifest_of(release, tiles, rows, self._sums))
        must_be_the_readme(words, readme_of(release), release.software)  # last: it follows from all the rest
        return release


@lru_cache(_REMEMBERED)
def read_tiles(data: bytes) -> Tessellation:
    """The tiles of a bundle, written as this program writes them; raises BundleError.

    The same bytes give the same tiles, which never change, so the last ones are remembered: to check them takes most of
    the time of reading a bundle. They are public, as all that stands in one.
    """
    try:
        tiles = read_tessellation(data, TILES, id_column="tile_id")
    except AtlasError as error:
        raise BundleError(error.what, error.where, error.mend) from None
    if tiles_geojson(as_drawn(tiles)) != data:
        raise BundleError("the tiles are not written as this program writes them", TILES, CHANGED)
    return tiles
