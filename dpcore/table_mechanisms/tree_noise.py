"""The exact draws that a tree of trajectories grows with, and whether they can always be made.

*What cannot fail after the charge.* Rates are whole numbers of units, one at least (``TreePlan``), so noise can always be
drawn. Empty children are drawn depth by depth, for all open nodes of one rate at once: ``sparse_noise.specks`` refuses too
many cells, or too many visits of empty ones. A threshold leaves at most eta false children of a node on average, so cells
and visits are bounded by the public numbers of the plan for each open node; ``must_be_growable`` bounds them for as many
open nodes as a tree may keep (``limits.MAX_TREE_PLACES``), before anything is charged. A tree keeps no more, whatever the
data (``dpcore.private.trajectories.growth``), so its table always fits a bundle.

*What remains* depends on the data, so no public number excludes it: a machine whose memory is full with the trajectories
themselves. They are counted before the charge; growing the tree needs about as much again. Then the run ends after the
charge, nothing is published, and with more memory it is taken up by the same nonce without a second charge.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.noise import discrete_laplace, geometric
from dpcore.sparse_noise import MAX_SIZE, MAX_SPECKS, specks
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.tree import NoiseSource

EXACT_NOISE: Final = NoiseSource(discrete_laplace, specks, geometric)
"""Discrete Laplace noise of nodes, empty children that pass, and by how much: integers only, see ``dpcore.noise``."""
_ROUNDED: Final = Fraction(65, 64)
"""By how much ``sparse_noise`` rounds up the rate of its jumps at most, but for ``2**-50`` a cell."""


def most_visits(plan: TreePlan, nodes: int) -> Fraction:
    """Visits of empty cells at most that ``specks`` expects below so many open nodes.

    A cell passes with ``p <= eta / locations``, and ``-log(1 - p) <= p (2 - p) / (2 (1 - p))``, which is ``p`` times a
    factor that rises with p, so that of eta bounds it.
    """
    eta = plan.false_children
    visits = nodes * eta * (2 - eta) / (2 * (1 - eta)) * _ROUNDED
    return visits + Fraction(nodes * plan.locations, 2**50)


def must_be_growable(plan: TreePlan, nodes: int = limits.MAX_TREE_PLACES) -> None:
    """Refuse a plan whose draws could be refused with so many open nodes; PrivacyError, from public numbers alone."""
    if nodes * plan.locations > MAX_SIZE or most_visits(plan, nodes) > MAX_SPECKS:
        raise PrivacyError(
            "a tree of so many places could not be drawn",
            f"{plan.locations:,} places",
            "Use fewer, larger tiles; nothing was charged.",
        )
