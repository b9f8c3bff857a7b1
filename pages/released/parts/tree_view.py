"""A released trajectory tree: walk it, ask it, and see what each level of places was promised.

Which tree a viewer walks stands here; a tree is read and checked once for all visitors of the process.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Final

import streamlit as st

from dpcore.errors import InputError
from dpcore.kinds.tree import views as tree
from dpcore.kinds.tree.question import typed_question
from dpcore.kinds.tree.statements import EXCLUSION
from dpcore.kinds.tree.views.walked import BY_LEVEL, HOW_TO_ASK, HOW_TO_READ, WalkedTree
from dpcore.release import digest_of, read_bundle
from dpcore.views.ground.plain import plain
from pages.parts.chart import show_chart
from pages.parts.icicle import show_icicle
from pages.parts.messages import WALK, refusals
from pages.parts.roles import Role, require
from pages.released.parts import words
from pages.released.parts.viewing import on_shelf, opened_any, viewing

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
    """Begin to walk the tree of that name, uploaded or on the shelf. For viewers only.

    Raises:
        InputError: there is none under that name, or it is too large to be walked.
        BundleError: its bundle changed meanwhile.

    """
    require(Role.VIEWER)
    if name in viewing().uploads:
        found = st.session_state[_KEY] = WalkedTree.of(opened_any(name))
        return found
    trees = {one.name: one.place for one in on_shelf() if one.kind and WALK in one.kind.views}
    place = trees.get(name)
    if place is None:
        raise InputError("there is no such tree", "the library", "Choose one that it lists.")
    found = st.session_state[_KEY] = _KEPT.read(place)
    return found


def walk_button(name: str) -> None:
    """What stands on the card of a tree: begin to walk it."""
    if st.button("Walk and ask", icon=":material/account_tree:", key=f"walk {name}", help=words.WALK_HELP):
        with refusals(), st.spinner("Reading the tree"):
            walk(name)


def tree_section() -> None:
    """The tree that was chosen, over the page: so it is seen at once, however far down its card is. Nothing without one."""
    if walked() is not None:
        _over_the_page()


@st.dialog("A trajectory tree", width="large", icon=":material/account_tree:", on_dismiss=leave)
def _over_the_page() -> None:
    """Reruns alone, and never goes to the disk."""
    require(Role.VIEWER)
    found = walked()
    if found is None:
        return
    title, close = st.columns([5, 1], vertical_alignment="bottom")
    title.subheader(f"Walk and ask: {plain(found.title)}", anchor="tree")
    if close.button("Close", icon=":material/close:", key="leave tree", width="stretch"):
        leave()
        st.rerun()
    asking, walking, frequent, lengths, promise = st.tabs(
        ["Ask", "Walk", "Frequent ways", "Lengths", "Levels and promise"]
    )
    with asking:
        _ask(found)
    with walking:
        show_icicle(found.icicle, found.plan.levels, words.WALK, key="tree icicle")
    with frequent:
        st.caption(words.PATTERNS)
        st.dataframe(
            tree.patterns_table(found.patterns, found.plan.levels.tiles, found.names),
            hide_index=True,
            alt="Ways",
        )
    with lengths:
        show_chart(tree.noisy_lengths_chart(found.lengths))
    with promise:
        _promise(found)


def _ask(found: WalkedTree) -> None:
    text = st.text_input(
        "How many trajectories",
        key="tree question",
        placeholder="A > B",
        help=HOW_TO_ASK,
        max_chars=1_000,
    )
    if text and text.strip():
        with refusals():
            asked = typed_question(text, found.plan.levels.tiles, found.names)
            st.markdown(f"{tree.asked_for(asked, found.names)}: {tree.reply(found.askable.answer(asked))}")
    else:
        st.caption(HOW_TO_ASK)
    with st.expander("How to read an answer", icon=":material/help:"):
        st.markdown(HOW_TO_READ)
    with st.expander("The places and their ids", icon=":material/list:"):
        st.dataframe(tree.places_table(found.plan.levels, found.names), hide_index=True, alt="Places")


def _promise(found: WalkedTree) -> None:
    picture, beside = st.columns(2, gap="large")
    picture.image(
        tree.levels_svg(found.tessellation, found.plan.levels, dark=st.context.theme.type == "dark"),
        width="stretch",
        alt="Map of the privacy levels of tiles",
    )
    with beside:
        st.table(tree.price_table(found.plan, found.choices.bound), border="horizontal")
        st.caption(f"{found.chosen} {words.TREE_PRICE} {tree.right_words(found.plan, found.choices.bound)}")
    with st.expander("What a change may show at most", icon=":material/visibility:"):
        st.table(tree.losses_table(found.plan, found.choices.bound), border="horizontal")
    if found.choices.bound.max_trips is not None:
        st.caption(BY_LEVEL)
    st.markdown(EXCLUSION)
