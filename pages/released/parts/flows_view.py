"""Flows between tiles as lines and as a table."""

from __future__ import annotations

import streamlit as st

from dpcore.privacy import PrivacyUnit
from dpcore.release import Release
from dpcore.views import flows
from dpcore.views.cards import absent_pairs, flow_sentence
from dpcore.views.plain import cell
from pages.parts.ladder_map import ladder_map
from pages.parts.listing import why_missing
from pages.released.parts import words
from pages.released.parts.pictures import pictures
from pages.released.parts.viewing import Viewing


def draw(mine: Viewing, release: Release) -> None:
    """The whole view."""
    od = release.measurements.get("od_flows")
    if od is None:
        st.info(words.NO_FLOWS, icon=":material/info:")
        return
    found, rung = pictures(release), mine.at.rung
    sentence = flow_sentence(od, rung)
    if mine.at.present:
        ladder_map(found.flows or b"", key=f"flows {found.link}", tiles=found.geometry.packed, height=620)
        st.markdown(sentence)
        return
    st.markdown(sentence)
    left, right = st.columns([5, 4], gap="medium")
    with left:
        ladder_map(found.flows or b"", key=f"flows {found.link}", tiles=found.geometry.packed, height=470)
        st.caption(words.LINES)
    names = {tile: cell(name) for tile, name in found.geometry.names.items()}
    right.dataframe(
        flows.strongest_flows(od, rung, names),
        hide_index=True,
        height=520,
        alt="The strongest noisy flows with their 95 % intervals",
        column_config={
            "trips": st.column_config.NumberColumn(format="localized"),
            "from": st.column_config.TextColumn(width=100),
            "to": st.column_config.TextColumn(width=100),
            "stands out": st.column_config.CheckboxColumn(width=74),
        },
    )
    right.caption(words.WINNERS if od.bound.unit is PrivacyUnit.TRIP else f"{words.WINNERS} {words.LEFT_OUT}")
    st.markdown(absent_pairs(od))
    why_missing(od)
