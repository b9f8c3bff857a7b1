"""The budgets of all nodes of a tree as a table of small integers: public, from the plan alone.

Budgets are exact fractions, but few: a path matters through few numbers. Each different one is kept once, and nodes hold
its index. Growing asks for them, and reading a released tree asks again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.allocation import (
    NodeBudget,
    drawn,
    location_child,
    marker_rate,
    root,
    threshold,
    units,
)
from dpcore.trajectory_tree.plan import TreePlan

Integers = NDArray[np.int64]


class Budgets:
    """All budgets met so far, each with an index; index 0 is the root's."""

    def __init__(self, plan: TreePlan) -> None:
        self._plan = plan
        self._known = [root(plan)]
        self._index = {self._known[0]: 0}
        self._thresholds: dict[int, int] = {}

    def _kept(self, budget: NodeBudget) -> int:
        if budget not in self._index:
            self._index[budget] = len(self._known)
            self._known.append(budget)
        return self._index[budget]

    def children(self, states: Integers, depth: int) -> Integers:
        """Budgets of the children of nodes with the given ones, shape ``(nodes, K)``, a column a level."""
        different, where = np.unique(states, return_inverse=True)
        levels = range(1, self._plan.levels.critical + 1)
        table = [
            [self._kept(location_child(self._plan, self._known[state], depth, level)) for level in levels]
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
        """The threshold of location children of so many units."""
        if number not in self._thresholds:
            plan = self._plan
            self._thresholds[number] = threshold(drawn(number), plan.locations, plan.false_children)
        return self._thresholds[number]
