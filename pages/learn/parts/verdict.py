"""The end of lesson 14: which machines does the learner accuse, and what are they?"""

from __future__ import annotations

import streamlit as st

from dpcore.lessons.machines import Machine
from pages.learn.parts.catalogue import lesson

FEWEST, MOST = 3, 5


def verdict(machines: dict[str, Machine], turn: int) -> None:
    """Three to five are marked, then the machines are opened; asked anew for other machines."""
    accused = st.pills(
        "These machines lie (mark three to five)",
        list(machines),
        selection_mode="multi",
        key=f"14-accused{turn or ''}",
        bind="query-params",
    )
    if not FEWEST <= len(accused) <= MOST:
        st.caption(f"{len(accused)} marked. The machines can be opened when three to five are.")
        return
    if not st.toggle("Open the machines", key=f"14-opened{turn or ''}"):
        return
    liars = {letter for letter, machine in machines.items() if machine.lies}
    caught, wronged = len(liars & {*accused}), len({*accused} - liars)
    if wronged:
        st.warning(
            f"{caught} of {len(liars)} liars found, and an honest machine accused.", icon=":material/gavel:"
        )
    elif caught == len(liars):
        st.success(f"All {caught} liars found, and nobody wronged.", icon=":material/gavel:")
    else:
        st.info(f"{caught} of {len(liars)} liars found, and nobody wronged.", icon=":material/gavel:")
    for letter, machine in machines.items():
        mark = ":material/check_circle:" if (letter in accused) == machine.lies else ":material/cancel:"
        word = "lies" if machine.lies else "is honest"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{mark} **{letter} {word}**: {machine.name}. {machine.truth}")
            if machine.lesson:
                shown = lesson(machine.lesson)
                st.page_link(shown.page, label=f"Lesson {shown.number}", icon=shown.icon)
