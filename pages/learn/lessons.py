"""All lessons: what each asks, how long it takes, and what to read afterwards."""

import streamlit as st

from pages.learn.parts import classroom
from pages.learn.parts.catalogue import LESSONS
from pages.learn.parts.reading import READING
from pages.parts.roles import Role, require

COLUMNS = 2

require(Role.VIEWER)
st.title("Lessons")
st.markdown(
    "Break privacy on a city in which nobody lives, see why it broke, and mend it. Each lesson is one question, something "
    "to do, and a number that you can check. They build on each other but stand alone."
)
classroom.controls()
for start in range(0, len(LESSONS), COLUMNS):
    for cell, one in zip(st.columns(COLUMNS), LESSONS[start : start + COLUMNS], strict=False):
        with cell.container(border=True, height="stretch"):
            st.page_link(one.page, label=f"**{one.number} {one.title}**", icon=one.icon)
            st.markdown(one.question)
            st.caption(f"About {one.minutes} minutes")
st.subheader("To read")
st.markdown(READING)
