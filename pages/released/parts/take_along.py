"""A view as a picture to take along, drawn when it is asked for."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.release import Release
from dpcore.views.maps.address import VIEWS, Address
from dpcore.views.pictures import can_be_drawn, slide_of, view_titles
from dpcore.views.pictures.taken import picture_of
from pages.parts.messages import take_away
from pages.released.parts import words
from pages.released.parts.viewing import saved_name


def draw_picture_buttons(release: Release, at: Address) -> None:
    """Buttons that download what the Viewer shows as a picture; none where there is nothing to draw."""
    if not can_be_drawn(release, at):
        return
    with st.popover("Take along", icon=":material/image:", help=words.PICTURE_HELP):
        _both(release, at)


def draw_pictures(release: Release, at: Address) -> None:
    """Buttons for the pictures of every view that has something to draw, on the page of downloads."""
    there = {
        view: found
        for view in VIEWS
        if can_be_drawn(release, found := Address(view, at.rung, released=at.released, part=at.part))
    }
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    view = left.selectbox("View", there, format_func=view_titles().__getitem__, key="pictured view")
    with right.container(horizontal=True):
        _both(release, there[view])


def _both(release: Release, at: Address) -> None:
    name = f"{saved_name(release)}-{at.view}"
    for form, explained in ((".png", "2,560 x 1,440 pixels"), (".svg", "Vectors, for large prints")):
        take_away(
            form[1:].upper(),
            partial(_picture, release, at, form),
            f"{name}{form}",
            icon="image",
            explained=explained,
            key=f"picture {form} {at.view} {at}",
        )


def _picture(release: Release, at: Address, form: str) -> bytes:
    return picture_of(slide_of(release, at), form)
