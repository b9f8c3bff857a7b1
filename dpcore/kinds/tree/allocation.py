"""The rates of a tree: how much each node may spend, exactly, by the levels on its path alone. Nothing here knows a count.

Theorems A and B of the package are about the functions of this file. ``Budgets`` caches their results.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log, log1p

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.tree.plan import RATE_BITS, RECORD_SHARE, Strategy, TreePlan

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NodeBudget:
    """How much a node spends, and how much it leaves to the nodes below it."""

    level: int
    """Highest level on the path."""
    rate: Fraction
    """e(v): rate of the node's discrete Laplace noise; 0 for the root, which is not measured."""
    allowance: Fraction
    """r(v), for the adaptive allocation: what the path may spend from this node on, its end marker included."""
    spent: Fraction
    """For the record allocation: sum of rates from the root to this node."""


def root(plan: TreePlan) -> NodeBudget:
    """The unmeasured root."""
    return NodeBudget(1, Fraction(0), plan.budget(1), Fraction(0))


def location_child(plan: TreePlan, parent: NodeBudget, depth: int, level: int) -> NodeBudget:
    """The child at ``depth`` (1 to h) for a tile of the given level."""
    highest = max(parent.level, level)
    marker = plan.epsilon / plan.positions
    allowance, spent = parent.allowance, parent.spent
    if plan.strategy is Strategy.UNIFORM:
        rate = marker
    elif plan.strategy is Strategy.NON_ADAPTIVE:
        rate = plan.budget(highest) / plan.positions
    elif plan.strategy is Strategy.ADAPTIVE:
        # A trajectory that is cut before this tile gets a `$` one node above. This level pays for that too.
        extra_marker = marker if depth > 1 else 0
        allowance = min(parent.allowance - parent.rate, plan.budget(level) - extra_marker)
        rate = (allowance - marker) / (plan.height - depth + 1)
    else:
        rate = RECORD_SHARE * plan.epsilon / plan.height
        spent = parent.spent + rate
    return NodeBudget(highest, rate, allowance, spent)


def marker_rate(plan: TreePlan, parent: NodeBudget, *, cut: bool) -> Fraction:
    """Rate of the end marker below a node: ``$``, or ``+`` where trajectories are cut."""
    if plan.strategy is not Strategy.RECORD:
        return plan.epsilon / plan.positions
    # What was cut off may have been Critical.
    return (plan.epsilon if cut else plan.budget(parent.level)) - parent.spent


def units(rate: Fraction) -> int:
    """A rate as it is drawn: as a number of units of ``2**-16``, rounded down."""
    return (rate.numerator << RATE_BITS) // rate.denominator


def unit_rate(number: int) -> Fraction:
    """The rate of a number of units."""
    return Fraction(number, 2**RATE_BITS)


def threshold(rate: Fraction, locations: int, false_children: Fraction) -> int:
    """The noisy count from which a tile is kept as a child.

    It is the smallest integer t, 1 or more, at which a node with ``locations`` empty candidates of this rate keeps at most
    ``false_children`` of them on average: ``locations * q**t / (1 + q)`` with ``q = exp(-rate)``. It is public. The guarantee
    holds at any threshold, but false branches multiply if it is too low.
    """
    e = float(rate)
    wanted = (log(locations) - log(false_children) - log1p(exp(-e))) / e
    return max(1, ceil(wanted))


class Budgets:
    """All budgets that occurred so far, each with an index; the root has index 0.

    Budgets are exact fractions, but few different ones occur. So each is kept once, and nodes hold its index. Both growing
    a tree and reading a released one use them.
    """

    def __init__(self, plan: TreePlan) -> None:
        self._plan = plan
        self._known = [root(plan)]
        self._index = {self._known[0]: 0}
        self._thresholds: dict[int, int] = {}

    def _number_of_budget(self, budget: NodeBudget) -> int:
        if budget not in self._index:
            self._index[budget] = len(self._known)
            self._known.append(budget)
        return self._index[budget]

    def children(self, states: Integers, depth: int) -> Integers:
        """Budgets of the children of nodes with the given budgets, shape ``(nodes, K)``, one column a level."""
        different, where = np.unique(states, return_inverse=True)
        levels = range(1, self._plan.levels.critical + 1)
        table = [
            [
                self._number_of_budget(location_child(self._plan, self._known[state], depth, level))
                for level in levels
            ]
            for state in different.tolist()
        ]
        return np.array(table, np.int64).reshape(-1, len(levels))[where]

    def marker_units(self, states: Integers, *, cut: bool) -> Integers:
        """Drawn rates of the end markers below nodes with the given budgets."""
        different, where = np.unique(states, return_inverse=True)
        rates = [units(marker_rate(self._plan, self._known[state], cut=cut)) for state in different.tolist()]
        return np.array(rates, np.int64)[where]

    def units(self) -> Integers:
        """Drawn rate of every budget."""
        return np.array([units(budget.rate) for budget in self._known], np.int64)

    def levels(self) -> NDArray[np.int8]:
        """Path level of every budget."""
        return np.array([budget.level for budget in self._known], np.int8)

    def threshold(self, number: int) -> int:
        """The threshold for tiles as children, with a rate of so many units."""
        if number not in self._thresholds:
            plan = self._plan
            self._thresholds[number] = threshold(unit_rate(number), plan.locations, plan.false_children)
        return self._thresholds[number]
