"""The one owner of which released tree a viewer walks; a tree is read and checked once for all visitors of the process."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Final

import streamlit as st

from dpcore.errors import InputError
from dpcore.release import digest_of, read_bundle
from dpcore.views.tree.walked import WalkedTree
from pages.parts.roles import Role, require
from pages.released.parts.viewing import on_shelf

_KEY = "tree walked"
_KEPT_TREES: Final = 4


class _Kept:
    """The trees used last, by the digest of their bundle, as the shelf keeps releases: they are public."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.trees: OrderedDict[str, WalkedTree] = OrderedDict()

    def read(self, place: Path) -> WalkedTree:
        """The tree at a place; BundleError if it cannot be verified, InputError if it cannot be walked."""
        with self.lock:  # fifty visitors of a new tree read it once
            digest = digest_of(place)
            if digest not in self.trees:
                self.trees[digest] = WalkedTree.of(read_bundle(place))
                while len(self.trees) > _KEPT_TREES:
                    self.trees.popitem(last=False)
            self.trees.move_to_end(digest)
            return self.trees[digest]


_KEPT: Final = _Kept()


def walked() -> WalkedTree | None:
    """The tree that this visitor walks."""
    found = st.session_state.get(_KEY)
    return found if isinstance(found, WalkedTree) else None


def leave() -> None:
    """Walk no tree any more."""
    st.session_state.pop(_KEY, None)


def walk(name: str) -> WalkedTree:
    """Begin to walk the tree of that name on the shelf. For viewers only.

    Raises:
        InputError: none is listed under that name, or it is too large to be walked.
        BundleError: its bundle changed meanwhile.

    """
    require(Role.VIEWER)
    place = next(
        (
            entry.place
            for entry in on_shelf()
            if entry.kind and "walk" in entry.kind.views and entry.name == name
        ),
        None,
    )
    if place is None:
        raise InputError("there is no such tree", "the library", "Choose one that it lists.")
    found = st.session_state[_KEY] = _KEPT.read(place)
    return found
