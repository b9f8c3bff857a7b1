"""What is taken along: a view as a picture, and a story as one file. All of it is drawn when it is asked for, by a library."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.release import Release, kind_of
from dpcore.views.maps.address import Address
from dpcore.views.pictures import DRAWN, can_be_drawn, slide_of
from dpcore.views.story.scene import Find
from dpcore.views.story.slides import slides
from dpcore.views.story.story import Story
from dpcore.views.story.taken import picture_of, taken
from pages.parts.messages import take_away
from pages.released.parts import words
from pages.released.parts.viewing import saved_name

FORMS = {
    ".pdf": ("PDF", "picture_as_pdf"),
    ".pptx": ("PowerPoint", "co_present"),
    ".html": ("HTML (offline)", "html"),
}
"""The files of a story: what stands on the button, and its icon."""


def draw_take_along(story: Story, find: Find) -> None:
    """Buttons that download a story as a file, one page a step. ``find`` opens the releases that it names."""
    st.caption(words.TAKE_ALONG)
    with st.container(horizontal=True):
        for form, (label, icon) in FORMS.items():
            take_away(
                label, partial(_story, story, find, form), f"story{form}", icon=icon, key=f"take story {form}"
            )


def _story(story: Story, find: Find, form: str) -> bytes:
    return taken(slides(story, find), story.title, form)


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
        for view in kind_of(release.plan).views
        if can_be_drawn(release, found := Address(view, at.rung, released=at.released, part=at.part))
    }
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    view = left.selectbox("View", there, format_func=DRAWN.__getitem__, key="pictured view")
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
