"""Grow a trajectory tree level by level: exact counts of candidates, noise, and what passes lives on.

The noise comes from outside (``NoiseSource``), so that this room counts and does not draw. Empty children are not
touched one by one (``empty_children``). Time ``O(h n log n)`` and memory ``O(n)``; both, like the noise, tell about
the data, so a tree must not be grown while those who will read it wait.

*Every tree ends.* At most ``limits.MAX_TREE_PLACES`` tiles are kept in all. Where more pass at a depth, those with the largest
noisy counts live on. Once the limit is reached the tree grows no deeper: end markers follow, and what lies below
has an unknown rest, as below any threshold. This costs no privacy. The choice depends on noisy counts and on a public
constant alone, so it is post-processing, and the proofs of ``dpcore.trajectory_tree`` let expansion depend on noisy counts
in any way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.private.tree.empty_children import Candidates
from dpcore.private.tree.frontier import Frontier, Siblings
from dpcore.private.tree.sequences import TileSequences
from dpcore.private.tree.walkers import Walkers
from dpcore.trajectory_tree.allocation import Budgets, drawn
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.tree import ROOT_SYMBOL, NoiseSource, Tree, must_keep_its_promise

Integers = NDArray[np.int64]
Progress = Callable[[int, int], None]
ROOT = Siblings(*(np.full(1, value, np.int64) for value in (-1, ROOT_SYMBOL, 0, 0, 0)))


def grow(
    sequences: TileSequences, plan: TreePlan, noise: NoiseSource, progress: Progress | None = None
) -> Tree:
    """A noisy tree of the trajectories; charge ``price_of_tree`` before.

    Empty trajectories are left out, longer ones cut to the height. Without any trajectory the tree is noise.

    Args:
        sequences: tile numbers of each trajectory, at most M of one person.
        plan: levels, epsilon, height, strategy.
        noise: exact samplers.
        progress: called with (depths done, depths in all).

    Raises:
        ValueError: a symbol that is no tile.
        InternalError: a path of the tree spends more than it may; nothing is returned then.

    """
    sequences.check(plan.locations)
    growth = _Growth(plan, noise, Budgets(plan), Walkers(sequences))
    frontier = Frontier(np.zeros(1, np.int64), np.zeros(1, np.int64))
    layers, parents, size, room = [ROOT], [np.full(1, -1, np.int64)], 1, limits.MAX_TREE_PLACES
    for depth in range(1, plan.positions + 1):
        new = growth.children(frontier, depth, room)
        inner = np.flatnonzero(new.symbol < plan.locations)
        growth.walkers.step(new.parent[inner] * plan.locations + new.symbol[inner])
        layers.append(new)
        parents.append(frontier.node[new.parent])
        frontier = Frontier(size + inner, new.state[inner])
        size += len(new)
        room -= len(inner)
        if progress:
            progress(depth, plan.positions)
    tree = _tree(layers, parents, growth.budgets, plan)
    must_keep_its_promise(tree, plan)
    return tree


@dataclass(frozen=True, slots=True, eq=False)
class _Growth:
    """What every depth needs."""

    plan: TreePlan
    noise: NoiseSource
    budgets: Budgets
    walkers: Walkers

    def children(self, frontier: Frontier, depth: int, room: int) -> Siblings:
        """All kept children of the open nodes, at most ``room`` tiles among them."""
        parts: list[Siblings] = []
        if depth > 1:
            parts += self._ends(frontier, depth)
        if depth <= self.plan.height:
            parts.append(Siblings.joined(*self._locations(frontier, depth)).largest(room))
        return Siblings.joined(*parts)

    def _noisy(self, counts: Integers, units: Integers) -> Integers:
        """Counts with noise of each one's own rate; nodes of equal rate are drawn together."""
        y = counts.copy()
        for number in np.unique(units).tolist():
            same = np.flatnonzero(units == number)
            y[same] += self.noise.laplace(drawn(number), len(same))
        return y

    def _ends(self, frontier: Frontier, depth: int) -> list[Siblings]:
        """The end markers below every open node, none left out: ``$``, and ``+`` at the full height."""
        every = np.arange(len(frontier))
        kinds = [(self.plan.locations, self.walkers.ended(len(frontier)), False)]
        if depth > self.plan.height:
            kinds.append((self.plan.locations + 1, self.walkers.standing(len(frontier)), True))
        parts = []
        for symbol, counts, cut in kinds:
            units = self.budgets.marker_units(frontier.state, cut=cut)
            y = self._noisy(counts, units)
            parts.append(Siblings(every, np.full(len(every), symbol), units, y, frontier.state))
        return parts

    def _locations(self, frontier: Frontier, depth: int) -> list[Siblings]:
        """The tiles that pass below the open nodes: those that occur, and the empty ones that pass by chance."""
        locations, level = self.plan.locations, self.plan.levels.level - 1
        states = self.budgets.children(frontier.state, depth)
        units_of = self.budgets.units()
        candidates = Candidates(self.plan, units_of[states])
        pairs, counts = self.walkers.pairs(locations)
        parent, symbol = np.divmod(pairs, locations)
        state = states[parent, level[symbol]]
        units = units_of[state]
        y = self._noisy(counts, units)
        passed = np.zeros(len(y), np.bool_)
        parts = []
        for number in candidates.rates():
            least = self.budgets.threshold(number)
            same = np.flatnonzero(units == number)
            passed[same] = y[same] >= least
            node, tile = candidates.specks(
                self.noise, number, least, parent=parent[same], symbol=symbol[same]
            )
            value = least + self.noise.tail(drawn(number), len(node))
            parts.append(Siblings(node, tile, np.full(len(node), number), value, states[node, level[tile]]))
        live = np.flatnonzero(passed)
        return [Siblings(parent[live], symbol[live], units[live], y[live], state[live]), *parts]


def _tree(layers: list[Siblings], parents: list[Integers], budgets: Budgets, plan: TreePlan) -> Tree:
    """The layers as one tree."""
    y = np.concatenate([layer.y for layer in layers])
    return Tree(
        height=plan.height,
        locations=plan.locations,
        parent=np.concatenate(parents),
        symbol=np.concatenate([layer.symbol for layer in layers]).astype(np.int32),
        depth=np.repeat(np.arange(len(layers), dtype=np.int16), [len(layer.y) for layer in layers]),
        level=budgets.levels()[np.concatenate([layer.state for layer in layers])],
        units=np.concatenate([layer.units for layer in layers]),
        y=y,
        x=y.astype(np.float64),
    )
