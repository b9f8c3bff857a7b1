"""What an owner declares: what is known anyway about the data, and how the parameters were chosen."""

from __future__ import annotations

import streamlit as st

from dpcore import owner
from dpcore.errors import AtlasError
from pages.owner.parts import release_words
from pages.owner.parts.draft import Draft
from pages.owner.parts.looks import Look, in_words
from pages.owner.parts.session import DataSet, place, session
from pages.parts.messages import refused


def declared(data: DataSet, draft: Draft) -> None:
    """What is known anyway, for the forecast."""
    if draft.look:
        _look(data, draft)
    trips, people = st.columns(2)
    draft.trips = trips.number_input(
        "Trips, about",
        0,
        None,
        placeholder="not declared",
        help=release_words.FACTS_HELP,
        value=draft.trips,
        key="release trips",
    )
    if data.trips.has_users:
        draft.users = people.number_input(
            "People, about",
            1,
            None,
            placeholder="not declared",
            help=release_words.FACTS_HELP,
            value=draft.users,
            key="release users",
        )
    if not data.is_demo:
        st.button(
            "Use the true numbers",
            help=release_words.TRUE_NUMBERS,
            icon=":material/visibility:",
            type="tertiary",
            on_click=_ask_to_look,
        )


def _ask_to_look() -> None:
    session().draft().ask_to_look()


def _look(data: DataSet, draft: Draft) -> None:
    """Read the true numbers off the data, as its owner asked."""
    draft.look = False
    try:
        draft.trips = data.trips.report.trips
        if data.trips.has_users:
            draft.users = sum(owner.exact_table(data.trips, "trips_per_user", None)["value"]) or None
    except AtlasError as error:
        refused(error)
        return
    session().looked(Look.NUMBERS)
    st.session_state["release trips"] = draft.trips
    st.session_state["release users"] = draft.users


def chosen(draft: Draft) -> None:
    """How the parameters came about; must be said. What was claimed before looking is asked anew after it."""
    ways, key = draft.ways, "release chosen"
    if st.session_state.get(key) not in {None, *ways}:
        st.session_state[key] = None
    draft.chosen = st.radio(
        "How were ε, M, tiles and dates chosen?",
        ways,
        index=place(ways, draft.chosen),
        format_func=release_words.CHOSEN.get,
        help=release_words.CHOSEN_HELP,
        key=key,
    )
    if draft.looked:
        st.caption(f"{in_words(draft.looked)} {release_words.LOOKED}")
