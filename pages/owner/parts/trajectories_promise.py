"""The promise on the Trajectories page: what each level may show, what the whole record may show, and what follows."""

from __future__ import annotations

import streamlit as st

from dpcore.privacy import RUNGS, PrivacyUnit, Promise, decimal_text
from dpcore.release.kinds.tree_statements import EXCLUSION
from dpcore.trajectory_tree.choices import Source, TreeChoices
from dpcore.trajectory_tree.plan import Definition, TreePlan, epsilon_text, price_of_levels
from dpcore.views import tree
from dpcore.views.plain import plain
from pages.owner.parts import trajectories_words as texts
from pages.owner.parts.session import DataSet, beginning
from pages.owner.parts.trajectories_choices import STRATEGIES, Form, strategy_key


def promise_section(data: DataSet, mine: Form, choices: TreeChoices) -> None:
    """Controls, both numbers side by side, and what they imply."""
    st.subheader(texts.PROMISE_TITLE)
    st.select_slider(
        "ε of Critical, for one trajectory",
        RUNGS,
        format_func=decimal_text,
        help=texts.EPSILON_HELP,
        key=beginning("trajectories epsilon", mine.epsilon),
    )
    promise, strategy, consistency = st.columns(3, vertical_alignment="bottom")
    promise.segmented_control(
        "Protects by level",
        list(Definition),
        format_func=texts.DEFINITIONS.__getitem__,
        help=texts.DEFINITION_HELP,
        required=True,
        key=beginning("trajectories definition", mine.definition),
    )
    strategy.selectbox(
        "How ε is laid along a path",
        STRATEGIES[mine.definition],
        format_func=texts.STRATEGIES.__getitem__,
        help=texts.STRATEGY_HELP,
        key=beginning(strategy_key(mine.definition), mine.strategy[mine.definition]),
    )
    consistency.selectbox(
        "Counts",
        list(texts.CONSISTENCIES),
        format_func=texts.CONSISTENCIES.__getitem__,
        help=texts.CONSISTENCY_HELP,
        key=beginning("trajectories consistency", mine.consistency),
    )
    plan = choices.plan(data.tessellation)
    _beside(choices, plan)
    with st.expander(
        "What a change may show at most, and the exclusion attack", icon=":material/visibility:"
    ):
        st.table(tree.losses_table(plan, choices.bound))
        st.caption(texts.RIGHT)
        if choices.bound.max_trips is not None:
            st.markdown(texts.BY_LEVEL)
        st.markdown(EXCLUSION)


def _beside(choices: TreeChoices, plan: TreePlan) -> None:
    """What each level that a place has may show beside what everything may show."""
    price = choices.price()
    whom = _whom(choices)
    levels, record = st.columns([3, 2])
    with levels.container(border=True):
        st.markdown(texts.OF_A_LEVEL[choices.definition])
        with st.container(horizontal=True, gap="large"):
            for name, epsilon in reversed(price_of_levels(plan, choices.bound)):
                st.metric(plain(name), f"ε {epsilon_text(epsilon)}", width="content")
    with record.container(border=True):
        st.markdown(f"**Whether {whom} is in the data at all**")
        st.metric("The whole record; this is charged", f"ε {epsilon_text(price.record)}")
        st.caption(Promise.of(choices.bound, price.record).words)
    times = choices.bound.trips
    counted = "days" if choices.making.source is Source.DAY else "trips"
    said = [f"Each is for {whom}: M = {times} {counted}, so {times} times that of one."] if times > 1 else []
    said.append(texts.TWO_NUMBERS if choices.named else texts.ALL_CRITICAL)
    st.caption(" ".join(said))


def both_numbers(choices: TreeChoices, plan: TreePlan) -> dict[str, str]:
    """What may show, for the last word before a release: both numbers, and what counts of a person."""
    known = reversed(price_of_levels(plan, choices.bound))
    levels = ", ".join(f"{name} ε {epsilon_text(epsilon)}" for name, epsilon in known)
    record = epsilon_text(choices.price().record)
    lines = {"A visit shows at most": levels, "The whole record": f"ε {record} at most"}
    if choices.making.source is Source.DAY:
        lines["Trips counted"] = f"those of at most {choices.bound.trips} days of each person (M)"
    return lines


def _whom(choices: TreeChoices) -> str:
    return "a person" if choices.bound.unit is PrivacyUnit.USER else "one trip"
