"""A story as one file to take along, drawn when it is asked for."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.stories.scene import Find
from dpcore.stories.slides import slides
from dpcore.stories.story import Story
from dpcore.stories.taken import slides_file
from pages.parts.messages import take_away
from pages.released.parts import words

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
    return slides_file(slides(story, find), story.title, form)
