"""Trajectories: which way people went, with more noise where a place is more delicate (PLDP-TD)."""

import streamlit as st

from pages.owner.parts.explore.looking import banner
from pages.owner.parts.release.publishing import publish_section
from pages.owner.parts.release.spending import Offer
from pages.owner.parts.state import projects
from pages.owner.parts.state.session import loaded
from pages.owner.parts.synthesize.choices import period_of
from pages.owner.parts.trajectories import words as texts
from pages.owner.parts.trajectories.choices import choices_of, form, place_levels
from pages.owner.parts.trajectories.levels import levels_section
from pages.owner.parts.trajectories.making import (
    both_numbers,
    lengths_chart,
    making_section,
    promise_section,
)
from pages.owner.parts.trajectories.tree import ask_section, grow_section, levels_study_section
from pages.parts.messages import bars_over_the_page, refusals


def page() -> None:
    """The sections, from what is counted to what is published, each in a place of its own: what one shows moves no other."""
    data = loaded()
    banner(data, texts.PRIVATE)
    with st.popover("Words", icon=":material/help:"):
        st.markdown(texts.TERMS)
    mine, levels = form(data), place_levels(data.tessellation)
    making_section(data, mine)
    choices = choices_of(data, mine, levels, period_of(data))
    lengths_chart(data, choices)
    levels_section(data, mine, levels, choices)
    promise_section(data, mine, choices)
    with st.container():
        grown = grow_section(data, choices)
    with st.container():
        levels_study_section(data, choices)
    with st.container():
        if grown is not None:
            ask_section(data, grown)
        else:
            st.subheader(texts.ASK_TITLE)
            st.caption(texts.NOTHING_TO_ASK)
    said = both_numbers(choices, choices.plan(data.tessellation))
    publish_section(
        data,
        Offer(choices, "Trajectories of a synthetic city", said),
        heading=texts.PUBLISH_TITLE,
        explained=texts.PUBLISH_HELP,
    )


st.title("Trajectories")
st.caption(texts.INTRO)
with projects.saved_changes(), refusals(), bars_over_the_page():
    page()
