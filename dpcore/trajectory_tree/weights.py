"""Whole numbers of trajectories from estimates: the only place where negative ones become 0."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.tree import Tree

DUST: Final = 1e-9
"""Share of an estimate that sums of floats may be off by."""


def integer_weights(tree: Tree) -> NDArray[np.int64]:
    """How many trajectories each node stands for alone, 0 or more.

    An end marker stands for those that ended (or were cut) there; another node for those that began so and whose
    rest is unknown, because it was too rare to be kept. From the leaves up, a node's number is its rounded estimate,
    or that of its children together where they are more; its weight is what the children leave. So the weights of a
    subtree add up to the number of its top. Clipping shifts sums upwards: a node without anybody keeps an end
    marker whose noise is positive half of the time. The root stands for nothing: its number is the sum below it.
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
    """Weights without rounding and clipping: estimate minus the estimates of the children; may be negative.

    Sums of many stay unbiased, so answers to queries suffer less where many nodes were kept on little more than
    noise. Trajectories and patterns need ``integer_weights``. What the rounding of floats leaves where children add
    up to their parent is 0.
    """
    below = tree.sum_of_children(tree.x)
    weights = tree.x - below
    weights[0] = 0.0
    weights[np.abs(weights) <= DUST * np.maximum(np.abs(tree.x), np.abs(below))] = 0.0
    return weights
