"""The sums of theorems A and B, checked on a tree with integers: what a path spends against what it may.

Run on every grown tree before it is let out. Rates were rounded down to whole units when drawn, allowances are
rounded down here: a sum that passes keeps the promise exactly.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpcore.errors import InternalError
from dpcore.trajectory_tree.allocation import units
from dpcore.trajectory_tree.plan import Definition, TreePlan
from dpcore.trajectory_tree.tree import Tree


def worst_share(tree: Tree, plan: TreePlan) -> Fraction:
    """The largest loss over allowance that a path of the tree shows; 0 for a tree of the root alone.

    location-PLDP: for every tile on a path, all rates from it down and that of the ``$`` which a trajectory cut
    before it would gain, against B of the tile. record-PLDP: all rates down to an end marker, against B of the path,
    or epsilon for a cut one.
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
    witness = units(plan.epsilon / plan.positions)
    worst = Fraction(0)
    node = np.arange(1, len(tree))
    above = node  # walks from every node up its path, one step a round
    while len(node):
        tile = ~tree.is_marker[above]
        first = above[tile]
        loss = spent[node[tile]] - spent[tree.parent[first]] + np.where(tree.depth[first] > 1, witness, 0)
        worst = max(worst, _largest(loss, allowed[plan.levels.level[tree.symbol[first]] - 1]))
        above = tree.parent[above]
        node, above = node[above > 0], above[above > 0]
    return worst


def _largest(loss: np.ndarray, allowed: np.ndarray) -> Fraction:
    """The largest quotient; of each different allowance only the largest loss matters."""
    return max(
        (Fraction(int(loss[allowed == least].max()), int(least)) for least in np.unique(allowed)),
        default=Fraction(0),
    )


def must_keep_its_promise(tree: Tree, plan: TreePlan) -> None:
    """Raise InternalError if a path spends more than it may: such a tree must never leave."""
    if worst_share(tree, plan) > 1:
        raise InternalError.at("the path audit of a trajectory tree")
