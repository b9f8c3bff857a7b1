"""Explore by category of a declared attribute: the map of one, and hours of all with one scale, beside the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import streamlit as st

from dpcore.api import studies
from dpcore.measures.attribute import Categories
from dpcore.privacy import RUNGS
from dpcore.views.ground.part_choice import MOST_BESIDE
from dpcore.views.ground.plain import plain
from dpcore.views.ground.reading import colour_breaks
from dpcore.views.ground.shown import released_numbers
from dpcore.views.maps.several_parts import charts_beside
from dpcore.views.maps.tile_map import visits_map
from dpcore.views.planning.beside_truth import drawn_words
from dpcore.views.planning.forecasts import split_words
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.results import Picture
from pages.owner.parts.state.session import session
from pages.parts.figures import small_charts
from pages.parts.ladder_map import ladder_map

HOURS: Final = "trips_per_hour"
VISITS: Final = "visits_per_tile"
HELP: Final = (
    "Visits and starts on weekdays for each category of an attribute. Tables are drawn with the share of ε that they have here, so "
    "the noise of a count is the same and the counts are smaller. A split is released on the Release page."
)
MORE: Final = "The first {most} categories are drawn."
_KEPT_MAPS: Final = 4


def segments(data: DataSet, rung: int) -> None:
    """The choice of an attribute, and its map and small charts; nothing where none is declared."""
    plan = session().plan()
    known = {one.name: one for one in data.trips.attributes if isinstance(one, Categories)}
    asked = [name for name in (VISITS, HOURS) if name in plan.weights]
    if not known or not asked:
        return
    st.subheader("Segments")
    chosen = st.selectbox(
        "Segments by",
        list(known),
        placeholder="an attribute of the trips",
        help=HELP,
        **session().form.option("explore segments", list(known)),
    )
    if chosen is None:
        return
    by = known[chosen]
    here = replace(plan, rungs=RUNGS[: rung + 1])  # what is said of noise is of the chosen stop
    st.caption(plain(split_words(here, (by,), session().draft().facts)))
    number = session().number_of_draw(plan.bound)

    def counted() -> studies.Preview:
        with st.spinner("Counting and drawing noise"):
            split = replace(plan, choices=replace(plan.choices, splits=(by,)))
            return studies.preview(data.trips, split, asked)

    found = session().kept.last("segments", (number, chosen), counted)
    if VISITS in asked:
        _map(data, found, by, number, rung)
    if HOURS in asked:
        _hours(data, found, by, rung)


def _map(data: DataSet, found: studies.Preview, by: Categories, number: int, rung: int) -> None:
    """The map of visits of one category, with true counts beside noise, as the map of all trips has them."""
    chosen = st.selectbox(
        "Map of",
        by.labels,
        **session().form.option(f"explore segment of {by.name}", by.labels, by.labels[0]),
    )
    at = by.labels.index(chosen or by.labels[0])
    one = found.part(at)
    part, truth = one.measurements[VISITS], one.truth[VISITS]

    def packed() -> Picture:
        return Picture(
            visits_map(
                data.geometry,
                part,
                start_rung=session().start,
                mark=data.mark,
                scale=colour_breaks(found.measurements[VISITS]),
                truth=truth,
                slider=False,
            )
        )

    message = session().kept.last("segment maps", (number, by.name, at), packed, most=_KEPT_MAPS).message
    ladder_map(message, key=session().map_key("segment"), context=data.under, height=400)
    st.caption(
        f"{plain(by.labels[at])}: {drawn_words(part, truth, rung)} All categories have the same colours."
    )


def _hours(data: DataSet, found: studies.Preview, by: Categories, rung: int) -> None:
    """Hours of the start of each category."""
    if len(by.labels) > MOST_BESIDE:
        st.caption(MORE.format(most=MOST_BESIDE))
    shown, truth = dict(enumerate(by.labels[:MOST_BESIDE])), found.truth[HOURS]
    keys = session().plan().measure(HOURS).keys(data.tessellation.tile_ids)
    charts = charts_beside(
        released_numbers(found.measurements[HOURS], rung), keys, shown, truth=truth, mark=data.mark
    )
    small_charts(charts, "explore segment")
