"""What an answer leaves open because a grown tree is pruned: how few and how many trajectories there may be.

Two readings of the noisy counts themselves, for any way of making estimates agree:

* *at least*: first matching nodes that an empty tile could hardly be. A kept tile without anybody exceeds its threshold
  by a geometric step, so up to ``ln 20 / rate`` above it one in twenty does;
* *at most*: all first matching nodes, and the trajectories that stop being seen at a node from which the question
  may still come true, as if every one of them did; children that may be nobody do not explain where they went.

With 95 % of the noise of their own they held 95.8 to 100 % of the truths on simulated trees
(tests/trajectory_tree/test_answer_coverage.py). The interval of the noise alone does so only where nothing relevant was
pruned; for deep questions on sparse trees it misses most truths. Neither knows of trajectories whose very first tile
was not kept: the root is not measured.
"""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.allocation import drawn, threshold
from dpcore.trajectory_tree.answer_noise import WIDTH_95
from dpcore.trajectory_tree.plan import FALSE_CHILDREN
from dpcore.trajectory_tree.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def may_be_empty(tree: Tree, false_children: Fraction = FALSE_CHILDREN) -> Mask:
    """Which tiles of the tree an empty one would look like; neither end markers, which are always kept, nor the root."""
    tiles = ~tree.is_marker & (tree.units > 0)
    doubtful = np.zeros(len(tree), np.bool_)
    for number in np.unique(tree.units[tiles]).tolist():
        rate = drawn(number)
        least = threshold(rate, tree.locations, false_children) + log(20) / float(rate)
        doubtful |= tiles & (tree.units == number) & (tree.y <= least)
    return doubtful


def at_least(tree: Tree, variance: Floats, first: Mask) -> float:
    """The lower reading less its noise; may be below 0.

    ``variance``: of each noisy count. ``first``: the first matching nodes that hardly are empty.
    """
    return float(tree.y[first].sum()) - WIDTH_95 * sqrt(float(variance[first].sum()))


def at_most(tree: Tree, variance: Floats, first: Mask, is_open: Mask, doubtful: Mask) -> float:
    """The upper reading and its noise, or the first matching nodes and theirs, if that is more.

    ``is_open``: nodes from which the question may still come true; not the root. ``doubtful``: ``may_be_empty``.
    """
    # Counted: the first nodes, and of open nodes what none of their children has, unless that child may be nobody.
    times = first.astype(np.float64) + is_open
    times[1:] -= is_open[tree.parent[1:]]
    times[doubtful & (times < 0)] = 0.0
    upper = float((times * tree.y).sum()) + WIDTH_95 * sqrt(float((times**2 * variance).sum()))
    seen = float(tree.y[first].sum()) + WIDTH_95 * sqrt(float(variance[first].sum()))
    return max(upper, seen)
