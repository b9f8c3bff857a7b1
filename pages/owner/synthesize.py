"""Synthesize: trips that nobody made, beside the true ones, and counts large enough to be published by name."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.owner.parts.explore.looking import banner
from pages.owner.parts.state import projects
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import loaded, session
from pages.owner.parts.synthesize import words as texts
from pages.owner.parts.synthesize.choices import choose_period, period_of
from pages.owner.parts.synthesize.model import sound_model
from pages.owner.parts.synthesize.opal import opal_tab
from pages.owner.parts.synthesize.paper import paper_model
from pages.parts.messages import bars_over_the_page, refusals
from pages.parts.when_open import tabs

SOUND, PAPER = "Sound", "As published (study only)"


def model_tab(data: DataSet) -> None:
    """The model of trips, sound or as published."""
    mode, terms = st.columns([3, 2], vertical_alignment="bottom")
    chosen = mode.segmented_control(
        "Mode",
        [SOUND, PAPER],
        required=True,
        help=texts.MODES_HELP,
        **session().form.segment("synthesize mode", [SOUND, PAPER], SOUND),
    )
    with terms.popover("Words", icon=":material/help:"):
        st.markdown(texts.TERMS)
    with st.container():
        choose_period(data)
    period = period_of(data)
    if period is None:
        return
    if chosen == SOUND:
        sound_model(data, period)
    else:
        paper_model(data, period)


def large_counts_tab(data: DataSet) -> None:
    """Counts that are large enough to be published by name."""
    opal_tab(data, period_of(data))


def page() -> None:
    """The page with its tabs; only the open one is worked out."""
    data = loaded()
    banner(data, texts.PRIVATE)

    def shown(tab: Callable[[DataSet], None]) -> None:
        with refusals():
            tab(data)

    listed = {texts.MODEL_TAB: model_tab, texts.OPAL_TAB: large_counts_tab}
    kept = session().form.segment("synthesize tab", [*listed], texts.MODEL_TAB)
    tabs({title: partial(shown, tab) for title, tab in listed.items()}, **kept)


st.title("Synthesize")
st.caption(texts.INTRO)
with projects.saved_changes(), refusals(), bars_over_the_page():
    page()
