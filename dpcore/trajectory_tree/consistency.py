"""Estimates that add up, from noisy counts of unequal noise: weighted least squares in two passes over the tree.

On a whole tree every node is the sum of its children, end markers included, and the estimates are the exact
minimum of ``sum((x - y)**2 / variance)`` under these equations (Hay, Rastogi, Miklau, Suciu 2010 do it for equal
noise). A grown tree is pruned: the trajectories of dropped children are missing below. Then ``equal`` still forces the
equations, as the paper does; ``slack`` only asks that children are no more than their parent, and mends a node only
where they are. Neither lowers the error of every query; on pruned trees neither claims to. Post-processing: costs nothing.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.plan import RATE_BITS
from dpcore.trajectory_tree.tree import Tree

Floats = NDArray[np.float64]


class Consistency(Enum):
    """How estimates are made to agree."""

    NONE = "none"
    """Noisy counts as they are; the root is the sum of its children."""
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
    """The same tree with agreeing estimates ``x``; they may be negative, as noisy counts may."""
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
