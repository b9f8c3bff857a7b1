"""How far noise moves the estimates of a tree, and sums of them: variances that follow from the public rates alone.

Consistent estimates of ``Consistency.EQUAL`` are a linear projection of the noisy counts, so a sum of them has the
variance ``a' P S a``: a the nodes that are added, S the variances of the counts, P the two passes of ``consistency``.
Two passes of the same kind give it in ``O(nodes)``. For ``NONE`` counts are independent. ``SLACK`` mends some nodes
and leaves others: the variance of ``NONE`` is taken, and is no less than its own.

What they do not cover. A node was kept *because* its noisy count reached a threshold: small ones are too high more
often than too low. What was too rare to be kept is missing below, and equal estimates share it out among the
children that were kept. So these variances speak of noise alone; ``asking.Answer.unknown`` says how much is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.consistency import Consistency, variances
from dpcore.trajectory_tree.paths import added
from dpcore.trajectory_tree.tree import Tree

Floats = NDArray[np.float64]

WIDTH_95: Final = log(20) / sqrt(2)
"""Half width of a 95 % interval in standard deviations, 2.12: of one Laplace noise. Sums need less, down to 1.96."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerNoise:
    """The variances of a tree, made once for many answers; ``AnswerNoise.of`` makes it."""

    tree: Tree
    how: Consistency
    own: Floats
    """Variance of the noise of each count; 0 for the root, which is not measured."""
    pooled: Floats
    """Variance of each estimate from its own count and those below it."""
    below: Floats
    """Sum of ``pooled`` over the children; 0 without any."""

    @classmethod
    def of(cls, tree: Tree, how: Consistency) -> AnswerNoise:
        """The variances of a tree whose estimates were made in this way."""
        pooled, below = variances(tree), np.zeros(len(tree))
        own = np.where(np.isinf(pooled), 0.0, pooled)
        for depth in range(int(tree.depth[-1]) - 1, -1, -1):
            rows, below[rows] = tree.of_depth(depth), _summed(tree, pooled, depth)
            node = rows.start + np.flatnonzero(below[rows] > 0)
            if how is Consistency.EQUAL or depth == 0:
                pooled[node] = 1 / (1 / pooled[node] + 1 / below[node])  # 1 / inf is 0 at the root
        return cls(tree, how, own, pooled, below)

    def of_sum(self, nodes: NDArray[np.int64]) -> float:
        """Variance of the sum of the estimates of some nodes; the root must not be one of them."""
        if self.how is not Consistency.EQUAL:
            return float(self.own[nodes].sum())
        wanted = np.zeros(len(self.tree))
        wanted[nodes] = 1.0
        # The projection of S a, whose own counts weigh a S / S = a.
        up, under = np.zeros(len(self.tree)), np.zeros(len(self.tree))
        deepest = int(self.tree.depth[-1])
        for depth in range(deepest, -1, -1):
            rows = self.tree.of_depth(depth)
            under[rows] = _summed(self.tree, up, depth) if depth < deepest else 0.0
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


def _summed(tree: Tree, values: Floats, depth: int) -> Floats:
    """Sums over the children of the nodes of a depth."""
    rows, children = tree.of_depth(depth), tree.of_depth(depth + 1)
    return added(tree.parent[children] - rows.start, values[children], rows.stop - rows.start)


def half_width(variance: float) -> float:
    """Half of a 95 % interval, in counts."""
    return WIDTH_95 * sqrt(variance)
