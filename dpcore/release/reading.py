"""Read a bundle, which may come from anyone, and check everything in it.

The manifest is read first. Tables and tiles are read and compared with it. Then the manifest is written again from
what was found. A bundle is refused if the two manifests differ in any fact, down to a half width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from dpcore import limits
from dpcore.context import Context
from dpcore.context.file import context_of_bytes
from dpcore.context.fitting import Bounds
from dpcore.errors import AtlasError, BundleError, ContextError
from dpcore.release.canonical import AGAIN, CHANGED, must_be_sealed, parsed
from dpcore.release.fields import sums_of
from dpcore.release.files import Files, ListedFiles, opened, quotable_name
from dpcore.release.kind import Progress
from dpcore.release.kinds import kind_of_manifest, must_be_a_release, not_tables
from dpcore.release.kinds.tables import TABLES
from dpcore.release.layout import (
    CONTEXT,
    CONTEXT_SINCE,
    FOR_MAPS_SINCE,
    MANIFEST,
    README,
    TILES,
    TILES_GPKG,
    TILES_PARQUET,
)
from dpcore.release.manifest import (
    files_of_version,
    head_of,
    is_ours,
    manifest_of,
    must_agree,
    must_be_the_readme,
    readme_of,
    version_of,
)
from dpcore.release.release import AnyRelease, Release
from dpcore.release.tile_files import check_geopackage, check_geoparquet
from dpcore.tiles import Tessellation, read_tessellation
from dpcore.tiles.districts import district_texts
from dpcore.tiles.drawn import as_drawn, tiles_geojson

_REMEMBERED: Final = 2
"""Tessellations in memory. The releases of one city share theirs, and a server rarely shows more than two cities."""


@dataclass(frozen=True)
class Verdict:
    """What was checked of a bundle that is consistent."""

    release: str
    """Id of the release."""
    digest: str
    """SHA-256 of its manifest, 64 hexadecimal digits."""
    files: int
    """Number of files that were checked, the manifest included."""
    in_ledger: bool
    """Whether the digest was compared with the one in the ledger."""
    other_version: bool = False
    """Whether another version of this program wrote it; then the wording of its README could not be compared."""
    other_method: bool = False
    """Whether another method made its estimates; then they could not be computed again."""
    estimates: bool = False
    """Whether the bundle holds estimates that were computed again."""

    def __str__(self) -> str:
        return self.words

    @property
    def words(self) -> str:
        """The verdict in plain words, with its limits."""
        last = "half widths, tables and estimates" if self.estimates else "half widths and tables"
        found = f"All {self.files:,} files of {self.release} are as they were written: digests, manifest, keys, {last} agree."
        if self.other_version:
            found += " Another version of this program wrote it, so the wording of its README was not compared: rely on the manifest."
        if self.other_method:
            found += (
                " Another method made its estimates, so they were not computed again: rely on the tables."
            )
        if self.in_ledger:
            return f"{found} The digest is the one in the ledger, so this is the release that was paid for."
        return (
            f"{found} If somebody rewrote all files consistently, the manifest included, only the digest in the ledger shows it. "
            f"The digest here is {self.digest}: its owner compares it with the ledger by `verify BUNDLE --ledger PATH`."
        )


def read_bundle(place: Path | bytes) -> AnyRelease:
    """The release in a bundle (folder, .zip, or bytes of one), of any kind; raises BundleError if any check fails.

    Estimates are not computed again, which may take seconds: whoever wants some computes them from the tables, and
    ``verify_bundle`` compares them with the files.
    """
    with opened(place) as files:
        return _Bundle(files).release()


def read_tables(place: Path | bytes) -> Release:
    """Like ``read_bundle``, for tables only; another kind is refused before its rows are read."""
    with opened(place) as files:
        bundle = _Bundle(files)
        if bundle.kind is not TABLES:
            raise not_tables(bundle.kind)
        return bundle.release()


def verify_bundle(
    place: Path | bytes, *, digest: str | None = None, progress: Progress | None = None
) -> Verdict:
    """The verdict on a bundle (folder, .zip, or bytes of one); raises BundleError if anything in it was changed.

    ``digest`` is the SHA-256 of the manifest from the ledger; it is compared if given.
    ``progress`` is called with the share of the estimates that is computed.
    """
    with opened(place) as files:
        bundle = _Bundle(files)
        if digest is not None and bundle.digest != digest:
            raise BundleError(
                "this is not the bundle that the ledger knows",
                MANIFEST,
                f"Its digest is {bundle.digest}, the ledger says {quotable_name(digest)}. {AGAIN}",
            )
        release, other_method = bundle.release_and_method(progress)
        has_estimates = not {*bundle.kind.stated_files(release.plan)}.isdisjoint(bundle.listed.names)
        return Verdict(
            release.id,
            bundle.digest,
            len(files.names),
            in_ledger=digest is not None,
            other_version=not is_ours(release.software),
            other_method=other_method,
            estimates=has_estimates and not other_method,
        )


@contextmanager
def verified(place: Path | bytes) -> Iterator[tuple[AnyRelease, ListedFiles, bytes]]:
    """A release, its files, and the bytes of its manifest; raises BundleError. Taking a file checks its digest again.

    Estimates are not computed again, as in ``read_bundle``: another version of numpy must not refuse a download.
    """
    with opened(place) as files:
        first = _Bundle(files)
        release = first.release()
    with opened(place) as files:  # starts a new count of unpacked bytes
        again = _Bundle(files)
        if again.digest != first.digest:
            raise BundleError("the bundle changed while it was read", MANIFEST, CHANGED)
        yield release, again.listed, again.manifest


def digest_of(place: Path | bytes) -> str:
    """The SHA-256 of the manifest of a bundle; nothing else is read. Raises BundleError if there is no manifest."""
    with opened(place) as files:
        return sha256(files.read(MANIFEST, limits.MAX_MANIFEST_BYTES)).hexdigest()


def must_be_unchanged(place: Path | bytes, digest: str) -> None:
    """Refuse a bundle of which any byte differs from one that was read before; raises BundleError.

    ``digest`` is that of the manifest that was read. The manifest lists the digests of all other files, so their bytes are
    the same too, and reading them again would find the same release.
    """
    with opened(place) as files:
        manifest = files.read(MANIFEST, limits.MAX_MANIFEST_BYTES)
        if sha256(manifest).hexdigest() != digest:
            raise BundleError("the bundle changed after it was read", MANIFEST, CHANGED)
        ListedFiles(files, sums_of(parsed(manifest, MANIFEST))).must_be_whole()


class _Bundle:
    """One bundle while it is checked."""

    def __init__(self, files: Files) -> None:
        """Read the manifest and check it by itself."""
        self.manifest = files.read(MANIFEST, limits.MAX_MANIFEST_BYTES)
        self.digest = sha256(self.manifest).hexdigest()
        self._document = parsed(self.manifest, MANIFEST)
        must_be_a_release(self._document)
        self._version = version_of(self._document)
        must_be_sealed(self._document, self.manifest)
        self.kind = kind_of_manifest(self._document)
        self._sums = sums_of(self._document)
        self.listed = ListedFiles(files, self._sums)

    def release(self) -> AnyRelease:
        """Read everything else and compare it with the manifest."""
        return self._release_or_refusal(lambda _: True)[0]  # as if all estimates had been compared

    def release_and_method(self, progress: Progress | None) -> tuple[AnyRelease, bool]:
        """As ``release``, with its estimates compared; and whether another method made them, so that they could not be."""
        release, compared = self._release_or_refusal(lambda release: self.kind.must_follow(release, progress))
        return release, not compared

    def _release_or_refusal(self, compare: Callable[[AnyRelease], bool]) -> tuple[AnyRelease, bool]:
        """As ``_release``; every error is a BundleError."""
        try:
            return self._release(compare)
        except BundleError:
            raise
        except AtlasError as error:  # the manifest holds an impossible plan
            raise BundleError(error.what, f"{MANIFEST}, {error.where}", error.mend) from None

    def _release(self, compare: Callable[[AnyRelease], bool]) -> tuple[AnyRelease, bool]:
        """The checked release, and whether ``compare`` could compare its estimates."""
        kind, members, files = self.kind, self._document, self.listed
        plan, head = kind.plan_of(members), head_of(members)
        tiles = read_tiles(files.content(TILES))
        may_have = {CONTEXT} & {*self._sums} if self._version >= CONTEXT_SINCE else set()
        must_have = {*kind.files(plan, tiles), *files_of_version(self._version, kind, plan, members)}
        if set(self._sums) != must_have | may_have:
            raise BundleError(
                "the list of files does not follow from the plan", f"{MANIFEST}, files", CHANGED
            )
        if district_texts(tiles, kind.districts(plan)) != tiles.districts:
            raise BundleError("the districts of the tiles are not those of the plan", TILES, CHANGED)
        under = read_under(files.content(CONTEXT), (*tiles.bounds,)) if may_have else None
        drawn = kind.read(members, plan, tiles, files)
        release: AnyRelease = Release(**head, plan=plan, drawn=drawn, tessellation=tiles, context=under)
        compared = compare(release)  # before the files that repeat estimates, so that an error names theirs
        words = files.content(README)
        rows = kind.check(release, members, files)
        if self._version >= FOR_MAPS_SINCE:
            told = kind.on_tiles(release)
            check_geoparquet(files.content(TILES_PARQUET), tiles, told)
            check_geopackage(files.content(TILES_GPKG), tiles, told, release.created)
        must_agree(self._document, manifest_of(release, tiles, rows, self._sums, self._version))
        must_be_the_readme(words, readme_of(release), release.software)  # last: it follows from all the rest
        return release, compared


@lru_cache(_REMEMBERED)
def read_under(data: bytes, bounds: Bounds) -> Context:
    """What lies under the tiles of a bundle; raises BundleError if it is not written as this program writes it.

    The last ones stay in memory, which is as safe as for ``read_tiles``.
    """
    try:
        return context_of_bytes(data, CONTEXT, bounds)
    except ContextError as error:
        raise BundleError(error.what, error.where, CHANGED) from None


@lru_cache(_REMEMBERED)
def read_tiles(data: bytes) -> Tessellation:
    """The tiles of a bundle; raises BundleError if they are not written as this program writes them.

    Checking them takes most of the time of reading a bundle, so the last ones stay in memory. That is safe: the same bytes
    give the same tiles, tiles are immutable, and everything in a bundle is public.
    """
    try:
        tiles = read_tessellation(data, TILES, tile_id="tile_id")
    except AtlasError as error:
        raise BundleError(error.what, error.where, error.mend) from None
    if tiles_geojson(as_drawn(tiles)) != data:
        raise BundleError("the tiles are not written as this program writes them", TILES, CHANGED)
    return tiles
