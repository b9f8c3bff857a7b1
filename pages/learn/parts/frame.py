"""The frame that all lessons share: question, try it, what happened, why, check, teacher's notes, next lesson."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.learn.parts import classroom
from pages.learn.parts.catalogue import LESSONS, Lesson, lesson
from pages.parts.glossary import PAGE
from pages.parts.roles import Role, require

INDEX = "pages/learn/lessons.py"


def opening(file: str) -> Lesson:
    """Title, question and the facts above a lesson; ends the run of who has no role."""
    require(Role.VIEWER)
    mine = lesson(file)
    classroom.carry_on()
    st.title(mine.title)
    st.markdown(f"**{mine.question}**")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"Lesson {mine.number} of {len(LESSONS)}, about {mine.minutes} minutes. Demo city: nobody lives in it, so its truth may be shown."
        )
        if classroom.seed() is not None:
            st.badge(
                f"class {classroom.seed()}, {classroom.draws(mine.number)}: noise from a known seed",
                icon=":material/school:",
                color="orange",
            )
        classroom.controls()
    return mine


def try_it() -> None:
    """Heading of what there is to do."""
    st.subheader("Try it")


def what_happened() -> None:
    """Heading of what could just be seen."""
    st.subheader("What just happened")


def why() -> None:
    """Heading of the reason."""
    st.subheader("Why")


def check(question: str, answers: Sequence[str], right: int, because: str, *, key: str) -> None:
    """A question with one right answer; after choosing, whether it was right and why."""
    st.subheader("Check yourself")
    chosen = st.radio(question, answers, index=None, key=f"learn check {key}")
    if chosen is None:
        return
    if answers.index(chosen) == right:
        st.success(f"Yes. {because}", icon=":material/check_circle:")
    else:
        st.info(f"Not quite: {answers[right]}. {because}", icon=":material/lightbulb:")


def verify(text: str) -> None:
    """One line that the learner can check with pencil and paper or in the numbers above."""
    st.markdown(f":material/calculate: **Check it yourself.** {text}")


def attack_code(*functions_of: str) -> None:
    """The attack as it runs, one click away."""
    with st.expander("The attack, as it runs here", icon=":material/code:"):
        for text in functions_of:
            st.code(text, language="python")


def closing(mine: Lesson, notes: str, sources: Sequence[str]) -> None:
    """Teacher's notes with the mathematics, sources, and the ways on."""
    with st.expander("For the teacher: the mathematics, and what to ask", icon=":material/school:"):
        st.markdown(notes)
        st.markdown("**Sources**\n" + "\n".join(f"- {source}" for source in sources))
    place = LESSONS.index(mine)
    with st.container(horizontal=True):
        if place:
            before = LESSONS[place - 1]
            st.page_link(before.page, label=before.title, icon=":material/arrow_back:")
        st.page_link(INDEX, label="All lessons", icon=":material/list:")
        st.page_link(PAGE, label="Words", icon=":material/dictionary:")
        if place + 1 < len(LESSONS):
            after = LESSONS[place + 1]
            st.page_link(after.page, label=after.title, icon=":material/arrow_forward:")
