"""A bundle becomes a release again, after everything in it was checked. A bundle may come from anyone.

The manifest is read, the tables and tiles are read and compared with it, and then the manifest is written anew from
what was found: any fact in which the two differ, down to a half width, is refused. Texts stay texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from dpcore import limits
from dpcore.errors import AtlasError, BundleError
from dpcore.measures.measurement import Measurement
from dpcore.release import layout
from dpcore.release.canonical import parsed
from dpcore.release.drawn_tiles import map_geojson
from dpcore.release.files import Files, opened
from dpcore.release.five_numbers import five_numbers_table
from dpcore.release.listed_files import ListedFiles
from dpcore.release.manifest import manifest_of
from dpcore.release.manifest_checks import is_ours, must_agree, must_be_the_readme, sealed_manifest
from dpcore.release.mending import CHANGED
from dpcore.release.outline import check_version, outline_of
from dpcore.release.readme import readme
from dpcore.release.release import Release
from dpcore.release.table_checks import check_points, check_rows, measurement_of
from dpcore.release.table_files import read_csv, read_parquet, same_values
from dpcore.release.tables import schema_of
from dpcore.release.tiles_file import read_tiles
from dpcore.release.verdict import Verdict, must_be_known
from dpcore.tessellation import Tessellation


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
        must_be_known(bundle.digest, digest)
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
        kept: dict[str, bytes] = {}
        return _Bundle(files, kept).release().id, kept


class _Bundle:
    """One bundle while it is checked."""

    def __init__(self, files: Files, kept: dict[str, bytes] | None = None) -> None:
        """Read and check the manifest by itself; ``kept`` takes up all bytes that are read, if it is given."""
        data = files.read(layout.MANIFEST, limits.MAX_MANIFEST_BYTES)
        if kept is not None:
            kept[layout.MANIFEST] = data
        self.digest = sha256(data).hexdigest()
        self._document = parsed(data, layout.MANIFEST)
        check_version(self._document, layout.MANIFEST)
        sealed_manifest(data)
        self._outline = outline_of(self._document, layout.MANIFEST)
        self._listed = ListedFiles(files, self._outline.files, kept)

    def release(self) -> Release:
        """Everything else, read and compared."""
        outline = self._outline
        tiles = self._tiles()
        release = self._put_together(
            tiles, {name: self._measurement(name, tiles) for name in outline.plan.weights}
        )
        told = self._listed.content(layout.README)
        self._listed.content(layout.REGISTRY)
        if release.five_numbers is not None:
            self._check_five_numbers(release)
        if layout.MAPPED in release.measurements:
            drawn = map_geojson(tiles, release.measurements[layout.MAPPED])
            self._must_equal(layout.MAP, drawn, "the map is not that of the tables")
        self._compare(manifest_of(release, tiles, outline.files))
        must_be_the_readme(told, readme(release), release.software)  # last: it follows from all the rest
        return release

    def _tiles(self) -> Tessellation:
        return read_tiles(self._listed.content(layout.TILES))

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
        table = read_parquet(self._listed.content(parquet), schema, parquet)
        measurement = measurement_of(table, measure, keys, plan, listing=listing, where=parquet)
        check_points(table, measurement, tiles, parquet)
        if not same_values(table, read_csv(self._listed.content(csv), schema, csv)):
            raise BundleError("the table does not say the same as its Parquet file", csv, CHANGED)
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
        table = read_parquet(self._listed.content(parquet), expected.schema, parquet)
        if not same_values(table, read_csv(self._listed.content(csv), expected.schema, csv)):
            raise BundleError("the table does not say the same as its Parquet file", csv, CHANGED)
        if not same_values(table, expected):
            raise BundleError("the summaries are not those of the manifest and the tables", parquet, CHANGED)

    def _must_equal(self, name: str, expected: bytes, what: str) -> None:
        if self._listed.content(name) != expected:
            raise BundleError(what, name, CHANGED)

    def _compare(self, expected: Mapping[str, object]) -> None:
        """Every fact but the wording of the sentences must be the one that follows from plan and tables."""
        must_agree(self._document, expected)
