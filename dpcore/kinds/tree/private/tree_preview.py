"""What the owner sees before a trajectory tree is released: throw-away trees beside the truth.

The noise is drawn for looking only and is never stored, see ``dpcore.private.preview``. A release draws anew. The noise is
passed to ``dpcore.kinds.tree.private``, which counts and does not draw.

Errors of answers are measured against the truth of the trajectories that count. A tree knows of no others, and its ranges
do not cover them. What the bound leaves out is shown beside it, as the truth of all trajectories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from dpcore.errors import InputError
from dpcore.kinds.tree.answers import Answer, AskableTree, count_matching
from dpcore.kinds.tree.choices import TreeChoices
from dpcore.kinds.tree.paths import (
    Paths,
    Pattern,
    PatternComparison,
    compare_patterns,
    frequent_patterns,
    paths_of,
)
from dpcore.kinds.tree.plan import Strategy, TreePlan, TreePrice, price_of_tree
from dpcore.kinds.tree.private.drawing import EXACT_NOISE
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences, made_trajectories, tile_sequences
from dpcore.kinds.tree.queries import SANITY, QueryError, relative_error, workload
from dpcore.kinds.tree.question import Question
from dpcore.kinds.tree.tree import Tree, consistent, integer_weights
from dpcore.measures.measurement import Origin
from dpcore.private.bounding import bounding_key
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

WORKLOAD_QUERIES: Final = 2_000


@dataclass(frozen=True, repr=False, eq=False)
class TreePreview(Sealed):
    """One throw-away tree, one of the uniform allocation beside it, and the truth."""

    choices: TreeChoices
    plan: TreePlan
    origin: Origin
    """A throw-away draw. Nothing of it may be published."""
    tree: Tree
    """The tree, with estimates that agree as chosen."""
    uniform_tree: Tree
    """A tree of the uniform allocation with the same epsilon for Critical; the same tree if that allocation was chosen.

    Its price is different: a whole record then loses epsilon and no more.
    """
    true: Paths
    """All trajectories, without a bound, cut to the height."""
    true_counted: Paths
    """Those of them that count under the bound. The tree counts these, and its answers and ranges cover only these."""
    price: TreePrice
    """The cost of a release of the tree to one unit."""

    @property
    def counted(self) -> float:
        """Share of all trajectories that count under the bound, 0 to 1."""
        return self.true_counted.total / self.true.total

    @cached_property
    def pruned(self) -> float:
        """Number of counted trajectories that begin at a tile that the tree did not keep. They are in none of its numbers."""
        kept = self.tree.symbol[self.tree.depth == 1]
        return float(self.true_counted.weight[~np.isin(self.true_counted.symbols[:, 0], kept)].sum())

    @cached_property
    def paths(self) -> Paths:
        """The tree as paths with whole weights."""
        return paths_of(self.tree, integer_weights(self.tree))

    @cached_property
    def uniform(self) -> Paths:
        """The uniform tree as paths with whole weights."""
        return paths_of(self.uniform_tree, integer_weights(self.uniform_tree))

    @cached_property
    def askable(self) -> AskableTree:
        """The tree, ready for questions."""
        return AskableTree.of(self.tree, self.plan.levels.tiles, self.choices.consistency)

    @cached_property
    def askable_uniform(self) -> AskableTree:
        """The uniform tree, ready for questions."""
        return AskableTree.of(self.uniform_tree, self.plan.levels.tiles, self.choices.consistency)


def tree_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    choices: TreeChoices,
    *,
    progress: Progress | None = None,
) -> TreePreview:
    """A new throw-away tree of the choices, with what is shown beside it. It is never a release.

    Raises PrivacyError for other tiles, for protecting people if there are no users, and for a plan that cannot be drawn;
    InputError if a privacy level names an unknown tile, or no trajectory visits a tile.
    """
    tell = progress or (lambda _: None)
    trips.must_hide(choices.bound.unit)
    plan = choices.plan(tessellation)
    made = made_trajectories(trips, tessellation, choices, bounding_key())
    tell(0.2)
    sequences = tile_sequences(made.entries.of(made.counted), choices.height)
    true = tile_sequences(made.entries, choices.height).paths(choices.height, plan.locations)
    if not len(true):
        raise InputError(
            "no trajectory visits a tile",
            trips.name,
            "Choose the dates of the trips, and tiles that cover them.",
        )
    tell(0.3)
    tree = _grown(sequences, plan, choices, lambda share: tell(0.3 + 0.35 * share))
    uniform = tree
    if plan.strategy is not Strategy.UNIFORM:
        level = replace(plan, strategy=Strategy.UNIFORM)
        uniform = _grown(sequences, level, choices, lambda share: tell(0.65 + 0.35 * share))
    tell(1.0)
    return TreePreview(
        choices=choices,
        plan=plan,
        origin="preview",
        tree=tree,
        uniform_tree=uniform,
        true=true,
        true_counted=sequences.paths(choices.height, plan.locations),
        price=price_of_tree(plan, choices.bound),
    )


def _grown(sequences: TileSequences, plan: TreePlan, choices: TreeChoices, tell: Progress) -> Tree:
    tree = grow(sequences, plan, EXACT_NOISE, lambda done, depths: tell(done / depths))
    return consistent(tree, choices.consistency)


@dataclass(frozen=True, repr=False)
class ComparedQuery(Sealed):
    """One question with the answers of both trees and the truth."""

    question: Question
    tree: Answer
    uniform: Answer
    true: float
    """The true number among the trajectories that count under the bound. Ranges cover this number."""
    true_of_all: float
    """The true number among all trajectories, without a bound."""
    error: float
    """Relative error of the tree: ``abs(answer - true) / max(true, sanity bound)``."""
    uniform_error: float


def sanity_bound(true: Paths) -> float:
    """Errors of smaller counts are taken relative to this number: a thousandth of these trajectories, at least 1."""
    return max(1.0, float(SANITY) * true.total)


def compare_queries(preview: TreePreview, questions: Sequence[Question]) -> tuple[ComparedQuery, ...]:
    """Each question answered beside the truth. Raises InputError if one names an unknown tile."""
    least, tiles = sanity_bound(preview.true_counted), preview.plan.levels.tiles
    found = []
    for question in questions:
        ours, uniform = preview.askable.answer(question), preview.askable_uniform.answer(question)
        true, of_all = (
            count_matching(paths, question, tiles) for paths in (preview.true_counted, preview.true)
        )
        error, other = (abs(answer.count - true) / max(true, least) for answer in (ours, uniform))
        found.append(ComparedQuery(question, ours, uniform, true, of_all, error, other))
    return tuple(found)


@dataclass(frozen=True, repr=False)
class ComparedWorkload(Sealed):
    """Mean relative errors of one public list of random set queries."""

    queries: int
    tree: QueryError
    uniform: QueryError

    @property
    def reduction(self) -> float:
        """By how much the levels lower the error of the uniform allocation: 0.25 is a quarter, below 0 they raise it."""
        return 1 - self.tree.mean / self.uniform.mean if self.uniform.mean else 0.0


def compare_workload(preview: TreePreview, queries: int = WORKLOAD_QUERIES) -> ComparedWorkload:
    """The errors of both trees on about ``queries`` sets of tiles, in groups of rising size."""
    work = workload("preview", queries, preview.plan.locations, preview.plan.height)
    return ComparedWorkload(
        len(work.queries),
        relative_error(work, preview.true_counted, preview.paths),
        relative_error(work, preview.true_counted, preview.uniform),
    )


@dataclass(frozen=True, repr=False)
class ComparedPatterns(Sealed):
    """The most frequent sequential patterns in the truth and in both trees, most frequent first."""

    true: tuple[Pattern, ...]
    tree: tuple[Pattern, ...]
    uniform: tuple[Pattern, ...]
    comparison: PatternComparison
    uniform_comparison: PatternComparison


def compare_top_patterns(preview: TreePreview, top: int, *, least_length: int = 1) -> ComparedPatterns:
    """The ``top`` most frequent patterns of at least ``least_length`` tiles, three times."""
    true, tree, uniform = (
        frequent_patterns(paths, top, least_length=least_length)
        for paths in (preview.true_counted, preview.paths, preview.uniform)
    )
    return ComparedPatterns(
        tuple(true),
        tuple(tree),
        tuple(uniform),
        compare_patterns(true, tree),
        compare_patterns(true, uniform),
    )
