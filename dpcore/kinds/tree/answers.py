"""Answers to questions about a tree: a count, the interval of its noise, and what pruning leaves open.

A trajectory that matches goes on matching. So the answer of a tree is the sum of the estimates of the *first* matching node
on each path. Nothing is rounded or clipped before the sum, because a sum of clipped noise grows with the number of nodes.
Questions are only about the first ``height`` tiles of a trajectory. Post-processing: costs nothing.

**The interval of the noise** (``AnswerNoise``) follows from the public rates alone. The estimates of ``Consistency.EQUAL`` are a linear
projection of the noisy counts. So a sum of them has the variance ``a' P S a``, with the added nodes a, the variances S of the
counts, and the two passes P of ``consistent``. Two passes of the same kind compute it in ``O(nodes)``. With ``NONE``, counts are
independent. ``SLACK`` corrects some nodes only; the variance of ``NONE`` is used, which is not smaller than its own.

This interval covers noise alone. A node was kept *because* its noisy count reached a threshold, so small counts are too high
more often than too low. What was too rare to be kept is missing below, and equal estimates distribute it over the children
that were kept.

**What pruning leaves open** is bounded by two readings of the noisy counts, for every kind of consistency:

* *at least*: the first matching nodes that are hardly empty tiles. A kept empty tile exceeds its threshold by a geometric
  step, and only one in twenty by more than ``ln 20 / rate``;
* *at most*: all first matching nodes, and all trajectories that are lost at a node from which the question may still come
  true, as if it did for each of them. Children that may be empty do not explain where these trajectories went.

With the 95 % interval of their own noise, these bounds held 95.8 % to 100 % of the true counts on simulated trees
(tests/synthesis/tree/test_answer_coverage.py). The interval of the noise alone does so only if nothing relevant was pruned.
For deep questions on sparse trees it misses most true counts. Neither includes trajectories whose first tile was not kept,
because the root is not measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.tree.allocation import threshold, unit_rate
from dpcore.kinds.tree.paths import Paths, paths_of, sums_at
from dpcore.kinds.tree.plan import FALSE_CHILDREN
from dpcore.kinds.tree.queries import ANY_RUN, tiles_missing, tiles_unvisited
from dpcore.kinds.tree.question import ONE, RUN, Kind, Question
from dpcore.kinds.tree.tree import Consistency, Tree, variances

Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

WIDTH_95: Final = log(20) / sqrt(2)
"""Half width of the 95 % interval of one Laplace noise, in standard deviations: 2.12. Sums need less, down to 1.96."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerNoise:
    """The variances of a tree, computed once for many answers by ``AnswerNoise.of``."""

    tree: Tree
    how: Consistency
    own: Floats
    """Variance of the noise of each count; 0 for the root, which is not measured."""
    pooled: Floats
    """Variance of each estimate from its own count and the counts below it."""
    below: Floats
    """Sum of ``pooled`` over the children; 0 without children."""

    @classmethod
    def of(cls, tree: Tree, how: Consistency) -> AnswerNoise:
        """The variances of a tree after ``consistent(tree, how)``."""
        pooled, below = variances(tree), np.zeros(len(tree))
        own = np.where(np.isinf(pooled), 0.0, pooled)
        for depth in range(int(tree.depth[-1]) - 1, -1, -1):
            rows, below[rows] = tree.of_depth(depth), _sums_over_children(tree, pooled, depth)
            node = rows.start + np.flatnonzero(below[rows] > 0)
            if how is Consistency.EQUAL or depth == 0:
                pooled[node] = 1 / (1 / pooled[node] + 1 / below[node])  # 1 / inf is 0 at the root
        return cls(tree, how, own, pooled, below)

    def of_sum(self, nodes: NDArray[np.int64]) -> float:
        """Variance of the sum of the estimates of some nodes, not the root."""
        if self.how is not Consistency.EQUAL:
            return float(self.own[nodes].sum())
        wanted = np.zeros(len(self.tree))
        wanted[nodes] = 1.0
        # The projection of S a; weighted by inverse variance, its own counts are a.
        up, under = np.zeros(len(self.tree)), np.zeros(len(self.tree))
        deepest = int(self.tree.depth[-1])
        for depth in range(deepest, -1, -1):
            rows = self.tree.of_depth(depth)
            under[rows] = _sums_over_children(self.tree, up, depth) if depth < deepest else 0.0
            known = np.divide(
                under[rows],
                self.below[rows],
                where=self.below[rows] > 0,
                out=np.zeros(rows.stop - rows.start),
            )
            up[rows] = (wanted[rows] + known) * np.where(np.isinf(self.pooled[rows]), 0.0, self.pooled[rows])
        for depth in range(1, deepest + 1):
            rows = self.tree.of_depth(depth)
            parents = self.tree.parent[rows]
            up[rows] += self.pooled[rows] / self.below[parents] * (up[parents] - under[parents])
        return max(0.0, float(up[nodes].sum()))


def _sums_over_children(tree: Tree, values: Floats, depth: int) -> Floats:
    """Sums over the children of the nodes of a depth."""
    rows, children = tree.of_depth(depth), tree.of_depth(depth + 1)
    return sums_at(tree.parent[children] - rows.start, values[children], rows.stop - rows.start)


def half_width(variance: float) -> float:
    """Half of a 95 % interval, in counts."""
    return WIDTH_95 * sqrt(variance)


