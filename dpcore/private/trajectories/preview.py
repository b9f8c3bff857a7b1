"""What the owner looks at before a trajectory tree is released: throw-away trees beside the truth.

The noise is drawn for looking only and never stored, see ``dpcore.private.preview``; a release draws afresh. It is
handed in, so that this room draws nothing itself (``dpcore.private.synthesis.tree_preview`` does).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpcore.errors import InputError
from dpcore.measures.measurement import Origin
from dpcore.private.bounding import bounding_key
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.trajectories.sequences import made_trajectories, tile_sequences
from dpcore.private.tree.growth import grow
from dpcore.private.tree.sequences import TileSequences
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.answers import AskableTree
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.paths import Paths, paths_of
from dpcore.trajectory_tree.plan import Strategy, TreePlan, TreePrice, price_of_tree
from dpcore.trajectory_tree.tree import NoiseSource, Tree, consistent, integer_weights


@dataclass(frozen=True, repr=False, eq=False)
class TreePreview(Sealed):
    """One throw-away tree, one of the uniform allocation beside it, and the truth."""

    choices: TreeChoices
    plan: TreePlan
    origin: Origin
    """A throw-away draw: nothing of it may be published."""
    tree: Tree
    """With estimates that agree as chosen."""
    uniform_tree: Tree
    """Grown by the uniform allocation at the same epsilon of Critical; the same tree if that is the chosen one.

    Its price is not the same: a whole record then loses epsilon and no more.
    """
    true: Paths
    """All trajectories, nothing bounded, cut to the height."""
    true_counted: Paths
    """Those of them that count under the bound: what the tree counts, and all that its answers and ranges speak of."""
    price: TreePrice
    """What a release of the tree would cost one unit."""

    @property
    def counted(self) -> float:
        """Share of all trajectories that counts under the bound, 0 to 1."""
        return self.true_counted.total / self.true.total

    @cached_property
    def pruned(self) -> float:
        """How many that count began at a tile that the tree did not keep: they are in none of its numbers."""
        kept = self.tree.symbol[self.tree.depth == 1]
        return float(self.true_counted.weight[~np.isin(self.true_counted.symbols[:, 0], kept)].sum())

    @cached_property
    def paths(self) -> Paths:
        """The tree as paths with whole weights."""
        return paths_of(self.tree, integer_weights(self.tree))

    @cached_property
    def uniform(self) -> Paths:
        """The uniform tree as paths with whole weights."""
        return paths_of(self.uniform_tree, integer_weights(self.uniform_tree))

    @cached_property
    def askable(self) -> AskableTree:
        """The tree, ready for questions."""
        return AskableTree.of(self.tree, self.plan.levels.tiles, self.choices.consistency)

    @cached_property
    def askable_uniform(self) -> AskableTree:
        """The uniform tree, ready for questions."""
        return AskableTree.of(self.uniform_tree, self.plan.levels.tiles, self.choices.consistency)


def tree_preview_of(
    trips: PrivateTrips,
    tessellation: Tessellation,
    choices: TreeChoices,
    noise: NoiseSource,
    progress: Progress | None = None,
) -> TreePreview:
    """A fresh throw-away tree of the choices and what is beside it; never a release.

    Args:
        trips: prepared trips.
        tessellation: the tiles that they were assigned to.
        choices: how trajectories are made, levels, epsilon, height, strategy, bound and period.
        noise: exact samplers.
        progress: called with the share that is done, 0 to 1.

    Raises:
        PrivacyError: other tiles, people to be protected where there are no users, or a plan that cannot be drawn.
        InputError: a privacy level names a tile that is not there, or no trajectory visits a tile.

    """
    tell = progress or (lambda _: None)
    plan = choices.plan(tessellation)
    made = made_trajectories(trips, tessellation, choices, bounding_key())
    tell(0.2)
    sequences = tile_sequences(made.entries.of(made.counted), choices.height)
    true = tile_sequences(made.entries, choices.height).paths(choices.height, plan.locations)
    if not len(true):
        raise InputError(
            "no trajectory visits a tile",
            trips.name,
            "Choose the dates of the trips, and tiles that cover them.",
        )
    tell(0.3)
    tree = _grown(sequences, plan, choices, noise, lambda share: tell(0.3 + 0.35 * share))
    uniform = tree
    if plan.strategy is not Strategy.UNIFORM:
        level = replace(plan, strategy=Strategy.UNIFORM)
        uniform = _grown(sequences, level, choices, noise, lambda share: tell(0.65 + 0.35 * share))
    tell(1.0)
    return TreePreview(
        choices=choices,
        plan=plan,
        origin="preview",
        tree=tree,
        uniform_tree=uniform,
        true=true,
        true_counted=sequences.paths(choices.height, plan.locations),
        price=price_of_tree(plan, choices.bound),
    )


def _grown(
    sequences: TileSequences, plan: TreePlan, choices: TreeChoices, noise: NoiseSource, tell: Progress
) -> Tree:
    tree = grow(sequences, plan, noise, lambda done, depths: tell(done / depths))
    return consistent(tree, choices.consistency)
