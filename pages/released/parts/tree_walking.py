"""The one owner of which released tree a viewer walks; it is read and checked once, then kept for reruns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from dpcore.errors import InputError
from dpcore.synthetic_release import read_bundle
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.asking import AskableTree
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree
from dpcore.trajectory_tree.paths import Paths, paths_of
from dpcore.trajectory_tree.plan import TreePlan
from dpcore.trajectory_tree.weights import exact_weights, integer_weights
from pages.parts.roles import Role, require
from pages.released.parts.viewing import on_shelf

_KEY = "tree walked"


@dataclass(frozen=True, eq=False)
class Walked:
    """A released tree with what is asked of it again and again. Public."""

    name: str
    title: str
    choices: TreeChoices
    plan: TreePlan
    tessellation: Tessellation
    askable: AskableTree

    @cached_property
    def names(self) -> dict[str, str]:
        """What people call a tile, by its id."""
        return dict(zip(self.tessellation.tile_ids, self.tessellation.tile_names, strict=True))

    @cached_property
    def paths(self) -> Paths:
        """With whole weights: for patterns."""
        return paths_of(self.askable.tree, integer_weights(self.askable.tree))

    @cached_property
    def unrounded(self) -> Paths:
        """With weights as they are: for sums."""
        return paths_of(self.askable.tree, exact_weights(self.askable.tree))


def walked() -> Walked | None:
    """The tree that this visitor walks."""
    found = st.session_state.get(_KEY)
    return found if isinstance(found, Walked) else None


def leave() -> None:
    """Walk no tree any more."""
    st.session_state.pop(_KEY, None)


def walk(name: str) -> Walked:
    """Begin to walk the tree of that name on the shelf. For viewers only.

    Raises:
        InputError: none is listed under that name.
        BundleError: its bundle changed meanwhile.

    """
    require(Role.VIEWER)
    place = next((entry.place for entry in on_shelf() if entry.synthetic and entry.name == name), None)
    release = read_bundle(place) if place else None
    if release is None or not isinstance(release.choices, TreeChoices):
        raise InputError("there is no such tree", "the library", "Choose one that it lists.")
    if not isinstance(release.tables, NoisyTree):
        raise InputError("there is no such tree", "the library", "Choose one that it lists.")
    noisy = release.tables
    found = Walked(
        name,
        release.title or release.id,
        release.choices,
        noisy.plan,
        release.tessellation,
        AskableTree.of(noisy.tree, noisy.plan.levels.tiles, release.choices.consistency),
    )
    st.session_state[_KEY] = found
    return found
