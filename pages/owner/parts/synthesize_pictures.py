"""The original beside the synthetic trips: maps, routes, series, and every number. For the owner alone."""

from __future__ import annotations

import streamlit as st

from dpcore import owner
from dpcore.comparison import matched
from dpcore.views import comparison, comparison_map, synthesis
from pages.owner.parts import synthesize_words as texts
from pages.owner.parts.compare_pictures import overlay
from pages.owner.parts.session import DataSet

NAMES = ("Original", "Synthetic")


def pictures(data: DataSet, found: owner.Beside) -> None:
    """Maps, routes and series, one kind at a time."""
    kind = st.segmented_control(
        "Pictures",
        ["Visits", "Routes", "Difference", "Over time"],
        default="Visits",
        required=True,
        key="synthesize picture",
        label_visibility="collapsed",
    )
    if kind == "Over time":
        _series(data, found)
    elif kind == "Difference":
        _difference(data, found)
    else:
        _maps(data, found, routes=kind == "Routes")


def _maps(data: DataSet, found: owner.Beside, *, routes: bool) -> None:
    figures, dark = (found.original, found.synthetic), st.context.theme.type == "dark"
    for column, name, figure in zip(st.columns(2), NAMES, figures, strict=True):
        if routes:
            drawn = synthesis.routes_svg(data.tessellation, figure.routes / 100, name, data.mark, dark=dark)
        else:
            visits = (figure.outgoing + figure.incoming) / 200
            drawn = synthesis.visits_svg(data.tessellation, visits, name, data.mark, dark=dark)
        column.image(drawn, width="stretch", alt=f"{name}: map of {'routes' if routes else 'visits'}")
    if not routes:
        st.caption(texts.MAPS)


def _difference(data: DataSet, found: owner.Beside) -> None:
    one, other = (side.tables["visits_per_tile"] for side in found.sides)
    dark = st.context.theme.type == "dark"
    gaps = comparison_map.differences(matched(one, other), data.tessellation)
    if gaps is None:
        st.info("One side has no trips, so there is no difference to draw.", icon=":material/map:")
        return
    st.image(
        comparison_map.difference_svg(data.tessellation, gaps, NAMES, data.mark, dark=dark),
        width="stretch",
        alt="Difference of both maps",
    )
    st.caption("Blue: the synthetic trips have a larger share of the visits; orange: a smaller one.")


def _series(data: DataSet, found: owner.Beside) -> None:
    one, other = found.sides
    ordered = [name for name, table in one.tables.items() if table.layout.ordered]
    overlay(one, other, NAMES, ordered, data.mark, page="synthesize", said=lambda _: texts.SERIES)


def numbers(data: DataSet, found: owner.Beside) -> None:
    """The tables of the paper's Figure 1 and every metric."""
    st.subheader("In numbers")
    one, other = found.original, found.synthetic
    tables = synthesis.popular_tables(one, other, found.domain, data.geometry.names)
    tables |= {"Times of day": synthesis.times_table(one, other)}
    tables |= {"Duration": synthesis.durations_table(one, other)}
    for column, (title, table) in zip(st.columns(3) * 2, tables.items(), strict=False):
        with column:
            st.markdown(f"**{title}**")
            st.table(table)
    _people(data, found)
    st.markdown("**How near**")
    with st.popover("What do these numbers mean?", icon=":material/help:", width="content"):
        st.markdown(synthesis.CLOSENESS)
    st.dataframe(
        synthesis.closeness_table(found.closeness), hide_index=True, alt="Four numbers for each table"
    )
    with st.expander("Every metric of the Compare page"):
        st.dataframe(comparison.score_table(found.scores), hide_index=True, height=320, alt="Every metric")
        st.markdown(comparison.explanations())
        st.caption(texts.NOT_ASKED)


def _people(data: DataSet, found: owner.Beside) -> None:
    """Who rides from one station."""
    if not found.domain.person:
        return
    ids = found.domain.stations.ids
    station = st.selectbox(
        "Who starts at",
        ids,
        index=int(found.original.outgoing.argmax()),
        format_func=lambda one: data.geometry.names.get(one, one),
        key="synthesize station",
    )
    tables = synthesis.people_tables(found.original, found.synthetic, found.domain, ids.index(station))
    for column, (title, table) in zip(st.columns(len(tables)), tables.items(), strict=True):
        column.markdown(f"**{title}**")
        column.table(table)
