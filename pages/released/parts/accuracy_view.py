"""How accurate the release is: noise, what can be read, and shares of epsilon."""

from __future__ import annotations

import streamlit as st

from dpcore.privacy import decimal_text
from dpcore.release import Release
from dpcore.views import tables
from pages.released.parts import words
from pages.released.parts.viewing import Viewing


def draw(mine: Viewing, release: Release) -> None:
    """The whole view."""
    epsilon = decimal_text(release.plan.rungs[mine.at.rung])
    st.markdown(f"#### At ε = {epsilon}")
    st.table(tables.accuracy_table(release, mine.at.rung), border="horizontal", alt="Noise of each measure")
    st.caption(words.ACCURACY)
    st.markdown("#### At every released ε")
    st.markdown("Noise of one count, 95 %:")
    st.table(tables.ladder_table(release), border="horizontal", alt="Noise of each measure at every rung")
    st.caption(words.SENSITIVITY)
