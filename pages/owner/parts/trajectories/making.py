"""What a trajectory is on the Trajectories page, how long they are, and what the tree promises."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore import limits
from dpcore.kinds.tree import owner as tree_owner
from dpcore.kinds.tree import views as tree
from dpcore.kinds.tree.choices import MAX_MINUTES, Source, TreeChoices
from dpcore.kinds.tree.plan import MAX_HEIGHT, Definition, TreePlan, price_of_levels
from dpcore.kinds.tree.statements import EXCLUSION
from dpcore.kinds.tree.views.walked import BY_LEVEL
from dpcore.privacy import RUNGS, PrivacyUnit, Promise, decimal_text, epsilon_text
from dpcore.views.ground.plain import percent, plain
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.session import index_of, session
from pages.owner.parts.state.whom import whom_to_hide
from pages.owner.parts.trajectories import words as texts
from pages.owner.parts.trajectories.choices import STRATEGIES, TreeForm, key_of, strategy_key
from pages.parts.chart import show_chart
from pages.parts.when_open import expander


def making_section(data: DataSet, mine: TreeForm) -> None:
    """Source, unit and M; height, interval, outside."""
    st.subheader(texts.MAKING_TITLE)
    source, whom, bound = st.columns(3, vertical_alignment="bottom")
    if mine.source is Source.DAY:
        whom, bound = bound, whom
    with source:
        st.segmented_control(
            "A trajectory is",
            list(Source) if data.trips.has_users else [Source.TRIP],
            format_func=texts.SOURCES.__getitem__,
            help=texts.SOURCE_HELP,
            required=True,
            default=mine.source,
            key=key_of("source"),
        )
    _bounded(data, mine, whom, bound)
    height, outside, moves = st.columns(3, vertical_alignment="bottom")
    height.number_input(
        "Tiles that count (height h)",
        1,
        MAX_HEIGHT,
        help=texts.HEIGHT_HELP,
        value=mine.height,
        key=key_of("height"),
    )
    outside.selectbox(
        "A visit outside the tiles",
        list(texts.OUTSIDES),
        format_func=texts.OUTSIDES.__getitem__,
        help=texts.OUTSIDE_HELP,
        index=index_of(list(texts.OUTSIDES), mine.outside),
        key=key_of("outside"),
    )
    with moves:
        _ask_when_noted(mine)


def _bounded(data: DataSet, mine: TreeForm, whom: DeltaGenerator, bound: DeltaGenerator) -> None:
    """Whom to hide, and how many days or trips of each person count."""
    if mine.source is Source.DAY:
        whom.caption(texts.DAY_HIDES)
        bound.number_input(
            "Days counted per person, at most",
            1,
            limits.MAX_TRIPS_PER_USER,
            help=texts.DAYS_HELP,
            value=mine.days,
            key=key_of("days"),
        )
    else:
        whom_to_hide(
            data,
            "trajectories",
            (whom, bound),
            most=limits.MAX_TRIPS_PER_USER,
            without_people=texts.NO_USERS,
        )


def _ask_when_noted(mine: TreeForm) -> None:
    """When a tile is noted: at each move, or every so many minutes."""
    st.toggle(
        "Once for each move to another tile",
        help=texts.MOVES_HELP,
        value=mine.moves,
        key=key_of("moves"),
    )
    st.number_input(
        "The tile every so many minutes",
        1,
        MAX_MINUTES,
        value=mine.minutes,
        key=key_of("minutes"),
        disabled=mine.moves,  # and not away: the map below would move
    )


def lengths_chart(data: DataSet, choices: TreeChoices) -> None:
    """The exact lengths of the trajectories, for the owner alone; counted only when the box is opened."""

    def shown() -> None:
        session().looked(Look.LENGTHS)
        asked = (choices.making, choices.bound, choices.period)  # the height does not matter
        lengths = session().kept.last(
            "lengths",
            asked,
            lambda: tree_owner.trajectory_lengths(data.trips, data.tessellation, choices),
            most=4,
        )
        st.caption(texts.LENGTHS)
        st.markdown(_in_words(lengths, choices.height))
        show_chart(tree.lengths_chart(lengths, choices.height, mark=data.mark))

    expander(texts.LENGTHS_TITLE, shown, icon=":material/visibility_lock:", key="trajectories lengths")


def _in_words(lengths: tree_owner.TrajectoryLengths, height: int) -> str:
    tiles = f"{height} {'tile' if height == 1 else 'tiles'}"
    cut = f"**{percent(lengths.cut(height), 1)}** are longer than {tiles} and are cut."
    said = [f"**{lengths.total:,}** trajectories count; {cut}"]
    if lengths.not_counted:
        said.append(f"{lengths.not_counted:,} are left out by M.")
    if lengths.empty:
        said.append(f"{lengths.empty:,} visit no tile and are left out.")
    return " ".join(said)


def promise_section(data: DataSet, mine: TreeForm, choices: TreeChoices) -> None:
    """Controls, both numbers side by side, and what they imply."""
    st.subheader(texts.PROMISE_TITLE)
    st.select_slider(
        "ε of Critical, for one trajectory",
        RUNGS,
        format_func=decimal_text,
        help=texts.EPSILON_HELP,
        value=mine.epsilon,
        key=key_of("epsilon"),
    )
    promise, strategy, consistency = st.columns(3, vertical_alignment="bottom")
    promise.segmented_control(
        "Protects by level",
        list(Definition),
        format_func=texts.DEFINITIONS.__getitem__,
        help=texts.DEFINITION_HELP,
        required=True,
        default=mine.definition,
        key=key_of("definition"),
    )
    strategy.selectbox(
        "ε along a path",
        STRATEGIES[mine.definition],
        format_func=texts.STRATEGIES.__getitem__,
        help=texts.STRATEGY_HELP,
        index=index_of(STRATEGIES[mine.definition], mine.strategy[mine.definition]),
        key=strategy_key(mine.definition),
    )
    consistency.selectbox(
        "Counts",
        list(texts.CONSISTENCIES),
        format_func=texts.CONSISTENCIES.__getitem__,
        help=texts.CONSISTENCY_HELP,
        index=index_of(list(texts.CONSISTENCIES), mine.consistency),
        key=key_of("consistency"),
    )
    plan = choices.plan(data.tessellation)
    _beside(choices, plan)
    with st.expander("What a change may show, and the exclusion attack", icon=":material/visibility:"):
        st.table(tree.losses_table(plan, choices.bound))
        st.caption(texts.RIGHT)
        if choices.bound.max_trips is not None:
            st.markdown(BY_LEVEL)
        st.markdown(EXCLUSION)


def _beside(choices: TreeChoices, plan: TreePlan) -> None:
    """The ε of each level that a place has, beside the ε of the whole record."""
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
        st.caption(Promise.of(choices.bound, price.record).in_full)
    times = choices.bound.trips
    one = "day" if choices.making.source is Source.DAY else "trip"
    said = [f"Each ε is for {whom}: {times} times that of one {one} (M = {times})."] if times > 1 else []
    said.append(texts.TWO_NUMBERS if choices.named else texts.ALL_CRITICAL)
    st.caption(" ".join(said))


def both_numbers(choices: TreeChoices, plan: TreePlan) -> dict[str, str]:
    """Both numbers of the promise and what counts of a person, for the dialog before a release."""
    known = reversed(price_of_levels(plan, choices.bound))
    levels = ", ".join(f"{name} ε {epsilon_text(epsilon)}" for name, epsilon in known)
    record = epsilon_text(choices.price().record)
    lines = {"A visit shows at most": levels, "The whole record": f"ε {record} at most"}
    if choices.making.source is Source.DAY:
        lines["Trips counted"] = f"those of at most {choices.bound.trips} days of each person (M)"
    return lines


def _whom(choices: TreeChoices) -> str:
    return "a person" if choices.bound.unit is PrivacyUnit.USER else "one trip"
