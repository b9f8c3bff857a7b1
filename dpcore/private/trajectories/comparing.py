"""Answers of a throw-away tree beside the truth and beside the uniform allocation, for the owner only.

Errors are taken against the truth of the trajectories that count: a tree knows of no others, and neither do its ranges.
What the bound leaves out is said beside it, as the truth of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpcore.private.sealed import Sealed
from dpcore.private.trajectories.preview import TreePreview
from dpcore.trajectory_tree.answers import Answer, count_matching
from dpcore.trajectory_tree.paths import (
    Paths,
    Pattern,
    PatternComparison,
    compare_patterns,
    frequent_patterns,
)
from dpcore.trajectory_tree.queries import SANITY, QueryError, relative_error, workload
from dpcore.trajectory_tree.question import Question

WORKLOAD_QUERIES = 2_000


@dataclass(frozen=True, repr=False)
class ComparedQuery(Sealed):
    """One question, answered by both trees, and the truth."""

    question: Question
    tree: Answer
    uniform: Answer
    true: float
    """Of the trajectories that count under the bound; ranges are about them."""
    true_of_all: float
    """Of all trajectories, nothing bounded."""
    error: float
    """Relative error of the tree: ``abs(answer - true) / max(true, sanity bound)``."""
    uniform_error: float


def sanity_bound(true: Paths) -> float:
    """Errors of smaller counts are taken relative to it: a thousandth of these trajectories, 1 at least."""
    return max(1.0, float(SANITY) * true.total)


def compare_queries(preview: TreePreview, questions: Sequence[Question]) -> tuple[ComparedQuery, ...]:
    """Each question answered beside the truth; raises InputError if one names a tile that does not exist."""
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
        """By how much the levels lower the error of the uniform allocation: 0.25 is a quarter; below 0 they raise it."""
        return 1 - self.tree.mean / self.uniform.mean if self.uniform.mean else 0.0


def compare_workload(preview: TreePreview, queries: int = WORKLOAD_QUERIES) -> ComparedWorkload:
    """The errors of both trees on about so many sets of tiles, by groups of rising size."""
    work = workload("preview", queries, preview.plan.locations, preview.plan.height)
    return ComparedWorkload(
        len(work.queries),
        relative_error(work, preview.true_counted, preview.paths),
        relative_error(work, preview.true_counted, preview.uniform),
    )


@dataclass(frozen=True, repr=False)
class ComparedPatterns(Sealed):
    """The most frequent sequential patterns by the truth and by both trees, most frequent first."""

    true: tuple[Pattern, ...]
    tree: tuple[Pattern, ...]
    uniform: tuple[Pattern, ...]
    comparison: PatternComparison
    uniform_comparison: PatternComparison


def compare_top_patterns(preview: TreePreview, top: int, *, least_length: int = 1) -> ComparedPatterns:
    """The ``top`` most frequent patterns of ``least_length`` tiles or more, three times."""
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
