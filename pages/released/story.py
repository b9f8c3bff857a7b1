"""Story: the steps that a visitor put together from releases, to be edited, played and taken along; or one of the shelf, played."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore import limits
from dpcore.errors import StoryError
from dpcore.stories.file import story_of, story_text
from dpcore.stories.scene import Find, scene
from dpcore.stories.story import CHANGE, PROMISE
from dpcore.views.ground.plain import plain, sentence
from pages.parts.messages import bars_over_the_page, refusals, spinner, take_away
from pages.parts.roles import Role, require
from pages.parts.widget_keys import key_showing, when_other
from pages.released.parts import words
from pages.released.parts.kind_view import other_kinds
from pages.released.parts.story_files import draw_take_along
from pages.released.parts.story_play import play, story_and_step
from pages.released.parts.telling import (
    Telling,
    add_change,
    change_asked,
    compared_with,
    finder,
    first_story,
    keep_in_tab,
    open_story,
    sentence_kept,
    telling,
    title_kept,
)
from pages.released.parts.viewing import titles
from pages.released.parts.views import VIEWS

CALLED = {name: said.rpartition(": ")[2] for name, (said, _) in VIEWS.items()} | {
    CHANGE: "Change",
    PROMISE: "Promise",
}
"""What the view of a step is called."""
LATEST, NOTHING = "latest that fits", "no release"
"""Choices beside the names of releases, which hold no spaces."""


def begin(mine: Telling) -> None:
    """Start from a release, add what changed, or open a file."""
    there = titles() | other_kinds()
    left, right = st.columns(2, gap="large")
    with left:
        if there:
            start(mine, there)
        else:
            st.info(words.NOTHING, icon=":material/book_2:")
    with right, st.container(key="open-story"):
        most = limits.MAX_STORY_BYTES // 2**20
        given = st.file_uploader(words.OPEN_STORY.format(most=most), type="json", max_upload_size=most)
        if given is not None and given.file_id != mine.upload_seen:
            mine.upload_seen = given.file_id
            with refusals():
                open_story(story_of(given.getvalue()))


def start(mine: Telling, there: dict[str, str]) -> None:
    """Choose a release and what it is compared with."""
    asked = change_asked()
    if asked and asked != mine.asked:  # once: then the lists are the reader's
        st.session_state["story from"] = asked[0]
    name = st.selectbox(words.START_FROM, there, format_func=there.__getitem__, key="story from")
    fit, apart = compared_with(name)
    listed = {LATEST: words.LATEST, NOTHING: words.NO_EARLIER} | fit
    if asked and asked != mine.asked and asked[1] in fit:
        st.session_state["story compared"] = asked[1]
    if st.session_state.get("story compared") not in listed:
        st.session_state["story compared"] = LATEST
    mine.asked = asked
    earlier = st.selectbox(
        words.COMPARED, listed, format_func=listed.__getitem__, key="story compared", help=words.COMPARED_HELP
    )
    with st.container(horizontal=True):
        if st.button(words.START, icon=":material/auto_stories:", help=words.START_HELP):
            with refusals(), spinner(words.STARTING):
                open_story(first_story(name, {LATEST: None, NOTHING: ""}.get(earlier, earlier)))
                if {step.view for step in mine.story.steps} <= {CHANGE, PROMISE}:
                    st.info(words.NO_VIEWS, icon=":material/info:")
        if st.button(
            words.ADD_CHANGE,
            icon=":material/playlist_add:",
            help=words.ADD_CHANGE_HELP,
            disabled=earlier not in fit,
            type="primary" if asked and earlier == asked[1] else "secondary",
        ):
            with refusals():
                add_change(name, earlier)
    if apart:
        said = (f"- {plain(there[other])}: {plain(why)}" for other, why in apart.items())
        st.caption("\n".join((words.NOT_COMPARED, "", *said)))


def undo_row(mine: Telling) -> None:
    """What was taken away last, and the button that brings it back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(words.REPLACED if mine.lost[-1].at is None else words.DROPPED, width="content")
        st.button(words.UNDO, icon=":material/undo:", key="undo", on_click=change_story, args=(mine.undo,))


def change_story(change: Callable[..., None], *args: object) -> None:
    """Change the story, or say why not."""
    try:
        change(*args)
    except StoryError as error:
        st.toast(f"{sentence(error.what)}. {error.mend}", icon=":material/block:")


def unread(mine: Telling) -> None:
    """The copy of the tab that cannot be read, to be taken away."""
    with st.container(border=True):
        st.warning(words.UNREAD, icon=":material/warning:")
        with st.container(horizontal=True):
            take_away("Download", lambda: mine.unread, "story.json", icon="download", key="unread story")
            if st.button(words.DISCARD, icon=":material/delete:"):
                mine.unread = ""
                st.rerun()


def one_step(mine: Telling, at: int, there: dict[str, str], find: Find) -> None:
    """A step: what it shows, its sentence, and its buttons."""
    step = mine.story.steps[at]
    with st.container(border=True):
        left, right = st.columns([3, 1], vertical_alignment="center")
        shown = plain(there.get(step.release, step.release))
        left.markdown(
            f"**{at + 1}. {CALLED.get(step.view, step.view.replace('-', ' ').capitalize())}**, {shown}"
        )
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
        key = key_showing(f"sentence {at}", step.sentence, sentence_kept)
        st.text_area(
            words.SENTENCE,
            step.sentence,
            max_chars=limits.MAX_SENTENCE_CHARACTERS,
            height=90,
            key=key,
            on_change=when_other(key, step.sentence, partial(change_story, mine.say, at)),
        )
        fault = scene(mine.story, step, find).fault
        if fault:
            st.warning(plain(fault), icon=":material/block:")


def steps(mine: Telling) -> None:
    """The title, the buttons for all of it, and each step."""
    key = key_showing("story title", mine.story.title, title_kept)
    st.text_input(
        words.TITLE,
        mine.story.title,
        max_chars=limits.MAX_TITLE_CHARACTERS,
        key=key,
        live="0.5s",
        on_change=when_other(key, mine.story.title, mine.name),
    )
    with st.container(horizontal=True):
        if st.button(words.PLAY, icon=":material/slideshow:", type="primary", help=words.PLAY_HELP):
            st.query_params["step"] = "1"
            st.rerun()
        take_away(
            "Download",
            partial(story_text, mine.story),
            "story.json",
            icon="download",
            explained=words.FILE_HELP,
        )
    find = finder()
    draw_take_along(mine.story, find)
    there = titles() | other_kinds()
    there |= {name.removeprefix("upload:"): title for name, title in there.items()}
    lost_at = mine.lost[-1].at if mine.lost else None
    for at in range(len(mine.story.steps)):
        with st.container():
            if at == lost_at:
                undo_row(mine)
        one_step(mine, at, there, find)
    if lost_at is not None and lost_at >= len(mine.story.steps):
        undo_row(mine)
    st.caption(words.KEPT)


def page() -> None:
    """The whole page."""
    require(Role.VIEWER)
    keep_in_tab()
    mine = telling()
    mine.at = story_and_step()
    if mine.at is not None:
        play()
        return
    st.title("Story")
    st.markdown(words.STORY)
    with st.expander(words.BEGIN, expanded=not mine.story.steps or change_asked() is not None):
        begin(mine)
    with st.container():  # both come and go, and move nothing that stays
        if mine.unread:
            unread(mine)
        if mine.lost and (mine.lost[-1].at is None or not mine.story.steps):
            undo_row(mine)
    if mine.story.steps:
        steps(mine)


with bars_over_the_page():
    page()
