"""All lessons: what each asks, how long it takes, and what to read afterwards."""

import streamlit as st

from pages.learn.parts import classroom
from pages.learn.parts.catalogue import lessons
from pages.parts.roles import Role, require

COLUMNS = 2
READING = """
- Desfontaines, *A friendly, non-technical introduction to differential privacy*: a series of short articles.
- Near and Abuah, *Programming Differential Privacy*: the mathematics with code, free on the web.
- Dwork and Roth, *The Algorithmic Foundations of Differential Privacy* (2014): the textbook.
- OpenDP, *documentation and notebooks*: attacks and mechanisms step by step, with a library that proves what it adds.
- `opendp/privacy-attacks` (MIT licence): reconstruction and membership attacks as exercises.
- Vadhan and others, *Applied Privacy for Data Science* (Harvard cs208): a course with open slides and exercises.
- NIST SP 800-226, *Guidelines for Evaluating Differential Privacy Guarantees*: what to ask of somebody who claims it.
- Houssiau, Rocher, de Montjoye, *On the difficulty of achieving differential privacy in practice* (2022): trips against
  people, on a real release of flows.
"""
"""What to read after the lessons: names to search for, no links that this app would follow."""

require(Role.VIEWER)
st.title("Lessons")
st.markdown(
    "Break the privacy of a city in which nobody lives, see why it broke, and mend it. Each lesson has one question, something to "
    "do, and a number that you can check. The lessons build on each other, but each can be read alone."
)
classroom.controls()
listed = lessons()
for start in range(0, len(listed), COLUMNS):
    for cell, one in zip(st.columns(COLUMNS), listed[start : start + COLUMNS], strict=False):
        with cell.container(border=True, height="stretch"):
            st.page_link(one.page, label=f"**{one.number} {one.title}**", icon=one.icon)
            st.markdown(one.question)
            st.caption(f"About {one.minutes} minutes")
st.subheader("To read")
st.markdown(READING)
