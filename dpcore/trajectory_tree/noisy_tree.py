"""A tree with its plan, and whether it was paid for: what a release of trajectories publishes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dpcore.measures.measurement import Origin
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.trajectory_batches import TrajectoryWriter
from dpcore.trajectory_tree.tree import Tree


@dataclass(frozen=True, eq=False)
class NoisyTree:
    """Noisy counts of prefixes with estimates that agree."""

    plan: TreePlan
    tree: Tree
    """Its estimates ``x`` were made consistent as the choices say."""
    origin: Origin
    """A throw-away draw for its owner's eyes, or one that was paid for. Only the latter may be published."""

    def __post_init__(self) -> None:
        """Tree and plan belong together; a fault here is ours."""
        if (self.tree.height, self.tree.locations) != (self.plan.height, self.plan.locations):
            raise ValueError("tree and plan disagree")

    @property
    def places(self) -> int:
        """How many places are kept, end markers apart."""
        return len(self.tree) - 1 - int(self.tree.is_marker.sum())

    @cached_property
    def writer(self) -> TrajectoryWriter:
        """Its synthetic trajectories, which a bundle needs several times."""
        return TrajectoryWriter(self.tree)
