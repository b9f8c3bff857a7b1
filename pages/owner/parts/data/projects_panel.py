"""The projects on the Data page: which one is open, the recent ones, and how to rename and delete them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import streamlit as st

from dpcore import limits
from dpcore.api import studies
from dpcore.views.ground.plain import plain
from dpcore.views.maps.address import PROJECT
from pages.owner.parts.state import projects
from pages.owner.parts.state.session import BUILT_IN, Session, session
from pages.parts.messages import refusals

HELP: Final = (
    "A project is what you loaded and chose: trips, columns, tiles, dates, unit, M, ε, weights and account. It is saved in your "
    "private folder as it changes. Two tabs of one project take in each other's changes; where both change the same field, the "
    "last one stands."
)
DELETE: Final = (
    "Deletes this project with all that was derived for it: prepared trips, also of a loading that was refused, exact counts, tiles "
    "and digests; and what was said of the columns of files. What another project has loaded stays. The ledger and released "
    "bundles stay, and so do your own files. That you looked at a file stays noted under a secret digest of it: if you load it again, a "
    "release still says so."
)
_SHOWN: Final = 8


def projects_panel() -> None:
    """Open, begin, rename and delete projects."""
    mine = session()
    opened = mine.project
    name = opened.saved.name if opened else BUILT_IN
    with refusals(), st.expander(f"Project: {plain(name)}", icon=":material/folder_open:"):
        st.caption(HELP)
        listed = studies.projects.recent(projects.login())
        if opened is not None and opened.id is not None:
            _rename(mine, name)
        for one in listed[:_SHOWN]:
            _line(mine, one)
        if len(listed) > _SHOWN:
            st.caption(f"and {len(listed) - _SHOWN:,} older ones: delete some to see them")
        if st.button("New project", icon=":material/note_add:"):
            mine.forget()
            st.query_params.pop(PROJECT, None)
            st.rerun()


def _rename(mine: Session, name: str) -> None:
    field, press = st.columns([4, 1], vertical_alignment="bottom")
    wanted = field.text_input(
        "Name of this project",
        name,
        max_chars=limits.MAX_PROJECT_NAME_CHARACTERS,
        key=f"project name {mine.uploads}",
    )
    if press.button("Rename", disabled=wanted.strip() == name, width="stretch"):
        with refusals():
            projects.rename(mine, wanted)
            st.rerun()


def _line(mine: Session, one: studies.projects.Listed) -> None:
    """One project of the list, with what can be done with it."""
    opened = mine.project is not None and mine.project.id == one.id
    name, when, act, remove = st.columns([5, 3, 2, 2], vertical_alignment="center")
    name.markdown(plain(one.project.name) if one.project else "A damaged project")
    when.caption(f"{datetime.fromtimestamp(one.changed, UTC):%Y-%m-%d %H:%M} UTC")
    if one.fault is not None:
        name.caption(plain(f"{one.fault.what}. {one.fault.mend}"))
    elif opened:
        act.caption("open")
    elif act.button("Open", key=f"open project {one.id}", width="stretch"):
        with refusals():
            projects.open_project(mine, one.id)
            st.rerun()
    with remove.popover("Delete …", width="stretch"):
        st.markdown(DELETE)
        if st.button("Delete it", key=f"delete project {one.id}"):
            with refusals():
                projects.delete(mine, one.id)
                st.rerun()
