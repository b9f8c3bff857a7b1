"""A throw-away tree on the Trajectories page: grown on demand, then walked. For the owner alone."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from dpcore import owner
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.plan import epsilon_text
from dpcore.trajectory_tree.tree import Consistency
from dpcore.views import tree
from dpcore.views.plain import percent
from pages.owner.parts import trajectories_words as texts
from pages.owner.parts.session import DataSet
from pages.owner.parts.synthesize_choices import drawn, looked_at

_TREE = "tree"
_NOTED = 0.02  # of all that count; less is noise
_MANY = 25  # first tiles: more of them side by side are too thin to be read


def grow_section(data: DataSet, choices: TreeChoices) -> owner.TreePreview | None:
    """The button, and the tree of these choices once it was grown."""
    st.subheader(texts.GROW_TITLE)
    known = drawn(data)
    found = known.have(_TREE, choices, owner.TreePreview)
    place, said = st.columns([1, 3], vertical_alignment="center")
    again = found is not None
    if place.button(
        "Grow again" if again else "Grow the tree",
        icon=":material/casino:" if again else ":material/account_tree:",
        type="secondary" if again else "primary",
        help=texts.GROW_HELP,
        key="trajectories grow",
    ):
        known.forget(_TREE, choices)
        found = looked_at(
            data,
            _TREE,
            choices,
            owner.TreePreview,
            make=partial(owner.tree_preview, data.trips, data.tessellation, choices),
            waiting="Making trajectories, growing two trees",
        )
        st.rerun()  # the button says from now on that there is a tree
    if found is None:
        said.caption(texts.CHANGED if known.kept.get(_TREE) else texts.NOT_GROWN)
        return None
    said.caption(texts.THROWN_AWAY)
    _numbers(data, found)
    _walk(data, found)
    return found


def _numbers(data: DataSet, found: owner.TreePreview) -> None:
    """How large the tree is, and what its levels gain."""
    work = drawn(data).have("tree errors", found, owner.ComparedWorkload) or drawn(data).keep(
        "tree errors", found, owner.compare_workload(found)
    )
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


def _truly(found: owner.TreePreview) -> str:
    """How many there truly are, how many of them count, and where those that the tree does not hold went."""
    counted, of_all = found.true_counted.total, found.true.total
    said = f"Truth: {counted:,.0f}."
    if counted != of_all:
        said = f"Truth: {counted:,.0f} count, {percent(found.counted)} of {of_all:,.0f}; M leaves out the others."
    if found.pruned:
        said += f" {found.pruned:,.0f} began at a tile too rare to be kept."
    lost = found.true_counted.total - found.pruned - float(found.tree.x[0])
    if found.choices.consistency is Consistency.EQUAL and lost > _NOTED * counted:
        said += f" About {lost:,.0f} went on in ways too rare to be kept, which counts that add up leave out."
    return said


def _bought(found: owner.TreePreview) -> str:
    """What the lower error costs."""
    choices, record = found.choices, found.price.record
    uniform = choices.epsilon * choices.bound.trips
    if not choices.named:
        return "All Critical: both are one mechanism, what differs is chance."
    if record == uniform:
        return "Both cost the same."
    return f"Paid for by the record: ε {epsilon_text(record)} instead of {epsilon_text(uniform)}."


def _walk(data: DataSet, found: owner.TreePreview) -> None:
    """The icicle with its legend, and the same as a table."""
    shown = tree.icicle(found.askable, data.geometry.names)
    scale = found.plan.levels.descriptors
    dark = st.context.theme.type == "dark"
    colours = tree.level_colours(len(scale))
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
    figure = go.Figure(tree.icicle_figure(shown, colours, dark=dark, mark=data.mark))
    figure.update_traces(level=begin, maxdepth=4, marker_line_width=0.5)  # thin boxes keep their colour
    figure.update_layout(margin_t=60)  # the way back stands there, below the mark
    st.plotly_chart(figure, key="trajectories icicle", config={"displayModeBar": False})
    st.image(tree.legend_svg(found.plan.levels, dark=dark), width=520, alt="Colours of the privacy levels")
    st.caption(f"{texts.ICICLE} {shown.rest}")
    with st.expander("The same as a table", icon=":material/table_rows:"):
        st.dataframe(
            tree.icicle_table(shown, tuple(one.name for one in scale)),
            hide_index=True,
            height=320,
            alt="Beginnings of trajectories with their levels, counts and intervals",
        )
