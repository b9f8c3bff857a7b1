"""Story: the steps that a visitor put together from releases, to be edited, played and taken along; or one of the shelf, played."""

from functools import partial

import streamlit as st

from dpcore import limits
from dpcore.views.plain import plain
from dpcore.views.story import CHANGE, PROMISE, Step
from dpcore.views.story.file import story_of, story_text
from dpcore.views.story.scene import scene
from pages.parts.messages import refusals, take_away
from pages.parts.roles import Role, require
from pages.parts.widget_keys import key_showing, when_other
from pages.released.parts import words
from pages.released.parts.story_play import asked, play
from pages.released.parts.take_along import draw_take_along
from pages.released.parts.telling import Telling, find, first_story, keep_in_tab, telling
from pages.released.parts.viewing import in_the_viewer
from pages.released.parts.views import VIEWS

CALLED = {name: said.split(": ", 1)[1] for name, (said, _) in VIEWS.items()} | {
    CHANGE: "Change",
    PROMISE: "Promise",
}
"""What the view of a step is called."""


def begin(mine: Telling) -> None:
    """Start from a release, or from a file."""
    there = in_the_viewer()
    left, right = st.columns(2, gap="large")
    with left, st.container(horizontal=True, vertical_alignment="bottom"):
        if there:
            name = st.selectbox(words.START_FROM, there, format_func=there.__getitem__, key="story from")
            if st.button(words.START, icon=":material/auto_stories:", help=words.START_HELP):
                with refusals(), st.spinner(words.STARTING):
                    mine.tell(first_story(name))
        else:
            st.info(words.NOTHING, icon=":material/book_2:")
    with right:
        given = st.file_uploader(words.OPEN_STORY, type="json", max_upload_size=1)
        if given is not None and given.file_id != mine.upload_seen:
            mine.upload_seen = given.file_id
            with refusals():
                mine.tell(story_of(given.getvalue()))


def one_step(mine: Telling, at: int, step: Step, titles: dict[str, str]) -> None:
    """A step: what it shows, its sentence, and its buttons."""
    with st.container(border=True):
        left, right = st.columns([3, 1], vertical_alignment="center")
        shown = plain(titles.get(step.release, step.release))
        left.markdown(f"**{at + 1}. {CALLED[step.view]}**, {shown}")
        with right.container(horizontal=True, horizontal_alignment="right"):
            last = at == len(mine.story.steps) - 1
            for label, icon, by, off in (
                (words.UP, "arrow_upward", -1, at == 0),
                (words.DOWN, "arrow_downward", 1, last),
            ):
                st.button(
                    "",
                    icon=f":material/{icon}:",
                    help=label,
                    key=f"{label} {at}",
                    disabled=off,
                    on_click=mine.move,
                    args=(at, by),
                )
            st.button(
                "",
                icon=":material/delete:",
                help=words.DROP,
                key=f"drop {at}",
                on_click=mine.drop,
                args=(at,),
            )
        key = key_showing(f"sentence {at}", step.sentence)
        st.text_area(
            words.SENTENCE,
            step.sentence,
            max_chars=limits.MAX_SENTENCE_CHARACTERS,
            height=90,
            key=key,
            on_change=when_other(key, step.sentence, partial(mine.say, at)),
        )
        fault = scene(mine.story, step, find).fault
        if fault:
            st.warning(plain(fault), icon=":material/block:")


def steps(mine: Telling) -> None:
    """The title, the buttons for all of it, and each step."""
    key = key_showing("story title", mine.story.title)
    st.text_input(
        words.TITLE,
        mine.story.title,
        max_chars=limits.MAX_TITLE_CHARACTERS,
        key=key,
        on_change=when_other(key, mine.story.title, mine.name),
    )
    with st.container(horizontal=True):
        if st.button(words.PLAY, icon=":material/slideshow:", type="primary", help=words.PLAY_HELP):
            st.query_params["step"] = "1"
            st.rerun()
        take_away(
            "Download",
            lambda: story_text(mine.story),
            "story.json",
            icon="download",
            explained=words.FILE_HELP,
        )
    draw_take_along(mine.story, find)
    titles = in_the_viewer()
    titles |= {name.removeprefix("upload:"): title for name, title in titles.items()}
    for at, step in enumerate(mine.story.steps):
        one_step(mine, at, step, titles)
    st.caption(words.KEPT)


def page() -> None:
    """The whole page."""
    require(Role.VIEWER)
    keep_in_tab()
    if asked() is not None:
        play()
        return
    mine = telling()
    st.title("Story")
    st.markdown(words.STORY)
    with st.expander(words.BEGIN, expanded=not mine.story.steps):
        begin(mine)
    if mine.story.steps:
        steps(mine)


page()