def _may_be_empty(tree: Tree, false_children: Fraction = FALSE_CHILDREN) -> Mask:
    """Which nodes could be empty tiles. End markers are always kept, so they and the root are not among them."""
    tiles = ~tree.is_marker & (tree.units > 0)
    doubtful = np.zeros(len(tree), np.bool_)
    for number in np.unique(tree.units[tiles]).tolist():
        rate = unit_rate(number)
        least = threshold(rate, tree.locations, false_children) + log(20) / float(rate)
        doubtful |= tiles & (tree.units == number) & (tree.y <= least)
    return doubtful


@dataclass(frozen=True, slots=True)
class Answer:
    """How many trajectories match according to a tree. Noise can take every number below 0."""

    count: float
    """The estimate, not rounded."""
    low: int
    """Lower end of the 95 % interval of the noise alone, rounded down."""
    high: int
    """Upper end, rounded up."""
    at_least: int
    """``low`` or less: without nodes that may be empty."""
    at_most: int
    """``high`` or more: with all trajectories that may match, but whose rest was too rare to be kept."""

    @property
    def is_kept(self) -> bool:
        """Whether some node answers, which has noise. Else ``count``, ``low`` and ``high`` are 0 and say nothing."""
        return self.low < self.high

    @property
    def is_unknown(self) -> bool:
        """Whether no node answers and trajectories may match all the same: then there is no estimate, only a range."""
        return not self.is_kept and self.at_most > 0


@dataclass(frozen=True, slots=True, eq=False)
class AskableTree:
    """A consistent tree, prepared for many questions by ``AskableTree.of``."""

    tree: Tree
    tiles: tuple[str, ...]
    """Tile ids, by symbol."""
    noise: AnswerNoise
    doubtful: Mask
    """Which nodes could be empty tiles."""
    nodes: Paths
    """The path of every node but the root, in the order of the tree."""

    @classmethod
    def of(cls, tree: Tree, tiles: Sequence[str], how: Consistency) -> AskableTree:
        """Prepare a tree after ``consistent(tree, how)``; ValueError if it has another number of tiles."""
        if len(tiles) != tree.locations:
            raise ValueError("a tree needs the ids of its tiles")
        every = paths_of(tree, np.ones(len(tree), np.int64))
        return cls(tree, tuple(tiles), AnswerNoise.of(tree, how), _may_be_empty(tree), every)

    def answer(self, question: Question) -> Answer:
        """The answer to a question; InputError if the question names an unknown tile."""
        tree = self.tree
        # The root never matches, so it always needs at least one tile.
        missing = np.append(1, _tiles_needed(self.nodes, question, self.tiles))
        first = np.append(False, (missing[1:] == 0) & (missing[tree.parent[1:]] > 0))
        is_open = (missing > 0) & (missing <= tree.height - tree.depth) & ~tree.is_marker
        is_open[0] = False
        chosen = np.flatnonzero(first)
        count = float(tree.x[chosen].sum())
        half = half_width(self.noise.of_sum(chosen))
        low, high = floor(count - half), ceil(count + half)
        # At most: the first nodes, and from each open node what its children lack; a child that may be empty explains nothing.
        times = first.astype(np.float64) + is_open
        times[1:] -= is_open[tree.parent[1:]]
        times[self.doubtful & (times < 0)] = 0.0
        at_least, _ = self._reading((first & ~self.doubtful).astype(np.float64))
        at_most = max(self._reading(one)[1] for one in (times, first.astype(np.float64)))
        return Answer(count, low, high, min(low, floor(at_least)), max(high, ceil(at_most)))

    def kept_at_the_end(self, question: Question) -> frozenset[str]:
        """The tiles that the tree may hold in the last place of a question: after a beginning of fixed length those kept there.

        Of other questions all tiles that it kept. Raises as ``answer``.
        """
        tree = self.tree
        held = ~tree.is_marker
        held[0] = False
        if question.kind is Kind.PREFIX and RUN not in question.places:
            any_end = Question(question.kind, (*question.places[:-1], ONE))
            needed = np.append(1, _tiles_needed(self.nodes, any_end, self.tiles))
            held &= (needed == 0) & (tree.depth == len(question.places))
        return frozenset(self.tiles[symbol] for symbol in np.unique(tree.symbol[held]).tolist())

    def _reading(self, times: Floats) -> tuple[float, float]:
        """The lower and upper end of the 95 % interval of a sum of noisy counts, each taken ``times``; may be below 0."""
        total = float((times * self.tree.y).sum())
        half = half_width(float((times**2 * self.noise.own).sum()))
        return total - half, total + half


def count_matching(paths: Paths, question: Question, tiles: Sequence[str]) -> float:
    """The answer from weighted paths, such as the true ones; InputError like ``AskableTree.answer``."""
    return float(paths.weight[_tiles_needed(paths, question, tiles) == 0].sum())


def _tiles_needed(paths: Paths, question: Question, tiles: Sequence[str]) -> Integers:
    """How many more tiles each path needs to match: 0 if it matches, ``queries.NEVER`` if it never can."""
    places = question.numbers(tiles)
    if question.kind is Kind.SET:
        return tiles_unvisited(paths, places)
    if question.kind is Kind.ORDER:
        return tiles_missing(paths, [element for place in places for element in (ANY_RUN, place)])
    return tiles_missing(paths, places, anchored=question.kind is Kind.PREFIX)
