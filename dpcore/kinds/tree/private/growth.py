"""Grow a trajectory tree level by level: exact counts of candidates, then noise, then the nodes that pass grow on.

The noise is passed in (``NoiseSource``), so this file counts and does not draw. Empty children are not drawn one by one
(``Candidates``). It takes time ``O(h n log n)`` and memory ``O(n)``. Both tell something about the data, like the noise, so
a tree must not be grown while its readers wait.

*Every tree ends.* At most ``limits.MAX_TREE_PLACES`` tiles are kept in all. If more pass at a depth, those with the largest
noisy counts are kept. When the limit is reached the tree grows no deeper: end markers follow, and everything below has an
unknown rest, as below any threshold. This costs no privacy. The choice depends on noisy counts and on a public constant
alone, so it is post-processing, and the proofs of ``dpcore.kinds.tree`` allow any expansion that depends on noisy
counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.kinds.tree.allocation import Budgets, unit_rate
from dpcore.kinds.tree.plan import TreePlan
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.kinds.tree.tree import ROOT_SYMBOL, NoiseSource, Tree, must_keep_its_promise

Progress = Callable[[int, int], None]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Frontier:
    """The open ends of a growing tree: the kept tiles of one depth, whose children come next, in the order of the tree."""

    node: Integers
    """Their rows."""
    state: Integers
    """Their budgets, as indexes of ``Budgets``."""

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True, eq=False)
class Siblings:
    """New nodes below a frontier, in no order yet."""

    parent: Integers
    """Position of the parent in the frontier."""
    symbol: Integers
    """Tile or end marker."""
    units: Integers
    """Drawn rate."""
    y: Integers
    """Noisy count."""
    state: Integers
    """Budget. An end marker has that of its parent, because it is on the same level."""

    def __len__(self) -> int:
        return len(self.parent)

    def largest(self, most: int) -> Siblings:
        """At most ``most`` of them, those with the largest noisy counts; of equal ones the first by parent and symbol.

        It depends on noisy counts and public names alone. Neither the order of the columns nor which node is real matters.
        """
        if len(self) <= most:
            return self
        return self.at(np.lexsort((self.symbol, self.parent, -self.y))[:most])

    def at(self, rows: Integers) -> Siblings:
        """These nodes in this order."""
        return Siblings(**{name: column[rows] for name, column in vars(self).items()})

    @classmethod
    def joined(cls, *parts: Siblings) -> Siblings:
        """All of them, by parent and symbol. This order does not reveal which of them are real."""
        every = cls(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in vars(parts[0])})
        return every.at(np.lexsort((every.symbol, every.parent)))


class Walkers:
    """The trajectories that are still on kept nodes, and the open node of each."""

    def __init__(self, sequences: TileSequences) -> None:
        self._symbols = sequences.symbols
        lengths = sequences.lengths
        rows = np.flatnonzero(lengths)
        self._at = sequences.offsets[rows]  # the symbol to read next
        self._end = self._at + lengths[rows]
        self._node = np.zeros(len(rows), np.int64)
        self._key = self._node

    def ended(self, nodes: int) -> Integers:
        """Number of trajectories that ended on each open node. They are removed."""
        going = self._at < self._end
        counts = np.bincount(self._node[~going], minlength=nodes)
        self._at, self._end, self._node = self._at[going], self._end[going], self._node[going]
        return counts

    def standing(self, nodes: int) -> Integers:
        """Number of trajectories on each open node."""
        return np.bincount(self._node, minlength=nodes)

    def pairs(self, locations: int) -> tuple[Integers, Integers]:
        """The pairs (open node, next tile) that occur, as ``node * locations + tile`` ascending, and how often."""
        self._key = self._node * locations + self._symbols[self._at]
        pairs, counts = np.unique(self._key, return_counts=True)
        return pairs, counts

    def step(self, kept: Integers) -> None:
        """Move on to the kept children, given as ascending pairs. Trajectories without a kept child are dropped."""
        if not len(kept):
            self._at = self._end = self._node = self._key = np.zeros(0, np.int64)
            return
        place = np.minimum(np.searchsorted(kept, self._key), len(kept) - 1)
        alive = np.flatnonzero(kept[place] == self._key)
        self._at, self._end, self._node = self._at[alive] + 1, self._end[alive], place[alive]


class Candidates:
    """All (open node, tile) pairs of one depth, in blocks of a node and the tiles of one level."""

    def __init__(self, plan: TreePlan, units: Integers) -> None:
        level = plan.levels.level - 1
        self._by_level = np.argsort(level, kind="stable")
        self._level = level
        self._size = np.bincount(level, minlength=plan.levels.critical)
        self._start = np.cumsum(self._size) - self._size
        self._rank = np.empty(len(level), np.int64)
        self._rank[self._by_level] = np.arange(len(level)) - self._start[level[self._by_level]]
        self._units = np.where(self._size > 0, units, -1)  # a level without tiles has no cells

    def rates(self) -> list[int]:
        """The different rates, in units."""
        found: list[int] = np.unique(self._units[self._units >= 0]).tolist()
        return found

    def false_positives(
        self, noise: NoiseSource, number: int, least: int, *, parent: Integers, symbol: Integers
    ) -> tuple[Integers, Integers]:
        """Empty pairs of one rate that pass: open node and tile. ``parent`` and ``symbol`` are the occupied pairs."""
        node, level = np.nonzero(self._units == number)
        size = self._size[level]
        last = np.cumsum(size)
        first = np.zeros_like(self._units)
        first[node, level] = last - size
        taken = np.sort(first[parent, self._level[symbol]] + self._rank[symbol])
        cells = int(last[-1])
        ranks = noise.false_positives(cells - len(taken), cells, unit_rate(number), least)
        # As in a sparse table: the r-th empty cell comes after the occupied cells with at most r empty ones before them.
        cell = ranks + np.searchsorted(taken - np.arange(len(taken)), ranks, side="right")
        block = np.searchsorted(last, cell, side="right")
        within = cell - (last - size)[block]
        return node[block], self._by_level[self._start[level[block]] + within]


ROOT = Siblings(*(np.full(1, value, np.int64) for value in (-1, ROOT_SYMBOL, 0, 0, 0)))


def grow(
    sequences: TileSequences, plan: TreePlan, noise: NoiseSource, progress: Progress | None = None
) -> Tree:
    """A noisy tree of the trajectories. Charge ``price_of_tree`` before.

    Empty trajectories are left out, longer ones cut to the height. Without any trajectory the tree is noise.

    At most M sequences may be of one person. ``progress`` is called with (depths done, depths in all). Raises ValueError
    for a symbol that is not a tile, and InternalError if a path of the tree spends more than it may. Nothing is returned
    then.
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
            parts += self._end_markers(frontier, depth)
        if depth <= self.plan.height:
            parts.append(Siblings.joined(*self._locations(frontier, depth)).largest(room))
        return Siblings.joined(*parts)

    def _noisy(self, counts: Integers, units: Integers) -> Integers:
        """Counts with noise, each at its own rate. Nodes of equal rate are drawn together."""
        y = counts.copy()
        for number in np.unique(units).tolist():
            same = np.flatnonzero(units == number)
            y[same] += self.noise.laplace(unit_rate(number), len(same))
        return y

    def _end_markers(self, frontier: Frontier, depth: int) -> list[Siblings]:
        """The end markers below every open node, without exception: ``$``, and ``+`` at the full height."""
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
            node, tile = candidates.false_positives(
                self.noise, number, least, parent=parent[same], symbol=symbol[same]
            )
            value = least + self.noise.tail(unit_rate(number), len(node))
            parts.append(Siblings(node, tile, np.full(len(node), number), value, states[node, level[tile]]))
        live = np.flatnonzero(passed)
        return [Siblings(parent, symbol, units, y, state).at(live), *parts]


def _tree(layers: list[Siblings], parents: list[Integers], budgets: Budgets, plan: TreePlan) -> Tree:
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
