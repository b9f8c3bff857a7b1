"""Frequent sequential patterns: tiles that many trajectories visit in this order, others between them or not.

PrefixSpan (Pei and others, ICDE 2001) over weighted paths, best first: a longer pattern is never more frequent than
what it begins with, so the most frequent open one is the next of the list.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.paths import Paths

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sequence of tiles and how many trajectories hold it, each counted once."""

    tiles: tuple[int, ...]
    support: float


def frequent_patterns(paths: Paths, top: int, *, least_length: int = 1) -> list[Pattern]:
    """The ``top`` most frequent patterns of ``least_length`` tiles or more; ties by length, then by tile numbers.

    ValueError for negative weights: then longer patterns could be more frequent than shorter ones.
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
    """All patterns with one more tile: minus support, length, tiles, the paths that hold it and where it ends."""
    offsets = np.arange(paths.height)
    which, place = np.nonzero((offsets >= places[:, None]) & (paths.symbols[rows] >= 0))
    key = paths.symbols[rows[which], place].astype(np.int64) * len(paths) + rows[which]
    key, first = np.unique(key, return_index=True)  # the first time that the tile follows, on each path
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
    """The list of a tree beside the true one of the same length."""

    true_positives: int
    """On both."""
    false_positives: int
    """Only on the tree's."""
    false_drops: int
    """Only on the true one."""
    support_error: float
    """Mean of ``abs(support - true) / true`` over those on both; 0 if there are none."""


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
