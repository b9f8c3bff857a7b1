"""A grown tree: noisy counts of prefixes as parallel arrays, parents before their children, and its estimates.

**Consistent estimates** (``consistent``) are a weighted least-squares fit in two passes over the tree, from counts with unequal
noise. On a whole tree every node is the sum of its children, end markers included. Then the estimates are the exact minimum of
``sum((x - y)**2 / variance)`` under these equations (Hay, Rastogi, Miklau, Suciu 2010, for equal noise). But a grown tree is
pruned: the trajectories of dropped children are missing below. ``equal`` still forces the equations, as the paper does. ``slack``
only asks that children are not more than their parent, and corrects a node only if they are. Neither lowers the error of every
query. Post-processing: costs nothing.

**Whole numbers** (``integer_weights``) are the only place where negative estimates become 0.

**The path audit** (``must_keep_its_promise``) checks the sums of theorems A and B with integers, on every grown tree before it is
used. Rates were rounded down to whole units when they were drawn, and allowances are rounded down here. So a sum that passes
keeps the promise exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InternalError
from dpcore.kinds.tree.allocation import units
from dpcore.kinds.tree.plan import RATE_BITS, Definition, TreePlan

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ROOT_SYMBOL = -1

DUST: Final = 1e-9
"""Largest rounding error of a sum of floats, as a share of the estimate."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One row a node, ordered by depth; siblings are ordered by symbol, which reveals nothing about the data.

    It holds no exact count. Node 0 is the root. It is not measured, because the number of trajectories is secret.
    """

    height: int
    """h, as planned."""
    locations: int
    """Number of tiles. Smaller symbols are tiles, this one is ``$`` (ended here), the next one is ``+`` (cut here)."""
    parent: NDArray[np.int64]
    """Row of the parent; -1 for the root."""
    symbol: NDArray[np.int32]
    """Tile or end marker; -1 for the root."""
    depth: NDArray[np.int16]
    """0 for the root."""
    level: NDArray[np.int8]
    """Highest privacy level on the path."""
    units: NDArray[np.int64]
    """Rate of the noise in multiples of ``2**-16``; 0 for the root."""
    y: NDArray[np.int64]
    """Noisy count; a meaningless 0 for the root."""
    x: NDArray[np.float64]
    """Estimate: first the noisy count, after ``consistent`` the consistent one."""

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def is_marker(self) -> NDArray[np.bool_]:
        """Which nodes are end markers."""
        return self.symbol >= self.locations

    def of_depth(self, depth: int) -> slice:
        """The rows of one depth, which are contiguous."""
        first, last = np.searchsorted(self.depth, [depth, depth + 1])
        return slice(int(first), int(last))

    def sum_of_children(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """For every node, the sum of a column over its children."""
        return np.bincount(self.parent[1:], values[1:], minlength=len(self)).astype(np.float64, copy=False)


def integer_weights(tree: Tree) -> NDArray[np.int64]:
    """How many trajectories each node stands for by itself, 0 or more.

    An end marker stands for the trajectories that ended (or were cut) there. Another node stands for those that began this way
    and whose rest was too rare to be kept. From the leaves up, the number of a node is its rounded estimate, or the sum of its
    children if that is more. Its weight is what its children leave. So the weights of a subtree add up to the number of its
    top. Clipping shifts sums upwards, because an empty node keeps an end marker whose noise is positive half of the time. The
    root stands for nothing: its number is the sum below it.
    """
    number = np.maximum(np.rint(tree.x), 0).astype(np.int64)
    below = np.zeros(len(tree), np.int64)
    for depth in range(int(tree.depth[-1]), -1, -1):
        rows = tree.of_depth(depth)
        number[rows] = np.maximum(number[rows], below[rows])
        if depth:
            np.add.at(below, tree.parent[rows], number[rows])
    weights = number - below
    weights[0] = 0
    return weights


def exact_weights(tree: Tree) -> NDArray[np.float64]:
    """Weights without rounding or clipping: each estimate minus those of the children; may be negative.

    Sums of many such weights stay unbiased, so queries suffer less if many nodes were kept on little more than noise.
    Trajectories and patterns need ``integer_weights``. Rounding errors of floats are set to 0.
    """
    below = tree.sum_of_children(tree.x)
    weights = tree.x - below
    weights[0] = 0.0
    weights[np.abs(weights) <= DUST * np.maximum(np.abs(tree.x), np.abs(below))] = 0.0
    return weights


class Consistency(Enum):
    """How estimates are made consistent."""

    NONE = "none"
    """Estimates are the noisy counts; the root is the sum of its children."""
    EQUAL = "equal"
    """Every node is the sum of its children."""
    SLACK = "slack"
    """No node is less than the sum of its children."""


def variances(tree: Tree) -> Floats:
    """Variance of the noise of every node, ``2 q / (1 - q)**2``; infinite for the root, which is not measured."""
    rate = tree.units / 2.0**RATE_BITS
    result = np.full(len(tree), np.inf)
    known = tree.units > 0
    result[known] = 2 * np.exp(-rate[known]) / np.expm1(-rate[known]) ** 2
    return result


def consistent(tree: Tree, how: Consistency = Consistency.EQUAL) -> Tree:
    """The same tree with consistent estimates ``x``; like noisy counts they may be negative."""
    z, variance = tree.y.astype(np.float64), variances(tree)
    below, spread = np.zeros(len(tree)), np.zeros(len(tree))  # sums over children: estimates, variances
    for depth in range(int(tree.depth[-1]) - 1, -1, -1):
        rows, under = tree.of_depth(depth), tree.of_depth(depth + 1)
        size, parents = rows.stop - rows.start, tree.parent[under] - rows.start
        below[rows] = np.bincount(parents, z[under], minlength=size)
        spread[rows] = np.bincount(parents, variance[under], minlength=size)
        mend = spread[rows] > 0  # has children
        if how is not Consistency.EQUAL and depth:
            mend &= (z[rows] < below[rows]) & (how is Consistency.SLACK)
        node = rows.start + np.flatnonzero(mend)
        own, theirs = 1 / variance[node], 1 / spread[node]  # own is 0 at the root
        z[node] = (z[node] * own + below[node] * theirs) / (own + theirs)
        variance[node] = 1 / (own + theirs)
    x = z.copy()
    if how is not Consistency.NONE:
        for depth in range(1, int(tree.depth[-1]) + 1):
            rows = tree.of_depth(depth)
            parents = tree.parent[rows]
            gap = x[parents] - below[parents]
            if how is Consistency.SLACK:
                gap = np.minimum(gap, 0)
            x[rows] = z[rows] + variance[rows] / spread[parents] * gap
    return replace(tree, x=x)


def worst_share(tree: Tree, plan: TreePlan) -> Fraction:
    """The largest quotient of loss and allowance over all paths of the tree; 0 if there is only the root.

    location-PLDP: for every tile on a path, all rates from it down, plus that of the ``$`` that a trajectory cut before it
    gets, against B of the tile. record-PLDP: all rates down to an end marker, against B of the path, or against epsilon for a
    cut one.
    """
    spent = np.zeros(len(tree), np.int64)
    for depth in range(1, plan.positions + 1):
        rows = tree.of_depth(depth)
        spent[rows] = spent[tree.parent[rows]] + tree.units[rows]
    allowed = np.array([units(plan.budget(level)) for level in range(1, plan.levels.critical + 1)], np.int64)
    if plan.definition is Definition.RECORD:
        ends = np.flatnonzero(tree.is_marker)
        level = np.where(tree.symbol[ends] == tree.locations, tree.level[ends], plan.levels.critical)
        return _largest(spent[ends], allowed[level - 1])
    extra_marker = units(plan.epsilon / plan.positions)
    worst = Fraction(0)
    node = np.arange(1, len(tree))
    above = node  # from every node one step up its path a round
    while len(node):
        tile = ~tree.is_marker[above]
        first = above[tile]
        loss = (
            spent[node[tile]] - spent[tree.parent[first]] + np.where(tree.depth[first] > 1, extra_marker, 0)
        )
        worst = max(worst, _largest(loss, allowed[plan.levels.level[tree.symbol[first]] - 1]))
        above = tree.parent[above]
        node, above = node[above > 0], above[above > 0]
    return worst


def _largest(loss: np.ndarray, allowed: np.ndarray) -> Fraction:
    """The largest quotient; for each distinct allowance only the largest loss matters."""
    return max(
        (Fraction(int(loss[allowed == least].max()), int(least)) for least in np.unique(allowed)),
        default=Fraction(0),
    )


def must_keep_its_promise(tree: Tree, plan: TreePlan) -> None:
    """Raise InternalError if a path spends more than it may: such a tree must never be published."""
    if worst_share(tree, plan) > 1:
        raise InternalError.at("the path audit of a trajectory tree")


@dataclass(frozen=True, slots=True)
class NoiseSource:
    """Three exact samplers; a release uses those of ``dpcore.noise``."""

    laplace: Callable[[Fraction, int], Integers]
    """(rate, n): discrete Laplace noise of n nodes."""
    false_positives: Callable[[int, int, Fraction, int], Integers]
    """(empty, size, rate, threshold): ranks, ascending, of the empty cells whose noise reaches the threshold."""
    tail: Callable[[Fraction, int], Integers]
    """(rate, n): by how much the noise of n such cells exceeds the threshold, ``P(Y >= y) = exp(-rate y)``."""
