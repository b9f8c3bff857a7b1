"""Viewer: one release of tables as map, flows, rhythm, rankings; how accurate it is, what it promises, and its files.

Releases of other kinds have fewer views, which are pictures.
"""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from dpcore.release import Release
from dpcore.views.ground.plain import plain
from dpcore.views.maps.address import ESTIMATE, RELEASED
from pages.parts.map_data import map_data
from pages.parts.messages import bars_over_the_page, noted, refusals
from pages.parts.roles import Role, require
from pages.released.parts import words
from pages.released.parts.chips import part_words
from pages.released.parts.kind_view import asked_for, draw_kind, other_kinds
from pages.released.parts.of_wings import add_button, keep_story
from pages.released.parts.take_along import draw_picture_buttons
from pages.released.parts.viewing import Viewing, on_shelf, titles, viewing
from pages.released.parts.views import PRESENTED, READ, STEPS, TOLD, VIEWS, draw_view

STYLE = Path(__file__).parents[1] / "assets" / "viewer.css"  # the map fills the screen


def another_release() -> None:
    """Show the release that was chosen in the list, in the same view and with the same numbers: released or estimated."""
    at = viewing().at
    numbers = RELEASED if at.released else ESTIMATE
    viewing().look_at(st.session_state["release chosen"], {"view": at.view, "numbers": numbers})


def another_view() -> None:
    """Show the view that was chosen."""
    viewing().go(view=st.session_state["view chosen"])


def presented(mine: Viewing, *, present: bool) -> None:
    """Begin or end a presentation. The whole page runs anew: its style belongs to no part of it."""
    mine.go(present=present)
    mine.write_link()
    st.rerun()


def head(mine: Viewing, release: Release, there: Mapping[str, str]) -> None:
    """The title, and what must be read first. On the page to read, all controls stand below it."""
    if mine.at.view == READ:
        st.markdown(f"### {plain(release.title or release.id)}")
    else:
        left, right = st.columns([4, 11], vertical_alignment="bottom")
        left.markdown(f"### {plain(release.title or release.id)}")
        with right:
            choices(mine, release, there)
        views(mine)
    with st.container():  # what comes and goes moves nothing that stays
        noted(mine.notes)


def choices(mine: Viewing, release: Release, there: Mapping[str, str]) -> None:
    """The choice of another release, and the buttons. ``there``: titles of releases by name."""
    left, right = st.columns([4, 7], vertical_alignment="bottom")
    if len(there) > 1:
        st.session_state["release chosen"] = mine.name
        left.selectbox(
            "Release", there, format_func=there.__getitem__, key="release chosen", on_change=another_release
        )
    with right, st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        add_button(mine, release)
        if st.button("Present", icon=":material/present_to_all:", help=words.PRESENT_HELP):
            presented(mine, present=True)
        draw_picture_buttons(release, mine.at)
    keep_story()


def views(mine: Viewing) -> None:
    """The choice of a view."""
    st.session_state["view chosen"] = mine.at.view
    st.segmented_control(
        "View",
        [*VIEWS],
        format_func=lambda view: VIEWS[view][0],
        required=True,
        key="view chosen",
        label_visibility="collapsed",
        on_change=another_view,
    )


@st.fragment
def view(there: Mapping[str, str]) -> None:
    """Everything that a control changes; reruns alone, and never goes to the disk for a move of the slider."""
    require(Role.VIEWER)  # again, because a rerun of this part does not pass the router
    mine = viewing()
    release = mine.release
    if release is None:
        return
    with bars_over_the_page():
        show_release(mine, release, there)
    mine.write_link()


def show_release(mine: Viewing, release: Release, there: Mapping[str, str]) -> None:
    """The release as a presentation, or with all controls."""
    if mine.at.present:
        st.html(PRESENTED)
        with st.container(key=TOLD):
            st.markdown(f"## {plain(release.title or release.id)}")
            st.markdown(part_words(mine))
            with refusals():
                draw_view(mine, release)
        with st.container(key=STEPS):
            if st.button(words.STEP_BACK, icon=":material/close:"):
                presented(mine, present=False)
    else:
        st.html(STYLE)
        head(mine, release, there)
        with refusals():
            draw_view(mine, release)
        if mine.at.view == READ:
            views(mine)
            choices(mine, release, there)
        map_data("top", "viewer", {"shown": mine.at.view})


def viewer() -> None:
    """The whole page."""
    with refusals():
        there, others = titles(), other_kinds()
        other = asked_for(others, there)
        if other is not None:
            draw_kind(other, others)
            return
        if not there:
            st.title("Viewer")
            refused = any(entry.card is None for entry in on_shelf())
            st.info(words.NONE_OPENED if refused else words.NOTHING, icon=":material/book_2:")
            st.page_link("pages/released/library.py", label="Library", icon=":material/book_2:")
            return
        with st.spinner("Reading the release"):
            viewing().follow([*there])
        viewing().since = None  # another release may have come
        view(there)


viewer()
