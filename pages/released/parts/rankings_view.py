"""The first ten tiles and flows, and how far their order can be trusted."""

from __future__ import annotations

import streamlit as st

from dpcore.release import Release
from dpcore.views import tables
from dpcore.views.charts import larger
from dpcore.views.listing import by_chance
from dpcore.views.ranking import assumption, counted_trips
from dpcore.views.rankings import ranking_chart
from pages.released.parts import words
from pages.released.parts.pictures import ranking
from pages.released.parts.viewing import Viewing


def draw(mine: Viewing, release: Release) -> None:
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
        chart = larger(ranking_chart(found), 520, 17)
        st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)
        return
    st.markdown(words.RANKINGS.format(counted=counted_trips(release.plan.bound)))
    for column, (title, found) in zip(st.columns(len(lists), gap="large"), lists, strict=True):
        with column:
            st.markdown(f"#### {title}")
            chart = ranking_chart(found)
            st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)
            st.table(
                tables.ranking_table(found.names, found.places, found.half_width),
                border="horizontal",
                alt=chart.alt,
            )
    st.caption(assumption(release.plan.bound))
    if "od_flows" in held and held["od_flows"].threshold is not None:
        st.caption(words.ABSENT_RANK.format(false=by_chance(held["od_flows"])))
