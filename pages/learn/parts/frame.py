"""What all lessons share: the frame from question to next lesson, their widgets and their pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil
from pathlib import Path
from types import ModuleType
from typing import Final, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.lessons import pictures
from dpcore.privacy import decimal_text
from dpcore.views.charts.charts import Chart
from pages.learn.parts import classroom
from pages.learn.parts.catalogue import Lesson, lesson, lessons
from pages.parts import when_open
from pages.parts.chart import show_chart
from pages.parts.glossary import PAGE
from pages.parts.roles import Role, require

INDEX: Final = "pages/learn/lessons.py"
Option = TypeVar("Option")
Widgets = DeltaGenerator | ModuleType
"""Where a widget stands: a column, or the page itself (``st``)."""


def opening(page: str) -> Lesson:
    """Title, question, facts and the first heading of a lesson; ends the run of who has no role. ``page``: its ``__file__``."""
    require(Role.VIEWER)
    mine = lesson(Path(page).stem)
    classroom.carry_on()
    st.title(mine.title)
    st.markdown(f"**{mine.question}**")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"Lesson {mine.number} of {len(lessons())}, about {mine.minutes} minutes. Demo city: nobody lives in it, so its truth may be shown."
        )
        place = st.container(width="content")  # it is always there: a class that is joined moves no button
        if classroom.seed() is not None:
            place.badge(
                f"class {classroom.seed()}, {classroom.draws(mine.number)}: noise from a known seed",
                icon=":material/school:",
                color="orange",
            )
        classroom.controls()
    st.subheader("Try it")
    return mine


def what_happened(text: str) -> None:
    """What could just be seen."""
    st.subheader("What just happened")
    st.markdown(text)


def why(text: str) -> None:
    """The reason."""
    st.subheader("Why")
    st.markdown(text)


def check(question: str, answers: Sequence[str], right: int, because: str, *, key: str) -> None:
    """A question with one right answer; after choosing, whether it was right and why."""
    st.subheader("Check yourself")
    chosen = st.radio(question, answers, index=None, key=f"learn check {key}")
    place = st.container()  # it is always there: an answer moves nothing below it
    if chosen is None:
        return
    if answers.index(chosen) == right:
        place.success(f"Yes. {because}", icon=":material/check_circle:")
    else:
        place.info(f"Not quite: {answers[right]}. {because}", icon=":material/lightbulb:")


def verify(text: str) -> None:
    """One line that the learner can check with pencil and paper or in the numbers above."""
    st.markdown(f":material/calculate: **Check it yourself.** {text}")


def attack_code(*functions_of: str) -> None:
    """The attack as it runs, one click away."""

    def shown() -> None:
        for text in functions_of:
            st.code(text, language="python")

    when_open.expander("The attack, as it runs here", shown, icon=":material/code:", key="learn attack")


def closing(mine: Lesson, notes: str, sources: Sequence[str]) -> None:
    """Teacher's notes with the mathematics, sources, and the ways on."""

    def shown() -> None:
        st.markdown(notes)
        st.markdown("**Sources**\n" + "\n".join(f"- {source}" for source in sources))

    title = "For the teacher: the mathematics, and what to ask"
    when_open.expander(title, shown, icon=":material/school:", key="learn notes")
    listed = lessons()
    place = listed.index(mine)
    with st.container(horizontal=True):
        if place:
            before = listed[place - 1]
            st.page_link(before.page, label=before.title, icon=":material/arrow_back:")
        st.page_link(INDEX, label="All lessons", icon=":material/list:")
        st.page_link(PAGE, label="Words", icon=":material/dictionary:")
        if place + 1 < len(listed):
            after = listed[place + 1]
            st.page_link(after.page, label=after.title, icon=":material/arrow_forward:")


def tabs(shown: dict[str, Callable[[], None]], *, key: str) -> None:
    """Parts beside each other, bound to the address; those that are closed wait until they are opened."""
    when_open.tabs(shown, key=key, linked=True)


def one_of(
    at: DeltaGenerator,
    label: str,
    options: Sequence[Option],
    default: Option,
    *,
    key: str,
    format_func: Callable[[Option], str] = str,
) -> Option:
    """Side by side, bound to the address; the default where a link leaves the choice empty or names no option."""
    chosen = at.segmented_control(
        label, options, default=default, format_func=format_func, required=True, key=key, bind="query-params"
    )
    return chosen if chosen in options else default


def one_listed(
    at: DeltaGenerator,
    label: str,
    options: Sequence[Option],
    default: Option,
    *,
    key: str,
    format_func: Callable[[Option], str] = str,
) -> Option:
    """In a list that opens, bound to the address; the default where a link leaves the choice empty or names no option."""
    chosen = at.selectbox(
        label, options, index=options.index(default), format_func=format_func, key=key, bind="query-params"
    )
    return chosen if chosen in options else default


def stop(at: Widgets, label: str, rungs: Sequence[Fraction], default: Fraction, *, key: str) -> Fraction:
    """An epsilon chosen among rungs, bound to the address."""
    return at.select_slider(label, rungs, default, decimal_text, key=key, bind="query-params")


def metrics(*shown: tuple[str, str] | tuple[str, str, str]) -> None:
    """Key numbers beside each other: label and value, and what stands below it, in grey and without an arrow."""
    for column, (label, value, *below) in zip(st.columns(len(shown)), shown, strict=True):
        column.metric(
            label, value, below[0] if below else None, delta_color="off", delta_arrow="off", border=True
        )


def again(label: str, *actions: str, icon: str = ":material/casino:", key: str | None = None) -> None:
    """A button that draws what some actions drew anew."""
    if st.button(label, icon=icon, key=key):
        for action in actions:
            classroom.next_turn(action)
        st.rerun()


def picture(chart: Chart, name: str) -> None:
    """Draw a chart; its camera saves the picture, a button its numbers. ``name``: of the files, without an ending."""
    known = name if classroom.seed() is None else f"{name}-class-{classroom.seed()}"
    show_chart(chart, key=f"learn chart {name}", name=known)
    with st.popover("Take along", icon=":material/download:", width="content"):
        st.caption("The camera above the chart saves the picture. The menu *Pictures* chooses PNG or SVG.")
        st.download_button(
            "Numbers (.csv)",
            lambda: pictures.csv(chart),
            f"{known}.csv",
            "text/csv",
            on_click="ignore",
            key=f"learn csv {name}",
        )


def at_most(share: float, digits: int = 1) -> str:
    """An upper bound in per cent, rounded up, so that what is printed is a bound too.

    >>> at_most(0.73105), at_most(0.65135, 2)
    ('73.2 %', '65.14 %')
    """
    steps = 10**digits
    return f"{ceil(100 * steps * share) / steps:.{digits}f} %"
