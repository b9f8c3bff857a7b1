"""A synthetic bundle becomes a release again, after everything in it was checked. A bundle may come from anyone.

As for releases of tables: the manifest is read, tables, tiles and trips are read and compared with it, and then the
manifest is written anew from what was found. What the trips are held against says ``trip_checks``. Of a tree nothing is
drawn: its trajectories are made again and compared row by row.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pyarrow as pa

from dpcore import limits
from dpcore.errors import AtlasError, BundleError
from dpcore.release import MANIFEST, Verdict
from dpcore.release.canonical import parsed
from dpcore.release.files import Files, opened
from dpcore.release.layout import README, TILES, csv_name, parquet_name
from dpcore.release.listed_files import ListedFiles
from dpcore.release.manifest_checks import is_ours, must_agree, must_be_the_readme, sealed_manifest
from dpcore.release.mending import CHANGED
from dpcore.release.table_files import read_csv, read_parquet, same_values
from dpcore.release.tiles_file import read_tiles
from dpcore.release.verdict import must_be_known
from dpcore.synthesis.choices import SynthesisChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthetic_release.charge_checks import must_be_the_charge
from dpcore.synthetic_release.contents import files_of
from dpcore.synthetic_release.layout import LEVELS, TRAJECTORIES, TREE, TRIPS, table_name
from dpcore.synthetic_release.levels_table import levels_csv
from dpcore.synthetic_release.manifest import manifest_of
from dpcore.synthetic_release.outline import check_version, is_synthetic, outline_of
from dpcore.synthetic_release.readme import readme
from dpcore.synthetic_release.release import Counted, SyntheticRelease, Tables
from dpcore.synthetic_release.row_checks import must_hold
from dpcore.synthetic_release.tables import Plan, parts_of, schema_of, tables_from
from dpcore.synthetic_release.tree_rows import VISITS_SCHEMA, visit_batches
from dpcore.synthetic_release.tree_table import SCHEMA, tree_from
from dpcore.synthetic_release.trip_checks import check_trips
from dpcore.synthetic_release.trips import trip_batches, trip_schema
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree


def read_bundle(place: Path | bytes) -> SyntheticRelease:
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


def digest_of(place: Path | bytes) -> str:
    """The SHA-256 of the manifest of a bundle, of which nothing else is read; raises BundleError without one."""
    with opened(place) as files:
        return sha256(files.read(MANIFEST, limits.MAX_MANIFEST_BYTES)).hexdigest()


def says_synthetic(place: Path | bytes) -> bool:
    """Whether the manifest of a bundle says that it is one of a synthetic release; raises BundleError without one."""
    with opened(place) as files:
        return is_synthetic(parsed(files.read(MANIFEST, limits.MAX_MANIFEST_BYTES), MANIFEST))


class _Bundle:
    """One bundle while it is checked."""

    def __init__(self, files: Files) -> None:
        """Read and check the manifest by itself."""
        data = files.read(MANIFEST, limits.MAX_MANIFEST_BYTES)
        self.digest = sha256(data).hexdigest()
        check_version(parsed(data, MANIFEST), MANIFEST)
        self._document = sealed_manifest(data)
        self._outline = outline_of(self._document, MANIFEST)
        self._listed = ListedFiles(files, self._outline.files)

    def release(self) -> SyntheticRelease:
        """Everything else, read and compared."""
        try:
            return self._release()
        except BundleError:
            raise
        except AtlasError as error:  # choices that no plan can be made of
            raise BundleError(error.what, f"{MANIFEST}, {error.where}", error.mend) from None

    def _release(self) -> SyntheticRelease:
        told = self._outline
        tiles = read_tiles(self._listed.content(TILES))
        choices = told.choices
        self._check_names(files_of(choices, tiles))
        tables = self._tables(choices, tiles)
        release = SyntheticRelease(
            id=told.id,
            title=told.title,
            note=told.note,
            dataset=told.dataset,
            population=told.population,
            created=told.created,
            choices=choices,
            tables=tables,
            seed=told.seed,
            form=told.form,
            tessellation=tiles,
            timezone=told.timezone,
            anchor=told.anchor,
            charged_delta=told.charged_delta,
            parameters_chosen=told.parameters_chosen,
            command=told.command,
            software=told.software,
        )
        must_be_the_charge(release)
        words = self._listed.content(README)
        self._check_trips(release)
        must_agree(self._document, manifest_of(release, tiles, told.rows, told.files))
        must_be_the_readme(words, readme(release), told.software)  # last: it follows from all the rest
        return release

    def _tables(self, choices: SynthesisChoices, tiles: Tessellation) -> Tables:
        if isinstance(choices, TreeChoices):
            return self._tree(choices, tiles)
        plan: Plan = choices.plan() if isinstance(choices, StabilityChoices) else choices.plan(tiles)
        return self._of_plan(plan, tiles)

    def _check_names(self, expected: tuple[str, ...]) -> None:
        if set(self._outline.files) != set(expected):
            raise BundleError("the list of files is not that of the plan", f"{MANIFEST}, files", CHANGED)

    def _tree(self, choices: TreeChoices, tiles: Tessellation) -> NoisyTree:
        plan = choices.plan(tiles)
        if self._listed.content(LEVELS) != levels_csv(plan.levels):
            raise BundleError("the levels are not those of the manifest", LEVELS, CHANGED)
        return tree_from(
            read_parquet(self._listed.content(TREE), SCHEMA, TREE), plan, choices.consistency, TREE
        )

    def _check_trips(self, release: SyntheticRelease) -> None:
        if not isinstance(release.tables, NoisyTree):
            check_trips(self._listed.content(TRIPS), release, self._outline.rows)
            return
        must_hold(
            self._listed.content(TRAJECTORIES), VISITS_SCHEMA, visit_batches(release.tables), TRAJECTORIES
        )
        if TRIPS in self._outline.files:
            schema = trip_schema(release.choices, release.form)
            must_hold(self._listed.content(TRIPS), schema, trip_batches(release), TRIPS)

    def _of_plan(self, plan: Plan, tiles: Tessellation) -> Counted:
        found: dict[str, pa.Table] = {}
        places = {name: parquet_name(table_name(name)) for name in parts_of(plan)}
        for name, parquet in places.items():
            csv, schema = csv_name(table_name(name)), schema_of(plan, name)
            found[name] = read_parquet(self._listed.content(parquet), schema, parquet)
            if not same_values(found[name], read_csv(self._listed.content(csv), schema, csv)):
                raise BundleError("the table does not say the same as its Parquet file", csv, CHANGED)
        return tables_from(plan, found, places, tiles.tile_ids)
