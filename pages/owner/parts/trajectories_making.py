"""The first section of the Trajectories page: what a trajectory is, and how long they are."""

from __future__ import annotations

import streamlit as st

from dpcore import limits, owner
from dpcore.privacy import PrivacyUnit
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.making import MAX_MINUTES, Source
from dpcore.trajectory_tree.plan import MAX_HEIGHT
from dpcore.views import tree
from dpcore.views.plain import percent
from pages.owner.parts import trajectories_words as texts
from pages.owner.parts import words
from pages.owner.parts.looks import Look
from pages.owner.parts.session import DataSet, place, session
from pages.owner.parts.synthesize_choices import drawn
from pages.owner.parts.trajectories_choices import Form


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
            format_func=texts.SOURCES.get,
            help=texts.SOURCE_HELP,
            required=True,
            default=mine.source,
            key="trajectories source",
        )
    if mine.source is Source.DAY:
        whom.caption(texts.DAY_HIDES)
        bound.number_input(
            "Days counted per person, at most",
            1,
            limits.MAX_TRIPS_PER_USER,
            help=texts.DAYS_HELP,
            value=mine.days,
            key="trajectories days",
        )
    else:
        choice = session().choice
        whom.segmented_control(
            "Hide",
            list(PrivacyUnit) if data.trips.has_users else [PrivacyUnit.TRIP],
            format_func=words.UNITS.get,
            help=words.UNIT_HELP,
            required=True,
            default=choice.unit,
            key="trajectories hide",
        )
        if choice.unit is PrivacyUnit.USER:
            bound.number_input(
                "Trips counted per person, at most",
                1,
                limits.MAX_TRIPS_PER_USER,
                help=words.BOUND_HELP,
                value=choice.max_trips,
                key="trajectories max trips",
            )
        elif not data.trips.has_users:
            bound.caption(texts.NO_USERS)
    height, outside, moves = st.columns(3, vertical_alignment="bottom")
    height.number_input(
        "Tiles that count (height h)",
        1,
        MAX_HEIGHT,
        help=texts.HEIGHT_HELP,
        value=mine.height,
        key="trajectories height",
    )
    outside.selectbox(
        "A visit outside the tiles",
        list(texts.OUTSIDES),
        format_func=texts.OUTSIDES.get,
        help=texts.OUTSIDE_HELP,
        index=place(list(texts.OUTSIDES), mine.outside),
        key="trajectories outside",
    )
    with moves:
        st.toggle(
            "Once for each move to another tile",
            help=texts.MOVES_HELP,
            value=mine.moves,
            key="trajectories moves",
        )
        if not mine.moves:
            st.number_input(
                "The tile every so many minutes",
                1,
                MAX_MINUTES,
                value=mine.minutes,
                key="trajectories minutes",
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
        chart = tree.lengths_chart(lengths, choices.height, mark=data.mark)
        st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)


def _in_words(lengths: owner.TrajectoryLengths, height: int) -> str:
    tiles = f"{height} {'tile' if height == 1 else 'tiles'}"
    cut = f"**{percent(lengths.cut(height), 1)}** are longer than {tiles} and are cut."
    said = [f"**{lengths.total:,}** trajectories count; {cut}"]
    if lengths.not_counted:
        said.append(f"{lengths.not_counted:,} are left out by M.")
    if lengths.empty:
        said.append(f"{lengths.empty:,} visit no tile and are left out.")
    return " ".join(said)
