"""Questions to a throw-away tree on the Trajectories page, each answer beside the truth. For the owner alone."""

from __future__ import annotations

import streamlit as st

from dpcore import owner
from dpcore.errors import AtlasError
from dpcore.trajectory_tree.question import ONE, RUN, Kind, Question, typed_question
from dpcore.views import tree
from dpcore.views.plain import percent
from dpcore.views.tree.walked import HOW_TO_READ
from pages.owner.parts import trajectories_words as texts
from pages.owner.parts.session import DataSet
from pages.owner.parts.synthesize_choices import drawn
from pages.owner.parts.trajectories_levels import tile_label
from pages.parts.messages import refused

_BETWEEN = {"": "nothing", ONE: "one tile (*)", RUN: "any number (**)"}


def ask_section(data: DataSet, found: owner.TreePreview) -> None:
    """How many pass these places, and which ways are frequent."""
    st.subheader(texts.ASK_TITLE)
    count, frequent = st.tabs(["How many", "Frequent ways"])
    with count:
        _how_many(data, found)
    with frequent:
        _frequent(data, found)


def _how_many(data: DataSet, found: owner.TreePreview) -> None:
    try:
        asked = _form(data, found)
        if asked is None:
            st.caption("Choose places above, or type a question.")
            return
        (answer,) = owner.compare_queries(found, [asked])
    except AtlasError as error:
        refused(error)
        return
    _answer(data, answer)


def _form(data: DataSet, found: owner.TreePreview) -> Question | None:
    """The question: chosen from lists, or typed."""
    digest, tiles, names = data.tessellation.digest, found.plan.levels.tiles, data.geometry.names
    kind, typing = st.columns([4, 1], vertical_alignment="bottom")
    is_typed = typing.toggle("Type it", key="trajectories typed")
    if is_typed:
        text = kind.text_input(
            "How many trajectories",
            help=texts.TYPED_HELP,
            placeholder="A > B",
            key="trajectories question",
        )
        return typed_question(text, tiles, names) if text and text.strip() else None
    chosen = kind.segmented_control(
        "How many trajectories",
        list(Kind),
        format_func=texts.KINDS.__getitem__,
        default=Kind.SET,
        required=True,
        help=texts.KINDS_HELP,
        key="trajectories kind",
    )
    places, between = st.columns([4, 1], vertical_alignment="bottom")
    picked = places.multiselect(
        "Places, in this order",
        tiles,
        format_func=lambda one: tile_label(one, names.get(one, one)),
        max_selections=found.plan.height,
        key=f"trajectories places {digest} {len(tiles)} {found.plan.height}",
        placeholder="Choose tiles",
    )
    wild = ""
    if chosen in {Kind.EXACT, Kind.PREFIX}:
        wild = between.selectbox(
            "Between two of them",
            list(_BETWEEN),
            format_func=_BETWEEN.__getitem__,
            key="trajectories between",
        )
    if not picked:
        return None
    return Question(
        chosen, tuple(part for tile in picked for part in ((wild, tile) if wild else (tile,)))[bool(wild) :]
    )


def _answer(data: DataSet, answer: owner.ComparedQuery) -> None:
    """The tree's answer, the truth and the uniform allocation's, side by side."""
    st.markdown(f"{tree.asked_for(answer.question, data.geometry.names)}:")
    ours, truth, error, other = st.columns(4)
    ours.metric("The tree", tree.about(answer.tree), border=True, help=HOW_TO_READ)
    ours.caption(tree.between(answer.tree))
    truth.metric("Truth", f"{answer.true:,.0f}", border=True, help=texts.TRUTH_HELP)
    truth.caption(_with_all(answer))
    error.metric("Relative error", percent(answer.error), border=True, help=texts.SANITY)
    error.caption(f"Uniform: {percent(answer.uniform_error)}.")
    other.metric("Uniform", tree.about(answer.uniform), border=True, help=texts.UNIFORM_HELP)
    other.caption(tree.between(answer.uniform))


def _with_all(answer: owner.ComparedQuery) -> str:
    """The truth of all trajectories beside that of those that count."""
    if answer.true == answer.true_of_all:
        return "All of them count."
    share = 100 * answer.true / answer.true_of_all
    return f"Of {answer.true_of_all:,.0f} in all: {share:.0f} % count under M."


def _frequent(data: DataSet, found: owner.TreePreview) -> None:
    many, least = st.columns(2)
    top = many.number_input("So many ways", 1, 100, 10, key="trajectories top")
    length = least.number_input(
        "Of so many tiles at least", 1, found.plan.height, min(2, found.plan.height), key="trajectories least"
    )
    key = (found, top, length)
    known = drawn(data)
    both = known.have("patterns", key, owner.ComparedPatterns) or known.keep(
        "patterns", key, owner.compare_top_patterns(found, top, least_length=length)
    )
    st.markdown(tree.patterns_text(both.comparison))
    st.caption(f"The uniform tree: {tree.patterns_text(both.uniform_comparison)}")
    st.dataframe(
        tree.patterns_table(both.tree, found.plan.levels.tiles, data.geometry.names, both.true),
        hide_index=True,
        alt="Frequent ways by the tree, with their true numbers",
    )
    missing = tree.missing_table(both.true, both.tree, found.plan.levels.tiles, data.geometry.names)
    if missing["true rank"]:
        st.markdown("**Missing: truly frequent, but not on the list of the tree**")
        st.dataframe(
            missing, hide_index=True, alt="Frequent ways that the tree misses, with their true numbers"
        )
