"""A view that is a picture with its words, as pages of readers show it."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

import streamlit as st

from dpcore.release import Release
from dpcore.views.ground.plain import plain
from dpcore.views.ground.themes import dark_svg
from dpcore.views.maps.address import Address
from dpcore.views.pictures import Slide, can_be_drawn, slide_of
from dpcore.views.pictures.files import drawn_svg
from pages.parts.chart import is_dark
from pages.released.parts import words
from pages.released.parts.viewing import Viewing

STYLE: Final = Path(__file__).parents[2] / "assets" / "slide.css"
_SLIDES: Final[WeakKeyDictionary[Release, dict[Address, Slide]]] = WeakKeyDictionary()
_PICTURES: Final[WeakKeyDictionary[Slide, dict[tuple[bool, bool], str]]] = WeakKeyDictionary()
"""What was drawn, as long as somebody holds it: it never changes."""


def draw_slide(shown: Slide, *, spoken: bool = True) -> None:
    """The picture with its words; below one another on a telephone. ``spoken``: with its sentence."""
    if shown.sentence and spoken:
        st.markdown(f"**{plain(shown.sentence)}**")
    if shown.drawn is not None:
        for narrow, key in ((False, "wide-picture"), (True, "narrow-picture")):
            with st.container(key=key):
                st.image(_svg(shown, narrow=narrow, dark=is_dark()), alt=shown.alt, width="stretch")
    st.caption(f"{plain(shown.told)}  \n{plain(shown.source)}")


def draw_table_view(mine: Viewing, release: Release) -> None:
    """A view of a release of tables that has no drawing of its own on the screen: what a picture of it shows."""
    st.html(STYLE)
    if not can_be_drawn(release, mine.at):
        st.info(words.NOTHING_THERE, icon=":material/info:")
        return
    draw_slide(slide_at(release, mine.at))


def slide_at(release: Release, at: Address) -> Slide:
    """What a picture of a view shows, made once. Raises InputError where there is nothing to draw."""
    slides = _SLIDES.setdefault(release, {})
    if at not in slides:
        slides[at] = slide_of(release, at)
    return slides[at]


def _svg(shown: Slide, *, narrow: bool, dark: bool) -> str:
    """The picture for a width and a theme."""
    pictures, key = _PICTURES.setdefault(shown, {}), (narrow, dark)
    if key not in pictures:
        drawn = drawn_svg(shown, "n" if narrow else "w", narrow=narrow)
        pictures[key] = dark_svg(drawn) if dark else drawn
    return pictures[key]
