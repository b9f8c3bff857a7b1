"""Flows between tiles as lines and as a table; the first ten tiles and flows, and how far their order can be trusted."""

from __future__ import annotations

import streamlit as st

from dpcore.release import Release
from dpcore.views.charts import larger
from dpcore.views.flows import by_chance
from dpcore.views.plain import cell
from dpcore.views.ranking import assumption, counted_trips, ranking_chart, ranking_table
from dpcore.views.sentences import absent_pairs, flow_sentence
from pages.parts.figures import show_chart, strongest_flows, why_missing
from pages.parts.ladder_map import ladder_map
from pages.released.parts import words
from pages.released.parts.pictures import pictures, ranking
from pages.released.parts.viewing import Viewing


def draw_flows(mine: Viewing, release: Release) -> None:
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
    strongest_flows(right, od, rung, names, height=520)
    st.markdown(absent_pairs(od))
    why_missing(od)


def draw_rankings(mine: Viewing, release: Release) -> None:
    """The whole view."""
    held, rung = release.measurements, mine.at.rung
    lists = []
    if "visits_per_tile" in held:
        lists.append(("Tiles by visits", ranking(release, "visits_per_tile", rung)))
    if "od_flows" in held:
        lists.append(("Flows by trips", ranking(release, "od_flows", rung)))
    if not lists:
        st.info(words.NO_RANKING, icon=":material/info:")
        return
    if mine.at.present:
        title, found = lists[0]
        st.markdown(f"**{title}**")
        show_chart(larger(ranking_chart(found), 520, 17))
        return
    st.markdown(words.RANKINGS.format(counted=counted_trips(release.plan.bound)))
    for column, (title, found) in zip(st.columns(len(lists), gap="large"), lists, strict=True):
        with column:
            st.markdown(f"#### {title}")
            chart = ranking_chart(found)
            show_chart(chart)
            st.table(
                ranking_table(found.names, found.places, found.half_width),
                border="horizontal",
                alt=chart.alt,
            )
    st.caption(assumption(release.plan.bound))
    if "od_flows" in held and held["od_flows"].threshold is not None:
        st.caption(words.ABSENT_RANK.format(false=by_chance(held["od_flows"])))
