"""The exact noise of a tree, and which trees can be grown with it: the only way from trajectories to a noisy tree.

*A tree of trajectories* grows with exact draws. After the charge two things cannot fail. Rates are whole numbers of units,
at least one (``TreePlan``), so noise can always be drawn. Empty children are drawn depth by depth, for all open nodes of one
rate at once, and ``false_positives`` refuses too many cells or too many visits of empty ones. A threshold leaves at most eta false
children of a node on average, so the public numbers of the plan bound cells and visits for each open node.
``must_be_growable`` bounds them for as many open nodes as a tree may keep (``limits.MAX_TREE_PLACES``), before anything is
charged. A tree keeps no more, whatever the data (``dpcore.kinds.tree.private.growth``), so its table always fits a bundle.

One failure depends on the data, so no public number excludes it: the trajectories themselves may fill the memory. They are
counted before the charge, and growing the tree needs about as much memory again. If that is missing, the run ends after the
charge and nothing is published. With more memory the same nonce continues it without a second charge.



"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.kinds.tree.plan import TreePlan
from dpcore.kinds.tree.tree import NoiseSource
from dpcore.noise.samplers import discrete_laplace, geometric
from dpcore.noise.sparse import MAX_FALSE_POSITIVES, false_positives

EXACT_NOISE: Final = NoiseSource(discrete_laplace, false_positives, geometric)
"""Discrete Laplace noise of nodes, the empty children that pass, and their excess over the threshold. Integers only."""
_ROUNDED: Final = Fraction(65, 64)
"""``false_positives`` rounds up the rate of its jumps by at most this factor, apart from ``2**-50`` for each cell."""


def most_visits(plan: TreePlan, nodes: int) -> Fraction:
    """The most visits of empty cells that ``false_positives`` expects below so many open nodes.

    A cell passes with ``p <= eta / locations``, and ``-log(1 - p) <= p (2 - p) / (2 (1 - p))``. That is ``p`` times a
    factor that rises with p, so the factor at ``eta / locations`` bounds it.
    """
    eta = plan.false_children
    visits = nodes * eta * (2 - eta) / (2 * (1 - eta)) * _ROUNDED
    return visits + Fraction(nodes * plan.locations, 2**50)


def must_be_growable(plan: TreePlan, nodes: int = limits.MAX_TREE_PLACES) -> None:
    """Refuse a plan whose draws could be refused with so many open nodes. PrivacyError, from public numbers alone."""
    if nodes * plan.locations > limits.MAX_SPARSE_CELLS or most_visits(plan, nodes) > MAX_FALSE_POSITIVES:
        raise PrivacyError(
            "a tree with so many places could not be drawn",
            f"{plan.locations:,} places",
            "Use fewer, larger tiles. Nothing was charged.",
        )
