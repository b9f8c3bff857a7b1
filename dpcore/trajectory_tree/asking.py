"""Answers to questions about a tree: a count, how far its noise goes, and what pruning leaves open.

A trajectory that matches goes on matching, so on a tree the answer is the sum of the estimates of the *first* nodes
that match on each path. Nothing is rounded or clipped before the sum: a sum of clipped noise grows with the number
of nodes. Only the first ``height`` tiles of a trajectory are asked about. Post-processing: costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.answer_noise import AnswerNoise, half_width
from dpcore.trajectory_tree.answer_range import at_least, at_most, may_be_empty
from dpcore.trajectory_tree.consistency import Consistency
from dpcore.trajectory_tree.paths import Paths, paths_of
from dpcore.trajectory_tree.queries import ANY_RUN, tiles_missing, tiles_unvisited
from dpcore.trajectory_tree.question import Kind, Question
from dpcore.trajectory_tree.tree import Tree

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Answer:
    """How many trajectories a tree says there are; every number may be below 0 where noise took it there."""

    count: float
    """The estimate, not rounded."""
    low: int
    """Lower end of the 95 % interval of the noise alone, rounded down."""
    high: int
    """Upper end, rounded up."""
    at_least: int
    """``low``, or less: nodes that may be empty are left out."""
    at_most: int
    """``high``, or more: all whose rest was too rare to be kept, and may match, are counted."""


@dataclass(frozen=True, slots=True, eq=False)
class AskableTree:
    """A consistent tree made ready for many questions; make it with ``AskableTree.of``."""

    tree: Tree
    tiles: tuple[str, ...]
    """Tile ids, by symbol."""
    noise: AnswerNoise
    doubtful: Mask
    """Which nodes an empty tile would look like."""
    nodes: Paths
    """The path of every node but the root, in the order of the tree."""

    @classmethod
    def of(cls, tree: Tree, tiles: Sequence[str], how: Consistency) -> AskableTree:
        """Ready a tree after ``consistency.consistent(tree, how)``; ValueError if the tiles are not as many as its."""
        if len(tiles) != tree.locations:
            raise ValueError("a tree needs the ids of its tiles")
        every = paths_of(tree, np.ones(len(tree), np.int64))
        return cls(tree, tuple(tiles), AnswerNoise.of(tree, how), may_be_empty(tree), every)

    def answer(self, question: Question) -> Answer:
        """The answer to a question; InputError if it names a tile that does not exist."""
        tree, own = self.tree, self.noise.own
        # The root is no answer itself, so whatever it needs is more than nothing.
        missing = np.append(1, tiles_needed(self.nodes, question, self.tiles))
        first = np.append(False, (missing[1:] == 0) & (missing[tree.parent[1:]] > 0))
        is_open = (missing > 0) & (missing <= tree.height - tree.depth) & ~tree.is_marker
        is_open[0] = False
        chosen = np.flatnonzero(first)
        count = float(tree.x[chosen].sum())
        half = half_width(self.noise.of_sum(chosen))
        low, high = floor(count - half), ceil(count + half)
        return Answer(
            count,
            low,
            high,
            min(low, floor(at_least(tree, own, first & ~self.doubtful))),
            max(high, ceil(at_most(tree, own, first, is_open, self.doubtful))),
        )


def count_matching(paths: Paths, question: Question, tiles: Sequence[str]) -> float:
    """The answer of any weighted paths, such as the true ones; InputError as ``AskableTree.answer``."""
    return float(paths.weight[tiles_needed(paths, question, tiles) == 0].sum())


def tiles_needed(paths: Paths, question: Question, tiles: Sequence[str]) -> Integers:
    """How many more tiles each path needs until it matches, 0 if it does; ``queries.NEVER`` if it never will."""
    places = question.numbers(tiles)
    if question.kind is Kind.SET:
        return tiles_unvisited(paths, places)
    if question.kind is Kind.ORDER:
        return tiles_missing(paths, [element for place in places for element in (ANY_RUN, place)])
    return tiles_missing(paths, places, anchored=question.kind is Kind.PREFIX)
