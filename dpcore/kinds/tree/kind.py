"""The kind ``trajectory-tree``: noisy counts of the prefixes of trajectories, and synthetic trajectories that follow from them.

``dpcore.kinds.tree`` defines it. The trajectories follow from the tree without any drawing. So whoever reads a bundle makes
them again and compares them row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, Final

import numpy as np
import pyarrow as pa

from dpcore.errors import BundleError
from dpcore.kinds.tree import statements as tree_statements
from dpcore.kinds.tree.choices import CHOICES, Source, TreeChoices
from dpcore.kinds.tree.levels import Levels
from dpcore.kinds.tree.levels_file import PRIVACY, TILE
from dpcore.kinds.tree.noisy_tree import NoisyTree, Trajectories
from dpcore.kinds.tree.paths import Ending
from dpcore.kinds.tree.plan import price_of_levels
from dpcore.kinds.tree.questions import frequent_ways, of_tree
from dpcore.kinds.tree.table import SCHEMA, table_of_tree, tree_from
from dpcore.planning.choice import Choice
from dpcore.planning.python_text import Raw, call
from dpcore.privacy import PrivacyUnit, epsilon_text
from dpcore.release.canonical import AGAIN, CHANGED, epsilon_of
from dpcore.release.files import ListedFiles
from dpcore.release.kind import Card, Object, Rows
from dpcore.release.kinds.synthetic import SyntheticKind
from dpcore.release.kinds.trip_rows import NEVER, NO_DATE, RowGroups, TripRows
from dpcore.release.layout import LEVELS, README, TILES, TRAJECTORIES, TREE, TRIPS
from dpcore.release.table_files import DAMAGE, csv_bytes, parquet_bytes, read_parquet
from dpcore.tiles import Tessellation

Release = tree_statements.TreeRelease

ENDINGS: Final = ("complete", "cut", "unknown")
"""Names of the endings, by the number of an ``Ending``."""
VISITS_SCHEMA: Final = pa.schema(
    [("trajectory", pa.int64()), ("position", pa.int64()), ("tile_id", pa.string()), ("ending", pa.string())]
)
BATCH_VISITS: Final = 1_000_000


class TreeKind(SyntheticKind[TreeChoices, NoisyTree]):
    """A release of a noisy tree with its public levels."""

    name: ClassVar[str] = TreeChoices.kind
    pictures: ClassVar[tuple[str, ...]] = ("ways", "levels")
    words: ClassVar[str] = "trajectory tree"
    instead: ClassVar[str] = "Use table, ask or synthetic_trips (which needs trips as trajectories)."
    asked: ClassVar[type] = TreeChoices
    choices: ClassVar[tuple[Choice, ...]] = CHOICES
    first_options: ClassVar[tuple[str, ...]] = ("period", "height")
    made_by: ClassVar[str] = "dpcore.tree_plan"
    page: ClassVar[str] = "Trajectories"
    about: ClassVar[str] = (
        "**A trajectory tree**: which ways people took, with more noise where places are more delicate"
    )
    takeaway: ClassVar[str] = (
        "`tree.parquet` holds every noisy count, `trajectories.parquet` the synthetic trajectories that follow from it. The levels, "
        "the tiles, and a README that says what is promised come with them."
    )
    views: ClassVar[tuple[str, ...]] = ("walk",)
    packed: ClassVar[frozenset[str]] = frozenset({TRIPS, TREE, TRAJECTORIES})
    noise: ClassVar[str] = "discrete Laplace on the nodes of a prefix tree, rates by public levels of places"
    what: ClassVar[str] = (
        "A tree of trajectories: how many trajectories begin with each sequence of places, with random noise that is larger where "
        "places are more delicate (personalised differential privacy). Synthetic trajectories follow from it."
    )
    parameters: ClassVar[tuple[str, ...]] = tree_statements.PARAMETERS

    def look(self, plan: TreeChoices) -> str:
        return call("dpcore.table", Raw("release"), next(iter(_TABLES)))

    def has_trips(self, plan: TreeChoices) -> bool:
        return plan.making.source is Source.TRIP

    def taken(self, plan: TreeChoices) -> str | None:
        return TRIPS if self.has_trips(plan) else TRAJECTORIES

    def files(self, plan: TreeChoices, tiles: Tessellation) -> tuple[str, ...]:
        """Tree, levels and trajectories; trips too if a trajectory is a trip."""
        trips = [TRIPS] if self.has_trips(plan) else []
        return tuple(sorted([README, TILES, TREE, LEVELS, TRAJECTORIES, *trips]))

    def contents(self, release: Release, tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
        yield LEVELS, _levels_csv(release.drawn.tables.plan.levels)
        yield TREE, parquet_bytes(table_of_tree(release.drawn.tables))

    def rows(self, release: Release) -> Iterator[Rows]:
        yield TRAJECTORIES, VISITS_SCHEMA, visit_batches(release.drawn.tables)
        yield from super().rows(release)

    def trips(self, release: Release, writer: TripRows) -> Iterator[pa.RecordBatch]:
        """A trip from the first to the last place of each trajectory; an unknown end has neither place nor time."""
        tiles = len(release.tessellation.tile_ids)
        for _, batch in _walked(release.drawn.tables):
            first = batch.symbols[batch.offsets[:-1]].astype(np.int64)
            last = batch.symbols[batch.offsets[1:] - 1].astype(np.int64)
            known = (batch.ending == Ending.COMPLETE) & (last < tiles)
            first, last = np.where(first < tiles, first, -1), np.where(known, last, -1)
            started = np.full(len(first), np.datetime64(NO_DATE, "s"))
            yield writer.batch((first, last), (started, np.where(last >= 0, started, NEVER)), {})

    def drawn_members(self, release: Release) -> Object:
        """Levels with their epsilons, the tree, and how many trajectories were written."""
        noisy, levels = release.drawn.tables, release.drawn.tables.plan.levels
        tiles = np.bincount(levels.level - 1, minlength=len(levels.descriptors)).tolist()
        extent = noisy.writer.extent
        return {
            "levels": {
                "file": LEVELS,
                "descriptors": [
                    {
                        "name": one.name,
                        "weight": str(one.weight),
                        "places": places,
                        "epsilon": epsilon_of(epsilon),
                    }
                    for one, places, (_, epsilon) in zip(
                        levels.descriptors, tiles, release.plan.price().descriptors, strict=True
                    )
                ],
            },
            "tree": {
                "file": TREE,
                "columns": SCHEMA.names,
                "nodes": len(noisy.tree) - 1,
                "expected_false_children": str(noisy.plan.false_children),
            },
            "trajectories": {
                "file": TRAJECTORIES,
                "columns": VISITS_SCHEMA.names,
                "number": extent.trajectories,
                "rows": extent.visits,
                "one_in": extent.one_in,
            },
        }

    def read_drawn(self, plan: TreeChoices, tiles: Tessellation, files: ListedFiles) -> NoisyTree:
        """The tree. Everything in it but the noisy counts follows from the plan and is checked against it."""
        on_tiles = plan.plan(tiles)
        if files.content(LEVELS) != _levels_csv(on_tiles.levels):
            raise BundleError("the levels are not those of the manifest", LEVELS, CHANGED)
        return tree_from(read_parquet(files.content(TREE), SCHEMA, TREE), on_tiles, plan.consistency, TREE)

    def check_rows(self, release: Release, rows: int, files: ListedFiles) -> None:
        for name, schema, batches in self.rows(release):
            held = False
            with suppress(*DAMAGE):
                held = RowGroups(files.content(name), schema).hold(batches)
            if not held:
                raise BundleError("the rows do not follow from the tree", name, AGAIN)

    def _trips_members(self, release: Release, rows: int) -> Object:
        return super()._trips_members(release, release.drawn.tables.writer.extent.trajectories)

    def tables(self, release: Release) -> tuple[str, ...]:
        """The tree, the public levels, the synthetic trajectories, and the ways that most went."""
        return tuple(_TABLES)

    def own_table(self, release: Release, name: str) -> pa.Table:
        return _TABLES[name](release)

    def answers(self, release: Release, question: str) -> pa.Table:
        return of_tree(release, question)

    def protects(self, plan: TreeChoices) -> str:
        return tree_statements.protects(plan)

    def mechanism(self, release: Release) -> str:
        return tree_statements.mechanism(release)

    def rows_words(self, release: Release) -> str:
        return tree_statements.trajectories(release)

    def relations(self, release: Release) -> tuple[str, ...]:
        """What a trajectory is, the personalised promise, and epsilon by level."""
        return (
            tree_statements.making(release.plan),
            tree_statements.definition(release.plan),
            *tree_statements.by_descriptor(release),
            *tree_statements.implied(release),
        )

    def not_protected(self, release: Release) -> tuple[str, ...]:
        return tuple(tree_statements.not_protected(release))

    def files_words(self, release: Release) -> list[str]:
        return [
            f"| {LEVELS} | the public privacy level of every place: tile_id, privacy |",
            (
                f"| {TREE} | {len(release.drawn.tables.tree) - 1:,} nodes: node, parent (0: the root), symbol (a tile; $: ended here; +: "
                "cut here), depth, level (highest on the path), rate (in 65536ths), value (noisy count), 95 % half width, estimate |"
            ),
            f"| {TRAJECTORIES} | the visits of the trajectories: trajectory, position, tile_id, ending |",
        ]

    def numbers(self, release: Release) -> tuple[str, ...]:
        """Epsilon of each level that some place has, and of the whole record."""
        bound = release.plan.bound
        levels = price_of_levels(release.drawn.tables.plan, bound)
        told = ", ".join(f"{name} {epsilon_text(epsilon)}" for name, epsilon in reversed(levels))
        whom = _whom(release.plan)
        return (
            f"epsilon of a visit, by level of the place, for one {whom}: {told}",
            f"epsilon of the whole record of one {whom}: {epsilon_text(release.plan.loss[0])}",
        )

    def card(self, release: Release) -> Card:
        levels = price_of_levels(release.drawn.tables.plan, release.plan.bound)
        return replace(
            super().card(release),
            delicate=levels[-1] if levels else None,
            by_day=release.plan.making.source is Source.DAY,
        )

    def particulars(self, plan: TreeChoices) -> tuple[str, ...]:
        return ("Without attributes of riders.",)


def _whom(plan: TreeChoices) -> str:
    return "person" if plan.bound.unit is PrivacyUnit.USER else "trip"


def visit_batches(noisy: NoisyTree) -> Iterator[pa.RecordBatch]:
    """The visits: number of the trajectory and position in it, both from 1, the tile, and how the trajectory ends."""
    tiles, endings = pa.array(noisy.plan.levels.tiles, pa.string()), pa.array(ENDINGS, pa.string())
    for before, batch in _walked(noisy):
        lengths = np.diff(batch.offsets)
        row = np.repeat(np.arange(len(batch)), lengths)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(row + before + 1),
                pa.array(np.arange(len(row)) - batch.offsets[row] + 1),
                tiles.take(pa.array(batch.symbols)),
                endings.take(pa.array(batch.ending[row].astype(np.int64))),
            ],
            schema=VISITS_SCHEMA,
        )


def _walked(noisy: NoisyTree) -> Iterator[tuple[int, Trajectories]]:
    """The trajectories in batches, each with the number of trajectories before it."""
    before = 0
    for batch in noisy.writer.batches(BATCH_VISITS):
        yield before, batch
        before += len(batch)


def _levels_csv(levels: Levels) -> bytes:
    return csv_bytes(_levels_table(levels))


def _levels_table(levels: Levels) -> pa.Table:
    """The level of every place, those that are Critical too, in the order of the tiles."""
    names = pa.array([one.name for one in levels.descriptors], pa.string())
    return pa.table(
        {TILE: pa.array(levels.tiles, pa.string()), PRIVACY: names.take(pa.array(levels.level - 1))}
    )


_TABLES: Final[Mapping[str, Callable[[Release], pa.Table]]] = {
    "tree": lambda release: table_of_tree(release.drawn.tables),
    "levels": lambda release: _levels_table(release.drawn.tables.plan.levels),
    "trajectories": lambda release: pa.Table.from_batches(visit_batches(release.drawn.tables), VISITS_SCHEMA),
    "frequent_ways": frequent_ways,
}
"""What anyone may take out of a tree, by name."""


KIND: Final = TreeKind()
