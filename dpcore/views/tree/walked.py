"""A released tree that is walked and asked again and again: everything that is made of it is made once. Public."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from dpcore import limits
from dpcore.errors import InputError
from dpcore.release import AnyRelease, kind_of, statements
from dpcore.release.kinds.tree_statements import PARAMETERS
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree import flows
from dpcore.trajectory_tree.asking import AskableTree
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree
from dpcore.trajectory_tree.paths import Paths, paths_of
from dpcore.trajectory_tree.patterns import Pattern, frequent_patterns
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.weights import exact_weights, integer_weights
from dpcore.views.tree.boxes import Icicle, icicle

TOP: Final = 12
"""Patterns of the list."""


@dataclass(frozen=True, eq=False)
class WalkedTree:
    """A released tree with what is asked of it; ``WalkedTree.of`` makes it. Visitors may share one."""

    title: str
    choices: TreeChoices
    plan: TreePlan
    tessellation: Tessellation
    chosen: str
    """When levels and the other parameters were chosen, as its owner declared."""
    askable: AskableTree

    @classmethod
    def of(cls, release: AnyRelease) -> WalkedTree:
        """Ready a released tree; InputError if it is none, or too large to be walked in a browser's time."""
        if "walk" not in kind_of(release.plan).views:
            raise InputError("there is no such tree", "the library", "Choose one that it lists.")
        choices: TreeChoices = release.plan
        noisy: NoisyTree = release.drawn.tables
        if len(noisy.tree) * noisy.tree.height > limits.MAX_WALKED_VISITS:
            raise InputError(
                "this tree is too large to be walked here",
                f"{len(noisy.tree):,} nodes of up to {noisy.tree.height} tiles",
                f"Download the bundle, which is verified, and work with it; {limits.MAX_WALKED_VISITS:,} nodes times tiles fit.",
            )
        return cls(
            release.title or release.id,
            choices,
            noisy.plan,
            release.tessellation,
            statements.chosen(release.parameters_chosen, PARAMETERS),
            AskableTree.of(noisy.tree, noisy.plan.levels.tiles, choices.consistency),
        )

    @cached_property
    def names(self) -> dict[str, str]:
        """What people call a tile, by its id."""
        return dict(zip(self.tessellation.tile_ids, self.tessellation.tile_names, strict=True))

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The most frequent patterns, of two tiles or more where there are such."""
        paths = paths_of(self.askable.tree, integer_weights(self.askable.tree))
        return frequent_patterns(paths, TOP, least_length=min(2, self.plan.height))

    @cached_property
    def lengths(self) -> flows.Lengths:
        """How long trajectories are, with weights as they are: sums stay unbiased."""
        return flows.lengths(self._unrounded())

    @cached_property
    def icicle(self) -> Icicle:
        """The largest boxes."""
        return icicle(self.askable, self.names)

    def _unrounded(self) -> Paths:
        return paths_of(self.askable.tree, exact_weights(self.askable.tree))
