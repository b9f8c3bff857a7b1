"""Trajectories: which way people went, with more noise where a place is more delicate (PLDP-TD)."""

import streamlit as st

from dpcore.errors import AtlasError
from pages.owner.parts import trajectories_words as texts
from pages.owner.parts.session import DataSet, loaded
from pages.owner.parts.synthesize_choices import period_of
from pages.owner.parts.synthesize_publish import publish_section
from pages.owner.parts.trajectories_ask import ask_section
from pages.owner.parts.trajectories_choices import choices_of, form, painting
from pages.owner.parts.trajectories_grow import grow_section
from pages.owner.parts.trajectories_levels import levels_section
from pages.owner.parts.trajectories_making import lengths_chart, making_section
from pages.owner.parts.trajectories_promise import both_numbers, promise_section
from pages.parts.messages import refused


def banner(data: DataSet) -> None:
    """Who may see what follows, and what the words mean."""
    if data.is_demo:
        st.caption(f"{data.mark}. {texts.DEMO}")
    else:
        st.warning(f"{data.mark} {texts.PRIVATE}", icon=":material/visibility_lock:")
    with st.popover("What do these words mean?", icon=":material/help:"):
        st.markdown(texts.TERMS)


def page() -> None:
    """The sections, from what is counted to what is published."""
    data = loaded()
    banner(data)
    mine, painted = form(data), painting(data.tessellation)
    making_section(data, mine)
    choices = choices_of(data, mine, painted, period_of(data))
    lengths_chart(data, choices)
    levels_section(data, mine, painted, choices)
    promise_section(data, mine, choices)
    grown = grow_section(data, choices)
    if grown is not None:
        ask_section(data, grown)
    else:
        st.subheader(texts.ASK_TITLE)
        st.caption(texts.NOTHING_TO_ASK)
    publish_section(
        data,
        choices,
        "Trajectories of a synthetic city",
        heading=texts.PUBLISH_TITLE,
        explained=texts.PUBLISH_HELP,
        repeated=both_numbers(choices, choices.plan(data.tessellation)),
    )


st.title("Trajectories")
st.caption(texts.INTRO)
try:
    page()
except AtlasError as error:
    refused(error)
