"""Weighted paths, from the nodes of a tree or from single trajectories: the input of queries, lengths and frequent patterns.

A frequent sequential pattern is a sequence of tiles that many trajectories visit in this order, possibly with others between.
PrefixSpan (Pei and others, ICDE 2001) finds the patterns over weighted paths, best first. A longer pattern is never more frequent
than its beginning, so the most frequent open one is the next of the list.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.tree.tree import Tree

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def sums_at(place: NDArray[np.signedinteger], weight: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The sum of the weights at each of ``size`` places."""
    return np.bincount(place, weight, minlength=size).astype(np.float64, copy=False)


class Ending(IntEnum):
    """What is known about the end of a path."""

    COMPLETE = 0
    CUT = 1
    """It went on beyond the height."""
    UNKNOWN = 2
    """It may have ended or gone on, because the rest was too rare to be kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Sequences of tiles, each with a weight: how many trajectories it stands for."""

    locations: int
    """Number of tiles."""
    symbols: NDArray[np.int32]
    """Tiles of each path, shape ``(paths, height)``; -1 after its end."""
    ending: NDArray[np.int8]
    """The ``Ending`` of each."""
    weight: NDArray[np.float64]
    """How many trajectories each path stands for; may be negative if a query allows it."""

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def height(self) -> int:
        """The largest number of tiles that a path can have."""
        return int(self.symbols.shape[1])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tiles of each path."""
        tiles: NDArray[np.int64] = (self.symbols >= 0).sum(axis=1, dtype=np.int64)
        return tiles

    @property
    def total(self) -> float:
        """Number of trajectories in all."""
        return float(self.weight.sum())

    def some(self, rows: NDArray[np.int64]) -> Paths:
        """These paths alone, in this order."""
        return replace(self, symbols=self.symbols[rows], ending=self.ending[rows], weight=self.weight[rows])

    def merged(self) -> Paths:
        """Equal paths as one, with their weights added, ordered by their symbols. Answers stay the same."""
        keys = np.column_stack([self.symbols, self.ending.astype(np.int32)])
        different, where = np.unique(keys, axis=0, return_inverse=True)
        return replace(
            self,
            symbols=np.ascontiguousarray(different[:, :-1]),
            ending=different[:, -1].astype(np.int8),
            weight=sums_at(where.ravel(), self.weight, len(different)),
        )


def paths_of(tree: Tree, weights: NDArray[np.int64] | NDArray[np.float64]) -> Paths:
    """One path for each node whose weight is not 0, in the order of the tree.

    End markers give complete and cut paths. Other nodes give paths with an unknown rest.
    """
    used = np.flatnonzero(weights)
    used = used[used > 0]
    return paths_to(tree, used, weights[used].astype(np.float64))


def paths_to(tree: Tree, nodes: Integers, weights: Floats) -> Paths:
    """The path to each node, with its weight; the root must not be among the nodes."""
    marker = tree.is_marker[nodes]
    ending = np.where(marker, tree.symbol[nodes] - tree.locations, Ending.UNKNOWN).astype(np.int8)
    at = np.where(marker, tree.parent[nodes], nodes)
    symbols = np.full((len(nodes), tree.height), -1, np.int32)
    while len(on := np.flatnonzero(at > 0)):  # one step towards the root a round
        symbols[on, tree.depth[at[on]] - 1] = tree.symbol[at[on]]
        at[on] = tree.parent[at[on]]
    return Paths(tree.locations, symbols, ending, weights)


@dataclass(frozen=True, slots=True, eq=False)
class Lengths:
    """Number of trajectories by number of tiles."""

    complete: Floats
    """Complete ones with 0, 1, ... up to height tiles, shape ``(height + 1,)``; none has 0."""
    longer: float
    """Cut ones, which have more tiles than the height."""
    unknown: Floats
    """Those with an unknown rest, by their least number of tiles, shape ``(height + 1,)``."""

    @classmethod
    def of(cls, paths: Paths) -> Lengths:
        """The lengths of some paths."""
        size, tiles = paths.height + 1, paths.lengths

        def counted(ending: Ending) -> Floats:
            rows = paths.ending == ending
            return sums_at(tiles[rows], paths.weight[rows], size)

        return cls(counted(Ending.COMPLETE), float(counted(Ending.CUT).sum()), counted(Ending.UNKNOWN))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sequence of tiles, and how many trajectories contain it; each counts once."""

    tiles: tuple[int, ...]
    support: float


def frequent_patterns(paths: Paths, top: int, *, least_length: int = 1) -> list[Pattern]:
    """The ``top`` most frequent patterns of at least ``least_length`` tiles; ties by length, then by tile numbers.

    ValueError for negative weights, with which a longer pattern could be more frequent than a shorter one.
    """
    if top < 1 or least_length < 1:
        raise ValueError("one pattern or more, of one tile or more, can be asked for")
    if len(paths) and paths.weight.min() < 0:
        raise ValueError("patterns need weights of 0 or more; take the integer weights")
    everywhere = (np.arange(len(paths)), np.zeros(len(paths), np.int64))
    waiting = _longer(paths, (), *everywhere)
    heapq.heapify(waiting)
    found: list[Pattern] = []
    while waiting and len(found) < top:
        less, _, tiles, rows, places = heapq.heappop(waiting)
        if len(tiles) >= least_length:
            found.append(Pattern(tiles, -less))
        for longer in _longer(paths, tiles, rows, places):
            heapq.heappush(waiting, longer)
    return found


_Open = tuple[float, int, tuple[int, ...], Integers, Integers]


def _longer(paths: Paths, tiles: tuple[int, ...], rows: Integers, places: Integers) -> list[_Open]:
    """All patterns with one more tile: minus support, length, tiles, paths that contain it, and where it ends in each."""
    offsets = np.arange(paths.height)
    which, place = np.nonzero((offsets >= places[:, None]) & (paths.symbols[rows] >= 0))
    key = paths.symbols[rows[which], place].astype(np.int64) * len(paths) + rows[which]
    key, first = np.unique(key, return_index=True)  # on each path, the first time that the tile follows
    tile, row = np.divmod(key, max(1, len(paths)))
    edges = np.flatnonzero(np.diff(tile, prepend=-1))
    parts = zip(
        tile[edges].tolist(),
        np.split(row, edges[1:]),
        np.split(place[first] + 1, edges[1:]),
        strict=False,
    )
    opened = [
        (-float(paths.weight[on].sum()), len(tiles) + 1, (*tiles, one), on, after) for one, on, after in parts
    ]
    return [one for one in opened if one[0] < 0]


@dataclass(frozen=True, slots=True)
class PatternComparison:
    """The patterns of a tree compared with the true patterns, with equally long lists."""

    true_positives: int
    """Patterns on both lists."""
    false_positives: int
    """Patterns only on the list of the tree."""
    false_drops: int
    """Patterns only on the true list."""
    support_error: float
    """Mean of ``abs(support - true) / true`` over patterns on both lists; 0 if there are none."""


def compare_patterns(true: Sequence[Pattern], found: Sequence[Pattern]) -> PatternComparison:
    """How well the frequent patterns of a tree agree with the true ones."""
    really = {one.tiles: one.support for one in true}
    errors = [
        abs(one.support - really[one.tiles]) / really[one.tiles] for one in found if one.tiles in really
    ]
    both = len(errors)
    return PatternComparison(
        both, len(found) - both, len(true) - both, float(np.mean(errors)) if both else 0.0
    )
