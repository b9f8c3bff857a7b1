"""What can be compared of trees: how many places trajectories have."""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.comparison.tables import CountTable, Side
from dpcore.kinds.tree.noisy_tree import NoisyTree
from dpcore.kinds.tree.tree import integer_weights
from dpcore.measures.measure import Kind, Layout
from dpcore.release import AnyRelease

_NOTE: Final = (
    "Places are those of the synthetic trajectories of a tree. One whose rest was too rare for the tree has fewer than it had, and one "
    "that is longer than the tree is cut at its height. No range is known: noise may have made any difference."
)


def side(release: AnyRelease, name: str) -> Side:
    """The synthetic trajectories by their number of places, up to the height."""
    noisy: NoisyTree = release.drawn.tables
    tree, height = noisy.tree, noisy.plan.height
    many = np.bincount((tree.depth - tree.is_marker).astype(np.int64), integer_weights(tree), height + 1)
    table = CountTable(
        "trajectories_by_places",
        {"places": np.arange(1, height + 1).astype(np.str_)},
        many[1:].astype(np.float64),
        meaning={"heights": height, "kinds of trajectory": release.plan.making},
        ranged=False,
        own=Layout(Kind.LINE, ("places",), "places"),
    )
    return Side(f"{name} (synthetic)", {table.measure: table}, notes=(_NOTE,))
