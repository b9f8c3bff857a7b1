"""A bundle becomes a release again, after everything in it was checked. A bundle may come from anyone.

The manifest is read, the tables and tiles are read and compared with it, and then the manifest is written anew from
what was found: any fact in which the two differ, down to a half width, is refused. Texts stay texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import dpcore
from dpcore import limits
from dpcore.errors import AtlasError, BundleError
from dpcore.measurement import Measurement
from dpcore.release import layout
from dpcore.release.canonical import SEAL, canonical, parsed, sealed
from dpcore.release.drawn_tiles import as_drawn, map_geojson, tiles_geojson
from dpcore.release.fields import difference
from dpcore.release.files import Files, opened, shown
from dpcore.release.five_numbers import five_numbers_table
from dpcore.release.manifest import STATEMENTS, manifest_of
from dpcore.release.outline import check_version, outline_of
from dpcore.release.readme import readme
from dpcore.release.release import Release
from dpcore.release.table_checks import check_points, check_rows, measurement_of
from dpcore.release.table_files import read_csv, read_parquet, same_values
from dpcore.release.tables import schema_of
from dpcore.tessellation import Tessellation, read_tessellation

_AGAIN: Final = "Get the bundle again from where it was published."
_MEND: Final = "The bundle was changed after it was written. " + _AGAIN


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


def read_bundle(place: Path | bytes) -> Release:
    """The release in a bundle folder or .zip, checked in every respect; raises BundleError in plain words."""
    with opened(place) as files:
        return _Bundle(files).release()


def verify_bundle(place: Path | bytes, *, digest: str | None = None) -> Verdict:
    """The verdict on a bundle; raises BundleError where anything in it was changed.

    Args:
        place: its folder, its .zip file, or the bytes of one.
        digest: SHA-256 of the manifest as the ledger holds it; compared if given.

    """
    with opened(place) as files:
        bundle = _Bundle(files)
        if digest is not None and digest != bundle.digest:
            raise BundleError(
                "this is not the bundle that the ledger knows",
                layout.MANIFEST,
                f"Its digest is {bundle.digest}, the ledger says {shown(digest)}. " + _AGAIN,
            )
        release = bundle.release()
        return Verdict(
            release.id,
            bundle.digest,
            len(files.names),
            digest is not None,
            other_version=not is_ours(release.software),
        )


def verified_files(place: Path) -> tuple[str, Mapping[str, bytes]]:
    """The id of the release and all files of its bundle by name, for an archive; raises BundleError."""
    with opened(place) as files:
        bundle = _Bundle(files, keep=True)
        return bundle.release().id, bundle.kept


class _Bundle:
    """One bundle while it is checked."""

    def __init__(self, files: Files, *, keep: bool = False) -> None:
        """Read and check the manifest by itself."""
        self._files = files
        self._keep = keep
        self.kept: dict[str, bytes] = {}
        data = files.read(layout.MANIFEST, limits.MAX_MANIFEST_BYTES)
        self._kept(layout.MANIFEST, data)
        self.digest = sha256(data).hexdigest()
        self._document = parsed(data, layout.MANIFEST)
        check_version(self._document, layout.MANIFEST)
        sealed_manifest(data)
        self._outline = outline_of(self._document, layout.MANIFEST)

    def release(self) -> Release:
        """Everything else, read and compared."""
        outline = self._outline
        beyond = sorted(self._files.names - {layout.MANIFEST, *outline.files})
        if beyond:
            raise BundleError("a file does not belong to the bundle", shown(beyond[0]), "Remove it.")
        tiles = self._tiles()
        release = self._put_together(
            tiles, {name: self._measurement(name, tiles) for name in outline.plan.weights}
        )
        told = self._content(layout.README)
        self._content(layout.REGISTRY)
        if release.five_numbers is not None:
            self._check_five_numbers(release)
        if layout.MAPPED in release.measurements:
            drawn = map_geojson(tiles, release.measurements[layout.MAPPED])
            self._must_equal(layout.MAP, drawn, "the map is not that of the tables")
        self._compare(manifest_of(release, tiles, outline.files))
        must_be_the_readme(told, readme(release), release.software)  # last: it follows from all the rest
        return release

    def _content(self, name: str) -> bytes:
        """The bytes of a listed file, whose sum is the one in the manifest."""
        data = self._files.read(name, limits.MAX_BUNDLE_UNPACKED_BYTES)
        if sha256(data).hexdigest() != self._outline.files[name]:
            raise BundleError("the file was changed: its SHA-256 is not the one in the manifest", name, _MEND)
        self._kept(name, data)
        return data

    def _kept(self, name: str, data: bytes) -> None:
        if self._keep:
            self.kept[name] = data

    def _tiles(self) -> Tessellation:
        return read_tiles(self._content(layout.TILES))

    def _measurement(self, name: str, tiles: Tessellation) -> Measurement:
        plan = self._outline.plan
        measure = plan.measure(name)
        listing = self._outline.listings.get(name)
        parquet, csv = layout.parquet_name(name), layout.csv_name(name)
        try:
            keys = measure.keys(tiles.tile_ids)
            check_rows(keys, listing, parquet)
            schema = schema_of(keys, plan.rungs)
        except BundleError:
            raise
        except AtlasError as error:
            raise BundleError(error.what, error.where, error.mend) from None
        table = read_parquet(self._content(parquet), schema, parquet)
        measurement = measurement_of(table, measure, keys, plan, listing=listing, where=parquet)
        check_points(table, measurement, tiles, parquet)
        if not same_values(table, read_csv(self._content(csv), schema, csv)):
            raise BundleError("the table does not say the same as its Parquet file", csv, _MEND)
        return measurement

    def _put_together(self, tiles: Tessellation, measurements: Mapping[str, Measurement]) -> Release:
        told = self._outline
        return Release(
            id=told.id,
            title=told.title,
            note=told.note,
            dataset=told.dataset,
            population=told.population,
            created=told.created,
            plan=told.plan,
            measurements=measurements,
            tessellation=tiles,
            timezone=told.timezone,
            anchor=told.anchor,
            parameters_chosen=told.parameters_chosen,
            raised_from=told.raised_from,
            command=told.command,
            software=told.software,
            five_numbers=told.five_numbers,
            ranges=told.ranges,
        )

    def _check_five_numbers(self, release: Release) -> None:
        """The summaries in the files are those of the manifest, with the intervals that the tables give them."""
        expected = five_numbers_table(release)
        parquet, csv = layout.parquet_name(layout.FIVE_NUMBERS), layout.csv_name(layout.FIVE_NUMBERS)
        table = read_parquet(self._content(parquet), expected.schema, parquet)
        if not same_values(table, read_csv(self._content(csv), expected.schema, csv)):
            raise BundleError("the table does not say the same as its Parquet file", csv, _MEND)
        if not same_values(table, expected):
            raise BundleError("the summaries are not those of the manifest and the tables", parquet, _MEND)

    def _must_equal(self, name: str, expected: bytes, what: str) -> None:
        if self._content(name) != expected:
            raise BundleError(what, name, _MEND)

    def _compare(self, expected: Mapping[str, object]) -> None:
        """Every fact but the wording of the sentences must be the one that follows from plan and tables."""
        must_agree(self._document, expected)


def must_agree(document: Mapping[str, object], expected: Mapping[str, object]) -> None:
    """Refuse a manifest that says something else than expected, but for the wording of its sentences."""
    sentences = _shape(document.get(STATEMENTS)) == _shape(expected[STATEMENTS])
    loose = {STATEMENTS, SEAL}
    found = {name: value for name, value in document.items() if name not in loose}
    wanted = {name: value for name, value in expected.items() if name not in loose}
    place = difference(found, wanted, layout.MANIFEST)
    if place is not None or not sentences:
        raise BundleError(
            "the manifest says something else than the plan and the tables",
            place or f"{layout.MANIFEST}, {STATEMENTS}",
            _MEND,
        )


def is_ours(software: Mapping[str, str]) -> bool:
    """Whether a release says that this very version wrote it."""
    return software.get("epsilon-atlas") == dpcore.__version__


def must_be_the_readme(found: bytes, expected: bytes, software: Mapping[str, str]) -> None:
    """Refuse a README other than the one that follows from the release; the words of another version are its own."""
    if is_ours(software) and found != expected:
        raise BundleError("the README says something else than the release", layout.README, _MEND)


def sealed_manifest(data: bytes) -> dict[str, object]:
    """The manifest that some bytes hold, in its one form and with its own seal; raises BundleError."""
    document = parsed(data, layout.MANIFEST)
    if _canonical(document) != data:
        raise BundleError("the manifest is not in its one form", layout.MANIFEST, _MEND)
    if sealed(document) != document:
        raise BundleError("the seal of the manifest is not that of its content", layout.MANIFEST, _MEND)
    return document


def read_tiles(data: bytes) -> Tessellation:
    """The tiles of a bundle, written as this program writes them; raises BundleError."""
    try:
        tiles = read_tessellation(data, layout.TILES, id_column="tile_id")
    except AtlasError as error:
        raise BundleError(error.what, error.where, error.mend) from None
    if tiles_geojson(as_drawn(tiles)) != data:
        raise BundleError("the tiles are not written as this program writes them", layout.TILES, _MEND)
    return tiles


def _canonical(document: Mapping[str, object]) -> bytes:
    try:
        return canonical(document)
    except UnicodeEncodeError:  # half a character, which JSON can write and UTF-8 cannot
        return b""


def _shape(value: object) -> object:
    """The structure of sentences without their words."""
    if isinstance(value, dict):
        return {name: _shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [type(item) for item in value]
    return type(value)
