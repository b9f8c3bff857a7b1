"""The first section of the Trajectories page: what a trajectory is, and how long they are."""

from __future__ import annotations

import streamlit as st

from dpcore import limits, owner
from dpcore.trajectory_tree.choices import MAX_MINUTES, Source, TreeChoices
from dpcore.trajectory_tree.plan import MAX_HEIGHT
from dpcore.views import tree
from dpcore.views.plain import percent
from pages.owner.parts import trajectories_words as texts
from pages.owner.parts.looks import Look
from pages.owner.parts.session import DataSet, beginning, session
from pages.owner.parts.synthesize_choices import drawn
from pages.owner.parts.trajectories_choices import Form
from pages.owner.parts.whom import whom_to_hide
from pages.parts.figures import show_chart


def making_section(data: DataSet, mine: Form) -> None:
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
            key=beginning("trajectories source", mine.source),
        )
    if mine.source is Source.DAY:
        whom.caption(texts.DAY_HIDES)
        bound.number_input(
            "Days counted per person, at most",
            1,
            limits.MAX_TRIPS_PER_USER,
            help=texts.DAYS_HELP,
            key=beginning("trajectories days", mine.days),
        )
    else:
        whom_to_hide(
            data,
            session().choice,
            "trajectories",
            (whom, bound),
            most=limits.MAX_TRIPS_PER_USER,
            without_people=texts.NO_USERS,
        )
    height, outside, moves = st.columns(3, vertical_alignment="bottom")
    height.number_input(
        "Tiles that count (height h)",
        1,
        MAX_HEIGHT,
        help=texts.HEIGHT_HELP,
        key=beginning("trajectories height", mine.height),
    )
    outside.selectbox(
        "A visit outside the tiles",
        list(texts.OUTSIDES),
        format_func=texts.OUTSIDES.__getitem__,
        help=texts.OUTSIDE_HELP,
        key=beginning("trajectories outside", mine.outside),
    )
    with moves:
        st.toggle(
            "Once for each move to another tile",
            help=texts.MOVES_HELP,
            key=beginning("trajectories moves", mine.moves),
        )
        if not mine.moves:
            st.number_input(
                "The tile every so many minutes",
                1,
                MAX_MINUTES,
                key=beginning("trajectories minutes", mine.minutes),
            )


def lengths_chart(data: DataSet, choices: TreeChoices) -> None:
    """How long the trajectories are, exactly: for the owner alone, and counted only when asked for."""
    box = st.expander(
        texts.LENGTHS_TITLE,
        icon=":material/visibility_lock:",
        key="trajectories lengths",
        on_change="rerun",
    )
    if not box.open:
        return
    session().looked(Look.LENGTHS)
    asked = (choices.making, choices.bound, choices.period)  # the height does not matter
    with box:
        known = drawn(data)
        lengths = known.have("lengths", asked, owner.TrajectoryLengths) or known.keep(
            "lengths", asked, owner.trajectory_lengths(data.trips, data.tessellation, choices)
        )
        st.caption(texts.LENGTHS)
        st.markdown(_in_words(lengths, choices.height))
        show_chart(tree.lengths_chart(lengths, choices.height, mark=data.mark))


def _in_words(lengths: owner.TrajectoryLengths, height: int) -> str:
    tiles = f"{height} {'tile' if height == 1 else 'tiles'}"
    cut = f"**{percent(lengths.cut(height), 1)}** are longer than {tiles} and are cut."
    said = [f"**{lengths.total:,}** trajectories count; {cut}"]
    if lengths.not_counted:
        said.append(f"{lengths.not_counted:,} are left out by M.")
    if lengths.empty:
        said.append(f"{lengths.empty:,} visit no tile and are left out.")
    return " ".join(said)
