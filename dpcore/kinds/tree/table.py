"""A noisy tree as a table with one row a node, and back from a table that anyone may have written.

A reader computes again all that follows from the plan (depths, levels, rates, half widths, thresholds) and from the noisy counts
(estimates), and compares it. Estimates need to agree only up to the rounding of floats. The written ones are kept, so that
whole numbers made from them are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import BundleError
from dpcore.kinds.tree.allocation import Budgets, unit_rate
from dpcore.kinds.tree.noisy_tree import NoisyTree
from dpcore.kinds.tree.plan import TreePlan
from dpcore.kinds.tree.tree import ROOT_SYMBOL, Consistency, Tree, consistent
from dpcore.noise.accuracy import half_width
from dpcore.release.canonical import CHANGED

Integers = NDArray[np.int64]

ENDED: Final = "$"
"""Symbol of the trajectories that end at the parent; no tile has such an id."""
CUT: Final = "+"
"""Symbol of the trajectories that were cut at the height."""
MAX_COUNT: Final = 2**36
"""Larger than every possible noisy count, and small enough that sums over a whole table fit into 64 bits."""

SCHEMA: Final = pa.schema(
    [
        ("node", pa.int64()),
        ("parent", pa.int64()),
        ("symbol", pa.string()),
        ("depth", pa.int64()),
        ("level", pa.string()),
        ("rate_65536ths", pa.int64()),
        ("value", pa.int64()),
        ("half_width_95", pa.int64()),
        ("estimate", pa.float64()),
    ]
)
_FLOAT_ERROR: Final = 1e-9


def table_of_tree(noisy: NoisyTree) -> pa.Table:
    """The nodes in their order, from 1; parent 0 is the root, which is not measured."""
    tree, rows = noisy.tree, slice(1, None)
    names = pa.array([one.name for one in noisy.plan.levels.descriptors], pa.string())
    columns = [
        pa.array(np.arange(1, len(tree))),
        pa.array(tree.parent[rows]),
        _symbols(noisy.plan).take(pa.array(tree.symbol[rows])),
        pa.array(tree.depth[rows].astype(np.int64)),
        names.take(pa.array(tree.level[rows].astype(np.int64) - 1)),
        pa.array(tree.units[rows]),
        pa.array(tree.y[rows]),
        pa.array(_half_widths(tree.units[rows])),
        pa.array(tree.x[rows]),
    ]
    return pa.table(columns, SCHEMA)


def tree_from(table: pa.Table, plan: TreePlan, how: Consistency, place: str) -> NoisyTree:
    """The tree in a table of this schema; BundleError, naming ``place``, if the plan cannot have given it."""
    if any(column.null_count for column in table.columns):
        raise _change_error("a value is missing", place)
    columns = {name: table[name] for name in table.column_names}
    symbol = np.append(ROOT_SYMBOL, _codes(columns["symbol"], _symbols(plan))).astype(np.int32)
    names = pa.array([one.name for one in plan.levels.descriptors], pa.string())
    tree = Tree(
        height=plan.height,
        locations=plan.locations,
        parent=_numbers(columns["parent"], -1),
        symbol=symbol,
        depth=np.clip(_numbers(columns["depth"], 0), -1, plan.positions + 1).astype(np.int16),
        level=np.append(1, _codes(columns["level"], names) + 1).astype(np.int8),
        units=_numbers(columns["rate_65536ths"], 0),
        y=_numbers(columns["value"], 0),
        x=np.append(0.0, columns["estimate"].to_numpy()),
    )
    ordered = np.array_equal(columns["node"].to_numpy(), np.arange(1, len(tree)))
    if not ordered or not _is_a_tree(tree):
        raise _change_error("the nodes are not in the order of a tree, or one is missing", place)
    if not _follows(tree, plan):
        raise _change_error("a level, a rate or a count does not follow from the plan", place)
    if not np.array_equal(_half_widths(tree.units[1:]), columns["half_width_95"].to_numpy()):
        raise _change_error("a half width does not follow from its rate", place)
    expected = consistent(tree, how).x
    worst = _FLOAT_ERROR * max(1.0, float(np.abs(expected).max()))
    near = np.isfinite(tree.x).all() and (np.abs(tree.x - expected)[1:] <= worst).all()
    if not near:
        raise _change_error("an estimate does not follow from the noisy counts", place)
    return NoisyTree(plan, replace(tree, x=np.append(expected[:1], tree.x[1:])), "release")


def _symbols(plan: TreePlan) -> pa.Array:
    return pa.array([*plan.levels.tiles, ENDED, CUT], pa.string())


def _codes(column: pa.ChunkedArray, listed: pa.Array) -> Integers:
    """The position of each text in a list; -2 if it is not there."""
    found = pc.fill_null(pc.index_in(column.cast(pa.string()), value_set=listed), -2)
    return np.asarray(found, np.int64)


def _numbers(column: pa.ChunkedArray, of_root: int) -> Integers:
    return np.append(of_root, column.to_numpy()).astype(np.int64)


def _half_widths(units: Integers) -> Integers:
    """95 % half width of the noise of each node."""
    different, where = np.unique(units, return_inverse=True)
    widths = [half_width(unit_rate(number)) if number > 0 else -1 for number in different.tolist()]
    return np.array(widths, np.int64)[where]


def _is_a_tree(tree: Tree) -> bool:
    """Whether the nodes form a tree in the right order: parents first, siblings by symbol, end markers where they belong."""
    parent, symbol, depth = tree.parent[1:], tree.symbol[1:], tree.depth
    if (
        bool((symbol < 0).any())
        or bool((parent < 0).any())
        or bool((parent >= np.arange(1, len(tree))).any())
    ):
        return False
    step, h = np.diff(parent), tree.height
    sorted_siblings = (step > 0) | ((step == 0) & (np.diff(symbol) > 0))
    marker, cut = tree.is_marker, tree.symbol == tree.locations + 1
    inner = ~marker
    inner[0] = False
    good = (
        bool(sorted_siblings.all())
        and np.array_equal(depth[1:], depth[parent] + 1)
        and not bool(marker[parent].any())  # nothing lies below an end
        and bool((depth[inner] <= h).all())
        and bool((depth[marker] >= 2).all())
        and np.array_equal(cut, cut & (depth == h + 1))
    )
    # every kept place has its end marker, and at full height the other one too: none may be missing
    ended = tree.parent[marker & ~cut]
    full = np.flatnonzero(inner & (depth == h))
    return good and np.array_equal(ended, np.flatnonzero(inner)) and np.array_equal(tree.parent[cut], full)


def _follows(tree: Tree, plan: TreePlan) -> bool:
    """Whether levels, rates and thresholds are those of the plan; ``_is_a_tree`` must hold."""
    budgets = Budgets(plan)
    state = np.zeros(len(tree), np.int64)
    for rows in _depths(tree):
        place = np.arange(rows.start, rows.stop)
        above, symbol = state[tree.parent[rows]], tree.symbol[rows]
        tile = symbol < tree.locations
        below = budgets.children(above[tile], int(tree.depth[rows.start]))
        state[place[tile]] = below[np.arange(len(below)), plan.levels.level[symbol[tile]] - 1]
        state[place[~tile]] = above[~tile]
        units = np.empty(len(place), np.int64)
        units[tile] = budgets.units()[state[place[tile]]]
        for cut in (False, True):
            of_kind = symbol == tree.locations + cut
            units[of_kind] = budgets.marker_units(above[of_kind], cut=cut)
        if not np.array_equal(units, tree.units[rows]):
            return False
        different, where = np.unique(units[tile], return_inverse=True)
        least = np.array([budgets.threshold(number) for number in different.tolist()], np.int64)
        if bool((tree.y[rows][tile] < least[where]).any()):
            return False
    levels = np.array_equal(budgets.levels()[state], tree.level)
    return levels and bool((np.abs(tree.y) <= MAX_COUNT).all())


def _depths(tree: Tree) -> Iterator[slice]:
    """The rows of each depth below the root that has nodes."""
    for depth in range(1, tree.height + 2):
        rows = tree.of_depth(depth)
        if rows.stop > rows.start:
            yield rows


def _change_error(what: str, place: str) -> BundleError:
    return BundleError(what, place, CHANGED)
