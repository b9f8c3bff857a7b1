"""A throw-away tree on the Trajectories page: grown on demand, walked, and asked beside the truth. For the owner alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.kinds.tree import owner as tree_owner
from dpcore.kinds.tree import views as tree
from dpcore.kinds.tree.choices import TreeChoices
from dpcore.kinds.tree.question import ONE, RUN, Kind, Question, typed_question
from dpcore.kinds.tree.tree import Consistency
from dpcore.kinds.tree.views.walked import HOW_TO_ASK, HOW_TO_READ
from dpcore.privacy import epsilon_text
from dpcore.views.ground.plain import percent, with_id
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.owner.parts.synthesize.choices import looked_at
from pages.owner.parts.trajectories import words as texts
from pages.parts.chart import show_table
from pages.parts.icicle import show_icicle
from pages.parts.messages import show_refusal

_BETWEEN = {"": "nothing", ONE: "one tile (*)", RUN: "any number (**)"}
_TREE = "tree"
_STUDY = "levels study"
_KEPT = 4  # results about one tree after another
_NOTED = 0.02  # of all that count; less is noise
_MANY = 25  # first tiles: more of them side by side are too thin to be read


def grow_section(data: DataSet, choices: TreeChoices) -> tree_owner.TreePreview | None:
    """The button, and the tree of these choices once it was grown."""
    st.subheader(texts.GROW_TITLE)
    kept = session().kept
    place, said = st.columns([1, 3], vertical_alignment="center")
    again = kept.holds(_TREE, choices)
    pressed = place.button(
        "Grow again" if again else "Grow the tree",
        icon=":material/casino:" if again else ":material/account_tree:",
        type="secondary" if again else "primary",
        help=texts.GROW_HELP,
        key="trajectories grow",
    )
    if not again and not pressed:
        said.caption(texts.CHANGED if kept.by_kind.get(_TREE) else texts.NOT_GROWN)
        return None
    if pressed:
        kept.forget(_TREE, choices)
    found = looked_at(
        _TREE,
        choices,
        partial(tree_owner.tree_preview, data.trips, data.tessellation, choices),
        waiting="Making trajectories, growing two trees",
    )
    if pressed:
        st.rerun()  # the button says from now on that there is a tree
    said.caption(texts.THROWN_AWAY)
    _show_size(found)
    _walk(data, found)
    return found


def levels_study_section(data: DataSet, choices: TreeChoices) -> None:
    """The error of the levels beside the uniform allocation at each epsilon, on demand."""
    key = replace(choices, epsilon=Fraction(1))  # the study has epsilons of its own
    if not session().kept.holds(_STUDY, key):
        place = st.empty()
        if not place.button(texts.STUDY_BUTTON, icon=":material/show_chart:", help=texts.STUDY_HELP):
            return
        place.empty()
    found = looked_at(
        _STUDY,
        key,
        partial(tree_owner.levels_study, data.trips, data.tessellation, choices),
        waiting="Making trajectories, growing trees at each ε",
    )
    columns = {
        "ε of Critical": [epsilon_text(one.epsilon) for one in found.rows],
        "a record loses up to": [epsilon_text(one.record) for one in found.rows],
        "with your levels": [_error(one.levels) for one in found.rows],
        "uniform": [_error(one.uniform) for one in found.rows],
        "uniform, where a record loses as much": [_error(one.same_price) for one in found.rows],
    }
    show_table(columns, texts.STUDY_BUTTON, mark=data.mark)
    st.caption(texts.STUDY_READ)


def _error(found: tuple[float, float]) -> str:
    return " ± ".join(percent(part) for part in found)


def _show_size(found: tree_owner.TreePreview) -> None:
    """How large the tree is, and what its levels gain."""
    work = session().kept.last("tree errors", found, lambda: tree_owner.compare_workload(found), most=_KEPT)
    nodes, people, error, gain = st.columns(4)
    nodes.metric("Nodes", f"{len(found.tree) - 1:,}", border=True, help=texts.NODES_HELP)
    nodes.caption(f"Uniform: {len(found.uniform_tree) - 1:,}.")
    people.metric(
        "Trajectories", f"about {round(float(found.tree.x[0])):,}", border=True, help=texts.ALL_HELP
    )
    people.caption(_truly(found))
    error.metric("Mean error", percent(work.tree.mean), border=True, help=texts.ERROR_HELP)
    error.caption(f"Uniform: {percent(work.uniform.mean)}.")
    gain.metric("Less error by levels", percent(work.reduction), border=True, help=texts.GAIN_HELP)
    gain.caption(_bought(found))


def _truly(found: tree_owner.TreePreview) -> str:
    """How many trajectories there truly are, how many count, and which of them the tree does not hold."""
    counted, of_all = found.true_counted.total, found.true.total
    said = f"Truth: {counted:,.0f}."
    if counted != of_all:
        said = f"Truth: {counted:,.0f} count, {percent(found.counted)} of {of_all:,.0f}; M leaves out the others."
    if found.pruned:
        said += f" {found.pruned:,.0f} began at a tile that is too rare to be kept."
    lost = found.true_counted.total - found.pruned - float(found.tree.x[0])
    if found.choices.consistency is Consistency.EQUAL and lost > _NOTED * counted:
        said += f" About {lost:,.0f} went on in ways that are too rare to be kept. Counts that add up leave them out."
    return said


def _bought(found: tree_owner.TreePreview) -> str:
    """What the lower error costs."""
    choices, record = found.choices, found.price.record
    uniform = choices.epsilon * choices.bound.trips
    if not choices.named:
        return "All places are Critical: both trees are made alike, and only chance differs."
    if record == uniform:
        return "Both cost the same."
    return f"Paid for by the record: ε {epsilon_text(record)} instead of {epsilon_text(uniform)}."


def _walk(data: DataSet, found: tree_owner.TreePreview) -> None:
    """The icicle with its legend, and the same as a table."""
    shown = tree.icicle(found.askable, data.geometry.names)
    firsts = sorted(
        (box for box in shown.boxes[1:] if box.parent == shown.boxes[0].id), key=lambda box: -box.size
    )
    labels = {box.id: f"{box.label}: about {box.count:,}" for box in firsts}
    begin = st.selectbox(
        "Walk from",
        [shown.boxes[0].id, *labels],
        index=int(len(firsts) > _MANY),
        format_func=lambda one: labels.get(one, "everywhere"),
        help=texts.WALK_HELP,
        key=f"trajectories walk {id(found)}",
    )
    show_icicle(
        shown, found.plan.levels, texts.ICICLE, key="trajectories icicle", mark=data.mark, begin=begin
    )


def ask_section(data: DataSet, found: tree_owner.TreePreview) -> None:
    """How many pass these places, and which ways are frequent."""
    st.subheader(texts.ASK_TITLE)
    count, frequent = st.tabs(["How many", "Frequent ways"])
    with count:
        _how_many(data, found)
    with frequent:
        _frequent(data, found)


def _how_many(data: DataSet, found: tree_owner.TreePreview) -> None:
    try:
        asked = _form(data, found)
        if asked is None:
            st.caption("Choose places above, or type a question.")
            return
        (answer,) = tree_owner.compare_queries(found, [asked])
    except AtlasError as error:
        show_refusal(error)
        return
    _answer(data, answer)


def _form(data: DataSet, found: tree_owner.TreePreview) -> Question | None:
    """The question: chosen from lists, or typed."""
    digest, tiles, names = data.tessellation.digest, found.plan.levels.tiles, data.geometry.names
    kind, typing = st.columns([4, 1], vertical_alignment="bottom")
    is_typed = typing.toggle("Type it", key="trajectories typed")
    if is_typed:
        text = kind.text_input(
            "How many trajectories",
            help=HOW_TO_ASK,
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
        persist_state="session",
    )
    places, between = st.columns([4, 1], vertical_alignment="bottom")
    picked = places.multiselect(
        "Places, in this order",
        tiles,
        format_func=lambda one: with_id(one, names.get(one, one)),
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


def _answer(data: DataSet, answer: tree_owner.ComparedQuery) -> None:
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


def _with_all(answer: tree_owner.ComparedQuery) -> str:
    """The truth of all trajectories beside that of those that count."""
    if answer.true == answer.true_of_all:
        return "All of them count."
    share = 100 * answer.true / answer.true_of_all
    return f"Of {answer.true_of_all:,.0f} in all: {share:.0f} % count under M."


def _frequent(data: DataSet, found: tree_owner.TreePreview) -> None:
    many, least = st.columns(2)
    top = many.number_input("So many ways", 1, 100, 10, key="trajectories top")
    length = least.number_input(
        "Of so many tiles at least", 1, found.plan.height, min(2, found.plan.height), key="trajectories least"
    )
    both = session().kept.last(
        "patterns",
        (found, top, length),
        lambda: tree_owner.compare_top_patterns(found, top, least_length=length),
        most=_KEPT,
    )
    st.markdown(tree.patterns_text(both.comparison))
    st.caption(f"The uniform tree: {tree.patterns_text(both.uniform_comparison)}")
    show_table(
        tree.patterns_table(both.tree, found.plan.levels.tiles, data.geometry.names, both.true),
        "Frequent ways by the tree, with their true numbers",
        mark=data.mark,
    )
    missing = tree.missing_table(both.true, both.tree, found.plan.levels.tiles, data.geometry.names)
    if missing["true rank"]:
        st.markdown("**Missing: truly frequent, but not on the list of the tree**")
        show_table(missing, "Frequent ways that the tree misses, with their true numbers", mark=data.mark)
